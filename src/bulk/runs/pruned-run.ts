/** A run that was removed, as far as the record of its name tells of it. */
import { parseRunFile } from '../record/run.ts'
import { runStatuses } from '../record/events.ts'
import type { NameRecord } from './names.ts'
import type { ListedRun } from './store.ts'

/** Undefined when the run is still there, or what was kept cannot be read. */
export function prunedRun({ run: id, pruned }: NameRecord): ListedRun | undefined {
  if (pruned === undefined) return undefined
  const run = parseRunFile(pruned.description)
  const status = runStatuses.find((each) => each === pruned.summary['status'])
  if (typeof run === 'string' || status === undefined) return undefined
  const { exitCode, doneAt } = pruned
  // A run of which something is left is not removed by itself.
  const end = { t: 'end' as const, at: Date.parse(doneAt), status, exitCode, result: {}, left: 0 }
  return { id, dir: '', beganAt: Date.parse(run.startedAt), run, end, holder: undefined, problem: undefined }
}
