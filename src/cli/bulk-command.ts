/** Sends for verbs: any number of ids as a run, or the one change that a command line names. */
import { exit, SvcError, usageError } from '../errors.ts'
import type { Message } from '../message.ts'
import { longFlag } from '../options.ts'
import type { Summary } from '../output/result.ts'
import { isAmbiguous, isAnswered, type BatchState } from '../runs/batch.ts'
import type { EndedRun } from '../runs/conclude.ts'
import type { TypedStart } from '../runs/jobs/read.ts'
import { operationOf } from '../runs/operations/operations.ts'
import type { Outcome } from '../runs/outcomes.ts'
import { receiptColumns } from '../runs/receipts.ts'
import type { Start } from '../runs/run.ts'
import type { Document } from '../runs/summary.ts'
import type { UnsentRun } from '../runs/telling/preview.ts'
import type { Context } from './context.ts'

/**
 * Takes a run to its end: reads its input, asks, records and sends. With `--dry-run` sends nothing, and describes the
 * run.
 */
export async function startBulk(context: Context, start: Start): Promise<Summary> {
  const { startRun } = await import('../runs/run.ts')
  return outputOf(context, await startRun(context, start))
}

type TypedChange = Pick<TypedStart, 'operation' | 'ids' | 'options'> &
  Partial<Pick<TypedStart, 'parties'>>

/** Sends the ids of a command line and of its files, or the pairs of a file. */
export function sendBulk(context: Context, typed: TypedChange): Promise<Summary> {
  return startBulk(context, { kind: 'new', parties: {}, isOne: false, ...typed })
}

function outputOf(context: Context, ended: EndedRun | UnsentRun): Summary {
  const { document, rows } = ended.kind === 'run' ? ended.summary : ended
  const { assignees } = operationOf(document.operation)
  return {
    kind: 'summary',
    json: withResumeText(context, document),
    outcomes: rows,
    exitCode: document.exitCode,
    receipts:
      ended.kind === 'run'
        ? { rows: ended.receipts, columns: receiptColumns(assignees !== undefined) }
        : undefined,
  }
}

/** A summary with the command to resume as text. */
export function withResumeText<S extends Pick<Document, 'resume'>>(
  { messages }: Context,
  summary: S,
) {
  return { ...summary, resume: summary.resume && messages.textOf(summary.resume) }
}

/** Options that are about the rows of a file: those of inputs (cli/id-input.ts), and `--annotate`. */
const fileOptions = [
  'annotate',
  'column',
  'sheet',
  'skipInvalid',
  'allowEmpty',
  'where',
  'except',
]

/** A run of one change has one batch. */
const onlyBatch = 1

/** One change whose run has ended: the only batch of the run, and what became of its only id. */
export interface EndedChange {
  kind: 'change'
  run: EndedRun
  batch: BatchState
  outcome: Outcome | undefined
  /** Why the answer makes no sense; undefined if it does, or if there is none. */
  problem: string | undefined
}

/**
 * Sends the one change that a command line names. A dry run describes it as a run of one id. Throws exit 2 for options that
 * need a file.
 */
export async function sendOneChange(
  context: Context,
  typed: TypedChange,
): Promise<EndedChange | Summary> {
  const option = fileOptions.find((key) => context.line.given.has(key))
  if (option !== undefined) throw usageError(`${longFlag(option, {})} needs --file`)
  const { startRun } = await import('../runs/run.ts')
  const run = await startRun(context, { kind: 'new', parties: {}, isOne: true, ...typed })
  if (run.kind !== 'run') return outputOf(context, run)
  const { state } = run.recorded
  const { outcomes, problem } = state.judge(onlyBatch)
  const batch = state.stateOf(onlyBatch)
  return { kind: 'change', run, batch, outcome: outcomes[0], problem }
}

/** The accepted answer to the change, now or when it was recorded. The record keeps only a part of the answer. */
export function answerOf({ run, batch }: EndedChange): unknown {
  return isAnswered(batch) ? (run.sent?.answer ?? batch.answer?.d) : undefined
}

/** The error of a change that was not made, or perhaps not. `hintIfUnknown`: how to check whether it was. */
export function failedChange(change: EndedChange, hintIfUnknown: Message): SvcError {
  const failure = failureOf(change)
  // An attempt without an answer may still take effect, even if a later read shows that it has not.
  const isUnknown = isAmbiguous(change.batch) || change.outcome === 'unknown'
  if (!isUnknown && failure !== undefined) return failure
  const error = unknownOutcome(change, failure).with({ hint: hintIfUnknown })
  // Nothing was sent this time, and typing the command again would not help: a script must not repeat it.
  return change.run.sent === undefined ? error.with({ exitCode: exit.incomplete }) : error
}

/** Why it is not known whether a change was made: its answer was lost, now or earlier, or makes no sense. */
function unknownOutcome({ problem }: EndedChange, failure: SvcError | undefined) {
  if (problem === undefined && failure?.details.ambiguous === true) return failure
  const why = problem ?? failure?.message ?? 'no answer was recorded'
  return new SvcError('unavailable', `the outcome is unknown: ${why}`, { ambiguous: true })
}

/** The error that ended the change, now or when it was recorded; undefined if no request failed. */
export function failureOf({ run, batch: { last } }: EndedChange): SvcError | undefined {
  if (run.failure !== undefined) return run.failure
  // The last `res` line of docs/run-file.md.
  if (last === undefined) return undefined
  const { k: kind, m: message = 'the service gave no answer', st: httpStatus, code } = last
  if (kind === 'ambiguous') return new SvcError('unavailable', message, { ambiguous: true })
  if (kind === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus, code })
}
