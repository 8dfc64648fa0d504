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
import { RunFile } from './file.ts'
import { UserFiles } from './files.ts'
import {
  headLines,
  headOf,
  keyFingerprint,
  type BulkOptions,
  type Job,
  type RunTools,
} from './jobs/job.ts'
import { begun, differenceOf, isBegun, undoJob, type BegunLog } from './jobs/recorded.ts'
import type { Head } from './lines.ts'
import { isUndo, type RunName, type RunReference, type Runs } from './list.ts'
import type { RunLog } from './log.ts'
import { isAnswered, isInDoubt } from './request.ts'
import { send, type Sent } from './send.ts'
import { summaryOf, type Summary } from './summary.ts'
import {
  confirm,
  tellDone,
  tellEnding,
  tellFinished,
  tellForeseen,
  tellLeftOut,
  tellResumed,
} from './telling.ts'

export interface EndedRun {
  run: string
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
  const start = await prepare(tools, job)
  for (;;) {
    const file = await RunFile.open(
      tools.host,
      start.runs.folder,
      start.name.run,
      'present',
    )
    const log = file && checkRecorded(file.log, start)
    if (file !== undefined && log?.isFinished === true) return show(tools, file, log, job)
    if (file !== undefined) await waitForHolder(tools, file)
    await checkBefore(tools, start, log)
    if (!isAsked) await ask(tools, start, log)
    const claimed = await claim(tools, start, file)
    // Somebody else was faster: everything is read again.
    if (claimed !== undefined) return work(tools, claimed, job, log !== undefined)
  }
}

/** A job with its head, and the name of its run, which is chosen once. */
interface Start {
  job: Job
  head: Head
  name: RunName
  profile: Profile
  runs: Runs
}

/** Throws exit 2 if the profile does not allow the change, or if nothing can be recorded. */
async function prepare(tools: RunTools, job: Job): Promise<Start> {
  const runs = await tools.runs()
  const profile = await tools.profile()
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await runs.folder.prepare()
  return startOf(tools, job, runs, profile)
}

async function startOf(
  tools: RunTools,
  job: Job,
  runs: Runs,
  profile: Profile,
): Promise<Start> {
  const head = headOf(job, profile, tools.host)
  const isNew = job.options.newRun === true
  const name = job.run === undefined ? await runs.nameFor(head, isNew) : { run: job.run }
  return { job, head, name, profile, runs }
}

/** What a dry run foresees: the run that the command would go on with. Throws exit 2 as the command would. */
export async function foresee(tools: RunTools, job: Job): Promise<void> {
  const start = await startOf(tools, job, await tools.runs(), await tools.profile())
  const read = await start.runs.read(start.name.run)
  const log = read && checkRecorded(read, start)
  await checkMerges(start)
  if (log !== undefined) tellForeseen(tools, start.name.run, log)
}

/** The record that a command goes on with; undefined if nothing was ever sent. Throws exit 2 if it may not. */
function checkRecorded(
  log: RunLog,
  { job, head, name: { run } }: Start,
): BegunLog | undefined {
  const anew = job.run === undefined ? 'add --new-run' : 'use another name with --once'
  if (log.isDamaged)
    throw usageError(
      `the record of run ${run} is damaged, so nothing more is sent in it`,
      say`see what is known of it:\n  ${svc`runs export ${run}`}\nto begin anew, ${anew}: all that has no answer on record would then be sent again`,
    )
  if (!isBegun(log) && job.kind !== 'resumed') return undefined
  const recorded = begun(log, run)
  checkService(recorded, run, head.baseUrl)
  if (job.kind !== 'resumed' && recorded.head.job !== head.job)
    throw usageError(
      `the name of run ${run} belongs to another job: ${differenceOf(recorded, job)}; nothing was sent`,
      `to begin this job, ${anew}`,
    )
  if (recorded.isClosed) {
    const why =
      recorded.end?.undone === true ? 'an undo of it' : 'a newer run of the same job'
    throw usageError(
      `run ${run} cannot be resumed, because ${why} has begun; nothing was sent`,
      `to begin this job, ${anew}`,
    )
  }
  const { once, newRun } = job.options
  if (newRun === true && once !== undefined)
    throw usageError(
      `--new-run: the name "${once}" is taken; nothing was sent`,
      `to begin anew, ${anew}`,
    )
  const isOtherAccept = String(head.accept) !== String(recorded.head.accept)
  if (once !== undefined && isOtherAccept)
    throw usageError(
      `run ${run} was begun with --accept ${recorded.head.accept.join(',') || 'of nothing'}; nothing was sent`,
    )
  return recorded
}

