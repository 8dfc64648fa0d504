import { columnsFor } from '../output/columns.ts'
import type { View } from '../output/result.ts'

/** A contact that shares something with an older one of its group. */
export interface Duplicate {
  readonly group: number
  readonly source: string
  readonly target: string
  /** `phone +491712345678`: with the target, or with the contact that leads to it. */
  readonly shared: readonly string[]
  readonly sourceName: string
  readonly targetName: string
  readonly warning: readonly string[]
}

const fields = ['group', 'source', 'target', 'shared', 'sourceName', 'targetName', 'warning']

export const duplicateView: View<Duplicate> = {
  columns: columnsFor('group:number', 'source:id', 'target:id', 'shared', 'names', 'warning'),
  fields,
  computed: { names: ({ sourceName, targetName }) => `${sourceName} / ${targetName}`, DECISION: () => '' },
}

/** The same as a file in which a person decides, and which `contacts merge --file` reads. */
export const decisionView: View<Duplicate> = {
  ...duplicateView,
  columns: [...fields, 'DECISION'].map((field) => ({ title: field, field })),
}
