/**
 * A run from its command to its end: read → ask → claim → send → print → end. Typed, repeated, resumed and undone runs
 * differ only in where their items come from.
 *
 * What a kill leaves: up to the claim, what was there; after it, a run that has sent nothing; from the first `try` on, every
 * line that was synced, and the same command goes on; after the print, a result that the same command prints again.
 */
import type { Profile } from '../config/profile.ts'
import { SvcError, usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { RunFile } from './file.ts'
import { checkFiles, writeFiles } from './files.ts'
import { headOf, type BulkOptions, type Job } from './jobs/job.ts'
import type { RunTools } from './tools.ts'
import { undoJob } from './jobs/undo.ts'
import { keyFingerprint, type Party } from './lines.ts'
import { isNumbered, isUndo, type RunName, type RunReference, type Runs } from './list.ts'
import { begun, isBegun, type BegunLog, type RunLog } from './log.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { send, type Sent } from './send.ts'
import { recordedSummary, summaryOf, targetOf, type Summary } from './summary.ts'
import {
  confirm,
  tellBeside,
  tellEnding,
  tellFinished,
  tellForeseen,
  tellLeftOut,
  tellResumed,
} from './telling.ts'

export interface EndedRun {
  log: BegunLog
  summary: Summary
  /** Undefined if nothing was sent. */
  sent: Sent | undefined
}

/** Takes a job to the end of its run. `isAsked`: the question was answered already. */
export async function startRun(
  tools: RunTools,
  job: Job,
  isAsked = false,
): Promise<EndedRun> {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await (await tools.runs()).folder.prepare()
  const start = await startOf(tools, job)
  const { runs, name } = start
  for (;;) {
    const file = await runs.open(name.run)
    const log = file && checkRecorded(file.log, start)
    if (log?.isFinished === true) return show(tools, log, job)
    if (file !== undefined) await waitForHolder(tools, file)
    if (log !== undefined) checkKey(log, start)
    await checkMerges(start, log)
    await checkFiles(tools, job, log === undefined)
    if (!isAsked) await ask(tools, start, log)
    const claimed = await claim(tools, start, file)
    if (claimed !== undefined) {
      // A question can wait for hours.
      await checkMerges(start, log)
      return work(tools, claimed, job, log !== undefined)
    }
    // Somebody else was faster: everything is read again.
    await file?.close()
  }
}

type Start = Awaited<ReturnType<typeof startOf>>

/** A job with its head, and the name of its run, which is chosen once. */
async function startOf(tools: RunTools, job: Job) {
  const runs = await tools.runs()
  const profile = await tools.profile()
  const head = headOf(job, profile, tools.host)
  const name: RunName =
    job.run === undefined
      ? await runs.nameFor(head, job.options.newRun === true)
      : { run: job.run }
  return { job, head, name, profile, runs }
}

/** What a dry run foresees: how many items the command would send. Throws exit 2 as the command would. */
export async function foresee(tools: RunTools, job: Job): Promise<number> {
  const start = await startOf(tools, job)
  const log = await recordOf(start)
  if (log?.isFinished === false) checkKey(log, start)
  await checkMerges(start, log)
  tellBeside(tools, start.name)
  if (log !== undefined) tellForeseen(tools, log)
  return log?.isFinished === true ? 0 : (log?.queue.dueItems ?? job.items.size)
}

/** The record that a command would go on with, as it is now. Throws exit 2 if it may not. */
async function recordOf(start: Start) {
  const log = await start.runs.read(start.name.run)
  return log && checkRecorded(log, start)
}

/** The record that a command goes on with; undefined if nothing was ever sent. Throws exit 2 if it may not. */
function checkRecorded(log: RunLog, start: Start): BegunLog | undefined {
  const { run, head } = log
  const anew = anewOf(run, start)
  if (log.isDamaged)
    throw usageError(
      `the record of run ${run} is damaged, so nothing more is sent in it`,
      say`see what is known of it:\n  ${svc`runs export ${run}`}\nto begin anew, ${anew}: all that has no answer on record would then be sent again`,
    )
  const isOpen = !isBegun(log) && start.job.isResumed !== true
  // What a file is stands in its second line, also for those who read no further.
  if (isOpen && (head === undefined || head.job === start.head.job)) return undefined
  const why = isOpen ? 'belongs to another job' : whyNot(begun(log), start)
  if (why === undefined) return begun(log)
  throw usageError(`run ${run} ${why}; nothing was sent`, `to begin anew, ${anew}`)
}

/** What to do instead of going on with a run. */
function anewOf(run: string, { runs }: Start) {
  if (isUndo(run)) return `move its file away:\n  ${runs.folder.path}/${run}.ndjson`
  const option = isNumbered(run) ? '--new-run' : '--once and another name'
  return `type the command that began it, with ${option}`
}

/** Why a command may not go on with a run. */
function whyNot(recorded: BegunLog, { job, head }: Start): string | undefined {
  const { end, isClosed } = recorded
  checkService(recorded, head.baseUrl)
  if (job.isResumed !== true && recorded.head.job !== head.job)
    return `belongs to another job: ${differenceOf(recorded, job)}`
  if (isClosed) {
    const what = end?.undone === true ? 'an undo of it' : 'a newer run of the same job'
    return `cannot be resumed, because ${what} has begun`
  }
  const { once, newRun } = job.options
  if (once === undefined) return undefined
  if (newRun === true) return 'has this name already, so --new-run cannot use it'
  const { accept } = recorded.head
  if (String(head.accept) === String(accept)) return undefined
  return `was begun with --accept ${accept.join(',') || 'of nothing'}`
}

/** How a recorded job differs from another one, in words. */
function differenceOf({ head, items }: BegunLog, job: Job): string {
  const idOf = (party: Party | undefined) => party?.id.toLowerCase()
  if (head.undoes?.session !== job.undoes?.session)
    return 'it gave back another run of the same name'
  if (head.operation !== job.operation) return `it is a run of ${head.operation}`
  if (idOf(head.target) !== idOf(job.target))
    return `it is for ${targetOf(head) ?? 'nobody'}`
  if (idOf(head.ifAssignee) !== idOf(job.ifAssignee)) return 'its --if-assignee differs'
  const own = pluralize(items.size, 'id')
  return `its ids differ (it has ${own}, this command ${groupDigits(job.items.size)})`
}

/** Throws exit 2 for a run of another service. */
function checkService({ run, head }: BegunLog, baseUrl: string) {
  if (head.baseUrl === baseUrl) return
  const [recorded, own] = [head.baseUrl, baseUrl].map((url) => new URL(url).host)
  throw usageError(`run ${run} is on ${recorded}, not on ${own}; nothing was sent`)
}

/** Throws exit 7 if another process works on the run. */
async function waitForHolder(tools: RunTools, file: RunFile) {
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

/** Throws exit 2 for another key than that of a run of which something may have been sent. */
function checkKey({ run, head, queue }: BegunLog, { job, profile }: Start) {
  if (job.isResumed === true || head.key === keyFingerprint(profile.apiKey)) return
  const wasSent = queue.requests.some(
    (request) => isAnswered(request) || isInDoubt(request) || request.isHalf,
  )
  if (!wasSent || queue.dueItems === 0) return
  throw usageError(
    `run ${run} began with another key (${head.keyEnding}), and is not finished; nothing was sent`,
    say`to go on with the key of now:\n  ${svc`runs resume ${run}`}`,
  )
}

/** Throws exit 2 for a source to send that stands in doubt in any run of merges, unless it was typed to send it. */
async function checkMerges({ job, head, name, runs }: Start, log?: BegunLog) {
  const isTyped = job.options.newRun ?? log?.head.newRun ?? false
  if (job.operation !== 'contacts.merge' || isTyped) return
  const sources = log?.queue.due().map(({ range }) => log.items.at(range[0]).id)
  const wanted = (sources ?? job.items.ids).map((id) => id.toLowerCase())
  await runs.checkMerges(name.run, head.baseUrl, new Set(wanted))
}

/** The question is about exactly what was read. */
async function ask(tools: RunTools, { job, name, profile }: Start, log?: BegunLog) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, log)
  tellBeside(tools, name)
  await confirm(tools, job, profile, { rest: log, done: name.done })
}

