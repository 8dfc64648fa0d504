/**
 * Endings without a request that changes anything: a dry run, an empty input. They use the words of a run, so that a
 * dry run says what the run would say.
 */
import type { Profile } from '../../config/profile.ts'
import { exit, SvcError } from '../../errors.ts'
import { pluralize } from '../../words.ts'
import { UserFiles } from '../files/files.ts'
import { Items } from '../items.ts'
import {
  jobHeadOf,
  resolveJob,
  type Job,
  type ResolvedJob,
  type RunTools,
} from '../jobs/job.ts'
import { findSame, runToResume } from '../jobs/same.ts'
import { targetName } from '../operations/operations.ts'
import { readLog } from '../reading.ts'
import { rowsOfInput, nonZeroRows, summaryOf, type Document } from '../summary.ts'
import { changeOf, describeCount, describeRun } from './question.ts'
import { onProfile } from '../../config/profile.ts'
import { aboutPeople } from './who.ts'

/** A job that sent nothing. */
export interface UnsentRun {
  kind: 'unsent'
  document: Document
  rows: ReturnType<typeof nonZeroRows>
}

/** Whether a job ends without a run: a dry run, or an empty input. */
export function sendsNothing({ options, input, undoes, name }: Job): boolean {
  if (options.dryRun === true) return true
  // With a name, an empty input (a quiet night) is a run too.
  return input.unique === 0 && (name === undefined || undoes !== undefined)
}

/** Ends a job that sends nothing: its files are written, and it is shown. */
export async function endUnsent(tools: RunTools, given: Job): Promise<UnsentRun> {
  const { annotate, receipts, dryRun: isDry = false } = given.options
  const isEmpty = given.input.unique === 0
  for (const note of given.notes ?? []) tools.note(note)
  const { input } = given
  const none = { parameters: {}, items: Items.ofIds([], () => 0), input }
  const job = resolveJob(given, isEmpty ? none : await given.resolveContents())
  if (isEmpty && !isDry) tools.note(emptyWords(job))
  const profile = await profileIfAny(tools)
  if (isDry) await tellPreview(tools, job, profile)
  const files = new UserFiles(tools, {
    named: { annotate, receipts: isDry ? undefined : receipts },
    annotation: job.annotation,
    isUnsent: isDry,
  })
  await files.check()
  await files.write(job.state)
  return { kind: 'unsent', ...summaryOfPreview(job, profile) }
}

/** Why nothing is sent. */
function emptyWords({ undoes }: ResolvedJob) {
  if (undoes !== undefined) return 'there is nothing to undo'
  return 'the input is empty; there is nothing to do'
}

/** Describes a dry run in words. */
async function tellPreview(
  tools: RunTools,
  job: ResolvedJob,
  profile: Profile | undefined,
) {
  const { name, items, state } = job
  const change = changeOf({
    state,
    left: [...state.batches.numbers()],
    count: items.size,
    job,
  })
  const requests = pluralize(state.batches.total, 'request')
  const lowerCase = `${change.charAt(0).toLowerCase()}${change.slice(1)}`
  tools.note(
    `dry run: ${lowerCase}${profile === undefined ? '' : onProfile(profile)}, in ${requests}; nothing is sent`,
  )
  for (const text of await aboutPeople(tools, job, tools.host.columns())) tools.note(text)
  if (job.undoes !== undefined) return
  if (name !== undefined && (await tellName(tools, name))) return
  if (profile !== undefined) await tellUnfinished(tools, job, profile)
}

/** Returns whether a run has the name. */
async function tellName(tools: RunTools, name: string) {
  const read = await readLog(tools.host, (await tools.runs()).placeOf(name))
  const { recorded, isHeadDamaged, isPruned } = read?.log ?? {}
  const isUsed = isPruned === false && (recorded !== undefined || isHeadDamaged === true)
  tools.note(`the name "${name}" is ${isUsed ? 'used by a run' : 'free'}`)
  return isUsed
}

/** The command would resume a run that is not finished. Throws exit 2 if the command itself would. */
async function tellUnfinished(tools: RunTools, job: ResolvedJob, profile: Profile) {
  const { operation } = job
  if (job.options.newRun === true || job.items.size === 0) return
  const look = await findSame(tools, jobHeadOf(tools.host, job, profile))
  const earlier = runToResume(look, job, profile)
  if (earlier === undefined) return
  const { run, head, state } = earlier.recorded
  const left = describeCount(operation, state.countLeft(state.listLeft()))
  tools.note(
    `${describeRun(tools, run, head)} is the same job and is not finished: the command would resume it, with ${left} left`,
  )
}

function summaryOfPreview(job: ResolvedJob, profile: Profile | undefined) {
  const { options, undoes, parameters, input, items, state } = job
  const about = {
    run: null,
    name: null,
    profile: profile?.name ?? null,
    startedAt: null,
    endedAt: null,
    host: profile === undefined ? null : new URL(profile.baseUrl).host,
    target: targetName(parameters) ?? null,
    by: null,
    reason: options.reason ?? null,
    resumed: false,
    input,
    durationMs: 0,
  }
  const isPart = undoes !== undefined && (input.leftOut ?? 0) > 0
  const ending = { dryRun: options.dryRun === true, isPart }
  const rows = nonZeroRows([['would be sent', items.size]])
  const { document } = summaryOf(about, state, ending)
  return { document, rows: [...rows, ...rowsOfInput(input)] }
}

/** A dry run with only ids needs no credentials. If there are credentials, it says for which service it is. */
async function profileIfAny(tools: RunTools): Promise<Profile | undefined> {
  try {
    return (await tools.configuration()).profile()
  } catch (error) {
    // A named profile that does not work, or a sandbox's guard, still fails a dry run.
    const isOfProfiles = error instanceof SvcError && error.category === 'config'
    const isNone = isOfProfiles && error.exitCode === exit.auth
    if (isNone && error.details.profile === undefined) return undefined
    throw error
  }
}
