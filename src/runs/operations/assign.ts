/**
 * `tickets assign`: one ticket in a request. The ticket is read before the change, and once more after a lost answer; it is
 * sent again only while the assignee is still the one from before.
 */
import { isSameId } from '../../ids.ts'
import { isObject } from '../../json.ts'
import {
  type Batch,
  isAnswered,
  isInDoubt,
  onlyId,
  type Operation,
  type Request,
  sameForAll,
  unexpectedForm,
} from './operation.ts'

const wanted = ({ other, target }: Batch) => other ?? target
/** The assignee that a ticket must have to be changed. */
const condition = ({ expected, ifAssignee }: Batch) => expected ?? ifAssignee

const hasWanted = ({ reading }: Request, batch: Batch) =>
  isSameId(reading?.id, wanted(batch))

/** The reading shows the assignee from before. */
const isAsBefore = ({ former, reading }: Request) =>
  former !== undefined && (former === reading?.id || isSameId(former, reading?.id))

function isDue(request: Request, batch: Batch) {
  const { reading } = request
  const expected = condition(batch)
  if (reading === undefined) return true
  // A reading that is refused says nothing: sent without it, but not under a condition, and not after a doubt.
  if (reading.id === undefined) return !isInDoubt(request) && expected === undefined
  if (hasWanted(request, batch)) return false
  if (isInDoubt(request)) return isAsBefore(request)
  return expected === undefined || isSameId(reading.id, expected)
}

export const assignTickets: Operation = {
  words: {
    verb: 'Assign',
    doing: 'assigning',
    run: 'assign',
    item: 'ticket',
    preposition: 'to',
  },
  most: 1,
  concurrency: 2,
  pairs: ['ticket', 'employee'],
  isRead: true,
  request: (batch) => ({
    ids: { ticketId: onlyId(batch) },
    body: { newAssigneeId: wanted(batch) },
  }),
  keep(data) {
    if (!isObject(data)) return null
    const { ticketId, previousAssigneeId, newAssigneeId } = data
    return { ticketId, previousAssigneeId, newAssigneeId }
  },
  problem(batch, data) {
    if (!isObject(data)) return unexpectedForm
    if (!isSameId(data['ticketId'], onlyId(batch)))
      return 'the answer is about another ticket'
    const isOurs = isSameId(data['newAssigneeId'], wanted(batch))
    return isOurs ? undefined : 'the answer is about another assignee'
  },
  isDue,
  judge(request, batch) {
    if (isAnswered(request) || hasWanted(request, batch)) return sameForAll(batch, 'done')
    if (request.answer !== undefined || request.reading === undefined) return undefined
    if (isInDoubt(request) || isDue(request, batch)) return undefined
    return sameForAll(batch, request.reading.id === undefined ? 'error' : 'kept')
  },
}

/** The assignees of a ticket before and after its change, as far as they are known. */
export function assigneesOf({ answer, former, reading }: Request) {
  if (answer?.k === 'answered' && isObject(answer.d)) {
    const { previousAssigneeId, newAssigneeId } = answer.d
    return { before: idOrNull(previousAssigneeId), after: idOrNull(newAssigneeId) }
  }
  return { before: former ?? null, after: reading?.id ?? null }
}

const idOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
