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
import { checkPlan, planOf, recordToResume, refuseIfHeld, type Plan } from './checks.ts'
import type { RunFile } from './file.ts'
import { checkFiles, writeFiles } from './files.ts'
import type { Job } from './jobs/job.ts'
import { headLines } from './lines.ts'
import { begun, type BegunLog } from './log.ts'
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
  /** Undefined if nothing was sent. */
  sent: Sent | undefined
  /** The record, or a file of the user, could not be written. */
  isUnwritten: boolean
}

/** Takes a job to the end of its run. `isConfirmed`: the person has answered the question already, as in `runs undo`. */
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
    const ended = await runUnlessChanged(tools, plan, isConfirmed)
    if (ended !== undefined) return ended
    tools.note('another process worked on the same job meanwhile; its run is read again')
  }
}

/** Runs a job once. Returns undefined if another process wrote to the run after it was read. */
async function runUnlessChanged(tools: RunTools, plan: Plan, isConfirmed: boolean) {
  const { job, chosen, runs } = plan
  const recorded = await runs.open(chosen.run)
  // A file without a whole head has sent nothing: the job begins it.
  const log = recorded && recordToResume(recorded.log, plan)
  if (log?.isFinished === true) return repeatResult(tools, log, job)
  const isNew = log === undefined
  if (recorded !== undefined) await refuseIfHeld(tools, recorded)
  await checkPlan(plan, log)
  await checkFiles(tools, job, { isNew })
  if (!isConfirmed) await tellAndAsk(tools, plan, log)
  if (!(await closeReplaced(tools, plan))) return undefined
  const file = recorded ?? (await runs.create(chosen.run))
  const head = isNew ? headLines(plan.head, job.items) : []
  if (file === undefined || !(await file.claim(head))) {
    await file?.close()
    return undefined
  }
  // While the question waited, another run of merges may have put a source in doubt.
  await checkPlan(plan, log)
  return runClaimed(tools, file, job, { isResumed: !isNew })
}

/** Tells what is left of the run, and asks. If a line is written while the question waits, the claim fails and svc asks again. */
async function tellAndAsk(tools: RunTools, { job, chosen, profile }: Plan, log?: BegunLog) {
  if (log !== undefined && log.queue.dueItems > 0) tellResumed(tools, log)
  tellBeside(tools, chosen)
  await confirm(tools, job, profile, { resumed: log, previous: chosen.previous })
}

/** Closes the unfinished run that a new run replaces, if there is one. Returns false if another process wrote to it meanwhile. */
async function closeReplaced(tools: RunTools, { chosen, runs }: Plan): Promise<boolean> {
  if (chosen.replaces === undefined) return true
  const replaced = await runs.open(chosen.replaces)
  if (replaced === undefined || replaced.log.isFinished) return true
  await refuseIfHeld(tools, replaced)
  const isClosed = await replaced.claimToClose({ superseded: true })
  await replaced.close()
  return isClosed
}

/** Sends and writes. Leaves a last check for just before the results are printed, and the `end` line for after that. */
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
    // What is known is printed even if a line could not be written, but not if the record is lost.
    if (file.failure === undefined || file.isLost) await file.check()
  })
  tools.atEnd((isPrinted) => writeEnd(tools, file, ended, isPrinted))
  return ended
}

/** Sends what is due, writes the user's files, and tells how the run ended. */
async function sendAndWrite(
  tools: RunTools,
  file: RunFile,
  job: Job,
  isResumed: boolean,
): Promise<EndedRun> {
  const log = begun(file.log)
  const isDue = log.queue.dueItems > 0
  const sent = isDue ? await send(tools, file, log, job.options.concurrency) : undefined
  // A record that cannot be written cannot be synced either.
  const failure =
    sent?.stop === 'record' ? sent.error : await writeResults(tools, file, job, log)
  const isUnwritten = failure !== undefined
  // If nothing was due, the signal interrupted nothing.
  const signal = isDue ? tools.signals.caught : undefined
  const summary = summaryOf(log, { ...sent, signal, isUnwritten, isResumed })
  const { exitCode } = summary
  // The two are the same error if the record could not be written.
  const errors = [...new Set([sent?.error, failure])].filter((each) => each !== undefined)
  for (const error of errors) tools.messages.error(error.with({ exitCode }))
  tellEnding(tools, log, summary, { isExplained: errors.length > 0 })
  return { log, summary, sent, isUnwritten }
}

/** Syncs the record, and then writes the user's files. Returns the error if that fails, so that the result is still printed. Throws if the record is lost. */
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

/** Writes the `end` line, once the result was printed. Without this line the same command prints the result again. */
async function writeEnd(
  tools: RunTools,
  file: RunFile,
  { summary, sent, isUnwritten }: EndedRun,
  isPrinted: boolean,
) {
  const { exitCode: exit, outcomes, due } = summary
  // All was sent, but the command ends with the code of a signal, which must not become the code of the run.
  const isCodeOfSignal = tools.signals.caught !== undefined && due === 0
  const isWhole = isPrinted && !isUnwritten && file.failure === undefined
  if (isWhole && !isCodeOfSignal)
    await file
      .append({ t: 'end', stop: sent?.stop, exit, outcomes, due })
      // The result is printed: a line that cannot be written only makes the next command print it again.
      .catch(() => undefined)
  await file.close()
}

/** Prints the result of a finished run again, and writes its files. */
async function repeatResult(tools: RunTools, log: BegunLog, job: Job): Promise<EndedRun> {
  await checkFiles(tools, job, { isNew: false })
  await writeFiles(tools, job, () => receiptsOf(log))
  tellFinished(tools, log)
  const summary = recordedSummary(log)
  tellEnding(tools, log, summary, { isExplained: false })
  return { log, summary, sent: undefined, isUnwritten: false }
}

/** For a dry run: tells what the command would do with recorded runs. Returns how many items it would send. */
export async function foresee(tools: RunTools, job: Job): Promise<number> {
  const plan = await planOf(tools, job)
  const recorded = await plan.runs.read(plan.chosen.run)
  const log = recorded && recordToResume(recorded, plan)
  const isFinished = log?.isFinished === true
  if (!isFinished) await checkPlan(plan, log)
  tellBeside(tools, plan.chosen)
  if (log === undefined) return job.items.size
  tellForeseen(tools, log)
  return isFinished ? 0 : log.queue.dueItems
}
