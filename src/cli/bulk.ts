/** The bulk verbs: their options, from their words to a run, and what the run did as an output. */
import { exitCodes, usageError } from '../errors.ts'
import { jobOf, readInput, type TypedJob } from '../jobs/typed-job.ts'
import { rows, type Output, type Rows } from '../output/result.ts'
import {
  beginRun,
  checkJob,
  describeTarget,
  isPartial,
  meanings,
  onceRun,
  recordedRuns,
  outcomes,
  tellDryRun,
  type ShownRun,
  type InputCounts,
  type Job,
  type Operation,
  type RunRecord,
} from '../runs/engine.ts'
import { parseCount } from '../values.ts'
import { pluralize } from '../words.ts'
import type { Context } from './context.ts'
import { fileOption, inputOptions } from './inputs.ts'
import { defineOptions } from './options.ts'
import { summaryColumns } from './verb.ts'

function parseOnceName(text: string) {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}

/** The options of the verb of an operation, in the order of the help. */
export function bulkOptions({ name, acceptable, concurrency }: Operation) {
  const isMerge = name === 'contacts.merge'
  const { file } = fileOption
  const { column, ...others } = inputOptions
  // The pairs of merges have columns of their own.
  const input = isMerge
    ? {
        file: { ...file, summary: 'a table with the columns source and target' },
        ...others,
      }
    : { file, column, ...others }
  const accept = defineOptions({
    accept: {
      value: 'outcomes',
      choices: acceptable,
      isCommaSeparated: true,
      summary: `outcomes that count as done: ${acceptable.join(', ')}`,
    },
  })
  return defineOptions({
    ...input,
    dryRun: { summary: 'read, check and count; change nothing' },
    expect: {
      value: 'n',
      summary: 'refuse unless the input has exactly n unique ids',
      parse: parseCount,
    },
    once: {
      value: 'name',
      summary: 'do this job once; the same command resumes it (svc help bulk)',
      parse: parseOnceName,
    },
    ...(acceptable.length > 0 ? accept : {}),
    receipts: {
      value: 'file',
      takes: 'file',
      summary: 'write the outcome of each id (.csv, .xlsx, .ndjson)',
    },
    concurrency: {
      value: 'n',
      summary: 'requests in flight, 1 to 32',
      default: String(concurrency),
      parse: (text: string, name: string) => parseCount(text, name, { min: 1, max: 32 }),
    },
  })
}

/** Sends the ids or pairs of a command line, or with `--dry-run` says what would be sent. */
export async function sendBulk(context: Context, typed: TypedJob): Promise<Output<object>> {
  const { once, dryRun } = typed.options
  const input = await readInput(context, typed)
  const recorded =
    once === undefined ? undefined : await recordedRuns(context).read(onceRun(once))
  const { target, ifAssignee } = recorded?.state.knownHead ?? {}
  const job = await jobOf(context, typed, input, [target, ifAssignee])
  // Under the --once name of a run, it is another job.
  if (job.items.size === 0 && recorded === undefined) {
    context.note('the input is empty; there is nothing to do')
    return unrecordedOutput(context, job, 0, { run: null, outcomes: {}, due: 0 })
  }
  if (dryRun === true) return dryRunOutput(context, job, recorded)
  return runOutput(context, await beginRun(context, job, recorded))
}

/** Says what a job would send: all of it, or what is due in the recorded run of its `--once` name. Throws what the command would throw. */
export async function dryRunOutput(
  context: Context,
  job: Job,
  recorded?: RunRecord,
): Promise<Output<object>> {
  await checkJob(context, job, recorded)
  const { most } = job.operation
  const { due: count, requests } =
    recorded === undefined
      ? { due: job.items.size, requests: Math.ceil(job.items.size / most) }
      : { due: recorded.state.due, requests: recorded.state.dueRanges(most).length }
  if (recorded !== undefined)
    context.note(`run ${recorded.run} is there: ${pluralize(count, 'id')} left`)
  tellDryRun(context, job, await context.profile(), { count, requests })
  return unrecordedOutput(context, job, count, { dryRun: true, requests })
}

/** The counts of a command that makes no run. `count` ids would be sent. */
async function unrecordedOutput(
  { profile }: Context,
  job: Job,
  count: number,
  members: object,
): Promise<Rows<object>> {
  const { operation, input } = job
  const document = {
    ...members,
    operation: operation.name,
    target: describeTarget(job),
    profile: (await profile()).name ?? null,
    input,
  }
  return countsOutput([{ outcome: 'would be sent', count, meaning: '' }], input, {
    document,
    exitCode: isPartial(job) ? exitCodes.incomplete : exitCodes.done,
  })
}

/** Shows what a run did: its summary as JSON, or as a table of outcomes with their counts and meanings. */
export function runOutput(
  { messages }: Context,
  { operation, summary }: ShownRun,
  more: { members?: object; details?: Rows<object>['details'] } = {},
): Rows<object> {
  const { input, run, exitCode, resume } = summary
  const document = {
    ...summary,
    resume: resume === null ? null : messages.withProfile(resume),
    ...more.members,
  }
  const counts = outcomes.map((outcome) => ({
    outcome,
    count: summary.outcomes[outcome] ?? 0,
    meaning: outcome === 'done' ? operation.words.done : meanings[outcome],
  }))
  return countsOutput(counts, input, { run, document, details: more.details, exitCode })
}

/** Counts of ids, and of the rows of the input that gave no id to send. */
function countsOutput(
  counts: readonly { outcome: string; count: number; meaning: string }[],
  { duplicates, leftOut, undecided }: InputCounts,
  more: Partial<Rows<object>>,
): Rows<object> {
  const all = [
    ...counts,
    { outcome: 'duplicate', count: duplicates, meaning: 'the same id again' },
    { outcome: 'left-out', count: leftOut, meaning: 'rows that were left out' },
    { outcome: 'undecided', count: undecided, meaning: 'rows without a decision' },
  ]
  const shown = all.filter(({ count }) => count > 0)
  return rows<object>(shown, { columns: summaryColumns, empty: undefined, ...more })
}
