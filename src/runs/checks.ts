/** The plan of a job, and the checks before it begins a run or goes on with a recorded one. A check that fails throws before anything is sent. */
import type { Profile } from '../config/profile.ts'
import { SvcError, usageError, say, svc } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { RunFile } from './file.ts'
import { headOf, type Job } from './jobs/job.ts'
import { keyFingerprint, type Head, type Party } from './lines.ts'
import { hasJobName, isUndo, type ChosenRun, type Runs } from './list.ts'
import { begun, isBegun, type BegunLog, type RunLog } from './log.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { targetOf } from './summary.ts'
import type { RunTools } from './tools.ts'

/** A job with what it needs of this machine: its head, the run that it takes, the credentials, and all runs. */
export interface Plan {
  job: Job
  head: Head
  chosen: ChosenRun
  profile: Profile
  runs: Runs
}

/** The plan of a job. Its run is chosen here, once. */
export async function planOf(tools: RunTools, job: Job): Promise<Plan> {
  const runs = await tools.runs()
  const profile = await tools.profile()
  const head = headOf(job, profile, tools.host)
  const chosen =
    job.run === undefined
      ? await runs.choose(head, { isNew: job.options.newRun === true })
      : { run: job.run }
  return { job, head, chosen, profile, runs }
}

/** The record that a job goes on with. Undefined if nothing was ever sent in it, so that the job begins it. Throws exit 2 if the job may do neither. */
export function recordToResume(log: RunLog, plan: Plan): BegunLog | undefined {
  const { run, head } = log
  const hint = `to begin anew, ${howToBeginAnew(run, plan)}`
  const refusal = (why: string) => usageError(`run ${run} ${why}; nothing was sent`, hint)
  if (log.isDamaged)
    throw usageError(
      `the record of run ${run} is damaged, so nothing more is sent in it`,
      say`see what is known of it:\n  ${svc`runs export ${run}`}\n${hint}: all that has no answer on record would then be sent again`,
    )
  if (!isBegun(log) && plan.job.isResumeCommand !== true) {
    // A head without its ids still says which job the file belongs to.
    if (head === undefined || head.job === plan.head.job) return undefined
    throw refusal('belongs to another job')
  }
  const recorded = begun(log)
  checkService(recorded, plan.head.baseUrl)
  const why = reasonNotToResume(recorded, plan)
  if (why !== undefined) throw refusal(why)
  return recorded
}

/** What to do instead of going on with a run, as the rest of a sentence that says what it is for. */
function howToBeginAnew(run: string, { runs }: Plan) {
  if (isUndo(run)) return `move its file away:\n  ${runs.folder.path}/${run}.ndjson`
  return `type the command that began it, with ${hasJobName(run) ? '--new-run' : '--once and another name'}`
}

/** Why a job may not go on with a run, as the rest of a sentence. Undefined if it may. */
function reasonNotToResume(recorded: BegunLog, { job, head }: Plan): string | undefined {
  const { end, isClosed } = recorded
  if (job.isResumeCommand !== true && recorded.head.job !== head.job)
    return `belongs to another job: ${differenceOf(recorded, job)}`
  if (isClosed) {
    const what = end?.undone === true ? 'an undo of it' : 'a newer run of the same job'
    return `cannot be resumed, because ${what} has begun`
  }
  // A job of `--once` keeps the options that it began with.
  const { once, newRun } = job.options
  if (once === undefined) return undefined
  if (newRun === true) return 'has this name already, so --new-run cannot use it'
  const accept = recorded.head.accept.join(',')
  if (accept === head.accept.join(',')) return undefined
  return `was begun ${accept === '' ? 'without --accept' : `with --accept ${accept}`}`
}

/** The first difference between a recorded job and another one, in words. */
function differenceOf({ head, items }: BegunLog, job: Job): string {
  const idOf = (party: Party | undefined) => party?.id.toLowerCase()
  if (head.undoes?.session !== job.undoes?.session)
    return 'it undid another run of the same name'
  if (head.operation !== job.operation) return `it is a run of ${head.operation}`
  if (idOf(head.target) !== idOf(job.target))
    return `it is for ${targetOf(head) ?? 'nobody'}`
  if (idOf(head.ifAssignee) !== idOf(job.ifAssignee)) return 'its --if-assignee differs'
  const recorded = pluralize(items.size, 'id')
  return `its ids differ (it has ${recorded}, this command ${groupDigits(job.items.size)})`
}

