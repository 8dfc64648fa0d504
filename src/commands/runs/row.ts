import type { ListedRun } from '../../bulk/store.ts'
import type { RunRow } from '../../resources/run.ts'

/** A recorded run as a row; `damaged` when its description cannot be read. */
export function rowOf({ id, beganAt, run, end, holder }: ListedRun): RunRow {
  const left = run === undefined || end?.left === undefined ? null : end.left
  return {
    run: id,
    name: run?.once?.name ?? null,
    operation: run?.operation ?? null,
    target: run?.target?.name ?? run?.target?.id ?? null,
    profile: run?.profile ?? null,
    startedAt: run?.startedAt ?? new Date(beganAt).toISOString(),
    status: run === undefined ? 'damaged' : holder === undefined ? (end?.status ?? 'interrupted') : 'running',
    result: end?.result ?? null,
    done: run === undefined || left === null ? null : run.items - left,
    left,
    exitCode: end?.exitCode ?? null,
  }
}