/** The file, held by this process; undefined if somebody wrote to it since it was read. */
async function claim(
  tools: RunTools,
  { job, head, name, runs }: Start,
  file: RunFile | undefined,
) {
  if (name.before !== undefined && !(await supersede(tools, runs, name.before)))
    return undefined
  const claimed = file ?? (await runs.open(name.run, 'new'))
  if (claimed === undefined) return undefined
  // Somebody else can have written to a file of ours before it was read.
  const isOurs = file !== undefined || claimed.log.next === 0
  const lines = isBegun(claimed.log) ? [] : job.items.headLines(head)
  if (isOurs && (await claimed.claim(lines))) return claimed
  if (file === undefined) await claimed.close()
  return undefined
}

/** Closes an unfinished run beside which a newer one begins. False if somebody wrote to it meanwhile. */
async function supersede(tools: RunTools, runs: Runs, run: string): Promise<boolean> {
  const file = await runs.open(run)
  if (file === undefined || file.log.isFinished) return true
  await waitForHolder(tools, file)
  const { stop, exit } = file.log.end ?? {}
  const isClosed = await file.claim([{ t: 'end', superseded: true, stop, exit }])
  await file.close()
  return isClosed
}

/** What follows a claim: send → print → end. */
async function work(
  tools: RunTools,
  file: RunFile,
  job: Job,
  resumed: boolean,
): Promise<EndedRun> {
  const log = begun(file.log)
  const ended = await tools.signals.runCritical(async () => {
    const isDue = log.queue.dueItems > 0
    const sent = isDue ? await send(tools, file, log, job.options.concurrency) : undefined
    // A record that cannot be written cannot be synced either.
    const unwritten =
      sent?.stop === 'record' ? sent.error : await writeResults(tools, file, job, log)
    const isUnwritten = unwritten !== undefined
    const signal = isDue ? tools.signals.caught : undefined
    const summary = summaryOf(log, { ...sent, signal, isUnwritten, resumed })
    const errors = new Set([sent?.error, unwritten].filter((each) => each !== undefined))
    for (const error of errors)
      tools.messages.error(error.with({ exitCode: summary.exitCode }))
    tellEnding(tools, log, summary, errors.size > 0)
    return { log, summary, sent, isUnwritten }
  })
  tools.beforePrint(async () => {
    // Also where the record cannot be written, what is known is told.
    if (file.failure === undefined || file.isLost) await file.check()
  })
  // After the result was printed. Without this line it is printed again, and its files are written.
  tools.atEnd(async (isPrinted) => {
    const { summary, sent, isUnwritten } = ended
    const { exitCode: exit, outcomes, due } = summary
    // The code of a signal is that of this command alone.
    const isCut = tools.signals.caught !== undefined && due === 0
    // A failure leaves a run whose result is printed again.
    if (isPrinted && !isUnwritten && !isCut && file.failure === undefined)
      await file
        .append({ t: 'end', stop: sent?.stop, exit, outcomes, due })
        .catch(() => undefined)
    await file.close()
  })
  return ended
}

