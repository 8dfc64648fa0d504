import { columnsFor } from '../output/columns.ts'
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
  columns: columnsFor('row:number', 'match:state', 'contactId as CONTACT', 'name', 'by', 'lists.name as LISTS'),
  fields: [
    ...['row', 'match', 'contactId', 'name', 'by'],
    ...['lists', 'lists.id', 'lists.name', 'candidates', 'candidates.id', 'candidates.name'],
  ],
  id: ({ contactId }) => contactId ?? '',
}
