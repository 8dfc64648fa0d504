/** From the words of a bulk verb to its run, and what the run did as an output. */
import { exitCodes } from '../errors.ts'
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
  type RunRecord,
} from '../runs/engine.ts'
import { pluralize } from '../words.ts'
import type { Context } from './context.ts'
import { summaryColumns } from './verb.ts'

/** Sends the ids or pairs of a command line, or with `--dry-run` says what would be sent. */
export async function sendBulk(context: Context, typed: TypedJob): Promise<Output<object>> {
  const { once, dryRun } = typed.options
  const input = await readInput(context, typed)
  const recorded =
    once === undefined ? undefined : await recordedRuns(context).read(onceRun(once))
  const { target, ifAssignee } = recorded?.state.knownHead ?? {}
  const job = await jobOf(context, typed, input, [target, ifAssignee])
  if (job.items.size === 0) {
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
