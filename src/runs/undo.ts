/** Undo: the run of assigns is closed, and then its tickets go back in a run of their own. */
import { usageError, say, svc } from '../errors.ts'
import { Items } from '../input/items.ts'
import { isId, isSameId } from '../values.ts'
import { checkService, planOf, recordToResume, refuseIfHeld } from './checks.ts'
import type { RunFile } from './file.ts'
import type { BulkOptions, Job } from './jobs/job.ts'
import { isUndo, noSuchRun, undoNameOf, type RunReference } from './list.ts'
import { begun, type BegunLog } from './log.ts'
import { assigneesOf } from './operations/assign.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
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
    if (file === undefined) throw noSuchRun(`there is no run ${run}`)
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
  const recorded = await plan.runs.read(plan.chosen.run)
  if (recorded !== undefined) recordToResume(recorded, plan)
}

/** Asks, and closes the run. False if another process wrote to it meanwhile. */
async function askAndClose(tools: RunTools, file: RunFile, job: Job) {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await refuseIfHeld(tools, file)
  await confirm(tools, job, await tools.profile())
  return file.claimToClose({ undone: true })
}

/** The job that undoes a run, and the tickets that it leaves out. Throws exit 2 for a run that cannot be undone. */
function undoJob(log: BegunLog, options: Partial<BulkOptions>) {
  const { run, head, firstSession = '' } = log
  if (head.operation !== 'tickets.assign')
    throw notUndoable(run, 'only an assign can be undone')
  if (isUndo(run)) throw notUndoable(run, 'it is an undo itself')
  if (log.isDamaged) throw notUndoable(run, 'its record is damaged')
  const { items, doubtful } = undoItems(log)
  const { size } = items
  const input = { read: size, unique: size, duplicates: 0, invalid: 0, leftOut: 0 }
  const job: Job = {
    operation: head.operation,
    items,
    input,
    options,
    run: undoNameOf(run),
    undoes: { run, session: firstSession },
  }
  return { job, doubtful }
}

function notUndoable(run: string, why: string) {
  return usageError(
    `run ${run} cannot be undone: ${why}; nothing was sent`,
    say`to see what it did:\n  ${svc`runs export ${run}`}`,
  )
}

/** The tickets whose change an answer confirmed, each to the assignee from before; and those in doubt. */
function undoItems({ queue, items }: BegunLog) {
  const undone = new Items()
  const doubtful: string[] = []
  for (const request of queue.requests) {
    const { id, line } = items.at(request.range[0])
    const { before, after } = assigneesOf(request)
    if (!isAnswered(request)) {
      if (isInDoubt(request)) doubtful.push(id)
    } else if (isId(before) && isId(after) && !isSameId(before, after))
      undone.add({ id, line, other: before, expected: after })
  }
  return { items: undone, doubtful }
}
