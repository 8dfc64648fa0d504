/**
 * Takes a run from its command to its end: read → ask → claim → send → print → end.
 *
 * After a kill, the same command finds:
 * - before the claim: what was there before, but an older unfinished run of the job, which a new one takes the place of, may be
 *   closed;
 * - after the claim: the run, in which this command has sent nothing;
 * - after a `try` line: all synced lines; it resumes from there;
 * - after the print: a run without an `end`, whose result it prints again.
 */
import { SvcError } from '../errors.ts'
import { checkPlan, planOf, logToResume, refuseIfHeld, type Plan } from './checks.ts'
import type { RunFile } from './file.ts'
import { checkPlaces, writeFiles } from './files.ts'
import type { Job } from './jobs/job.ts'
import { headLines } from './lines.ts'
import { requireBegun, type BegunLog } from './log.ts'
import { receiptsOf } from './receipts.ts'
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
  /** Undefined if nothing was due. */
  sent: Sent | undefined
  /** Whether the run file, or a file of the user, could not be written. */
  isUnwritten: boolean
}

/** Takes a job to the end of its run. With `isConfirmed`, svc has already asked, as in `runs undo`. */
export async function runJob(
  tools: RunTools,
  job: Job,
  { isConfirmed = false } = {},
): Promise<EndedRun> {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  const { folder } = await tools.runs()
  await folder.prepare()
  // Chooses the run that the job begins or resumes.
  const plan = await planOf(tools, job)
  for (;;) {
    const ended = await runUnlessChanged(tools, plan, isConfirmed)
    if (ended !== undefined) return ended
    tools.note('another process worked on the same job meanwhile; its run is read again')
  }
}

/** Takes a job to its end, or returns undefined if another process wrote to the run after it was read. */
async function runUnlessChanged(tools: RunTools, plan: Plan, isConfirmed: boolean) {
  const { job, chosen, runs } = plan
  const recorded = await runs.open(chosen.run)
  // Without a whole head, nothing was sent: `log` is undefined, and the job begins the run.
  const log = recorded && logToResume(recorded.log, plan)
  if (log?.isFinished === true) return repeatResult(tools, log, job)
  const isNew = log === undefined
  if (recorded !== undefined) await refuseIfHeld(tools, recorded)
  await checkPlan(plan, log)
  await checkPlaces(tools, job, { isReplacing: !isNew })
  if (!isConfirmed) await tellAndAsk(tools, plan, log)
  if (!(await closeReplaced(tools, plan))) return undefined
  const file = recorded ?? (await runs.create(chosen.run))
  const head = isNew ? headLines(plan.head, job.items) : []
  if (file === undefined || !(await file.claim(head))) {
    await file?.close()
    return undefined
  }
  // Again: while the person was asked, a merge of the same contact may have become doubtful in another run.
  await checkPlan(plan, log)
  return runClaimed(tools, file, job, { isResumed: !isNew })
}

/** Tells what is left of the run, and asks. If anybody writes to the run before the answer, the claim fails and svc asks again. */
async function tellAndAsk(tools: RunTools, { job, chosen, profile }: Plan, log?: BegunLog) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, log)
  tellBeside(tools, chosen)
  await confirm(tools, job, profile, { resumed: log, previous: chosen.previous })
}

/** Closes the unfinished run that a new run replaces, if any. Returns false if another process wrote to that run meanwhile. */
async function closeReplaced(tools: RunTools, { chosen, runs }: Plan): Promise<boolean> {
  if (chosen.replaces === undefined) return true
  const replaced = await runs.open(chosen.replaces)
  if (replaced === undefined || replaced.log.isFinished) return true
  await refuseIfHeld(tools, replaced)
  const isClosed = await replaced.claimToClose({ superseded: true })
  await replaced.close()
  return isClosed
}

