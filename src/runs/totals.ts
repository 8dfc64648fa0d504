/**
 * Adds up outcomes into a result, a status and an exit code. This is the one place that decides how a run ended: every
 * summary, live or from a record, is computed from the totals of a run's state. Pure.
 */
import type { BulkOperation } from '../api/operations.ts'
import { exit } from '../errors.ts'
import type { Signal } from '../host.ts'
import { hasDoubtBeyondServerErrors, isRetried, type BatchState } from './batch.ts'
import { canOnlyRepeat } from './operations/due.ts'
import type { StopReason } from './lines.ts'
import {
  figuresOf,
  isDone,
  outcomeFacts,
  outcomes,
  type Judgement,
  type Outcome,
  outcomeOf,
} from './outcomes.ts'
import { hasBatchFailed } from './receipts.ts'
import type { RunState } from './state.ts'

export const runStatuses = [
  'complete',
  'partial',
  'stopped',
  'interrupted',
  'dry-run',
] as const
type RunStatus = (typeof runStatuses)[number]

/** Sums over all batches of a run. */
export type Totals = ReturnType<typeof emptyTotals>

function emptyTotals(total: number) {
  const none = Object.fromEntries(outcomes.map((outcome) => [outcome, 0]))
  const counts: Record<string, number> = {}
  return {
    idCounts: none as Record<Outcome, number>,
    /** Sums of the counts in the service's answers. */
    counts,
    batches: { total, done: 0, failed: 0, retried: 0 },
    causes: { auth: 0, forbidden: 0, unavailable: 0, unreachable: 0 },
    /** Ids with a guessed outcome whose lost answers were not all 5xx answers of the service. */
    guessesAfterSilence: 0,
    /** Ids that a later session would send or read, and those of them that running the command again can change. */
    left: 0,
    hopeful: 0,
  }
}

type FailureCause = keyof Totals['causes']

export function totalsOf(state: RunState): Totals {
  const totals = emptyTotals(state.batches.total)
  for (const batch of state.batches.numbers()) {
    const judgement = state.judge(batch)
    countBatch(totals, state.stateOf(batch), judgement)
    if (!state.isLeft(batch)) continue
    const left = state.countLeft([batch])
    totals.left += left
    if (!state.isHopeless(batch)) totals.hopeful += left
  }
  return totals
}

function countBatch(totals: Totals, state: BatchState, judgement: Judgement) {
  for (const outcome of judgement.outcomes) {
    totals.idCounts[outcome] += 1
    const isGuess = outcomeFacts(outcome).guessOf !== undefined
    if (isGuess && hasDoubtBeyondServerErrors(state)) totals.guessesAfterSilence += 1
  }
  for (const [name, count] of Object.entries(judgement.counts ?? {})) {
    totals.counts[name] = (totals.counts[name] ?? 0) + count
  }
  const outcome = outcomeOf(judgement)
  if (hasBatchFailed(state, judgement)) totals.batches.failed += 1
  else if (outcome !== undefined && outcome !== 'not-attempted') totals.batches.done += 1
  if (isRetried(state)) totals.batches.retried += 1
  const cause = failureCause(state, judgement)
  if (cause !== undefined) totals.causes[cause] += 1
}

const causeOfStatus = new Map<number, FailureCause>([
  [401, 'auth'],
  [403, 'forbidden'],
  [429, 'unavailable'],
])

/** The cause of a batch that was refused or never sent, or of a part without an answer; undefined for any other ending. */
function failureCause(state: BatchState, judgement: Judgement): FailureCause | undefined {
  const { last } = state
  const isKnownFailure =
    outcomeOf(judgement) !== 'unknown' && hasBatchFailed(state, judgement)
  // A batch with a problem of its own was not sent, whatever answer an earlier session got.
  if (!isKnownFailure || judgement.problem !== undefined) return undefined
  if (last?.k === 'never-sent') return last.d === finalMark ? 'unreachable' : 'unavailable'
  // Of a part: if a batch lost its answer, its outcome is unknown.
  if (last?.k === 'ambiguous' && !canOnlyRepeat(state)) return 'unavailable'
  return causeOfStatus.get(last?.st ?? 0)
}

/**
 * Marks a cause that no other attempt fixes, such as a certificate or an unknown host name. It takes the place of an
 * answer's fields.
 */
