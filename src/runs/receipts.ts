/** The receipts of a run: a row for each id, in the order of its input. They are printed to files and to stdout. */
import type { BulkOperation } from '../api/operations.ts'
import { id, number, text, time, type Columns } from '../output/result.ts'
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
  /** When the last attempt of its request ended, or else began. ISO 8601. */
  at: string | null
  /** How many attempts its request had. */
  attempts: number
  /** The service's own code for an error. */
  code: number | null
  message: string | null
  /** The target of a merge. */
  target?: string
  /** The assignee of a ticket before the first attempt. */
  before?: string | null
  /** The assignee of a ticket as svc last saw it. */
  after?: string | null
}

/** Returns the columns of the receipts of an operation: the member of a receipt under each heading. */
export function receiptColumns(operation?: BulkOperation): Columns<object> {
  return {
    ID: id('id'),
    LINE: number('line'),
    OUTCOME: text('outcome'),
    AT: time('at'),
    ATTEMPTS: number('attempts'),
    CODE: number('code'),
    MESSAGE: text('message'),
    ...(operation === 'contacts.merge' && { TARGET: id('target') }),
    ...(operation === 'tickets.assign' && { BEFORE: id('before'), AFTER: id('after') }),
  }
}

/** Yields all receipts, or those with the wanted outcomes. */
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

/** Why an id is `error`, `unknown` or `not-attempted`: a message of the service, or how its last reading or attempt ended. */
interface Remark {
  httpStatus?: number | undefined
  code?: number | undefined
  message: string
}

/** `not-attempted` can have attempts: those that surely had no effect. */
const outcomesWithRemark: readonly Outcome[] = ['error', 'unknown', 'not-attempted']

/** Returns the remark on the ids of a request with this outcome. Undefined if the outcome says it all, or nothing was tried. */
export function remarkOf(
  queue: Queue,
  request: Request,
  outcome: Outcome,
): Remark | undefined {
  const { last, attempts, isInFlight, reading } = request
  if (!outcomesWithRemark.includes(outcome)) return undefined
  // With a status, the service refused to show the ticket, which decided the outcome of an id that is not due.
  if (reading?.st !== undefined && outcome !== 'not-attempted') {
    const message = `the ticket could not be read: ${reading.m ?? 'refused'}`
    return { httpStatus: reading.st, message }
  }
  if (attempts === 0) return undefined
  if (last === undefined || isInFlight) return { message: 'no answer was recorded' }
  const { k: kind, st: httpStatus, code, m: text } = last
  // Why an answer does not add up.
  const problem = kind === 'answered' ? queue.findProblem(request, last) : undefined
  const fallback = httpStatus === undefined ? 'it was not sent' : `HTTP ${httpStatus}`
  return { httpStatus, code, message: problem ?? text ?? fallback }
}
