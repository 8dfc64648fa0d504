/** The job that undoes a run of assigns: each ticket whose change an answer confirmed goes back, if it is still where it was put. */
import { usageError } from '../errors.ts'
import { Items } from '../input/items.ts'
import { isSameId } from '../identifiers.ts'
import { firstTexts, pluralize } from '../words.ts'
import type { Job, Operation, RunTools } from './job.ts'
import { refuseForeign } from './refusals.ts'
import type { RunRecord } from './record.ts'
import { waysOn } from './telling.ts'

/** Returns the job. Tells which tickets it leaves out. Throws exit 2 if the run cannot be undone, or changed nothing. */
export async function undoJob(
  tools: RunTools,
  operation: Operation,
  record: RunRecord,
): Promise<Job> {
  const { run, state } = record
  refuseForeign(record, await tools.profile())
  const { operation: undone } = state.head
  if (undone !== 'tickets.assign')
    throw usageError(
      `run ${run} is no run of tickets assign, so it cannot be undone; nothing was sent`,
      instead(run, undone),
    )
  if (state.due > 0)
    throw usageError(
      `run ${run} is not finished; nothing was sent`,
      `go on with it, or close it, and then undo it:\n  ${waysOn(run)}`,
    )
  const items = new Items()
  const leftOut: string[] = []
  for (let index = 0; index < state.items.size; index += 1) {
    const { id, line } = state.items.at(index)
    const outcome = state.outcomeOf(index)
    const { assigneeBefore: before, assigneeAfter: after } = state.resultOf(index) ?? {}
    const isConfirmed = outcome === 'done' && before !== undefined && after !== undefined
    if (isConfirmed && !isSameId(before, after))
      items.add({ id, line, target: before, expected: after })
    else if (outcome === 'unknown' || (outcome === 'done' && !isConfirmed)) leftOut.push(id)
  }
  const { size } = items
  if (size === 0)
    throw usageError(
      `run ${run} has no confirmed change to give back; nothing was sent`,
      `to see what it did:\n  svc runs export ${run}`,
    )
  const input = {
    read: size,
    unique: size,
    duplicates: 0,
    leftOut: leftOut.length,
    undecided: 0,
  }
  if (leftOut.length > 0) {
    const what = pluralize(leftOut.length, 'ticket is', 'tickets are')
    const shown = firstTexts(leftOut).join('\n  ')
    tools.note(
      `${what} left out, because no answer confirmed the change: look at each of them:\n  ${shown}`,
    )
  }
  return { operation, items, undoes: run, input, accept: [] }
}

/** Returns what can be done instead of undoing a run of another operation. */
function instead(run: string, operation: string): string {
  if (operation === 'lists.add-contacts')
    return `contacts cannot be taken off a list; to list those that were added or were there:\n  svc runs export ${run} --outcome done -o ids`
  return `to see what it did:\n  svc runs export ${run}`
}
