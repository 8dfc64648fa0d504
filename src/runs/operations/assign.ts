/**
 * `tickets assign`: one ticket in a request. The ticket is read before the change, and again after a lost answer. The change
 * is then sent again only if the ticket still has the assignee from before the first attempt.
 */
import { isObject, isSameId } from '../../values.ts'
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

/** The employee who is to have the ticket: from its pair, or from `--to`. */
const newAssignee = ({ other, target }: Batch) => other ?? target

/** The employee who must have the ticket for svc to change it. Undefined if anybody may have it. */
const requiredAssignee = ({ expected, ifAssignee }: Batch) => expected ?? ifAssignee

/** Whether the last reading shows the new assignee. */
const isAssigned = ({ reading }: Request, batch: Batch) =>
  isSameId(reading?.id, newAssignee(batch))

/** Whether the last reading shows the same assignee as before the first attempt, or still nobody. */
const isUnchanged = ({ former, reading }: Request) =>
  former !== undefined && (former === reading?.id || isSameId(former, reading?.id))

/** Whether the service refused to show the ticket. A reading that succeeded has an id, or null for nobody. */
const isReadingRefused = ({ reading }: Request) =>
  reading !== undefined && reading.id === undefined

/** Whether svc sends a request to which no answer counts yet. One that was not read is due: it is read before it is sent. */
function isDueUnanswered(request: Request, batch: Batch) {
  const required = requiredAssignee(batch)
  if (request.reading === undefined) return true
  // The service refused to show the ticket. The change is sent only if nothing depends on who has it.
  if (isReadingRefused(request)) return !isInDoubt(request) && required === undefined
  if (isAssigned(request, batch)) return false
  // Before the first attempt, the required assignee had the ticket, or nothing was sent. Now only a change since then matters.
  if (isInDoubt(request)) return isUnchanged(request)
  return required === undefined || isSameId(request.reading.id, required)
}

export const assignTickets: Operation = {
  words: { verb: 'Assign', doing: 'assigning', run: 'assign', item: 'ticket' },
  maxPerRequest: 1,
  concurrency: 2,
  pairs: ['ticket', 'employee'],
  isReadFirst: true,
  request: (batch) => ({
    ids: { ticketId: onlyId(batch) },
    body: { newAssigneeId: newAssignee(batch) },
  }),
  recordedPart(data) {
    if (!isObject(data)) return null
    const { ticketId, previousAssigneeId, newAssigneeId } = data
    return { ticketId, previousAssigneeId, newAssigneeId }
  },
  findProblem(batch, data) {
    if (!isObject(data)) return unexpectedForm
    if (!isSameId(data['ticketId'], onlyId(batch)))
      return 'the answer is about another ticket'
    const isOurs = isSameId(data['newAssigneeId'], newAssignee(batch))
    return isOurs ? undefined : 'the answer is about another assignee'
  },
  isDueUnanswered,
  outcomesOf(request, batch) {
    if (isAnswered(request) || isAssigned(request, batch)) return sameForAll(batch, 'done')
    // All operations treat refusals, doubts and what is due alike.
    if (request.answer !== undefined || isInDoubt(request)) return undefined
    if (isDueUnanswered(request, batch)) return undefined
    // The reading decided against the change: it was refused, or it shows somebody other than the required assignee.
    return sameForAll(batch, isReadingRefused(request) ? 'error' : 'kept')
  },
}

/** Returns the assignees of a ticket before and after its change. Null for nobody, or if it is not known. */
export function assigneesOf({ answer, former, reading }: Request) {
  if (answer?.k === 'answered' && isObject(answer.d)) {
    const { previousAssigneeId, newAssigneeId } = answer.d
    return { before: idOrNull(previousAssigneeId), after: idOrNull(newAssigneeId) }
  }
  return { before: former ?? null, after: reading?.id ?? null }
}

const idOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
