/**
 * `tickets assign`: one ticket in a request. The ticket is read before and after, and a lost answer is sent again while
 * nothing changed.
 */
import { limits } from '../../api/operations.ts'
import type { Employee } from '../../api/schemas.ts'
import { idPattern, isObject } from '../../values.ts'
import {
  isAmbiguous,
  isAnswered,
  isUnchangedOnRecord,
  isSameId,
  isUntried,
  type BatchState,
  type Read,
} from '../batch.ts'
import type { Item } from '../items.ts'
import type { Judgement } from '../outcomes.ts'
import { isReady } from './due.ts'
import {
  sameForAll,
  judgeUnanswered,
  unexpectedForm,
  type Batch,
  type Operation,
  type Step,
} from './operation.ts'
import { pairOf } from './pairs.ts'

/** Lost answers after which assign gives up. */
const mostLost = 3

function problemWithAnswer(
  batch: Batch,
  _: readonly string[],
  data: unknown,
): string | undefined {
  const { id, other } = pairOf(batch)
  if (!isObject(data)) return unexpectedForm
  const { ticketId, newAssigneeId } = data
  if (typeof ticketId !== 'string' || typeof newAssigneeId !== 'string')
    return unexpectedForm
  if (!isSameId(ticketId, id)) return 'the answer is about another ticket'
  return isSameId(newAssigneeId, other) ? undefined : 'the answer is about another assignee'
}

/** The assignee that a ticket must have to be changed. */
const conditionOf = ({ expected, parameters }: Batch): string | undefined =>
  expected ?? parameters.ifAssignee?.id

const wasRead = (reading: Read | undefined): reading is Read & { id: string | null } =>
  reading?.id !== undefined

const hasNewAssignee = ({ other }: Batch, { reading }: BatchState) =>
  wasRead(reading) && isSameId(reading.id, other)

/**
 * The ticket has a condition and is left alone: before any attempt that may have changed it, its reading was refused, or it
 * was with somebody else.
 */
function isLeftAlone(batch: Batch, state: BatchState) {
  const condition = conditionOf(batch)
  const { reading } = state
  if (condition === undefined || reading === undefined || !isUnchangedOnRecord(state))
    return false
  const isRefused = reading.st !== undefined
  if (!wasRead(reading)) return isRefused
  return !isSameId(reading.id, condition) && !hasNewAssignee(batch, state)
}

/** Reads the ticket before and after each attempt. A change by somebody else is never overwritten. */
function next(batch: Batch, state: BatchState): Step | undefined {
  const { reading } = state
  if (isAnswered(state)) return undefined
  if (reading === undefined) {
    // After a take-over, a refused attempt is not final, because another process may have sent it too.
    return isReady(state) || isAmbiguous(state) ? { kind: 'read' } : undefined
  }
  if (hasNewAssignee(batch, state)) return undefined
  return maySend(batch, state, reading) ? { kind: 'send' } : undefined
}

function maySend(batch: Batch, state: BatchState, reading: Read) {
  if (isLeftAlone(batch, state) || state.hasMoved) return false
  const { formerAssignee } = state
  if (!wasRead(reading)) {
    // The assignee is unknown. The change is sent anyway, once, unless an earlier attempt may have changed the ticket.
    const isUnchanged = isUnchangedOnRecord(state) && !state.doubts.has('lost-lines')
    const isFirst = isUntried(state) && formerAssignee === undefined
    return isUnchanged && isFirst && conditionOf(batch) === undefined
  }
  if (formerAssignee === undefined || !isSameId(reading.id, formerAssignee.id)) return false
  if (state.lostAnswers >= mostLost) return false
  // The ticket did not change, so a lost attempt was not made, and is sent again.
  return state.last?.k === 'ambiguous' || isReady(state)
}

/** An assign is done only if an answer says so, or if the ticket has the new assignee when it is read. */
function judge(batch: Batch, state: BatchState): Judgement {
  const { reading } = state
  if (isAnswered(state) || hasNewAssignee(batch, state)) return sameForAll(batch, 'done')
  if (isLeftAlone(batch, state) && !isAmbiguous(state)) {
    if (wasRead(reading)) return sameForAll(batch, 'kept')
    const why = reading?.m ?? 'refused'
    return sameForAll(
      batch,
      'error',
      `the ticket could not be read (${why}), so it was left alone`,
    )
  }
  if (isAmbiguous(state) && state.hasMoved) return sameForAll(batch, 'unknown', someoneElse)
  return judgeUnanswered(batch, state, problemWithAnswer)
}

const someoneElse =
  'the ticket was seen with another assignee; this change may have been made before that, or may still be made'

/** API: Bulk results. The answer names the assignee before and after. */
function assignees({ answer, formerAssignee, reading }: BatchState) {
  if (answer?.k === 'answered' && isObject(answer.d)) {
    const { previousAssigneeId, newAssigneeId } = answer.d
    return { before: idOrNull(previousAssigneeId), after: idOrNull(newAssigneeId) }
  }
  return { before: formerAssignee?.id, after: reading?.id }
}

const idOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value : null

/** The pair that gives the ticket back to the assignee before. Only ids pass, because they end up in a request. */
function undoItem(id: string, answer: unknown): Omit<Item, 'line'> | undefined {
  if (!isObject(answer)) return undefined
  const { previousAssigneeId: other, newAssigneeId: expected } = answer
  if (typeof other !== 'string' || typeof expected !== 'string') return undefined
  if (isSameId(other, expected)) return undefined
  const areIds = idPattern.test(other) && idPattern.test(expected)
  return areIds ? { id, other, expected } : undefined
}

export const assignTickets: Operation = {
  words: { verb: 'Assign', doing: 'assigning' },
  item: 'ticket',
  pairs: { columns: ['ticket', 'employee'], preposition: 'to' },
  batch: { most: 1, concurrency: 2 },
  request(batch) {
    const { id, other } = pairOf(batch)
    return { path: { ticketId: id }, body: { newAssigneeId: other } }
  },
  keptFields: ['ticketId', 'chatId', 'previousAssigneeId', 'newAssigneeId'],
  problemWithAnswer,
  judge,
  next,
  assignees,
  undo: undoItem,
}

/*
 * Employees as new assignees, by the rules of the description: active, of this company, with access to the channel. `tickets
 * assign` shows after a refusal which rules are met.
 */

/** Undefined if it is not known: the API does not describe the values of a status, so only the two obvious ones count. */
export function isActive(
  employees: readonly Employee[],
  employee: Employee | undefined,
): boolean | undefined {
  // The service returns at most so many, so there may be more.
  if (employee === undefined)
    return employees.length >= limits.employees ? undefined : false
  const status = employee.status?.toLowerCase()
  if (status === 'active') return true
  return status === 'inactive' ? false : undefined
}
