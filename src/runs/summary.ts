/** The summary of a run, and its exit code. Both follow from the outcomes; a command that stopped has a code of its own. */
import type { BulkOperationName } from '../api/operations.ts'
import { exitCodes, type SvcError } from '../errors.ts'
import { signalCodes, type Signal } from '../host.ts'
import type { RunFacts } from './find.ts'
import type { Operation } from './job.ts'
import type { Head, InputCounts, StopReason } from './lines.ts'
import { isDone, type Outcome, type OutcomeCounts } from './outcomes.ts'
import { errorsOf, type ErrorRow } from './receipts.ts'
import type { RunRecord } from './record.ts'

export interface Summary {
  schema: 'svc.bulk/3'
  run: string
  /** The `--once` name as it was typed. */
  once: string | null
  operation: BulkOperationName
  target: string | null
  profile: string | null
  /** The run whose tickets were given back. */
  undoes: string | null
  status: Status
  /** Why the run stopped, if something is due. */
  stopReason: Exclude<StopReason, 'signal'> | 'due' | null
  input: InputCounts
  outcomes: OutcomeCounts
  /** How many contacts were added to the list. Null for other operations, and after a lost answer. */
  added: number | null
  errors: ErrorRow[]
  due: number
  resume: string | null
  exitCode: number
}

/** A run at the end of a command that worked on it, or as it is shown. */
export interface ShownRun {
  operation: Operation
  record: RunRecord
  summary: Summary
}

/** `working` and `damaged` are only said of a run on record. */
export type Status =
  'complete' | 'partial' | 'stopped' | 'interrupted' | 'closed' | 'working' | 'damaged'

/** How a command that worked on a run ended. */
export interface Ending {
  /** Why it stopped; undefined if every request was tried. */
  stop: StopReason | undefined
  /** The error that stopped it, and the one of its record or receipts. */
  errors: readonly (SvcError | undefined)[]
  /** Whether it is exit 1, whatever the outcomes are. */
  hasFailed: boolean
  signal?: Signal | undefined
}

/** Returns the summary of a run; without an `ending`, as its record shows it. */
export function summaryOf(record: RunRecord, ending?: Ending): Summary {
  const { run, state } = record
  const { head, counts, due, added, hasLostAnswer } = state
  const stop = stopOf(state, ending)
  const isAdd = head.operation === 'lists.add-contacts'
  const status = statusOf(record, ending)
  const canGoOn = due > 0 && !record.isGone && status !== 'working'
  return {
    schema: 'svc.bulk/3',
    run,
    once: head.once,
    operation: head.operation,
    target: describeTarget(head),
    profile: head.profile,
    undoes: head.undoes ?? null,
    status,
    stopReason: status === 'stopped' && stop !== 'signal' ? (stop ?? 'due') : null,
    input: head.input,
    outcomes: counts,
    added: isAdd && !hasLostAnswer ? added : null,
    errors: errorsOf(state),
    due,
    resume: canGoOn ? `svc runs resume ${run}` : null,
    exitCode: exitCodeOf(state, ending),
  }
}

/** Returns why a command stopped; without an `ending`, the last one on record. A command without an `end` was killed. */
export function stopOf({ end }: RunFacts['state'], ending?: Ending) {
  if (ending !== undefined) return ending.stop
  return end === undefined ? 'signal' : end.stop
}

export function statusOf({ state, isHeld }: RunFacts, ending?: Ending): Status {
  if (ending === undefined && state.damage !== undefined) return 'damaged'
  if (ending === undefined && isHeld) return 'working'
  if (state.isClosed) return 'closed'
  if (state.due > 0) return stopOf(state, ending) === 'signal' ? 'interrupted' : 'stopped'
  return exitCodeOf(state) === exitCodes.done ? 'complete' : 'partial'
}

/** Returns the exit code of a command that worked on a run; without an `ending`, the one that follows from the outcomes. */
function exitCodeOf({ head, counts, due }: RunFacts['state'], ending?: Ending): number {
  if (ending?.signal !== undefined) return signalCodes[ending.signal]
  if (ending?.hasFailed === true) return exitCodes.failed
  if (ending?.stop === 'not-allowed') return exitCodes.auth
  if (due > 0) return exitCodes.unavailable
  const found = Object.keys(counts) as Outcome[]
  const sent = found.filter((outcome) => outcome !== 'not-attempted' && outcome !== 'kept')
  if (sent.length === 1 && sent[0] === 'error') return exitCodes.failed
  const areAllDone = found.every((outcome) => isDone(outcome, head.accept))
  return areAllDone && !isPartial(head) ? exitCodes.done : exitCodes.incomplete
}

/** Whether a job is only a part of the input: rows had no decision, or an undo leaves tickets out. It ends with 3 at best. */
export const isPartial = ({ input, undoes }: Pick<Head, 'input' | 'undoes'>) =>
  input.undecided > 0 || (undoes !== undefined && input.leftOut > 0)

/** Returns the list or employee of all items in words; null without one. */
export function describeTarget({ target }: Pick<Head, 'target'>) {
  if (target === undefined) return null
  return target.name === undefined ? target.id : `${target.name} (${target.id})`
}
