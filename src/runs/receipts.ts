/** The receipts of a run: a row for each id, in the order of its input. Files, stdout and `runs export` print these. */
import type { BulkOperation } from '../api/operations.ts'
import type { Items } from './items.ts'
import type { Head } from './lines.ts'
import type { Outcome } from './outcomes.ts'
import { assigneesOf } from './operations/assign.ts'
import type { Request } from './operations/operation.ts'
import type { Queue } from './queue.ts'

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

/** What receipts are made of. */
export interface Recorded {
  head: Pick<Head, 'operation'>
  items: Items
  queue: Queue
}

/** All receipts, or those with the wanted outcomes. */
export function* receiptsOf(
  { queue, items, head }: Recorded,
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
      const { code = null, message = null } = remarkOf(queue, request, outcome) ?? {}
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

/** Why a request is not done: the service's status, code and message, or what is known of the last attempt. */
interface Remark {
  httpStatus?: number | undefined
  code?: number | undefined
  message: string
}

export function remarkOf(
  queue: Queue,
  request: Request,
  outcome: Outcome,
): Remark | undefined {
  const { last, attempts, isInFlight, reading } = request
  if (!['error', 'unknown', 'not-attempted'].includes(outcome)) return undefined
  if (reading?.st !== undefined && outcome !== 'not-attempted') {
    const message = `the ticket could not be read: ${reading.m ?? 'refused'}`
    return { httpStatus: reading.st, message }
  }
  if (last === undefined || isInFlight)
    return attempts > 0 ? { message: 'no answer was recorded' } : undefined
  const { k, st: httpStatus, code, m } = last
  const problem = k === 'answered' ? queue.problem(request, last) : undefined
  const status = httpStatus === undefined ? 'it was not sent' : `HTTP ${httpStatus}`
  return { httpStatus, code, message: problem ?? m ?? status }
}
