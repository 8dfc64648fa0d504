/**
 * `tickets assign`: one ticket in a request; the ticket is read before and after, and a lost answer is sent again when nothing changed.
 * `operations.ts` registers it; `telling/who.ts` asks it about employees.
 */
import type { Api } from '../../api/client.ts'
import { limits } from '../../api/operations.ts'
import type { Employee } from '../../api/schemas.ts'
import type { SvcError } from '../../errors.ts'
import { assignReceiptView } from '../../views/bulk.ts'
import { canLand, isAmbiguous, isBeginning, isSameId, isUntried } from '../record/batch-state.ts'
import type { AssigneeReading, BatchState } from '../record/batch-state.ts'
import { checkAssignPairs } from './merge-order.ts'
import { done } from './outcome-facts.ts'
import {
  all,
  disbelieve,
  isSendable,
  pairOf,
  outcomeWithoutAnswer,
  type Assignees,
  type BatchToSend,
  type Operation,
  partyIn,
  type Requests,
} from './operation.ts'
import { isObject } from '../../values.ts'
import { groupDigits } from '../../words.ts'

const outcomes = { done }

export const assignTickets = {
  words: {
    verb: 'Assign',
    doing: 'assigning',
    done: 'assigned',
  },
  items: { kind: 'ticket', pairs: { columns: ['ticket', 'employee'], check: checkAssignPairs } },
  parameters: {
    to: {
      kind: 'employee',
      use: 'target',
      preposition: 'to',
      summary: 'the new assignee: employee id or "First Last"; asked for on a terminal',
      question: 'Assign to which employee?',
    },
    ifAssignee: {
      kind: 'employee',
      use: 'condition',
      summary: 'only while this employee is the assignee',
    },
  },
  request(batch) {
    const { id, other } = pairOf(batch)
    return { path: { ticketId: id }, body: { newAssigneeId: other } }
  },
  batch: { most: 1, concurrency: 2 },
  outcomes,
  undo: { assignees },
  keptFields: ['ticketId', 'chatId', 'previousAssigneeId', 'newAssigneeId'],
  receiptView: assignReceiptView,
  /** Reads before and after each attempt; what someone else changed is never overwritten. */
  async send(api, batch, requests) {
    const { id: ticket, other: wanted } = pairOf(batch)
    let failure: SvcError | undefined
    // A batch that an earlier session was refused begins anew: its reading is stale.
    let step = isBeginning(requests.state()) ? 'read' : assignStep(requests.state(), wanted)
    for (; ; step = assignStep(requests.state(), wanted)) {
      if (step === 'finished') return failure
      if (step === 'send') {
        failure = await requests.attempt()
        continue
      }
      const unreadable = await readAssignee(api, ticket, batch, requests)
      if (unreadable === undefined) continue
      // Only a condition on the assignee needs the reading; without one the change is sent all the same.
      const isNeeded = hasCondition(batch) && isBeginning(requests.state())
      if (isNeeded && unreadable.category !== 'rejected') return unreadable
      // A ticket whose reading is refused is refused for good: it is still new, or there is none.
      const { message: problem } = unreadable
      await requests.read({
        problem,
        isRefused: isRefusal(unreadable),
        declined: isNeeded,
      })
      if (isNeeded) return unreadable
    }
  },
  judge(batch, _, data) {
    const { id, other } = pairOf(batch)
    if (
      !isObject(data) ||
      typeof data['ticketId'] !== 'string' ||
      typeof data['newAssigneeId'] !== 'string'
    ) {
      return disbelieve(batch)
    }
    if (!isSameId(data['ticketId'], id)) return disbelieve(batch, 'the answer names another ticket')
    if (!isSameId(data['newAssigneeId'], other)) {
      return disbelieve(batch, 'the answer names another assignee')
    }
    return all(batch, 'done')
  },
  /** Only a reading that shows the wanted assignee tells that it is done. */
  judgeUnanswered(batch, state) {
    const { other } = pairOf(batch)
    if (wasReadAs(state, other)) return all(batch, 'done')
    if (state.declined === true && !isAmbiguous(state)) {
      const problem = state.reading?.problem
      const why =
        problem === undefined ? 'has another assignee now' : `could not be read (${problem})`
      return all(batch, 'error', `the ticket ${why}, so it was left alone`)
    }
    if (!isAmbiguous(state) || state.hasMoved !== true) return outcomeWithoutAnswer(batch, state)
    return disbelieve(batch, someoneElse)
  },
  next(batch, state) {
    const { other: wanted } = pairOf(batch)
    if (wasReadAs(state, wanted)) return 'finished'
    if (isAmbiguous(state)) return isReadForGood(state, wanted) ? 'finished' : 'read-first'
    return state.declined !== true && isSendable(state) ? 'send' : 'finished'
  },
  notes({ count, ids, isSent, target }) {
    const all = count('done') === ids
    if (ids > 0 && all && !isSent()) {
      return ['nothing was changed: each ticket already had the requested assignee']
    }
    if (target === undefined || count('done') === 0) return []
    const those = all ? groupDigits(ids) : `${groupDigits(count('done'))} of ${groupDigits(ids)}`
    const tickets = ids === 1 ? 'ticket' : 'tickets'
    return [`${those} ${tickets} assigned to ${JSON.stringify(target)}`]
  },
} as const satisfies Operation<keyof typeof outcomes>

