import type { ListedRun } from '../../bulk/journal.ts'
import type { RunRow } from '../../views/run.ts'

/** A recorded run as a row; `damaged` when its description cannot be read. */
export function rowOf({ name, beganAt, run, end, holder }: ListedRun): RunRow {
  return {
    run: name,
    operation: run?.operation ?? null,
    profile: run?.profile ?? null,
    startedAt: run?.startedAt ?? new Date(beganAt).toISOString(),
    status: run === undefined ? 'damaged' : holder === undefined ? (end?.status ?? 'interrupted') : 'running',
    result: end?.result ?? null,
    exitCode: end?.exitCode ?? null,
  }
}