/** What is known is on disk before anything of it is written or printed. Returns the failure of a file. */
async function writeResults(tools: RunTools, file: RunFile, job: Job, log: BegunLog) {
  try {
    await file.sync()
    await file.check()
    await writeFiles(tools, job, log, () => file.check())
    return undefined
  } catch (error) {
    if (file.isLost || !(error instanceof SvcError)) throw error
    return error
  }
}

/** A finished run: its result is printed again, and its files are written. */
async function show(tools: RunTools, log: BegunLog, job: Job): Promise<EndedRun> {
  await checkFiles(tools, job, false)
  await writeFiles(tools, job, log)
  tellFinished(tools, log)
  const summary = recordedSummary(log)
  tellEnding(tools, log, summary, false)
  return { log, summary, sent: undefined }
}

/**
 * Gives the tickets of a run back. After the yes, the run is claimed and closed with exactly the lines that were read; then
 * the undo is a run of its own.
 */
export async function startUndo(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<EndedRun | { job: Job }> {
  const runs = await tools.runs()
  const profile = await tools.profile()
  const found = await runs.find(
    reference,
    tools.profile,
    (each) => each.head?.operation === 'tickets.assign' && !isUndo(each.run),
  )
  if (options.dryRun === true) return { job: jobToUndo(tools, found, profile, options) }
  for (;;) {
    const file = await runs.open(found.run)
    if (file === undefined) throw runs.missing(`there is no run ${found.run}`)
    const log = begun(file.log)
    const job = jobToUndo(tools, log, profile, options)
    await recordOf(await startOf(tools, job))
    const hasBegun = log.end?.undone === true
    const isClosed = hasBegun || (await closeForUndo(tools, file, job, profile))
    await file.close()
    // Where the undo has begun, this command has asked nobody yet.
    if (isClosed) return startRun(tools, job, !hasBegun)
  }
}

/** Throws exit 2 if there is nothing to give back. */
function jobToUndo(
  tools: RunTools,
  log: BegunLog,
  { baseUrl }: Profile,
  options: Partial<BulkOptions>,
) {
  checkService(log, baseUrl)
  const { job, doubtful } = undoJob(log, options)
  tellLeftOut(tools, doubtful)
  if (job.items.size > 0) return job
  const problem = `run ${log.run} has no confirmed change to give back; nothing was sent`
  throw usageError(problem)
}

/** Asks, and closes the run. False if somebody wrote to it meanwhile. */
async function closeForUndo(tools: RunTools, file: RunFile, job: Job, profile: Profile) {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await waitForHolder(tools, file)
  await confirm(tools, job, profile)
  const { stop, exit } = file.log.end ?? {}
  return file.claim([{ t: 'end', undone: true, stop, exit }])
}
