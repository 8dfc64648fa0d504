import type { View } from '../output/result.ts'
import type { Run } from './documents.ts'

/** `lists.add-contacts` in one word. */
export const shortOperation = (operation: string): string => /\.([a-z]+)/.exec(operation)?.[1] ?? operation

export const runView: View<Run> = {
  columns: [
    { title: 'RUN', field: 'run', kind: 'id' },
    { title: 'NAME', field: 'name', floor: 4 },
    { title: 'STARTED', field: 'startedAt', kind: 'time', floor: 7 },
    { title: 'OPERATION', field: 'operation', short: { title: 'OP', word: shortOperation } },
    { title: 'TARGET', field: 'target' },
    { title: 'STATUS', field: 'status', kind: 'state', floor: 'interrupted'.length },
    { title: 'DONE', field: 'done', kind: 'number', floor: 4 },
    { title: 'LEFT', field: 'left', kind: 'number', floor: 4 },
  ],
  fields: [
    'run',
    'name',
    'operation',
    'target',
    'profile',
    'host',
    'by',
    'reason',
    'startedAt',
    'endedAt',
    'status',
    'result',
    'done',
    'left',
    'exitCode',
  ],
  id: ({ run }) => run,
}
