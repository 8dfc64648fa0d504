import type { View } from '../output/result.ts'

/** A bulk run as `runs list` shows it. */
export interface RunRow {
  readonly run: string
  /** Its `--once` name. */
  readonly name: string | null
  readonly operation: string | null
  /** The list, or the employee of all tickets. */
  readonly target: string | null
  readonly profile: string | null
  readonly startedAt: string
  readonly status: string
  /** Counts by outcome, as in the summary document. */
  readonly result: unknown
  /** Ids with an accepted outcome, and those that resuming would work on; null while that is not known. */
  readonly done: number | null
  readonly left: number | null
  /** Null while the run has no ending. */
  readonly exitCode: number | null
}

export const shortOperations: Readonly<Record<string, string>> = {
  'lists.add-contacts': 'add',
  'contacts.merge': 'merge',
  'contacts.delete': 'delete',
  'tickets.assign': 'assign',
}

export const runView: View<RunRow> = {
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