/** Sends and writes. Registers a last check for just before the results are printed, and the `end` line for after that. */
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
    // Throws if another process or person has changed the file: the record is lost then. It is not checked after a mere failure to
    // write, when the result is still true and is printed.
    const isOnlyUnwritten = file.failure !== undefined && !file.isLost
    if (!isOnlyUnwritten) await file.check()
  })
  tools.atEnd((isPrinted) => writeEnd(tools, file, ended, isPrinted))
  return ended
}

/** Sends what is due, writes the user's files, and tells how the command ended. */
async function sendAndWrite(
  tools: RunTools,
  file: RunFile,
  job: Job,
  isResumed: boolean,
): Promise<EndedRun> {
  const log = requireBegun(file.log)
  const isDue = log.queue.dueItems > 0
  const sent = isDue ? await send(tools, file, log, job.options.concurrency) : undefined
  // `record`: a line could not be written. Then the file cannot be synced either, and no other files are written.
  const failure =
    sent?.stop === 'record' ? sent.error : await writeResults(tools, file, job, log)
  const isUnwritten = failure !== undefined
  // If nothing was due, a signal interrupted nothing.
  const signal = isDue ? tools.signals.caught : undefined
  const summary = summaryOf(log, { ...sent, signal, isUnwritten, isResumed })
  const { exitCode } = summary
  // Both can be the same error: that the run file could not be written.
  const errors = [...new Set([sent?.error, failure])].filter((each) => each !== undefined)
  for (const error of errors) tools.messages.error(error.with({ exitCode }))
  tellEnding(tools, log, summary, { isExplained: errors.length > 0 })
  return { log, summary, sent, isUnwritten }
}

/**
 * Syncs the run file, and then writes the user's files. Returns the error if that fails, so that the result is still printed.
 * Throws if the record is lost.
 */
async function writeResults(tools: RunTools, file: RunFile, job: Job, log: BegunLog) {
  try {
    await file.sync()
    await file.check()
    await writeFiles(
      tools,
      job,
      () => receiptsOf(log),
      () => file.check(),
    )
    return undefined
  } catch (error) {
    if (file.isLost || !(error instanceof SvcError)) throw error
    return error
  }
}

/** Writes the `end` line, if the result was printed. Without this line, the same command prints the result again. */
async function writeEnd(
  tools: RunTools,
  file: RunFile,
  { summary, sent, isUnwritten }: EndedRun,
  isPrinted: boolean,
) {
  const { exitCode: exit, outcomes, due } = summary
  // All was sent, but a signal may have given this command its exit code. The finished run must not keep that code, so no `end` is
  // written. With something due, a later `end` replaces it.
  const isCodeOfSignal = tools.signals.caught !== undefined && due === 0
  const isWhole = isPrinted && !isUnwritten && file.failure === undefined
  if (isWhole && !isCodeOfSignal)
    await file
      .append({ t: 'end', stop: sent?.stop, exit, outcomes, due })
      // An error only means that the next command prints the result again.
      .catch(() => undefined)
  await file.close()
}

/** Writes the files of a finished run again, and returns its result to be printed again. */
async function repeatResult(tools: RunTools, log: BegunLog, job: Job): Promise<EndedRun> {
  await checkPlaces(tools, job, { isReplacing: true })
  await writeFiles(tools, job, () => receiptsOf(log))
  tellFinished(tools, log)
  const summary = recordedSummary(log)
  tellEnding(tools, log, summary, { isExplained: false })
  return { log, summary, sent: undefined, isUnwritten: false }
}

/** For a dry run: tells which run the command would resume or repeat. Returns how many items it would send. */
export async function foresee(tools: RunTools, job: Job): Promise<number> {
  const plan = await planOf(tools, job)
  const recorded = await plan.runs.read(plan.chosen.run)
  const log = recorded && logToResume(recorded, plan)
  const isFinished = log?.isFinished === true
  if (!isFinished) await checkPlan(plan, log)
  tellBeside(tools, plan.chosen)
  if (log === undefined) return job.items.size
  tellForeseen(tools, log)
  return isFinished ? 0 : log.queue.dueItems
}