/** Throws exit 2 for a run of another service. */
function checkService({ head }: BegunLog, run: string, baseUrl: string) {
  if (head.baseUrl === baseUrl) return
  const [recorded, own] = [head.baseUrl, baseUrl].map((url) => new URL(url).host)
  throw usageError(`run ${run} is on ${recorded}, not on ${own}; nothing was sent`)
}

/** Throws exit 7 if another process works on the run. */
async function waitForHolder(tools: RunTools, file: RunFile) {
  const { run, log } = file
  const holder = `process ${log.session?.pid ?? 0} on ${log.session?.host ?? ''}`
  const onWait = () =>
    tools.note(`waiting up to 20s: ${holder} may be working on run ${run}`)
  if (!(await file.isHeld(onWait, tools.signals.cancelled))) return
  throw new SvcError(
    'busy',
    `${holder} is working on run ${run}; nothing was sent from here`,
    { hint: say`see how far it is:\n  ${svc`runs show ${run}`}` },
  )
}

/** Throws exit 2 for what forbids the run before the first change is sent. */
async function checkBefore(tools: RunTools, start: Start, log: BegunLog | undefined) {
  const { job } = start
  if (log !== undefined) checkKey(log, start)
  await checkMerges(start)
  await new UserFiles(tools, job.options, job.annotation).check(log === undefined)
}

/** Throws exit 2 for another key than that of a run of which something may have been sent. */
function checkKey({ head, queue }: BegunLog, { job, profile, name: { run } }: Start) {
  if (job.kind === 'resumed' || head.key === keyFingerprint(profile.apiKey)) return
  const wasSent = queue.requests.some(
    (request) => isAnswered(request) || isInDoubt(request),
  )
  if (!wasSent || queue.dueItems === 0) return
  throw usageError(
    `run ${run} began with another key (${head.keyEnding}), and is not finished; nothing was sent`,
    say`to go on with the key of now:\n  ${svc`runs resume ${run}`}`,
  )
}

/** Throws exit 2 for a source that stands in doubt in any run of merges. */
async function checkMerges({ job, head, name, runs }: Start) {
  if (job.operation !== 'contacts.merge' || job.options.newRun === true) return
  const sources = new Set(job.items.ids.map((id) => id.toLowerCase()))
  await runs.checkMerges(name.run, head.baseUrl, sources)
}

/** The question is about exactly what was read. */
async function ask(
  tools: RunTools,
  { job, name, profile, runs }: Start,
  log: BegunLog | undefined,
) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, name.run, log)
  const done = name.done === undefined ? undefined : await runs.read(name.done)
  if (isBegun(done) && !done.isClosed) tellDone(tools, name.done ?? '', done)
  await confirm(tools, job, profile, log && { log, run: name.run })
}

/** The file, held by this process; undefined if somebody wrote to it since it was read. */
async function claim(
  tools: RunTools,
  { job, head, name, runs }: Start,
  file: RunFile | undefined,
) {
  if (name.before !== undefined && !(await supersede(tools, runs, name.before)))
    return undefined
  const claimed = file ?? (await RunFile.open(tools.host, runs.folder, name.run, 'new'))
  const lines = isBegun(claimed?.log) ? [] : headLines(head, job.items)
  return (await claimed?.claim(lines)) === true ? claimed : undefined
}

