import type { View } from '../output/result.ts'
import type { Run } from './documents.ts'

export const shortOperations: Readonly<Record<string, string>> = {
  'lists.add-contacts': 'add',
  'contacts.merge': 'merge',
  'contacts.delete': 'delete',
  'tickets.assign': 'assign',
}

export const runView: View<Run> = {
  columns: [
    { title: 'RUN', field: 'run', kind: 'id' },
    { title: 'NAME', field: 'name', floor: 4 },
    { title: 'STARTED', field: 'startedAt', kind: 'time', floor: 7 },
    { title: 'OPERATION', field: 'operation', short: { title: 'OP', words: shortOperations } },
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
    'startedAt',
    'status',
    'result',
    'done',
    'left',
    'exitCode',
  ],
  id: ({ run }) => run,
}
