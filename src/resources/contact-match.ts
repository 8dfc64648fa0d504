import type { View } from '../output/result.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** A row of a table of people, and the contact that it means. */
export interface ContactMatch {
  /** Its line in a text, its row in a sheet. */
  readonly row: number
  /** `one`, or why there is no contact. */
  readonly match: string
  /** Of `one` alone. */
  readonly contactId: string | null
  /** That of the contact, or of those that a value points to. */
  readonly name: string
  /** What decided. */
  readonly by: string
  /** Those of the contact, also of one that a person has to look at. */
  readonly lists: readonly Named[]
  /** Without a contact: those that a value points to. */
  readonly candidates: readonly Named[]
}

export const contactMatchView: View<ContactMatch> = {
  columns: [
    { title: 'ROW', field: 'row', kind: 'number' },
    { title: 'MATCH', field: 'match', kind: 'state' },
    { title: 'CONTACT', field: 'contactId', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'BY', field: 'by' },
    { title: 'LISTS', field: 'lists.name' },
  ],
  fields: [
    ...['row', 'match', 'contactId', 'name', 'by'],
    ...['lists', 'lists.id', 'lists.name', 'candidates', 'candidates.id', 'candidates.name'],
  ],
  id: ({ contactId }) => contactId ?? '',
}
