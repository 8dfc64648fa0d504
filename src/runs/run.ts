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
  const { folder } = await tools.runs()
  await folder.prepare()
  const plan = await planOf(tools, job)
  for (;;) {
    const ended = await tryRun(tools, plan, isConfirmed)
    if (ended !== undefined) return ended
    tools.note('another process worked on the same job meanwhile; its run is read again')
  }
}

/** Runs a job once. Undefined if another process wrote to the run since it was read: then the run is read again. */
async function tryRun(tools: RunTools, plan: Plan, isConfirmed: boolean) {
  const { job, name, runs } = plan
  const file = await runs.open(name.run)
  // A file without a whole head has sent nothing: the job begins it.
  const log = file && checkRecorded(file.log, plan)
  if (log?.isFinished === true) return repeatResult(tools, log, job)
  if (file !== undefined) await refuseIfHeld(tools, file)
  if (log !== undefined) checkKey(log, plan)
  await checkMerges(plan, log)
  await checkFiles(tools, job, { isNew: log === undefined })
  if (!isConfirmed) await ask(tools, plan, log)
  const claimed = (await closeReplaced(tools, plan)) ? await claim(plan, file) : undefined
  if (claimed === undefined) {
    await file?.close()
    return undefined
  }
  // While the question waited, another run of merges may have put a source in doubt.
  await checkMerges(plan, log)
  return runClaimed(tools, claimed, job, { isResumed: log !== undefined })
}

/** Tells what is left of the run, and asks. If a line is written while the question waits, the claim fails and svc asks again. */
async function ask(tools: RunTools, { job, name, profile }: Plan, log?: BegunLog) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, log)
  tellBeside(tools, name)
  await confirm(tools, job, profile, { resumed: log, previous: name.previous })
}

/** Closes the unfinished run that a new run replaces, if there is one. False if another process wrote to it meanwhile. */
async function closeReplaced(tools: RunTools, { name, runs }: Plan): Promise<boolean> {
  if (name.replaces === undefined) return true
  const replaced = await runs.open(name.replaces)
  if (replaced === undefined || replaced.log.isFinished) return true
  await refuseIfHeld(tools, replaced)
  const isClosed = await replaced.claimToClose({ superseded: true })
  await replaced.close()
  return isClosed
}

/** Claims the run. Returns its file, or undefined if another process wrote to the run since it was read. */
async function claim({ job, head, name, runs }: Plan, file: RunFile | undefined) {
  const claimed = file ?? (await runs.create(name.run))
  if (claimed === undefined) return undefined
  // Another process can have written to a new file before this one read it.
  const isWrittenByOther = file === undefined && claimed.log.next > 0
  const lines = isBegun(claimed.log) ? [] : headLines(head, job.items)
  if (!isWrittenByOther && (await claimed.claim(lines))) return claimed
  if (file === undefined) await claimed.close()
  return undefined
}

/** Sends and writes, and registers what comes before and after the results are printed. */
async function runClaimed(
  tools: RunTools,
  file: RunFile,
  job: Job,
  { isResumed }: { isResumed: boolean },
): Promise<EndedRun> {
  const ended = await tools.signals.runCritical(() =>
    sendAndWrite(tools, file, job, isResumed),
  )
  tools.beforePrint(async () => {
    // After a failed write the record is still ours, and what is known is printed. The check throws if it is not ours.
    const isOnlyUnwritten = file.failure !== undefined && !file.isLost
    if (!isOnlyUnwritten) await file.check()
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
  // A signal stops nothing if nothing was due.
  const signal = isDue ? tools.signals.caught : undefined
  const summary = summaryOf(log, { ...sent, signal, isUnwritten, isResumed })
  const { exitCode } = summary
  if (sent?.error !== undefined) tools.messages.error(sent.error.with({ exitCode }))
  const isTold = failure === sent?.error
  if (failure !== undefined && !isTold) tools.messages.error(failure.with({ exitCode }))
  tellEnding(tools, log, summary, { isExplained: isUnwritten || sent?.error !== undefined })
  return { log, summary, sent, isUnwritten }
}

/** Syncs the record, and then writes the user's files. Returns the error if that fails, so that the result is still printed. Throws if the record is lost. */
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
  // The command then ends with the code of the signal, which is not that of the run.
  const isSignalOnly = tools.signals.caught !== undefined && due === 0
  const isWhole = isPrinted && !isUnwritten && file.failure === undefined
  if (isWhole && !isSignalOnly)
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

/** For a dry run: tells what the command would do with recorded runs. Returns how many items it would send. */
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
