/** A recorded run as a row of `runs list` and `runs prune`. The help of both loads nothing of it. */
import type { ListedRun } from '../../runs/list.ts'
import type { Run } from '../../views/documents.ts'

/** The status of a run: that of its summary, unless something happened since, or happens now. */
function statusOf({ holder, isUndone, summary, endedAt }: ListedRun): string {
  if (summary === undefined) return 'damaged'
  if (holder !== undefined) return 'working'
  if (isUndone) return 'undone'
  return endedAt === undefined ? 'interrupted' : summary.status
}

/** A run as `runs list` shows it. */
export function rowOf(listed: ListedRun): Run {
  const { run, summary, holder } = listed
  const times = {
    startedAt: new Date(
      Number.isNaN(listed.startedAt) ? 0 : listed.startedAt,
    ).toISOString(),
    endedAt: listed.endedAt === undefined ? null : new Date(listed.endedAt).toISOString(),
  }
  if (summary === undefined) {
    const nothing = { name: null, operation: null, target: null, profile: null, host: null }
    const none = { by: null, reason: null, result: null, ids: null, left: null }
    return { run, ...nothing, ...times, status: 'damaged', ...none, exitCode: null }
  }
  const { name, operation, target, profile, host, by, reason, result, left } = summary
  const hasEnding = listed.endedAt !== undefined && holder === undefined
  return {
    run,
    name,
    operation,
    target,
    profile,
    host,
    by,
    reason,
    ...times,
    status: statusOf(listed),
    result,
    ids: summary.input.unique,
    left,
    exitCode: hasEnding ? summary.exitCode : null,
  }
}
