import type { View } from '../output/output.ts'

/** A bulk run as `runs list` shows it. */
export interface RunRow {
  readonly run: string
  readonly operation: string | null
  readonly profile: string | null
  readonly startedAt: string
  readonly status: string
  /** Counts by outcome, as in the summary document. */
  readonly result: unknown
  /** Null while the run has no ending. */
  readonly exitCode: number | null
}

export const runView: View<RunRow> = {
  columns: [
    { title: 'RUN', field: 'run', kind: 'id' },
    { title: 'OPERATION', field: 'operation' },
    { title: 'PROFILE', field: 'profile' },
    { title: 'STARTED', field: 'startedAt', kind: 'time' },
    { title: 'STATUS', field: 'status', kind: 'state' },
    { title: 'EXIT', field: 'exitCode', kind: 'number' },
  ],
  fields: ['run', 'operation', 'profile', 'startedAt', 'status', 'result', 'exitCode'],
  id: ({ run }) => run,
}
