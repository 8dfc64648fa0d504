/**
 * A run from its command to its end: read → ask → claim → send → print → end.
 *
 * What a kill leaves:
 * - before the claim: what was there before the command;
 * - after the claim: a run that has sent nothing;
 * - after the first `try` line: every line that was synced, from which the same command goes on;
 * - after the print: a result that the same command prints again.
 */
import { SvcError } from '../errors.ts'
import {
  checkKey,
  checkMerges,
  checkRecorded,
  planOf,
  refuseIfHeld,
  type Plan,
} from './checks.ts'
import type { RunFile } from './file.ts'
import { checkFiles, writeFiles } from './files.ts'
import type { Job } from './jobs/job.ts'
import { headLines } from './lines.ts'
import { begun, isBegun, type BegunLog } from './log.ts'
import { send, type Sent } from './send.ts'
import { recordedSummary, summaryOf, type Summary } from './summary.ts'
import {
  confirm,
  tellBeside,
  tellEnding,
  tellFinished,
  tellForeseen,
  tellResumed,
} from './telling.ts'
import type { RunTools } from './tools.ts'

export interface EndedRun {
  log: BegunLog
  summary: Summary
  /** Undefined if nothing was sent. */
  sent: Sent | undefined
}

/** Takes a job to the end of its run. `isConfirmed`: the person has answered the question already. */
export async function runJob(
  tools: RunTools,
  job: Job,
  { isConfirmed = false } = {},
): Promise<EndedRun> {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await (await tools.runs()).folder.prepare()
  const plan = await planOf(tools, job)
  for (;;) {
    const ended = await tryRun(tools, plan, isConfirmed)
    if (ended !== undefined) return ended
  }
}

/** Runs the job once. Undefined if another process wrote to the run since it was read: then everything is read again. */
async function tryRun(tools: RunTools, plan: Plan, isConfirmed: boolean) {
  const { job, name, runs } = plan
  const file = await runs.open(name.run)
  const log = file && checkRecorded(file.log, plan)
  if (log?.isFinished === true) return repeatResult(tools, log, job)
  if (file !== undefined) await refuseIfHeld(tools, file)
  if (log !== undefined) checkKey(log, plan)
  await checkMerges(plan, log)
  await checkFiles(tools, job, { isNew: log === undefined })
  if (!isConfirmed) await ask(tools, plan, log)
  const claimed = await claim(tools, plan, file)
  if (claimed === undefined) {
    await file?.close()
    return undefined
  }
  // While the question waited, another run of merges may have put a source in doubt.
  await checkMerges(plan, log)
  return work(tools, claimed, job, { isResumed: log !== undefined })
}

/** Tells what is left of the run, and asks. The question is about exactly the lines that were read. */
async function ask(tools: RunTools, { job, name, profile }: Plan, log?: BegunLog) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, log)
  tellBeside(tools, name)
  await confirm(tools, job, profile, { resumed: log, previous: name.previous })
}

/** The file, held by this process. Undefined if another process wrote to the run since it was read. */
async function claim(
  tools: RunTools,
  { job, head, name, runs }: Plan,
  file: RunFile | undefined,
) {
  if (name.replaces !== undefined) {
    const replaced = await runs.open(name.replaces)
    if (replaced !== undefined && !(await supersede(tools, replaced))) return undefined
  }
  const claimed = file ?? (await runs.create(name.run))
  if (claimed === undefined) return undefined
  // Another process can have written to a new file before this one read it.
  const isUntouched = file !== undefined || claimed.log.next === 0
  const lines = isBegun(claimed.log) ? [] : headLines(head, job.items)
  if (isUntouched && (await claimed.claim(lines))) return claimed
  if (file === undefined) await claimed.close()
  return undefined
}

/** Closes an unfinished run that a newer one replaces. False if another process wrote to it meanwhile. */
async function supersede(tools: RunTools, file: RunFile): Promise<boolean> {
  if (file.log.isFinished) return true
  await refuseIfHeld(tools, file)
  const isClosed = await file.claimToClose({ superseded: true })
  await file.close()
  return isClosed
}

/** What follows a claim: send → print → end. */
async function work(
  tools: RunTools,
  file: RunFile,
  job: Job,
  { isResumed }: { isResumed: boolean },
): Promise<EndedRun> {
  const ended = await tools.signals.runCritical(() =>
    sendAndWrite(tools, file, job, isResumed),
  )
  // After a failed write, what is known is still printed, but not of a record that another process has.
  tools.beforePrint(async () => {
    if (file.failure === undefined || file.isLost) await file.check()
  })
  tools.atEnd((isPrinted) => end(tools, file, ended, isPrinted))
  return ended
}

/** Sends what is due, writes the user's files, and tells how the run ended. */
async function sendAndWrite(tools: RunTools, file: RunFile, job: Job, isResumed: boolean) {
  const log = begun(file.log)
  const isDue = log.queue.dueItems > 0
  const sent = isDue ? await send(tools, file, log, job.options.concurrency) : undefined
  // A record that cannot be written cannot be synced either.
  const failure =
    sent?.stop === 'record' ? sent.error : await writeResults(tools, file, job, log)
  const isUnwritten = failure !== undefined
  const signal = isDue ? tools.signals.caught : undefined
  const summary = summaryOf(log, { ...sent, signal, isUnwritten, isResumed })
  const errors = new Set([sent?.error, failure].filter((error) => error !== undefined))
  for (const error of errors)
    tools.messages.error(error.with({ exitCode: summary.exitCode }))
  tellEnding(tools, log, summary, { isExplained: errors.size > 0 })
  return { log, summary, sent, isUnwritten }
}

/** Syncs the record, and then writes the user's files. Returns the error if that fails; throws if the record is lost. */
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

/** Writes the `end` line, once the result was printed. Without this line the same command prints the result again. */
async function end(
  tools: RunTools,
  file: RunFile,
  { summary, sent, isUnwritten }: EndedRun & { isUnwritten: boolean },
  isPrinted: boolean,
) {
  const { exitCode: exit, outcomes, due } = summary
  // A signal that came when nothing was left to send changes the code of this command, not that of the run.
  const isOnlySignal = tools.signals.caught !== undefined && due === 0
  if (isPrinted && !isUnwritten && !isOnlySignal && file.failure === undefined)
    await file
      .append({ t: 'end', stop: sent?.stop, exit, outcomes, due })
      // The result is printed: a line that cannot be written only makes the next command print it again.
      .catch(() => undefined)
  await file.close()
}

/** Prints the result of a finished run again, and writes its files. */
async function repeatResult(tools: RunTools, log: BegunLog, job: Job): Promise<EndedRun> {
  await checkFiles(tools, job, { isNew: false })
  await writeFiles(tools, job, log)
  tellFinished(tools, log)
  const summary = recordedSummary(log)
  tellEnding(tools, log, summary, { isExplained: false })
  return { log, summary, sent: undefined }
}

/** Tells what the command would do, and returns how many items it would send. Throws what the command would throw. */
export async function foresee(tools: RunTools, job: Job): Promise<number> {
  const plan = await planOf(tools, job)
  const recorded = await plan.runs.read(plan.name.run)
  const log = recorded && checkRecorded(recorded, plan)
  if (log?.isFinished === false) checkKey(log, plan)
  await checkMerges(plan, log)
  tellBeside(tools, plan.name)
  if (log === undefined) return job.items.size
  tellForeseen(tools, log)
  return log.isFinished ? 0 : log.queue.dueItems
}
