/** The summary of a run, computed from its file. It has the same members for every ending. Decides exit code and status. */
import type { BulkOperation } from '../api/operations.ts'
import { exitCodes, svc, type ShownCommand } from '../errors.ts'
import { signalCodes, type Signal } from '../host.ts'
import type { Change, Job } from './jobs/job.ts'
import type { InputCounts, StopReason } from './lines.ts'
import type { BegunLog } from './log.ts'
import { countOutcomes, isDone, type Outcome, type OutcomeCounts } from './outcomes.ts'
import { remarkOf } from './receipts.ts'

export interface Summary {
  schema: 'svc.bulk/2'
  /** The id of the run; null for a dry run. */
  run: string | null
  /** The `--once` name. */
  once: string | null
  operation: BulkOperation
  target: string | null
  profile: string | null
  dryRun: boolean
  status: 'complete' | 'partial' | 'stopped' | 'interrupted' | 'working' | 'dry-run'
  /** Why svc stopped the run. Null if it did not, and after a signal. */
  stopReason: Exclude<StopReason, 'signal'> | null
  /** Whether the command resumed a recorded run, or printed its result again. */
  resumed: boolean
  input: InputCounts
  outcomes: OutcomeCounts
  /** How many contacts were added, by the counts of the service's answers. Null for other operations. */
  added: number | null
  errors: ErrorRow[]
  /** How many ids the same command would send. */
  due: number
  /** Whether the same command may end better later. */
  retry: boolean
  /** The command that resumes the run. */
  resume: ShownCommand | null
  durationMs: number
  exitCode: number
}

/** How many ids with one outcome failed in the same way. */
export interface ErrorRow {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

/** How a command ended: this one or, for a finished run, the one that wrote its `end` line. */
export interface RunEnding {
  stop?: StopReason | undefined
  /** The signal that stopped this command. */
  signal?: Signal | undefined
  /** Whether the same command would fail again. */
  isHopeless?: boolean | undefined
  /** Whether the run file, or a file of the user, could not be written. */
  isUnwritten?: boolean
  isResumed?: boolean
  /** The exit code in the `end` line. Undefined while this command runs: the code is then computed. */
  exitCode?: number | undefined
}

const maxErrorRows = 100

/** Returns the summary of a run whose command ended in this way. */
export function summaryOf(log: BegunLog, ending: RunEnding = {}): Summary {
  const { run, head, queue, durationMs } = log
  const outcomes = countOutcomes(queue.requests.map((request) => queue.outcomesOf(request)))
  // A run that an undo or a newer run has closed sends nothing more.
  const due = log.isClosed ? 0 : queue.dueItems
  const computedCode = exitCodeOf(log, ending, { outcomes, due })
  const exitCode = ending.exitCode ?? computedCode
  const { stop = null } = ending
  const isSignalCode = Object.values<number>(signalCodes).includes(exitCode)
  return {
    schema: 'svc.bulk/2',
    run,
    once: head.once,
    operation: head.operation,
    target: targetOf(head),
    profile: head.profile,
    dryRun: false,
    status: log.end?.superseded === true ? 'stopped' : statusOf(ending, due, computedCode),
    stopReason: stop === 'signal' ? null : stop,
    resumed: ending.isResumed === true,
    input: head.input,
    outcomes,
    added: head.operation === 'lists.add-contacts' ? queue.added : null,
    errors: errorsOf(log),
    due,
    retry: due > 0 && (exitCode === exitCodes.unavailable || isSignalCode),
    resume: due === 0 ? null : { ...svc`runs resume ${run}`, resumesThisRun: true },
    durationMs: Math.round(durationMs),
    exitCode,
  }
}

/** Returns the summary of a finished run, with the exit code of its `end` line. */
export function recordedSummary(log: BegunLog): Summary {
  const { stop, exit: exitCode } = log.end ?? {}
  return summaryOf(log, { stop, exitCode, isResumed: true })
}

/** Returns the summary of a job that is not recorded: of a dry run, which would send `due` ids, or of an empty input. */
export function unrecordedSummary(job: Job, due = 0, profile?: string): Summary {
  const { operation, options, input } = job
  const isDryRun = options.dryRun === true
  return {
    schema: 'svc.bulk/2',
    run: null,
    once: options.once ?? null,
    operation,
    target: targetOf(job),
    profile: profile ?? null,
    dryRun: isDryRun,
    status: isDryRun ? 'dry-run' : 'complete',
    stopReason: null,
    resumed: false,
    input,
    outcomes: {},
    added: null,
    errors: [],
    due,
    retry: false,
    resume: null,
    durationMs: 0,
    exitCode: exitCodes.done,
  }
}

/** Returns the list or employee of all items, or the run that is undone, in words. Null without one. */
export function targetOf({ target, undoes }: Pick<Change, 'target' | 'undoes'>) {
  if (undoes !== undefined) return `undo of ${undoes.run}`
  if (target === undefined) return null
  return target.name === undefined ? target.id : `${target.name} (${target.id})`
}

/** Returns the exit code. If several apply, the first of these counts: signal, failed, not allowed, unfinished, not all done. */
function exitCodeOf(
  { head, queue }: BegunLog,
  { stop, signal, isHopeless, isUnwritten }: RunEnding,
  { outcomes, due }: Pick<Summary, 'outcomes' | 'due'>,
): number {
  if (signal !== undefined) return signalCodes[signal]
  const { requests } = queue
  const allRefused =
    requests.length > 0 && requests.every(({ answer }) => answer?.k === 'refused')
  // A request can be refused after an attempt whose answer was lost. Its ids are unknown then, and something may have changed.
  const hasChangedNothing = allRefused && outcomes.unknown === undefined
  if (isUnwritten === true || isHopeless === true || hasChangedNothing)
    return exitCodes.failed
  if (stop === 'not-allowed') return exitCodes.auth
  if (due > 0) return exitCodes.unavailable
  const found = Object.keys(outcomes) as Outcome[]
  const areAllDone = found.every((outcome) => isDone(outcome, head.accept))
  return areAllDone ? exitCodes.done : exitCodes.incomplete
}

/** Returns the status of a run. `exitCode` is the one that follows from the outcomes. */
export function statusOf(
  { stop, signal }: Pick<RunEnding, 'stop' | 'signal'>,
  due: number,
  exitCode: number,
): Summary['status'] {
  // The signal stopped this command, or the one that wrote the `end` line.
  if (signal !== undefined || stop === 'signal') return 'interrupted'
  if (stop !== undefined || due > 0) return 'stopped'
  return exitCode === exitCodes.done ? 'complete' : 'partial'
}

/** Returns the ways in which ids failed, with counts. Ways after the first hundred are left out. */
function errorsOf({ queue }: BegunLog): ErrorRow[] {
  const rows = new Map<string, ErrorRow>()
  for (const request of queue.requests) {
    for (const outcome of queue.outcomesOf(request)) {
      const remark = remarkOf(queue, request, outcome)
      if (remark === undefined) continue
      const { httpStatus = null, code = null, message } = remark
      const key = JSON.stringify([outcome, httpStatus, code, message])
      const row = rows.get(key)
      if (row !== undefined) row.count += 1
      else if (rows.size < maxErrorRows)
        rows.set(key, { outcome, httpStatus, code, message, count: 1 })
    }
  }
  return [...rows.values()]
}
