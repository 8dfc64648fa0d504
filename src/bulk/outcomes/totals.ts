/**
 * How batches end, and their outcomes summed up into a result, a status and an exit code: the one place that decides how a bulk run has
 * ended. The run state counts batches here, and every summary, live or from a journal, is made of the totals. Pure. `state.ts` asks it, and
 * `svc runs check` and `runs list` decide by it.
 */
import type { BatchState } from '../record/batch-state.ts'
import {
  acceptable,
  figuresOf,
  isDone,
  isFailed,
  isOpen,
  outcomeFacts,
  outcomes,
  type BatchOutcome,
  type Outcome,
} from '../operations/outcome.ts'
import type { Batches } from '../record/batches.ts'
import type { RunStatus, StopReason } from '../record/events.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Assignees } from '../operations/operation.ts'

export type FailureCause = 'auth' | 'forbidden' | 'unavailable' | 'unreachable'

/** Sums over all batches that have ended. */
export interface Totals {
  readonly outcomes: Record<Outcome, number>
  /** The counts of the operation's answers. */
  readonly counts: Record<string, number>
  readonly batches: { total: number; done: number; failed: number; retried: number }
  readonly causes: Record<FailureCause, number>
  /** Ids whose outcome is a guess, where not every lost answer was a 5xx of the service. */
  guessesAfterSilence: number
}

/** Totals of a run of so many batches of which none has ended. */
export function emptyTotals(batches = 0): Totals {
  const none = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  return {
    outcomes: none,
    counts: {},
    batches: {
      total: batches,
      done: 0,
      failed: 0,
      retried: 0,
    },
    causes: {
      auth: 0,
      forbidden: 0,
      unavailable: 0,
      unreachable: 0,
    },
    guessesAfterSilence: 0,
  }
}

/** Totals of a dry run. */
export function totalsOfDryRun({ from, to, total }: Batches): Totals {
  const totals = emptyTotals(total)
  totals.outcomes['not-attempted'] = to - from
  return totals
}

const causes = new Map<number, FailureCause>([
  [401, 'auth'],
  [403, 'forbidden'],
  [429, 'unavailable'],
])

/** The cause of a batch that ended in `error`; undefined for every other ending. */
function failureCause(
  state: BatchState,
  { outcomes: [first] }: BatchOutcome,
): FailureCause | undefined {
  // Not sent for what was read, whatever an earlier session was told.
  if (first !== 'error' || state.declined === true) return undefined
  if (state.last?.kind === 'never-sent') {
    return state.last.isFinal === true ? 'unreachable' : 'unavailable'
  }
  return causes.get(state.last?.status ?? 0)
}

/** Totals of the batches that have ended, of `total`. */
export function totalsOf(total: number, batches: readonly (KnownBatch | undefined)[]): Totals {
  const totals = emptyTotals(total)
  for (const record of batches) {
    if (record?.outcomes !== undefined) countBatch(totals, record.state, record)
  }
  return totals
}

/** Adds a batch to the totals. */
export function countBatch(totals: Totals, state: BatchState, batch: BatchOutcome): void {
  for (const outcome of batch.outcomes) {
    totals.outcomes[outcome] += 1
    if (state.lostSilently && outcomeFacts(outcome).guessOf !== undefined) {
      totals.guessesAfterSilence += 1
    }
  }
  for (const [name, count] of Object.entries(batch.counts ?? {})) {
    totals.counts[name] = (totals.counts[name] ?? 0) + count
  }
  const [first] = batch.outcomes
  if (isFailed(first)) totals.batches.failed += 1
  else if (first !== undefined && first !== 'not-attempted') totals.batches.done += 1
  if (state.attempts > 1) totals.batches.retried += 1
  const cause = failureCause(state, batch)
  if (cause !== undefined) totals.causes[cause] += 1
}

/** How a run ended, beside what became of its ids. */
export interface RunEnding {
  readonly stop?: StopReason | null | undefined
  /** The process died: no stop is recorded, and no signal. */
  readonly died?: boolean | undefined
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined
  /** Outcomes that count as done, beside those that always do. */
  readonly accept?: readonly Outcome[] | undefined
  readonly dryRun?: boolean | undefined
  /** The run has a `--once` name: a repetition is told from the exit code whether it would do anything. */
  readonly once?: boolean | undefined
  /** Ids that resuming would send or read. Without it, some may be left. */
  readonly left?: number | undefined
}

