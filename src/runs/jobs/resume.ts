/** Makes the job of `svc runs resume` from the recorded run and from the files that the command names. */
import { SvcError, usageError } from '../../errors.ts'
import type { Items } from '../../input/items.ts'
import { checkOutputOptions } from '../files.ts'
import type { RunReference } from '../list.ts'
import type { BegunLog } from '../log.ts'
import type { RunTools } from '../tools.ts'
import type { AnnotatedInput, BulkOptions, Job } from './job.ts'
import { resolveEmployees } from './parties.ts'
import { readInput, type TypedJob } from './typed.ts'

/** Returns the job of a recorded run. With `--annotate`, reads its input again from `--file`. */
export async function readResumed(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<Job> {
  const { annotate, file } = options
  const isAnnotated = annotate !== undefined
  const hasFile = file !== undefined
  if (isAnnotated !== hasFile)
    throw usageError(
      '--annotate and --file go together: --file is the input to write again',
    )
  const runs = await tools.runs()
  // --last is the newest run that is not finished.
  const log = await runs.find(reference, tools.profile, ({ isFinished }) => !isFinished)
  const { run, head, items } = log
  // An output may replace neither an input of this command nor the input of the recorded run.
  checkOutputOptions(tools.host, options, head.source)
  const annotation = isAnnotated ? await readAnnotation(tools, log, options) : undefined
  return { ...head, isResumeCommand: true, items, run, options, annotation }
}

/** Reads the input that `--annotate` writes again with outcomes. Throws exit 2 unless it has the ids of the run. */
async function readAnnotation(
  tools: RunTools,
  { head, items: recorded }: BegunLog,
  options: Partial<BulkOptions>,
): Promise<AnnotatedInput | undefined> {
  const { operation, target } = head
  const { file = '' } = options
  const hasOneEmployee = operation === 'tickets.assign' && target !== undefined
  const typed: TypedJob = {
    operation,
    ids: [],
    // Without one employee for all tickets, the input of an assign has pairs.
    parties: hasOneEmployee ? { to: target.id } : {},
    options: { ...options, file },
  }
  const { items, annotation } = await readInput(tools, typed).catch(adviseOnOptions)
  const resolved = await resolveEmployees(tools, operation, items)
  if (areSameItems(resolved, recorded)) return annotation
  throw usageError(`"${file}" does not have the ids of this run; nothing was sent`)
}

/** Whether two lists have the same items, in any order. */
function areSameItems(items: Items, others: Items) {
  return items.sortedKeys().join('\n') === others.sortedKeys().join('\n')
}

/** Throws an error again. Adds a hint to a usage error: a resume has no options such as `--sheet`. */
function adviseOnOptions(error: unknown): never {
  if (!(error instanceof SvcError) || error.category !== 'usage') throw error
  const hint =
    'a resume reads the input without options such as --sheet and --column; the command that began the run reads it with them'
  throw error.with({ hint })
}
