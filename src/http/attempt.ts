/**
 * How an attempt ended: never sent, refused, ambiguous or answered. What a bulk run records of a batch, repeats or reports
 * rests on it: a change is ambiguous unless the answer shows that nothing was done. Pure: the exchange comes in as data.
 */
import type { AnswerHeaders, Exchange } from '../world.ts'
import { BadAnswer, header, readErrorBody, type ReadAnswer } from './answer.ts'
import { codeOf, describeFailure, isOddAnswer } from './connection-errors.ts'

export type AttemptResult = AnswerFacts &
  (
    | { kind: 'never-sent'; message: string; systemCode: string | undefined }
    | { kind: 'refused'; status: number }
    | { kind: 'ambiguous'; message: string; isOdd: boolean }
    | { kind: 'answered'; status: number; data: unknown }
  )

/** The facts of an answer, if there was one. */
interface AnswerFacts {
  status?: number
  code?: number
  /** The service's words for a refusal, or why there was no answer. */
  message?: string
  headers?: AnswerHeaders
}

export type FailedAttempt = Exclude<AttemptResult, { kind: 'answered' }>

export interface Hooks {
  /** Before each wait for the pace. The call rejects with its error: a request that must not begin need not wait. */
  waiting?(): void
  /**
   * After every wait, right before a byte of attempt `attempt` (from 1) may leave. The call rejects with its error:
   * nothing was sent and no attempt is counted, so a request that must not begin any more can be refused here.
   */
  before?(attempt: number): Promise<void>
  /** After the attempt, before anything is decided on it. */
  after?(attempt: number, result: AttemptResult): Promise<void> | void
  /** Attempts that an earlier process made of the same request. */
  attemptsBefore?: number
}

/**
 * Classifies an exchange. Only a 4xx says that nothing was done, and of those not 408: a gateway gives a 503, with
 * `Retry-After` or without, for a request that the service behind it has applied.
 */
export function classify(exchange: Exchange, read: ReadAnswer): AttemptResult {
  if (exchange.kind === 'failed') {
    const { error, sent } = exchange
    const message = describeFailure(error)
    return sent
      ? { kind: 'ambiguous', message, isOdd: isOddAnswer(error) }
      : { kind: 'never-sent', message, systemCode: codeOf(error) }
  }
  const { status, headers } = exchange
  const facts = { status, headers }
  if (status >= 200 && status < 300) {
    try {
      return { kind: 'answered', ...facts, data: read(exchange) }
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error
      return { kind: 'ambiguous', ...facts, message: error.message, isOdd: error.isOdd }
    }
  }
  if (status >= 300 && status < 400) {
    const to = header(headers, 'location') ?? 'nowhere'
    const message = `it redirects to ${to}, which svc never follows`
    return { kind: 'ambiguous', ...facts, message, isOdd: true }
  }
  const error = readErrorBody(exchange)
  const isRefusal = status >= 400 && status < 500 && status !== 408
  if (isRefusal) return { kind: 'refused', ...facts, ...error }
  return { kind: 'ambiguous', ...facts, message: `HTTP ${status}`, ...error, isOdd: false }
}
