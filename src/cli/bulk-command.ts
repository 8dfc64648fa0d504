/** How verbs send: a run of any number of ids, or the one change that a command line names and its error. */
import { exit, messageOf, SvcError, usageError } from '../errors.ts'
import type { Message } from '../message.ts'
import { longFlag } from '../options.ts'
import type { RunOutput } from '../output/result.ts'
import { isAmbiguous, type BatchState } from '../runs/batch.ts'
import type { EndedRun } from '../runs/conclude.ts'
import type { TypedStart } from '../runs/jobs/read.ts'
import type { Outcome } from '../runs/outcomes.ts'
import type { Start } from '../runs/run.ts'
import type { Document } from '../runs/summary.ts'
import type { UnsentRun } from '../runs/telling/preview.ts'
import { summaryView } from '../views/bulk.ts'
import type { Context } from './context.ts'

/**
 * Takes a run to its end: reads its input, asks, records and sends. With `--plan` or `--dry-run` sends nothing, and writes a
 * plan file or describes the run.
 */
export async function startBulk(context: Context, start: Start): Promise<RunOutput> {
  const { startRun } = await import('../runs/run.ts')
  return outputOf(context, await startRun(context, start))
}

type TypedChange = Pick<TypedStart, 'operation' | 'ids' | 'options'> &
  Partial<Pick<TypedStart, 'parties'>>

/** Sends the ids of a command line and of its files, or the pairs of a file. */
export function sendBulk(context: Context, typed: TypedChange): Promise<RunOutput> {
  return startBulk(context, { kind: 'new', parties: {}, isOne: false, ...typed })
}

function outputOf(context: Context, ended: EndedRun | UnsentRun): RunOutput {
  const { document, rows } = ended.kind === 'run' ? ended.summary : ended
  return {
    kind: 'one',
    json: withResumeText(context, document),
    rows,
    view: summaryView,
    exitCode: document.exitCode,
    receipts: ended.kind === 'run' ? ended.receipts : [],
  }
}

/** A summary whose command to resume is text that can be typed. */
export function withResumeText<S extends Pick<Document, 'resume'>>(
  { messages }: Context,
  summary: S,
) {
  return { ...summary, resume: summary.resume && messages.textOf(summary.resume) }
}

/** Options that are about the rows of a file. */
const fileOptions = ['annotate', 'column', 'sheet', 'skipInvalid', 'allowEmpty', 'where']

/** One change whose run has ended: the only batch of the run, and what became of its only id. */
export interface EndedChange {
  kind: 'change'
  run: EndedRun
  batch: BatchState
  outcome: Outcome | undefined
  /** Why the answer makes no sense. */
  problem: string | undefined
}

/**
 * Sends the one change that a command line names. A dry run describes it as a run of one id. Throws exit 2 for options that
 * need a file.
 */
export async function sendOneChange(
  context: Context,
  typed: TypedChange,
): Promise<EndedChange | RunOutput> {
  const option = fileOptions.find((key) => context.line.given.has(key))
  if (option !== undefined) throw usageError(`${longFlag(option, {})} needs --file`)
  const { startRun } = await import('../runs/run.ts')
  const run = await startRun(context, { kind: 'new', parties: {}, isOne: true, ...typed })
  if (run.kind !== 'run') return outputOf(context, run)
  const { state } = run.recorded
  const { outcomes, problem } = state.judge(1)
  return { kind: 'change', run, batch: state.stateOf(1), outcome: outcomes[0], problem }
}

/** The error of a change that is not known to be made. `hint`: how to check whether it was. */
export function failedChange(change: EndedChange, hint: Message): SvcError {
  const { run, batch, outcome, problem } = change
  const failure = failureOf(change)
  // An attempt without an answer may still take effect, whatever was read after it.
  const isUnknown = isAmbiguous(batch) || outcome === 'unknown'
  // The change was certainly not made.
  if (!isUnknown && failure !== undefined) return failure
  const isLost = problem === undefined && failure?.details.ambiguous === true
  const error = isLost
    ? failure.with({ hint })
    : new SvcError(
        'unavailable',
        `the outcome is unknown: ${problem ?? messageOf(failure)}`,
        { hint, ambiguous: true },
      )
  // A repeated command that sent nothing does not change the outcome, and neither would the next one.
  return run.sent === undefined ? error.with({ exitCode: exit.incomplete }) : error
}

/** The error that ended the change, now or when it was recorded; undefined if no request failed. */
export function failureOf({ run, batch: { last } }: EndedChange): SvcError | undefined {
  if (run.failure !== undefined || last === undefined) return run.failure
  const message = last.m ?? 'the service gave no answer'
  if (last.k === 'ambiguous')
    return new SvcError('unavailable', message, { ambiguous: true })
  if (last.k === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus: last.st, code: last.code })
}
