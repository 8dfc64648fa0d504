/** Undo: the run is closed, and then the tickets go back in a run of their own. */
import { usageError } from '../errors.ts'
import { checkRecorded, checkService, planOf, refuseIfHeld } from './checks.ts'
import type { RunFile } from './file.ts'
import type { BulkOptions, Job } from './jobs/job.ts'
import { undoJob } from './jobs/undo.ts'
import { isUndo, type RunReference } from './list.ts'
import { begun, type BegunLog } from './log.ts'
import { runJob, type EndedRun } from './run.ts'
import { confirm, tellLeftOut } from './telling.ts'
import type { RunTools } from './tools.ts'

/** The job that would undo a run, for a dry run. Throws exit 2 if there is nothing to give back. */
export async function foreseeUndo(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<Job> {
  return jobToUndo(tools, await findAssigns(tools, reference), options)
}

/**
 * Gives the tickets of a run back. After the question, the run is closed if nobody wrote to it since it was read; a no, or
 * nothing to give back, leaves it as it is.
 */
export async function undoRun(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<EndedRun> {
  const runs = await tools.runs()
  const { run } = await findAssigns(tools, reference)
  for (;;) {
    const file = await runs.open(run)
    if (file === undefined) throw runs.missing(`there is no run ${run}`)
    const log = begun(file.log)
    const job = await jobToUndo(tools, log, options)
    await checkUndo(tools, job)
    const isClosed = log.end?.undone === true
    const isClosedNow = !isClosed && (await askAndClose(tools, file, job))
    await file.close()
    // An undo that has begun before is resumed: nobody has answered its question in this command.
    if (isClosed || isClosedNow) return runJob(tools, job, { isConfirmed: isClosedNow })
  }
}

/** The run of assigns that is meant. `--last` skips undos. */
async function findAssigns(tools: RunTools, reference: RunReference) {
  const runs = await tools.runs()
  return runs.find(
    reference,
    tools.profile,
    ({ run, head }) => head?.operation === 'tickets.assign' && !isUndo(run),
  )
}

/** The job that undoes a run; tickets in doubt are left out and named. Throws exit 2 if there is nothing to give back. */
async function jobToUndo(tools: RunTools, log: BegunLog, options: Partial<BulkOptions>) {
  const { baseUrl } = await tools.profile()
  checkService(log, baseUrl)
  const { job, doubtful } = undoJob(log, options)
  tellLeftOut(tools, doubtful)
  if (job.items.size > 0) return job
  throw usageError(`run ${log.run} has no confirmed change to give back; nothing was sent`)
}

/** Throws exit 2 if the run of the undo is there and cannot be gone on with. */
async function checkUndo(tools: RunTools, job: Job) {
  const plan = await planOf(tools, job)
  const recorded = await plan.runs.read(plan.name.run)
  if (recorded !== undefined) checkRecorded(recorded, plan)
}

/** Asks, and closes the run. False if another process wrote to it meanwhile. */
async function askAndClose(tools: RunTools, file: RunFile, job: Job) {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await refuseIfHeld(tools, file)
  await confirm(tools, job, await tools.profile())
  return file.claimToClose({ undone: true })
}
