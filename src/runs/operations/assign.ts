/**
 * `tickets assign`: one ticket in a request. The ticket is read before the change, and once more after a lost answer. After
 * a lost answer the change is sent again only if the ticket still has the assignee from before the first attempt.
 */
import { isObject } from '../../json.ts'
import { isSameId } from '../../values.ts'
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

/** The employee who is to have the ticket: of its pair, or of `--to`. */
const newAssignee = ({ other, target }: Batch) => other ?? target

/** The employee who must have the ticket for it to be changed. Undefined if anybody may have it. */
const requiredAssignee = ({ expected, ifAssignee }: Batch) => expected ?? ifAssignee

/** Whether the last reading shows the new assignee. */
const isAssigned = ({ reading }: Request, batch: Batch) =>
  isSameId(reading?.id, newAssignee(batch))

/** Whether the last reading shows the assignee from before the first attempt, or nobody as before it. */
const isUnchanged = ({ former, reading }: Request) =>
  former !== undefined && (former === reading?.id || isSameId(former, reading?.id))

/** Whether the service refused to show the ticket. The line of a reading has an id, or null for nobody. */
const isReadingRefused = ({ reading }: Request) =>
  reading !== undefined && reading.id === undefined

function isDue(request: Request, batch: Batch) {
  const required = requiredAssignee(batch)
  if (request.reading === undefined) return true
  // Nobody knows who has the ticket, so the change is sent only if nothing depends on that.
  if (isReadingRefused(request)) return !isInDoubt(request) && required === undefined
  if (isAssigned(request, batch)) return false
  // The first attempt was made because the required assignee had the ticket.
  if (isInDoubt(request)) return isUnchanged(request)
  return required === undefined || isSameId(request.reading.id, required)
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
  isReadFirst: true,
  request: (batch) => ({
    ids: { ticketId: onlyId(batch) },
    body: { newAssigneeId: newAssignee(batch) },
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
    const isOurs = isSameId(data['newAssigneeId'], newAssignee(batch))
    return isOurs ? undefined : 'the answer is about another assignee'
  },
  isDue,
  outcomesOf(request, batch) {
    if (isAnswered(request) || isAssigned(request, batch)) return sameForAll(batch, 'done')
    const isSettled = request.answer !== undefined
    if (isSettled || isInDoubt(request) || isDue(request, batch)) return undefined
    // It was not sent: the reading was refused, or somebody else than the required assignee has the ticket.
    return sameForAll(batch, isReadingRefused(request) ? 'error' : 'kept')
  },
}

/** The assignees of a ticket before and after its change. Null: nobody, or not known. */
export function assigneesOf({ answer, former, reading }: Request) {
  if (answer?.k === 'answered' && isObject(answer.d)) {
    const { previousAssigneeId, newAssigneeId } = answer.d
    return { before: idOrNull(previousAssigneeId), after: idOrNull(newAssigneeId) }
  }
  return { before: former ?? null, after: reading?.id ?? null }
}

const idOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
