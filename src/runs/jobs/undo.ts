/** The job that undoes a run of assigns. */
import { usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { isSameId } from '../../values.ts'
import { Items } from '../../input/items.ts'
import { isId } from '../lines.ts'
import { isUndo, undoNameOf } from '../list.ts'
import type { BegunLog } from '../log.ts'
import { assigneesOf } from '../operations/assign.ts'
import { isAnswered, isInDoubt } from '../operations/operation.ts'
import type { BulkOptions, Job } from './job.ts'

/** The job that undoes a run, and the tickets that it leaves out. Throws exit 2 for a run that cannot be undone. */
export function undoJob(log: BegunLog, options: Partial<BulkOptions>) {
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