/** Closes an unfinished run beside which a newer one begins. False if somebody wrote to it meanwhile. */
async function supersede(tools: RunTools, runs: Runs, run: string): Promise<boolean> {
  const file = await RunFile.open(tools.host, runs.folder, run, 'present')
  if (file === undefined || file.log.isFinished) return true
  await waitForHolder(tools, file)
  const isClosed = await file.claim([{ t: 'end', superseded: true }])
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
  const { run } = file
  const log = begun(file.log, run)
  const ended = await tools.signals.runCritical(async () => {
    const isDue = log.queue.dueItems > 0
    const sent = isDue ? await send(tools, file, log, job.options.concurrency) : undefined
    // A record that cannot be written cannot be synced either.
    const unwritten =
      sent?.stop === 'record' ? sent.error : await writeResults(tools, file, job, log)
    const errors = new Set([sent?.error, unwritten].filter((each) => each !== undefined))
    const signal = isDue ? tools.signals.caught : undefined
    const ending = {
      stop: sent?.stop,
      signal,
      wasRefused: sent?.wasRefused,
      isUnwritten: unwritten !== undefined,
      resumed,
    }
    const summary = summaryOf(log, run, ending)
    for (const error of errors)
      tools.messages.error(error.with({ exitCode: summary.exitCode }))
    return { run, log, summary, sent, errors, unwritten }
  })
  tellEnding(tools, log, ended.summary, ended.errors.size > 0)
  // After the result was printed. Without this line it is printed again, and its files are written.
  tools.atEnd(async (exitCode) => {
    const isGiven = ended.unwritten === undefined && exitCode === ended.summary.exitCode
    if (isGiven && file.failure === undefined) await end(file, ended)
    await file.close()
  })
  return ended
}

/** What is known is on disk before anything of it is written or printed. Returns the failure of a file. */
async function writeResults(tools: RunTools, file: RunFile, job: Job, log: BegunLog) {
  try {
    await file.sync()
    await file.check()
    await new UserFiles(tools, job.options, job.annotation).write(log)
    return undefined
  } catch (error) {
    if (file.isLost || !(error instanceof SvcError)) throw error
    return error
  }
}

/** The last line. A failure leaves a run whose result is printed again. */
async function end(file: RunFile, { summary, sent }: Pick<EndedRun, 'summary' | 'sent'>) {
  const { exitCode: exit, outcomes, due } = summary
  const stop = sent?.stop
  await file
    .append({ t: 'end', ...(stop && { stop }), exit, outcomes, due })
    .catch(() => undefined)
}

/** A finished run: its result is printed again, and its files are written. */
async function show(
  tools: RunTools,
  { run }: RunFile,
  log: BegunLog,
  job: Job,
): Promise<EndedRun> {
  const files = new UserFiles(tools, job.options, job.annotation)
  await files.check(false)
  await files.write(log)
  tellFinished(tools, run, log)
  return { run, log, summary: summaryOf(log, run, { resumed: true }), sent: undefined }
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
  const run = await runs.find(
    reference,
    async () => ({ baseUrl: profile.baseUrl, key: keyFingerprint(profile.apiKey) }),
    ({ head, run: each }) => head?.operation === 'tickets.assign' && !isUndo(each),
  )
  for (;;) {
    const file = await RunFile.open(tools.host, runs.folder, run, 'present')
    if (file === undefined) throw runs.missing(`there is no run ${run}`)
    const log = begun(file.log, run)
    checkService(log, run, profile.baseUrl)
    const { job, doubtful } = undoJob(log, run, options)
    tellLeftOut(tools, doubtful)
    if (options.dryRun === true) return { job }
    if (log.end?.undone === true || (await closeForUndo(tools, file, job, profile))) {
      await file.close()
      return startRun(tools, job, true)
    }
  }
}

/** Asks, and closes the run. False if somebody wrote to it meanwhile. */
async function closeForUndo(tools: RunTools, file: RunFile, job: Job, profile: Profile) {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await waitForHolder(tools, file)
  await confirm(tools, job, profile, undefined)
  return file.claim([{ t: 'end', undone: true }])
}
