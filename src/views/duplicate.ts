import { columnOf, columnsFor } from '../output/columns.ts'
import type { View } from '../output/result.ts'
import type { Duplicate } from './documents.ts'

const fields = [
  ...[
    'group',
    'source',
    'target',
    'shared',
    'sourceName',
    'targetName',
    'sourceLists',
    'targetLists',
  ],
  ...[
    'sourceEmails',
    'targetEmails',
    'sourcePhones',
    'targetPhones',
    'sourceCreatedAt',
    'targetCreatedAt',
    'warning',
  ],
]

export const duplicateView: View<Duplicate> = {
  columns: columnsFor(
    'group:number',
    { ...columnOf('source:id'), isBelow: true },
    { ...columnOf('target:id'), isBelow: true },
    'shared',
    'names',
    { ...columnOf('warning'), isBelow: true },
  ),
  computed: {
    names: ({ sourceName, targetName }) => `${sourceName} / ${targetName}`,
    DECISION: () => '',
  },
}

/** The same as a file in which a person decides, and which `contacts merge --file` reads. */
export const decisionView: View<Duplicate> = {
  ...duplicateView,
  columns: [...fields, 'DECISION'].map((field) => ({ title: field, field })),
}
