/** A bulk run as verbs start it, and what the verbs of the four operations have in common. */
import type { BulkOperation } from '../api/operations.ts'
import { usageError } from '../errors.ts'
import type { RunOutput, View } from '../output/result.ts'
import type { EndedRun } from '../runs/conclude.ts'
import type { NewStart } from '../runs/jobs/read.ts'
import { operationOf } from '../runs/operations/operations.ts'
import type { Start } from '../runs/run.ts'
import type { Document } from '../runs/summary.ts'
import type { UnsentRun } from '../runs/telling/preview.ts'
import { bulkViewOf } from '../views/bulk.ts'
import type { Context } from './context.ts'
import { longFlag } from '../options.ts'

/** Reads, asks, records and sends. With `--plan` or `--dry-run` nothing is sent, and the result is a plan file or a description of the run. */
export async function startBulk(context: Context, start: Start): Promise<RunOutput> {
  const { startRun } = await import('../runs/run.ts')
  return outputOf(context, await startRun(context, start))
}

/** Sends the one change that a command line names. The result of a dry run is that of a file of one row. Throws exit 2 for options about the rows of a file. */
export async function startOne(
  context: Context,
  start: NewStart,
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
  typed: Pick<NewStart, 'ids' | 'options'> & Partial<Pick<NewStart, 'parties' | 'isOne'>>,
): NewStart => ({ kind: 'new', operation, parties: {}, isOne: false, ...typed })

function outputOf(context: Context, ended: EndedRun | UnsentRun): RunOutput {
  const { document, rows } = ended.kind === 'run' ? ended.summary : ended
  return {
    kind: 'one',
    json: withResumeText(context, document),
    rows,
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

/** The view of a verb that goes on with a run of any operation. */
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
