/** From the run that `runs resume` names to a job, with the files of this command. */
import { SvcError, usageError } from '../../errors.ts'
import { checkOutputs } from '../files.ts'
import type { RunReference } from '../list.ts'
import type { BegunLog } from '../log.ts'
import type { BulkOptions, Job } from './job.ts'
import type { RunTools } from '../tools.ts'
import { resolveEmployees } from './pairs.ts'
import { readInput } from './typed.ts'

/** The job of a recorded run. With `--annotate`, its input is read again from `--file`. Throws exit 2. */
export async function readResumed(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<Job> {
  const { annotate, file = [] } = options
  if ((annotate === undefined) !== (file.length === 0))
    throw usageError(
      '--annotate and --file go together: --file is the input to write again',
    )
  const runs = await tools.runs()
  const log = await runs.find(reference, tools.profile, ({ isFinished }) => !isFinished)
  const { run, head, items } = log
  const { source = [] } = head
  checkOutputs(tools.host, { ...options, file: file.concat(source) })
  const job: Job = { ...head, isResumed: true, items, run, options }
  if (annotate === undefined) return job
  return { ...job, annotation: await readAgain(tools, log, options, file) }
}

/** The input of a run, read again to be written with outcomes. Throws exit 2 unless it has the same ids. */
async function readAgain(
  tools: RunTools,
  { head, items }: BegunLog,
  options: Partial<BulkOptions>,
  file: readonly string[],
) {
  const { operation, target } = head
  const parties =
    operation === 'tickets.assign' && target !== undefined ? { to: target.id } : {}
  const typed = {
    operation,
    ids: [],
    parties,
    options: { ...options, file, skipInvalid: true },
  }
  const { items: read, annotation } = await readInput(tools, typed).catch(withoutOptions)
  const namesEmployees = operation === 'tickets.assign' && read.arePairs
  const found = namesEmployees ? await resolveEmployees(tools, read) : read
  if (String(found.keys()) === String(items.keys())) return annotation
  throw usageError(
    `"${file.join('", "')}" does not have the ids of this run; nothing was sent`,
  )
}

/** Rethrows an error of the input, with the advice that a resume has no options for inputs. */
function withoutOptions(error: unknown): never {
  if (!(error instanceof SvcError) || error.category !== 'usage') throw error
  const hint =
    'a resume reads the input without options such as --sheet and --column; the command that began the run reads it with them'
  throw error.with({ hint })
}
