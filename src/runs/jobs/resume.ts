/** The job of `svc runs resume`, made from the recorded run and the files that are named now. */
import { SvcError, usageError } from '../../errors.ts'
import type { AnnotatedTable } from '../../input/annotated.ts'
import type { Items } from '../../input/items.ts'
import { checkOutputs } from '../files.ts'
import type { RunReference } from '../list.ts'
import type { BegunLog } from '../log.ts'
import type { RunTools } from '../tools.ts'
import type { BulkOptions, Job } from './job.ts'
import { resolveEmployees } from './parties.ts'
import { readInput, type TypedJob } from './typed.ts'

/** The job of a recorded run. With `--annotate`, its input is read again from `--file`. */
export async function readResumed(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<Job> {
  const { annotate, file: files = [] } = options
  const isAnnotated = annotate !== undefined
  const hasFile = files.length > 0
  if (isAnnotated !== hasFile)
    throw usageError(
      '--annotate and --file go together: --file is the input to write again',
    )
  const runs = await tools.runs()
  const log = await runs.find(reference, tools.profile, ({ isFinished }) => !isFinished)
  const { run, head, items } = log
  // No output may replace an input: neither one that is named now, nor that of the recorded run.
  const inputs = head.source === undefined ? files : [...files, head.source]
  checkOutputs(tools.host, { ...options, file: inputs })
  const annotation = isAnnotated ? await readAnnotation(tools, log, options) : undefined
  return { ...head, isResumeCommand: true, items, run, options, annotation }
}

/** The input of a run, which `--annotate` writes again with outcomes. Throws a usage error unless it has the same ids. */
async function readAnnotation(
  tools: RunTools,
  { head, items: recorded }: BegunLog,
  options: Partial<BulkOptions>,
): Promise<AnnotatedTable | undefined> {
  const { operation, target } = head
  const { file: files = [] } = options
  const hasOneEmployee = operation === 'tickets.assign' && target !== undefined
  const typed: TypedJob = {
    operation,
    ids: [],
    // With one employee for all tickets, the input has tickets alone; else it has pairs.
    parties: hasOneEmployee ? { to: target.id } : {},
    // The command that began the run has told about bad lines.
    options: { ...options, file: files, skipInvalid: true },
  }
  const { items, annotation } = await readInput(tools, typed).catch(adviseOnOptions)
  const resolved = await resolveEmployees(tools, operation, items)
  if (areSame(resolved, recorded)) return annotation
  throw usageError(
    `"${files.join('", "')}" does not have the ids of this run; nothing was sent`,
  )
}

/** Whether these are the same items, in any order. */
function areSame(items: Items, others: Items) {
  const keys = items.keys()
  const otherKeys = others.keys()
  return keys.length === otherKeys.length && keys.every((key, i) => key === otherKeys[i])
}

/** Rethrows an error. To a usage error it adds that a resume has no options such as `--sheet`. */
function adviseOnOptions(error: unknown): never {
  if (!(error instanceof SvcError) || error.category !== 'usage') throw error
  const hint =
    'a resume reads the input without options such as --sheet and --column; the command that began the run reads it with them'
  throw error.with({ hint })
}