export const finalMark = 'final'

/** What decides the status and the exit code, apart from the outcomes of the ids. */
export interface RunEnding {
  stop?: StopReason | null | undefined
  /** A file could not be written at the end. With another stop, the exit code is 10 all the same. */
  isUnwritten?: boolean
  /** The process died: no stop is recorded, and no signal. */
  died?: boolean | undefined
  signal?: Signal | undefined
  /** Outcomes that count as done, in addition to those that always do. */
  accept?: readonly Outcome[] | undefined
  dryRun?: boolean | undefined
  /** An undo leaves some items out. */
  isPart?: boolean | undefined
}

/** A run with nothing left was not stopped, even if something happened at its end. */
export const endingOnRecord = (state: RunState, ending: RunEnding): RunEnding =>
  state.listLeft().length > 0 ? ending : {}

const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * The first that applies: a signal; 7 if a repeat can help, and something is unknown or was not available; 1 or 4 for what
 * stopped the run; 7 if a repeat can help; 3.
 */
function exitCodeOf(totals: Totals, ending: RunEnding) {
  const { stop } = ending
  if (stop === 'signal') return signalCodes[ending.signal ?? 'SIGINT']
  const canRepeatHelp = totals.hopeful > 0
  if (canRepeatHelp && isToBeRepeated(totals, ending)) return exit.unavailable
  const code = stopCode(totals, ending)
  if (code !== undefined) return code
  if (canRepeatHelp) return exit.unavailable
  return ending.isPart !== true && isAccepted(totals, ending) ? exit.done : exit.incomplete
}

/** The exit code for what stopped a run; undefined if nothing stopped it. */
function stopCode(totals: Totals, ending: RunEnding): number | undefined {
  const { stop } = ending
  if (stop === 'journal' || ending.isUnwritten === true) return exit.failed
  if (totals.causes.auth > 0 || stop === 'auth') return exit.auth
  if (totals.causes.forbidden > 0 || stop === 'forbidden') return exit.auth
  return stop === 'refused' ? exit.failed : undefined
}

/** Something is unknown or was not available, so the command should be run again. */
function isToBeRepeated({ idCounts, causes }: Totals, { stop }: RunEnding) {
  if (idCounts.unknown > 0 || stop === 'retry-after') return true
  return causes.unavailable > 0 || causes.unreachable > 0
}

/**
 * Whether running the command again is useless: the service cannot be reached at all, and nothing else is unknown or left to
 * try.
 */
export function isRepeatUseless({ idCounts, causes }: Totals) {
  return causes.unreachable > 0 && causes.unavailable === 0 && idCounts.unknown === 0
}

function isAccepted({ idCounts, guessesAfterSilence }: Totals, ending: RunEnding) {
  return outcomes.every((outcome) => {
    if (idCounts[outcome] === 0) return true
    const { guessOf } = outcomeFacts(outcome)
    if (guessOf !== undefined && guessesAfterSilence === 0 && idCounts[guessOf] === 0) {
      // Nothing shows that any of these ids ever existed: the service did answer, but only with errors.
      return false
    }
    return isDone(outcome) || ending.accept?.includes(outcome) === true
  })
}

/**
 * How a run ended: `complete` if every id is in an accepted state, `partial` if the run finished but some ids are not,
 * `stopped` or `interrupted` if it did not finish.
 */
export function summarize(
  operation: BulkOperation,
  totals: Totals,
  ending: RunEnding,
): { result: Record<string, number>; status: RunStatus; exitCode: number } {
  const { idCounts, counts } = totals
  const figures = figuresOf(operation).map(({ name, outcome, isCount }) => [
    name,
    isCount ? (counts[name] ?? 0) : idCounts[outcome],
  ])
  const result = Object.fromEntries(figures) as Record<string, number>
  if (ending.dryRun === true) return { result, status: 'dry-run', exitCode: 0 }
  const exitCode = exitCodeOf(totals, ending)
  return { result, status: statusOf(ending, exitCode), exitCode }
}

function statusOf({ stop, died }: RunEnding, exitCode: number): RunStatus {
  if (stop === 'signal' || died === true) return 'interrupted'
  if (stop != null) return 'stopped'
  return exitCode === 0 ? 'complete' : 'partial'
}
