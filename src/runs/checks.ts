/** Checks, before anything is sent, that a job may begin its run or resume it. Each check throws if it fails. */
import type { Profile } from '../config/profile.ts'
import { SvcError, usageError, say, svc } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { RunFile } from './file.ts'
import { headOf, type Job } from './jobs/job.ts'
import { keyFingerprint, type Head, type Party } from './lines.ts'
import { hasJobName, isUndo, type ChosenRun, type Runs } from './list.ts'
import { isBegun, requireBegun, type BegunLog, type RunLog } from './log.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { targetOf } from './summary.ts'
import type { RunTools } from './tools.ts'

/** A job with everything that its run needs. */
export interface Plan {
  job: Job
  /** The head with which the job would begin a run. A recorded head is compared with it. */
  head: Head
  /** The run that the job begins or resumes. */
  chosen: ChosenRun
  profile: Profile
  /** All recorded runs. */
  runs: Runs
}

/** Makes the plan of a job, and so chooses its run once. */
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

/**
 * Returns the log of a run if the job resumes it. Undefined if nothing was ever sent in the run, so that the job begins it.
 * Throws exit 2 if the job may do neither.
 */
export function logToResume(log: RunLog, plan: Plan): BegunLog | undefined {
  const { run, head } = log
  const hint = `to begin anew, ${howToBeginAnew(run, plan)}`
  const refusal = (why: string) => usageError(`run ${run} ${why}; nothing was sent`, hint)
  if (log.isDamaged)
    throw usageError(
      `the record of run ${run} is damaged, so nothing more is sent in it`,
      say`see what is known of it:\n  ${svc`runs export ${run}`}\n${hint}: all that has no answer on record would then be sent again`,
    )
  if (!isBegun(log) && plan.job.isResumeCommand !== true) {
    // Even a head without all its ids says which job the file belongs to.
    if (head === undefined || head.job === plan.head.job) return undefined
    throw refusal('belongs to another job')
  }
  const begunLog = requireBegun(log)
  checkService(begunLog, plan.head.baseUrl)
  const why = reasonNotToResume(begunLog, plan)
  if (why !== undefined) throw refusal(why)
  return begunLog
}

/** Returns what to do instead of resuming a run. The text follows "to begin anew, ". */
function howToBeginAnew(run: string, { runs }: Plan) {
  if (isUndo(run)) return `move its file away:\n  ${runs.folder.path}/${run}.ndjson`
  return `type the command that began it, with ${hasJobName(run) ? '--new-run' : '--once and another name'}`
}

/** Returns why a job may not resume a run, as the rest of a sentence; undefined if it may. */
function reasonNotToResume(recorded: BegunLog, { job, head }: Plan): string | undefined {
  const { end, isClosed } = recorded
  if (job.isResumeCommand !== true && recorded.head.job !== head.job)
    return `belongs to another job: ${differenceOf(recorded, job)}`
  if (isClosed) {
    const what = end?.undone === true ? 'an undo of it' : 'a newer run of the same job'
    return `cannot be resumed, because ${what} has begun`
  }
  // With a `--once` name, `--accept` must be that of the beginning.
  const { once, newRun } = job.options
  if (once === undefined) return undefined
  if (newRun === true) return 'has this name already, so --new-run cannot use it'
  const accept = recorded.head.accept.join(',')
  if (accept === head.accept.join(',')) return undefined
  return `was begun ${accept === '' ? 'without --accept' : `with --accept ${accept}`}`
}

/** Returns the first difference between a recorded job and the job of this command, as a clause about the recorded one. */
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

/** Throws exit 2 for a run of another service. */
export function checkService({ run, head }: BegunLog, baseUrl: string) {
  if (head.baseUrl === baseUrl) return
  const hostOf = (url: string) => new URL(url).host
  throw usageError(
    `run ${run} is on ${hostOf(head.baseUrl)}, not on ${hostOf(baseUrl)}; nothing was sent`,
  )
}

/** Checks the API key of a run that is resumed, and that no merge is in doubt elsewhere. `log` is undefined for a new run. */
export async function checkPlan(plan: Plan, log: BegunLog | undefined): Promise<void> {
  if (log !== undefined) checkKey(log, plan)
  await refuseMergesInDoubt(plan, log)
}

/** Throws exit 2 for a run that began with another API key, if it may have sent something and has something left to send. */
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
 * Throws exit 2 for a merge whose source is in doubt in another run on this service: a lost request may have merged it. With
 * `--new-run`, now or when the run began, the merge is sent all the same.
 */
async function refuseMergesInDoubt({ job, head, chosen, runs }: Plan, log?: BegunLog) {
  if (job.operation !== 'contacts.merge') return
  if (job.options.newRun ?? log?.head.newRun ?? false) return
  // A request of merges has one pair.
  const due = log?.queue.dueRequests().map(({ range }) => log.items.at(range[0]).id)
  const sources = new Set((due ?? job.items.ids).map((id) => id.toLowerCase()))
  for (const run of await runs.names()) {
    // A --once name begins with @, and does not say the operation.
    const canBeMerges = /^(?:merge-|@)/.test(run)
    if (run !== chosen.run && canBeMerges)
      refuseDoubtfulSource(run, await readMerges(runs, run, head.baseUrl), sources)
  }
}

/** Reads a run of merges on this service. Returns undefined for any other run, after reading no more than its head. */
async function readMerges(runs: Runs, run: string, baseUrl: string) {
  const head = await runs.headOf(run)
  // A run whose head cannot be read may be one of merges.
  if (head === undefined) return runs.read(run)
  const isMerges = head.operation === 'contacts.merge' && head.baseUrl === baseUrl
  return isMerges ? runs.read(run) : undefined
}

/** Throws exit 2 if a run leaves one of these sources in doubt, or if its head is damaged. The sources are in lower case. */
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
    .map(({ range }) => items.at(range[0]))
  const doubtful = pairs.find(({ id }) => sources.has(id.toLowerCase()))
  if (doubtful === undefined) return
  const { id, other = '' } = doubtful
  throw usageError(
    `it is not known whether ${id} was merged into ${other} by run ${run}; nothing was sent`,
    say`look at both contacts (a lost request can take effect within 11 minutes):\n  ${svc`contacts get ${id} ${other}`}\nto send this merge all the same, ${howToSendAgain}`,
  )
}

const howToSendAgain = 'add --new-run, and leave out --once or give it another name'

/** Watches for up to 20 seconds whether another process works on the run. Throws exit 7 at its first sign of life. */
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
