/** The summary of a run, computed from its record: one document for every ending. Exit codes and statuses are decided here. */
import type { BulkOperation } from '../api/operations.ts'
import { exitCodes, svc, type ShownCommand } from '../errors.ts'
import { signalCodes, type Signal } from '../host.ts'
import type { Job } from './jobs/job.ts'
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
  /** Why the run stopped itself. */
  stopReason: Exclude<StopReason, 'signal'> | null
  /** The command went on with a recorded run, or printed its result again. */
  resumed: boolean
  input: InputCounts
  outcomes: OutcomeCounts
  /** How many contacts were added, by the counts of the service's answers. Null for other operations. */
  added: number | null
  errors: ErrorRow[]
  /** How many ids the same command would send. */
  due: number
  /** The same command may end better. */
  retry: boolean
  /** The command that resumes the run. */
  resume: ShownCommand | null
  /** The text of `--reason`. */
  reason: string | null
  durationMs: number
  exitCode: number
}

/** Ids with one outcome that failed in the same way. */
export interface ErrorRow {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

/** What a summary needs beside the record: how a command ended, or what the `end` line says of that. */
export interface RunEnding {
  stop?: StopReason | undefined
  /** The signal that this command was stopped by. */
  signal?: Signal | undefined
  /** The same command would fail again. */
  isHopeless?: boolean | undefined
  /** The record, or a file of the user, could not be written. */
  isUnwritten?: boolean
  isResumed?: boolean
  /** The exit code of the `end` line. */
  exit?: number | undefined
}

const maxErrorRows = 100

/** The summary of a run whose command ended in this way. */
export function summaryOf(log: BegunLog, ending: RunEnding = {}): Summary {
  const { run, head, queue, durationMs } = log
  const outcomes = countOutcomes(queue.requests.map((request) => queue.outcomesOf(request)))
  // A closed run sends nothing more.
  const due = log.isClosed ? 0 : queue.dueItems
  const computedCode = exitCodeOf(log, ending, { outcomes, due })
  const exitCode = ending.exit ?? computedCode
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
    reason: head.reason,
    durationMs: Math.round(durationMs),
    exitCode,
  }
}

/** The summary of a finished run, with the exit code of its `end` line. */
export function recordedSummary(log: BegunLog): Summary {
  const { stop, exit: recordedCode } = log.end ?? {}
  return summaryOf(log, { stop, exit: recordedCode, isResumed: true })
}

/** The summary of a job that is not recorded: of a dry run, which would send `due` ids, and of an empty input. */
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
    reason: options.reason ?? null,
    durationMs: 0,
    exitCode: exitCodes.done,
  }
}

/** The list or employee of all items, or the run that is undone. */
export function targetOf({ target, undoes }: Pick<Job, 'target' | 'undoes'>) {
  if (target === undefined) return undoes === undefined ? null : `undo of ${undoes.run}`
  return target.name === undefined ? target.id : `${target.name} (${target.id})`
}

/** The exit code. When several apply: a signal, then failed, not allowed, not finished, not all done. */
function exitCodeOf(
  { head, queue }: BegunLog,
  { stop, signal, isHopeless, isUnwritten }: RunEnding,
  { outcomes, due }: Pick<Summary, 'outcomes' | 'due'>,
): number {
  if (signal !== undefined) return signalCodes[signal]
  const { requests } = queue
  const allRefused =
    requests.length > 0 && requests.every(({ answer }) => answer?.k === 'refused')
  // A request that was refused after a lost answer may have been carried out.
  const isNothingChanged = allRefused && outcomes.unknown === undefined
  if (isUnwritten === true || isHopeless === true || isNothingChanged)
    return exitCodes.failed
  if (stop === 'not-allowed') return exitCodes.auth
  if (due > 0) return exitCodes.unavailable
  const found = Object.keys(outcomes) as Outcome[]
  const areAllDone = found.every((outcome) => isDone(outcome, head.accept))
  return areAllDone ? exitCodes.done : exitCodes.incomplete
}

/** The status of a run. `exitCode`: as it is computed from the outcomes. */
export function statusOf(
  { stop, signal }: Pick<RunEnding, 'stop' | 'signal'>,
  due: number,
  exitCode: number,
): Summary['status'] {
  // A signal of this command, or of the one that wrote the `end`.
  if (signal !== undefined || stop === 'signal') return 'interrupted'
  if (stop !== undefined || due > 0) return 'stopped'
  return exitCode === exitCodes.done ? 'complete' : 'partial'
}

/** The ways in which ids failed, with their counts: the first hundred. */
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
