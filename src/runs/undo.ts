/** Undoes a run of assigns: closes it, and then gives its tickets back in a new run. */
import { usageError, say, svc } from '../errors.ts'
import { Items } from '../input/items.ts'
import { isId, isSameId } from '../values.ts'
import { checkService, planOf, logToResume, refuseIfHeld } from './checks.ts'
import type { RunFile } from './file.ts'
import type { BulkOptions, Job } from './jobs/job.ts'
import { isUndo, noSuchRun, undoNameOf, type RunReference } from './list.ts'
import { requireBegun, type BegunLog } from './log.ts'
import { assigneesOf } from './operations/assign.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { runJob, type EndedRun } from './run.ts'
import { confirm, tellLeftOut } from './telling.ts'
import type { RunTools } from './tools.ts'

/** Returns the job that would undo a run, for a dry run. Throws exit 2 if there is nothing to give back. */
export async function foreseeUndo(
  tools: RunTools,
  reference: RunReference,
  options: Partial<BulkOptions>,
): Promise<Job> {
  return requireUndoJob(tools, await findAssigns(tools, reference), options)
}

/**
 * Gives the tickets of a run back. Closes the run after the question. If another process wrote to the run meanwhile, it is
 * read and asked about again. Without a yes, or with nothing to give back, the run stays as it is.
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
    const log = requireBegun(file.log)
    const job = await requireUndoJob(tools, log, options)
    await checkUndoRun(tools, job)
    const wasClosed = log.end?.undone === true
    const isClosedNow = !wasClosed && (await askAndClose(tools, file, job))
    await file.close()
    // If an earlier command closed the run, nobody has answered a question in this one, so runJob asks.
    if (wasClosed || isClosedNow) return runJob(tools, job, { isConfirmed: isClosedNow })
  }
}

/** Reads the run of assigns that a person means. `--last` skips undos. */
async function findAssigns(tools: RunTools, reference: RunReference) {
  const runs = await tools.runs()
  return runs.find(
    reference,
    tools.profile,
    ({ run, head }) => head?.operation === 'tickets.assign' && !isUndo(run),
  )
}

/**
 * Returns the job that undoes a run. Tells which tickets in doubt it leaves out. Throws exit 2 for a run that cannot be undone,
 * or without a change to give back.
 */
async function requireUndoJob(
  tools: RunTools,
  log: BegunLog,
  options: Partial<BulkOptions>,
): Promise<Job> {
  const { baseUrl } = await tools.profile()
  checkService(log, baseUrl)
  const { run, head, firstSession } = log
  if (head.operation !== 'tickets.assign')
    throw notUndoable(run, 'only an assign can be undone')
  if (isUndo(run)) throw notUndoable(run, 'it is an undo itself')
  if (log.isDamaged) throw notUndoable(run, 'its record is damaged')
  const { items, doubtful } = undoItems(log)
  tellLeftOut(tools, doubtful)
  const { size } = items
  if (size === 0)
    throw usageError(`run ${run} has no confirmed change to give back; nothing was sent`)
  return {
    operation: head.operation,
    items,
    input: { read: size, unique: size, duplicates: 0, invalid: 0, leftOut: 0 },
    options,
    run: undoNameOf(run),
    undoes: { run, session: firstSession },
  }
}

function notUndoable(run: string, reason: string) {
  return usageError(
    `run ${run} cannot be undone: ${reason}; nothing was sent`,
    say`to see what it did:\n  ${svc`runs export ${run}`}`,
  )
}

/** Returns the tickets that an answer shows as changed, each with its former assignee, and the ids of the tickets in doubt. */
function undoItems({ queue, items: assigned }: BegunLog) {
  const items = new Items()
  const doubtful: string[] = []
  for (const request of queue.requests) {
    const { id, line } = assigned.at(request.range[0])
    const { before, after } = assigneesOf(request)
    if (!isAnswered(request)) {
      if (isInDoubt(request)) doubtful.push(id)
    } else if (isId(before) && isId(after) && !isSameId(before, after))
      items.add({ id, line, other: before, expected: after })
  }
  return { items, doubtful }
}

/** Throws exit 2 if the run of the undo has begun and cannot be resumed. */
async function checkUndoRun(tools: RunTools, job: Job) {
  const plan = await planOf(tools, job)
  const recorded = await plan.runs.read(plan.chosen.run)
  if (recorded !== undefined) logToResume(recorded, plan)
}

/** Asks, and closes the run. Returns false if another process wrote to the run meanwhile. */
async function askAndClose(tools: RunTools, file: RunFile, job: Job) {
  await tools.permit({ operation: job.operation, ids: job.items.size })
  await refuseIfHeld(tools, file)
  await confirm(tools, job, await tools.profile())
  return file.claimToClose({ undone: true })
}
