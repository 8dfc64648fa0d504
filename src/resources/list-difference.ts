import type { View } from '../output/result.ts'

export const sides = ['left', 'right', 'both'] as const

/** A contact, and which of two sets it is in. */
export interface ListDifference {
  readonly id: string
  /** Null for an id that only a file has. */
  readonly name: string | null
  readonly where: (typeof sides)[number]
}

export const listDifferenceView: View<ListDifference> = {
  columns: [
    { title: 'CONTACT', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'WHERE', field: 'where', kind: 'state' },
  ],
  fields: ['id', 'name', 'where'],
  id: ({ id }) => id,
}