export interface Conclusion {
  /** The summary's `result`: its figures add up to the number of unique ids. */
  readonly result: Readonly<Record<string, number>>
  readonly status: RunStatus
  readonly exitCode: number
}

const signalCodes = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
} as const
const stopCodes = new Map<RunEnding['stop'], number>([
  ['refused', 6],
  ['deadline', 8],
  ['max-failures', 8],
  ['stdout-closed', 8],
])

/** When several apply: a signal, then 7, 10, 11, 4, 5, 6, 8, 3. */
function exitCodeOf(totals: Totals, ending: RunEnding): number {
  const { causes } = totals
  const { stop } = ending
  if (stop === 'signal') return signalCodes[ending.signal ?? 'SIGINT']
  if (isToBeRepeated(totals, ending)) return 7
  if (stop === 'journal') return 10
  if (causes.auth > 0 || stop === 'auth') return 4
  if (causes.forbidden > 0 || stop === 'forbidden') return 5
  const code = stopCodes.get(stop)
  if (code !== undefined) return code
  const hasOpen = outcomes.some((outcome) => isOpen(outcome) && totals.outcomes[outcome] > 0)
  // A merge that has to wait for one that may still take effect, missing contacts that are not found yet: later.
  if (hasOpen && (ending.left ?? 0) > 0) return 7
  return isAccepted(totals, ending) ? 0 : 3
}

/** Something is not known or was not available; under a `--once` name only while a repetition would do something about it. */
function isToBeRepeated(
  { outcomes: by, causes }: Totals,
  { stop, once, left }: RunEnding,
): boolean {
  if (once === true && left === 0) return false
  if (by.unknown > 0 || stop === 'retry-after') return true
  return causes.unavailable > 0 || causes.unreachable > 0
}

/** Whether no repetition gets further: the service cannot be reached for good, and nothing else is to be sent or found out. */
export function isUnreachable({ outcomes: by, causes }: Totals): boolean {
  return causes.unreachable > 0 && causes.unavailable === 0 && by.unknown === 0
}

function isAccepted({ outcomes: by, guessesAfterSilence }: Totals, ending: RunEnding): boolean {
  return outcomes.every((outcome) => {
    if (by[outcome] === 0) return true
    const { guessOf } = outcomeFacts(outcome)
    const isConfirmed = outcomes.some((other) => other === guessOf && by[other] > 0)
    // Nothing says that any of these was ever there: the service answered, and answered only with errors.
    const isBaseless = guessOf !== undefined && guessesAfterSilence === 0 && !isConfirmed
    return !isBaseless && (isDone(outcome) || ending.accept?.includes(outcome) === true)
  })
}

/** Those that the options of a command line, or of a recorded run, tell to count as done. */
/** Outcomes of an option `--accept`, in the order of the registry, so that two runs compare. */
export function acceptedBy({ accept = [] }: { readonly accept?: readonly string[] | undefined }) {
  return acceptable.filter((outcome) => accept.includes(outcome))
}

/**
 * How a run ended. `complete` when every id is in an accepted state, `partial` when it came to its end but some are not,
 * `stopped` and `interrupted` when it did not come to its end. That of a run whose process died is what its outcomes amount to: nobody recorded another.
 */
export function summarize(operation: BulkOperation, totals: Totals, ending: RunEnding): Conclusion {
  const { outcomes: by, counts } = totals
  const figures = figuresOf(operation).map(({ name, outcome, isCount }) => [
    name,
    isCount ? (counts[name] ?? 0) : by[outcome],
  ])
  const result = Object.fromEntries(figures) as Record<string, number>
  if (ending.dryRun === true)
    return {
      result,
      status: 'dry-run',
      exitCode: 0,
    }
  const exitCode = exitCodeOf(totals, ending)
  return { result, status: statusOf(ending, exitCode), exitCode }
}

function statusOf({ stop, died }: RunEnding, exitCode: number): RunStatus {
  if (stop === 'signal' || died === true) return 'interrupted'
  if (stop != null) return 'stopped'
  return exitCode === 0 ? 'complete' : 'partial'
}

/** All that is known of a batch that has ended. */
export interface BatchEnd extends BatchOutcome {
  readonly state: BatchState
  /** Said of ids that were not sent, or not isolated. */
  readonly why?: string | undefined
  readonly assignees?: Assignees | undefined
  /** Merge: no resume will do it, and what that means for the merges that must come later. */
  readonly never?: string | undefined
}

/** No outcomes: it has not ended, or was opened again. */
export type KnownBatch = BatchEnd | { readonly state: BatchState; readonly outcomes?: undefined }
