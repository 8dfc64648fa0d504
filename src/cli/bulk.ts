/** Runs the bulk verbs, and shows what a run did. */
import { exitCodes } from '../errors.ts'
import { readJob, type TypedJob } from '../jobs/typed-job.ts'
import { ownRows, type Output, type Rows } from '../output/result.ts'
import {
  beginRun,
  checkJob,
  describeTarget,
  meanings,
  onceRun,
  openRuns,
  outcomes,
  tellDryRun,
  type EndedRun,
  type Job,
  type Operation,
  type Summary,
} from '../runs/engine.ts'
import { pluralize } from '../words.ts'
import type { Context } from './context.ts'

/** Sends the ids or pairs of a command line, or with `--dry-run` says what would be sent. */
export async function sendBulk(context: Context, typed: TypedJob): Promise<Output<object>> {
  const { once, dryRun } = typed.options
  const recorded =
    once === undefined ? undefined : await openRuns(context).read(onceRun(once))
  const { target, ifAssignee } = recorded?.state.head ?? {}
  const job = await readJob(context, typed, [target, ifAssignee])
  if (job.items.size === 0) return emptyOutput(context, job)
  if (dryRun === true) return dryRunOutput(context, job)
  return runOutput(context, await beginRun(context, job))
}

/** Rows without a decision make a command end with 3 at best. */
const codeOf = ({ input }: Job) =>
  input.undecided > 0 ? exitCodes.incomplete : exitCodes.done

/** Ends a job without ids, which makes no run. */
function emptyOutput(context: Context, job: Job): Promise<Rows<object>> {
  context.note('the input is empty; there is nothing to do')
  return documentOutput(context, job, { run: null, outcomes: {}, due: 0 })
}

/** Says what a job would send. Ends as the command would, if that is refused. */
export async function dryRunOutput(context: Context, job: Job): Promise<Output<object>> {
  tellDryRun(context, job, await context.profile())
  const recorded = await checkJob(context, job)
  const count = recorded?.state.due ?? job.items.size
  if (recorded !== undefined)
    context.note(`run ${recorded.run} is there: ${pluralize(count, 'id')} left`)
  return documentOutput(context, job, {
    dryRun: true,
    requests: Math.ceil(count / job.operation.most),
  })
}

/** The document of a command that makes no run. As a table, it is empty. */
async function documentOutput(
  { profile }: Context,
  job: Job,
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
  return ownRows<object>(
    [],
    {},
    {
      empty: undefined,
      document: () => document,
      ending: { exitCode: codeOf(job) },
    },
  )
}

/** Shows what a run did: its summary as JSON, or as a table of outcomes. */
export function runOutput(
  context: Context,
  { operation, summary }: EndedRun,
): Rows<object> {
  return summaryOutput(context, operation, summary)
}

/** A summary as a document, or as a table of outcomes, with what each that is not `done` means. */
export function summaryOutput(
  { messages }: Context,
  operation: Operation,
  summary: Summary,
  more: { members?: object; details?: Rows<object>['details'] } = {},
): Rows<object> {
  const { input, run, exitCode, resume } = summary
  const rows = [
    ...outcomes.map((outcome) => ({
      outcome,
      count: summary.outcomes[outcome] ?? 0,
      meaning: outcome === 'done' ? operation.words.done : meanings[outcome],
    })),
    { outcome: 'duplicate', count: input.duplicates, meaning: 'the same id again' },
    { outcome: 'left-out', count: input.leftOut, meaning: 'rows that were left out' },
    { outcome: 'undecided', count: input.undecided, meaning: 'rows without a decision' },
  ]
  const document = {
    ...summary,
    resume: resume === null ? null : messages.textOf(resume),
    ...more.members,
  }
  return ownRows<object>(
    rows.filter(({ count }) => count > 0),
    { OUTCOME: 'outcome', COUNT: 'count', MEANING: 'meaning' },
    {
      run,
      empty: undefined,
      document: () => document,
      details: more.details,
      ending: { exitCode },
    },
  )
}