/** API: Bulk results, the answer names the assignee before and after. */
function assignees(state: BatchState): Assignees {
  const data = state.answer?.data as
    { previousAssigneeId?: string | null; newAssigneeId?: string } | undefined
  if (data !== undefined) {
    return { before: data.previousAssigneeId ?? null, after: data.newAssigneeId ?? null }
  }
  return {
    before: state.before?.id,
    after: state.reading?.ok === true ? state.reading.id : undefined,
  }
}

const hasCondition = ({ parameters }: BatchToSend): boolean =>
  partyIn(parameters, 'ifAssignee') !== undefined

function readAssignee(
  api: Api,
  ticketId: string,
  { parameters, other }: BatchToSend,
  requests: Requests,
) {
  const expected = partyIn(parameters, 'ifAssignee')?.id
  return requests.ask(async (hooks) => {
    const { ticket } = await api.tickets.chunk(ticketId, undefined, hooks())
    const id = ticket.assigneeId ?? null
    // Who has it already needs no change, whatever the condition says.
    const isOther =
      expected !== undefined && !isSameId(id, expected) && !isSameId(id, other ?? null)
    await requests.read({ id, declined: isOther && isBeginning(requests.state()) })
  })
}

const someoneElse =
  'the ticket was seen with another assignee; this change may have been made before that, or may still be made'

function wasReadAs({ reading }: BatchState, assignee: string): boolean {
  return reading?.ok === true && isSameId(reading.id, assignee)
}

/** Attempts without an answer after which assign gives up. */
const assignAttempts = 3

/** Before and after each attempt: what to do with the ticket. A change by someone else is never overwritten. */
export function assignStep(state: BatchState, wanted: string): 'read' | 'send' | 'finished' {
  if (state.answer !== undefined || state.declined === true) return 'finished'
  const { reading } = state
  // After a take-over an attempt that was refused is no last word either: only a reading ends what another process may have sent.
  const isSettled = isBeginning(state) && !isUntried(state) && !isAmbiguous(state)
  if (reading === undefined) return isSettled ? 'finished' : 'read'
  if (wasReadAs(state, wanted)) return 'finished'
  return stepAfterReading(state, reading)
}

function stepAfterReading(state: BatchState, reading: AssigneeReading): 'send' | 'finished' {
  const { before } = state
  if (!reading.ok) {
    // Who has the ticket is not known: the change is sent anyway, once, unless an attempt may have changed that.
    const isFirst = isBeginning(state) && isUntried(state) && before === undefined
    return isFirst ? 'send' : 'finished'
  }
  const isUnchanged =
    before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true
  if (!isUnchanged || state.ambiguousAttempts >= assignAttempts) return 'finished'
  // The service would refuse it again.
  return isUntried(state) || state.last?.kind === 'ambiguous' ? 'send' : 'finished'
}

/** Whether the service answered that the ticket cannot be read: it is not there, is still new, or is closed to this key. */
const isRefusal = ({ category }: SvcError): boolean =>
  category === 'rejected' || category === 'forbidden'

/**
 * Nothing more is sent, and the ticket was read, or its reading was refused, when no lost attempt could still take effect: no
 * repetition would learn more.
 */
function isReadForGood(state: BatchState, wanted: string): boolean {
  const { reading } = state
  if (reading === undefined || (!reading.ok && reading.isRefused !== true)) return false
  return assignStep(state, wanted) === 'finished' && !canLand(state, reading.moment)
}

/*
 * Employees as new assignees, by the rules of the description: active, of this company, with access to the channel. `tickets assign` and the
 * dry run of a bulk one say before anything is sent what can be seen of that.
 */

/** The employee with an id, in either letter case. */
export function employeeOf(employees: readonly Employee[], wanted: string): Employee | undefined {
  return employees.find(({ id }) => id.toLowerCase() === wanted.toLowerCase())
}

/** Undefined where that cannot be seen: the values of a status are not described, and only the two plain words are taken at their word. */
export function isActive(
  employees: readonly Employee[],
  employee: Employee | undefined,
): boolean | undefined {
  // The service returns so many at most, and there may be more.
  const mayBeMore = employees.length >= limits.employees
  if (employee === undefined) return mayBeMore ? undefined : false
  const status = employee.status?.toLowerCase()
  if (status === 'active') return true
  return status === 'inactive' ? false : undefined
}

/** Why the service will refuse to assign any ticket to an employee; undefined when nothing that can be read says so. */
export function refusalOf(employees: readonly Employee[], id: string): string | undefined {
  const employee = employeeOf(employees, id)
  if (isActive(employees, employee) === false) {
    if (employee === undefined) return 'is not an employee of this company'
    return 'is inactive'
  }
  const hasNoChannel = employee?.channels?.length === 0
  return hasNoChannel ? 'has access to no channel' : undefined
}
