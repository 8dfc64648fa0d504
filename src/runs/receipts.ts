/** The receipts of a run: a row for each id, in the order of its input. Files, stdout and `runs export` print these. */
import type { BulkOperation } from '../api/operations.ts'
import type { BegunLog } from './log.ts'
import { assigneesOf } from './operations/assign.ts'
import type { Request } from './operations/operation.ts'
import { outcomes, type Outcome } from './outcomes.ts'
import type { Queue } from './queue.ts'

export interface Receipt {
  id: string
  /** Null for an argument. */
  line: number | null
  outcome: Outcome
  /** ISO 8601: when the request was answered, or else tried. */
  at: string | null
  /** Of its request. */
  attempts: number
  /** The service's code of an error. */
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
  { queue, items, head: { operation } }: BegunLog,
  wanted: readonly Outcome[] = outcomes,
): Generator<Receipt> {
  for (const request of queue.requests) {
    const { attempts, at, range } = request
    const [first] = range
    // A request of assigns has one ticket.
    const assignees = operation === 'tickets.assign' ? assigneesOf(request) : {}
    for (const [position, outcome] of queue.outcomesOf(request).entries()) {
      if (!wanted.includes(outcome)) continue
      const { id, line, other } = items.at(first + position)
      const { code = null, message = null } = remarkOf(queue, request, outcome) ?? {}
      yield {
        id,
        // An argument has no line.
        line: line === 0 ? null : line,
        outcome,
        at: at === undefined ? null : new Date(at).toISOString(),
        attempts,
        code,
        message,
        ...(operation === 'contacts.merge' && other !== undefined && { target: other }),
        ...assignees,
      }
    }
  }
}

/** Why an id is `error`, `unknown` or `not-attempted`: the service's words, or what is known of the last attempt. */
interface Remark {
  httpStatus?: number | undefined
  code?: number | undefined
  message: string
}

const explained: readonly Outcome[] = ['error', 'unknown', 'not-attempted']

/** The remark on the ids of a request with this outcome. Undefined if the outcome says it all, or nothing was tried. */
export function remarkOf(
  queue: Queue,
  request: Request,
  outcome: Outcome,
): Remark | undefined {
  const { last, attempts, isInFlight, reading } = request
  if (!explained.includes(outcome)) return undefined
  // The reading of the ticket was refused, and that decided the outcome.
  if (reading?.st !== undefined && outcome !== 'not-attempted') {
    const message = `the ticket could not be read: ${reading.m ?? 'refused'}`
    return { httpStatus: reading.st, message }
  }
  if (attempts === 0) return undefined
  if (last === undefined || isInFlight) return { message: 'no answer was recorded' }
  const { k: kind, st: httpStatus, code, m: text } = last
  const problem = kind === 'answered' ? queue.problem(request, last) : undefined
  const status = httpStatus === undefined ? 'it was not sent' : `HTTP ${httpStatus}`
  return { httpStatus, code, message: problem ?? text ?? status }
}
