import { columnsFor } from '../output/columns.ts'
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
  columns: columnsFor('id as CONTACT', 'name', 'where:state'),
  fields: ['id', 'name', 'where'],
  id: ({ id }) => id,
}
