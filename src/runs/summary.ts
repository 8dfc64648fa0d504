/** The summary of a run: one document for every ending, computed from its record. Exit codes and statuses are decided here. */
import type { BulkOperation } from '../api/operations.ts'
import { exit, signalCodes } from '../errors.ts'
import type { Signal } from '../host.ts'
import { svc, type ShownCommand } from '../message.ts'
import type { Job } from './jobs/job.ts'
import type { InputCounts, StopReason } from './lines.ts'
import type { BegunLog } from './log.ts'
import { countOutcomes, isDone, type Outcome, type OutcomeCounts } from './outcomes.ts'
import { remarkOf } from './receipts.ts'

export interface Summary {
  schema: 'svc.bulk/2'
  run: string | null
  once: string | null
  operation: BulkOperation
  target: string | null
  profile: string | null
  dryRun: boolean
  status: 'complete' | 'partial' | 'stopped' | 'interrupted' | 'dry-run'
  stopReason: Exclude<StopReason, 'signal'> | null
  resumed: boolean
  input: InputCounts
  outcomes: OutcomeCounts
  /** How many contacts the answers of an add count as added. */
  added: number | null
  errors: ErrorRow[]
  /** How many ids another command would send or read. */
  due: number
  retry: boolean
  resume: ShownCommand | null
  reason: string | null
  durationMs: number
  exitCode: number
}

/** Requests that failed in one way. */
export interface ErrorRow {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

/** How a command ended, apart from what the record says. */
export interface RunEnding {
  stop?: StopReason | undefined
  signal?: Signal | undefined
  /** Each of the requests that stopped the run was refused. */
  wasRefused?: boolean | undefined
  /** The record, or a file of the user, could not be written. */
  isUnwritten?: boolean
  isResumed?: boolean
  /** The exit code that was recorded. */
  exit?: number | undefined
}

const mostErrors = 100

/** The summary of a run, by its record and how this command ended. */
export function summaryOf(log: BegunLog, ending: RunEnding = {}): Summary {
  const { run, head, queue, durationMs } = log
  const outcomes = countOutcomes(queue.requests.map((request) => queue.judge(request)))
  // What a run that is closed leaves is the matter of another run.
  const due = log.isClosed ? 0 : queue.dueItems
  const code = exitCodeOf(log, ending, { outcomes, due })
  const exitCode = ending.exit ?? code
  const { stop = null } = ending
  const retry = due > 0 && (exitCode === exit.unavailable || exitCode > 128)
  return {
    schema: 'svc.bulk/2',
    run,
    once: head.once,
    operation: head.operation,
    target: targetOf(head),
    profile: head.profile,
    dryRun: false,
    status: log.end?.superseded === true ? 'stopped' : statusOf(ending, due, code),
    stopReason: stop === 'signal' ? null : stop,
    resumed: ending.isResumed === true,
    input: head.input,
    outcomes,
    added: head.operation === 'lists.add-contacts' ? queue.added : null,
    errors: errorsOf(log),
    due,
    retry,
    resume: due === 0 ? null : { ...svc`runs resume ${run}`, resumesThisRun: true },
    reason: head.reason,
    durationMs: Math.round(durationMs),
    exitCode,
  }
}

/** The summary of a run as its `end` has it. */
export function recordedSummary(log: BegunLog): Summary {
  const { stop, exit: code } = log.end ?? {}
  return summaryOf(log, { stop, exit: code, isResumed: true })
}

/** The summary of a dry run. */
export function drySummary(job: Job, profile: string | null): Summary {
  const { operation, options, input } = job
  return {
    schema: 'svc.bulk/2',
    run: null,
    once: options.once ?? null,
    operation,
    target: targetOf(job),
    profile,
    dryRun: options.dryRun === true,
    status: options.dryRun === true ? 'dry-run' : 'complete',
    stopReason: null,
    resumed: false,
    input,
    outcomes: {},
    added: null,
    errors: [],
    due: 0,
    retry: false,
    resume: null,
    reason: options.reason ?? null,
    durationMs: 0,
    exitCode: exit.done,
  }
}

/** The list or employee of all items, or the run that is undone. */
export function targetOf({ target, undoes }: Pick<Job, 'target' | 'undoes'>) {
  if (target === undefined) return undoes === undefined ? null : `undo of ${undoes.run}`
  return target.name === undefined ? target.id : `${target.name} (${target.id})`
}

/** When several apply: a signal, then 1, 4, 7, 3. */
function exitCodeOf(
  { head, queue }: BegunLog,
  { stop, signal, wasRefused, isUnwritten }: RunEnding,
  { outcomes, due }: Pick<Summary, 'outcomes' | 'due'>,
): number {
  if (signal !== undefined) return signalCodes[signal]
  const { requests } = queue
  const areRefused =
    requests.length > 0 && requests.every(({ answer }) => answer?.k === 'refused')
  const areKnown = outcomes.unknown === undefined
  if (isUnwritten === true || wasRefused === true || (areRefused && areKnown))
    return exit.failed
  if (stop === 'not-allowed') return exit.auth
  if (due > 0) return exit.unavailable
  const names = Object.keys(outcomes) as Outcome[]
  return names.every((outcome) => isDone(outcome, head.accept))
    ? exit.done
    : exit.incomplete
}

/** The status of a run that this command, or its `end`, ended. */
export function statusOf(
  { stop, signal }: Pick<RunEnding, 'stop' | 'signal'>,
  due: number,
  exitCode: number,
): Summary['status'] {
  if (signal !== undefined || stop === 'signal') return 'interrupted'
  if (stop !== undefined || due > 0) return 'stopped'
  return exitCode === exit.done ? 'complete' : 'partial'
}

/** The ways in which requests failed, with how many ids of each. */
function errorsOf(log: BegunLog): ErrorRow[] {
  const { queue } = log
  const rows = new Map<string, ErrorRow>()
  for (const request of queue.requests) {
    for (const outcome of queue.judge(request)) {
      const remark = remarkOf(queue, request, outcome)
      if (remark === undefined) continue
      const { httpStatus = null, code = null, message } = remark
      const key = JSON.stringify([outcome, httpStatus, code, message])
      const row = rows.get(key) ?? { outcome, httpStatus, code, message, count: 0 }
      row.count += 1
      if (rows.size < mostErrors || rows.has(key)) rows.set(key, row)
    }
  }
  return [...rows.values()]
}
