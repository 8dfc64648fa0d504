/** A recorded run as a row of `runs list` and `runs prune`. The help of both loads nothing of it. */
import { countDone } from '../../bulk/operations/outcome.ts'
import { aboutRun } from '../../bulk/outcomes/summary.ts'
import { acceptedBy } from '../../bulk/outcomes/totals.ts'
import type { ListedRun } from '../../bulk/record/runs.ts'
import type { Run } from '../../views/documents.ts'

/** A run as `runs list` shows it. */
export function rowOf(listed: ListedRun): Run {
  const { run, startedAt, header, summary, holder, isPruned } = listed
  if (header === undefined) {
    return {
      run,
      name: null,
      operation: null,
      target: null,
      profile: null,
      host: null,
      by: null,
      reason: null,
      startedAt: new Date(Number.isNaN(startedAt) ? 0 : startedAt).toISOString(),
      endedAt: null,
      status: 'damaged',
      ...nothingCounted,
    }
  }
  const about = aboutRun(run, header, summary?.endedAt ?? undefined)
  const { operation, options, input } = header
  const status = holder === undefined ? (summary?.document.status ?? 'damaged') : 'running'
  const row = { ...about, run, operation, startedAt: header.startedAt, status }
  const ids = input.unique
  if (summary === undefined) return { ...row, ...nothingCounted, ids }
  const { result, left, exitCode } = summary.document
  const done = countDone(operation, result, acceptedBy(options))
  const hasEnding = summary.endedAt !== null || isPruned
  return { ...row, result, ids, done, left, exitCode: hasEnding ? exitCode : null }
}

const nothingCounted = { result: null, ids: null, done: null, left: null, exitCode: null }
