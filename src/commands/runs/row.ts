import type { ListedRun } from '../../bulk/journal.ts'
import type { RunRow } from '../../views/run.ts'

/** A recorded run as a row; nothing for one that cannot be read. */
export function rowOf({ name, run, end, holder }: ListedRun): RunRow[] {
  if (run === undefined) return []
  return [
    {
      run: name,
      operation: run.operation,
      profile: run.profile,
      startedAt: run.startedAt,
      status: end?.status ?? (holder === undefined ? 'interrupted' : 'running'),
      result: end?.result ?? null,
      exitCode: end?.exitCode ?? null,
    },
  ]
}
