/** The receipts of a run: a row for each id, in the order of its input. Files, stdout and `runs export` print these. */
import type { BulkOperation } from '../api/operations.ts'
import type { BegunLog } from './jobs/recorded.ts'
import type { Outcome } from './outcomes.ts'
import { assigneesOf } from './operations/assign.ts'
import type { Queue } from './queue.ts'
import { isAnswered, type Request, type Res } from './request.ts'

export interface Receipt {
  id: string
  line: number | null
  outcome: Outcome
  /** ISO 8601: when the request was answered, or else tried. */
  at: string | null
  attempts: number
  code: number | null
  message: string | null
  /** The target of a merge. */
  target?: string
  /** The assignee of a ticket before and after. */
  before?: string | null
  after?: string | null
}

/** The columns of the receipts of an operation. */
export function receiptColumns(
  operation?: BulkOperation,
): Readonly<Record<string, string>> {
  return {
    ID: 'id',
    LINE: 'line',
    OUTCOME: 'outcome',
    AT: 'at',
    ATTEMPTS: 'attempts',
    CODE: 'code',
    MESSAGE: 'message',
    ...(operation === 'contacts.merge' && { TARGET: 'target' }),
    ...(operation === 'tickets.assign' && { BEFORE: 'before', AFTER: 'after' }),
  }
}

/** All receipts, or those with the wanted outcomes. */
export function* receiptsOf(
  { queue, items, head }: BegunLog,
  wanted?: readonly Outcome[],
): Generator<Receipt> {
  const isOfTickets = head.operation === 'tickets.assign'
  for (const request of queue.requests) {
    const outcomes = queue.judge(request)
    const { attempts, range } = request
    const at = request.at === undefined ? null : new Date(request.at).toISOString()
    const own = isOfTickets ? assigneesOf(request) : {}
    for (const [i, outcome] of outcomes.entries()) {
      if (wanted?.includes(outcome) === false) continue
      const { id, line, other } = items.at(range[0] + i)
      const { code, message } = remarkOf(queue, request, outcome)
      yield {
        id,
        line: line === 0 ? null : line,
        outcome,
        at,
        attempts,
        code,
        message,
        ...(!isOfTickets && other !== undefined && { target: other }),
        ...own,
      }
    }
  }
}

const noRemark = { httpStatus: null, code: null, message: null }

/** Why a request is not done: the service's status, code and message, or what is known of the last attempt. */
export function remarkOf(queue: Queue, request: Request, outcome: Outcome) {
  const { last, attempts, isInFlight, isHalf, reading } = request
  const isOpen = ['error', 'unknown', 'not-attempted'].includes(outcome)
  if (!isOpen || (isAnswered(request) && !isHalf)) return noRemark
  if (reading?.st !== undefined && outcome !== 'not-attempted') {
    const message = `the ticket could not be read: ${reading.m ?? 'refused'}`
    return { ...noRemark, httpStatus: reading.st, message }
  }
  if (last !== undefined && !isInFlight) return remarkOfResult(queue, request, last)
  return attempts > 0 ? { ...noRemark, message: 'no answer was recorded' } : noRemark
}

function remarkOfResult(queue: Queue, request: Request, last: Res) {
  const { k, st = null, code = null, m } = last
  const problem = k === 'answered' ? queue.problem(request, last) : undefined
  const message = problem ?? m ?? (st === null ? 'it was not sent' : `HTTP ${st}`)
  return { httpStatus: st, code, message }
}