/** Refuses a run of another service. */
export function checkService({ run, head }: BegunLog, baseUrl: string) {
  if (head.baseUrl === baseUrl) return
  const hostOf = (url: string) => new URL(url).host
  throw usageError(
    `run ${run} is on ${hostOf(head.baseUrl)}, not on ${hostOf(baseUrl)}; nothing was sent`,
  )
}

/** What is checked before a job begins a run, or goes on with a recorded one. */
export async function checkPlan(plan: Plan, log: BegunLog | undefined): Promise<void> {
  if (log !== undefined) checkKey(log, plan)
  await refuseMergesInDoubt(plan, log)
}

/** Refuses a run that began with another API key, if it has something left to send and may have sent something. */
function checkKey({ run, head, queue }: BegunLog, { job, profile }: Plan) {
  if (job.isResumeCommand === true || head.key === keyFingerprint(profile.apiKey)) return
  const mayHaveSent = queue.requests.some(
    (request) => isAnswered(request) || isInDoubt(request) || request.isHalf,
  )
  if (queue.dueItems === 0 || !mayHaveSent) return
  throw usageError(
    `run ${run} began with another key (${head.keyEnding}), and is not finished; nothing was sent`,
    say`to continue with the current key:\n  ${svc`runs resume ${run}`}`,
  )
}

/**
 * Refuses a merge whose source stands in doubt in another run of merges on this service: a lost request may have merged it.
 * Sent all the same is what `--new-run` said, now or when the run began.
 */
async function refuseMergesInDoubt({ job, head, chosen, runs }: Plan, log?: BegunLog) {
  if (job.operation !== 'contacts.merge') return
  if (job.options.newRun ?? log?.head.newRun ?? false) return
  const due = log?.queue.due().map(({ range }) => log.items.at(range[0]).id)
  const sources = new Set((due ?? job.items.ids).map((id) => id.toLowerCase()))
  for (const run of await runs.names())
    if (run !== chosen.run && /^(?:merge-|@)/.test(run))
      refuseDoubtfulSource(run, await mergesOf(runs, run, head.baseUrl), sources)
}

/** What is recorded of a run of merges on this service. Undefined for any other run, of which no more than its head is read. */
async function mergesOf(runs: Runs, run: string, baseUrl: string) {
  const head = await runs.headOf(run)
  const isOther = head?.operation !== 'contacts.merge' || head.baseUrl !== baseUrl
  // A run whose head cannot be read may be one of merges.
  return head !== undefined && isOther ? undefined : runs.read(run)
}

/** Throws exit 2 for the first of these sources, in lower case, that stands in doubt in a run, and if its record is damaged. */
function refuseDoubtfulSource(
  run: string,
  log: RunLog | undefined,
  sources: ReadonlySet<string>,
) {
  if (!isBegun(log)) {
    if (log?.isDamaged !== true) return
    throw usageError(
      `the record of run ${run} is damaged, so it is not known which merges it leaves in doubt; nothing was sent`,
      `if none of these contacts can be among them, ${howToSendAgain}`,
    )
  }
  const { head, queue, items } = log
  if (head.operation !== 'contacts.merge') return
  // A request of merges has one pair.
  const pairs = queue.requests
    .filter((request) => !isAnswered(request) && isInDoubt(request))
    .map(({ range: [position] }) => items.at(position))
  const doubtful = pairs.find(({ id }) => sources.has(id.toLowerCase()))
  if (doubtful === undefined) return
  const { id, other = '' } = doubtful
  throw usageError(
    `it is not known whether ${id} was merged into ${other} by run ${run}; nothing was sent`,
    say`look at both contacts (a lost request can take effect within 11 minutes):\n  ${svc`contacts get ${id} ${other}`}\nto send this merge all the same, ${howToSendAgain}`,
  )
}

const howToSendAgain = 'add --new-run (instead of --once, or with another name)'

/** Watches up to 20 seconds for another process that works on the run. Throws exit 7 at its first sign of life. */
export async function refuseIfHeld(tools: RunTools, file: RunFile) {
  const { run, session } = file.log
  const holder = `process ${session?.pid ?? 0} on ${session?.host ?? ''}`
  const onWait = () =>
    tools.note(`waiting up to 20s: ${holder} may be working on run ${run}`)
  if (!(await file.isHeld(onWait, tools.signals.cancelled))) return
  throw new SvcError(
    'busy',
    `${holder} is working on run ${run}; nothing was sent from here`,
    { hint: say`see how far it is:\n  ${svc`runs show ${run}`}` },
  )
}
