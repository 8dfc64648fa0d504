/** From a recorded run to a job: the run itself, to resume it, or its confirmed changes, to undo them. */
import { usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { isSameId } from '../../values.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { isId, Items } from '../items.ts'
import type { Head, ItemTuple, Party } from '../lines.ts'
import type { RunLog } from '../log.ts'
import { assigneesOf } from '../operations/assign.ts'
import type { Queue } from '../queue.ts'
import { isAnswered, isInDoubt } from '../request.ts'
import { isUndo, partyText, undoRun } from '../list.ts'
import type { BulkOptions, Job } from './job.ts'

/** A log whose head is whole. */
export interface BegunLog extends RunLog {
  head: Head
  queue: Queue
}

/** Whether anything of the run can be told, and be sent. */
export const isBegun = (log: RunLog | undefined): log is BegunLog =>
  log?.head !== undefined && log.queue !== undefined

/** Throws exit 2 for a run whose head is not whole. */
export function begun(log: RunLog, run: string): BegunLog {
  if (isBegun(log)) return log
  const why = log.isDamaged ? 'has a damaged head' : 'never began'
  throw usageError(`run ${run} ${why}`, say`see the others with: ${svc`runs list`}`)
}

/** The job of a run, to resume it. */
export function resumedJob(
  { head, items }: BegunLog,
  run: string,
  options: Partial<BulkOptions>,
): Job {
  const { operation, target, ifAssignee, undoes, input, source } = head
  return {
    kind: 'resumed',
    operation,
    target,
    ifAssignee,
    undoes,
    items,
    input,
    source,
    run,
    options,
  }
}

/** The job that undoes a run, and the tickets that it leaves out. Throws exit 2 if there is nothing to give back. */
export function undoJob(log: BegunLog, run: string, options: Partial<BulkOptions>) {
  const { head, firstSession = '' } = log
  if (head.operation !== 'tickets.assign')
    throw notUndoable(run, 'only an assign can be undone')
  if (isUndo(run)) throw notUndoable(run, 'it is an undo itself')
  const { tuples, doubtful } = undoItems(log)
  if (tuples.length === 0)
    throw usageError(`run ${run} has no confirmed change to give back; nothing was sent`)
  const items = Items.of(tuples)
  const input = {
    read: log.items.size,
    unique: items.size,
    duplicates: 0,
    invalid: 0,
    leftOut: log.items.size - items.size,
  }
  const job: Job = {
    kind: 'undo',
    operation: head.operation,
    items,
    input,
    options,
    run: undoRun(run),
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
  const tuples: ItemTuple[] = []
  const doubtful: string[] = []
  for (const request of queue.requests) {
    const { id, line } = items.at(request.range[0])
    const { before, after } = assigneesOf(request)
    if (isInDoubt(request)) doubtful.push(id)
    else if (isAnswered(request) && isId(before) && isId(after) && !isSameId(before, after))
      tuples.push([id, line, before, after])
  }
  return { tuples, doubtful }
}

/** How a recorded job differs from another one, in words. */
export function differenceOf({ head, items }: BegunLog, job: Job): string {
  const idOf = (party: Party | undefined) => party?.id.toLowerCase()
  if (head.operation !== job.operation) return `it is a run of ${head.operation}`
  if (idOf(head.target) !== idOf(job.target))
    return `it is for ${head.target === undefined ? 'nobody' : partyText(head.target)}`
  if (idOf(head.ifAssignee) !== idOf(job.ifAssignee)) return 'its --if-assignee differs'
  const own = pluralize(items.size, 'id')
  return `its ids differ (it has ${own}, this command ${groupDigits(job.items.size)})`
}
