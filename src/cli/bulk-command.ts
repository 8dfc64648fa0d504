/** How verbs start a bulk run, what the verbs of the four operations share, and the error of a single change. */
import type { BulkOperation } from '../api/operations.ts'
import { exit, messageOf, SvcError, usageError } from '../errors.ts'
import type { Message } from '../message.ts'
import type { RunOutput, View } from '../output/result.ts'
import { isAmbiguous } from '../runs/batch.ts'
import type { EndedRun } from '../runs/conclude.ts'
import type { TypedStart } from '../runs/jobs/read.ts'
import { operationOf } from '../runs/operations/operations.ts'
import type { Start } from '../runs/run.ts'
import type { Document } from '../runs/summary.ts'
import type { UnsentRun } from '../runs/telling/preview.ts'
import { bulkViewOf, summaryView } from '../views/bulk.ts'
import type { Context } from './context.ts'
import { longFlag } from '../options.ts'

/**
 * Starts a bulk run: reads its input, asks, records and sends. With `--plan` or `--dry-run` sends nothing, and writes a plan
 * file or describes the run.
 */
export async function startBulk(context: Context, start: Start): Promise<RunOutput> {
  const { startRun } = await import('../runs/run.ts')
  return outputOf(context, await startRun(context, start))
}

/**
 * Sends the one change that a command line names. A dry run describes it as a run of one id. Throws exit 2 for options that
 * need a file.
 */
export async function startOne(
  context: Context,
  start: TypedStart,
): Promise<EndedRun | RunOutput> {
  const { annotate, column, sheet, skipInvalid, allowEmpty, where = [] } = start.options
  const ofFile = { annotate, column, sheet, skipInvalid, allowEmpty, where: where[0] }
  const [typed] = Object.entries(ofFile).find(([, value]) => value !== undefined) ?? []
  if (typed !== undefined) throw usageError(`${longFlag(typed, {})} needs --file`)
  const { startRun } = await import('../runs/run.ts')
  const ended = await startRun(context, start)
  return ended.kind === 'run' ? ended : outputOf(context, ended)
}

/** The start of a command from what was typed. */
export const newStart = (
  operation: BulkOperation,
  typed: Pick<TypedStart, 'ids' | 'options'> &
    Partial<Pick<TypedStart, 'parties' | 'isOne'>>,
): TypedStart => ({ kind: 'new', operation, parties: {}, isOne: false, ...typed })

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

/** Throws exit 2 if a command line names a file and one change too. */
export function refuseBoth(
  file: readonly string[],
  one: Readonly<Record<string, string | undefined>>,
) {
  const typed = Object.keys(one).filter((name) => one[name] !== undefined)
  if (file.length === 0 || typed.length === 0) return
  throw usageError(`--file cannot be used with ${typed.join(' or ')}`)
}

const summarySchema = async () => (await import('../runs/summary.ts')).SummaryDocument

/** The view of a verb that runs one operation. */
export const operationView = (operation: BulkOperation) => ({
  ...bulkViewOf(operationOf(operation).assignees !== undefined),
  schema: summarySchema,
})

/** The view of a verb that resumes or undoes a run of any operation. */
export const anyRunView = { ...bulkViewOf(true), schema: summarySchema }

/** The view of a verb that sends one change. Its JSON is the service's answer, or the summary of a dry run. */
export const oneChangeView = <T>(
  view: View<T>,
  schema: NonNullable<View<T>['schema']>,
): View<T> => ({
  ...view,
  schema: async () => {
    const { changeDocument } = await import('../runs/summary.ts')
    return changeDocument(await schema())
  },
})

/** The only batch of a run of one change, and its outcome. */
export function onlyBatch({ recorded: { state: run } }: EndedRun) {
  const { outcomes, problem } = run.judge(1)
  return { batch: run.of(1), outcome: outcomes[0], problem }
}

/** The error of a change that is not known to be made. `hint`: how to check whether it was. */
export function failedChange(ended: EndedRun, hint: Message): SvcError {
  const { batch, outcome, problem } = onlyBatch(ended)
  const failure = failureOf(ended)
  // An attempt without an answer may still take effect, whatever was read after it.
  const isUnknown = isAmbiguous(batch) || outcome === 'unknown'
  // The change was certainly not made.
  if (!isUnknown && failure !== undefined) return failure
  if (problem === undefined && failure?.details.ambiguous === true)
    return withRepeatExitCode(ended, failure.with({ hint }))
  const message = `the outcome is unknown: ${problem ?? messageOf(failure)}`
  return withRepeatExitCode(
    ended,
    new SvcError('unavailable', message, { hint, ambiguous: true }),
  )
}

/**
 * If a repeated command sent nothing and the outcome is still unknown, the exit code is 3: running it again would not change
 * that.
 */
const withRepeatExitCode = ({ sent }: EndedRun, error: SvcError) =>
  sent === undefined ? error.with({ exitCode: exit.incomplete }) : error

/** The error that ended the run, now or when it was recorded; undefined if no request failed. */
export function failureOf(ended: EndedRun): SvcError | undefined {
  const { last } = onlyBatch(ended).batch
  if (ended.failure !== undefined || last === undefined) return ended.failure
  const message = last.m ?? 'the service gave no answer'
  if (last.k === 'ambiguous')
    return new SvcError('unavailable', message, { ambiguous: true })
  if (last.k === 'never-sent') return new SvcError('unavailable', message)
  return new SvcError('rejected', message, { httpStatus: last.st, code: last.code })
}
