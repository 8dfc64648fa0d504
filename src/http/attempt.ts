/**
 * How an attempt ended: never sent, refused, ambiguous or answered. Bulk runs rely on it for what they record, repeat and
 * report: a change is ambiguous unless its answer proves that nothing was done, or that all was. Pure: the exchange comes in
 * as data.
 */
import type { AnswerHeaders, Exchange } from '../world.ts'
import { BadAnswer, header, readErrorBody, type ReadAnswer } from './answer.ts'
import { codeOf, describeFailure, isOddAnswer } from './connection-errors.ts'

/** What is known of an answer. Status and headers are absent if no answer came. */
interface AnswerFacts {
  status?: number
  headers?: AnswerHeaders
  /** The service's own error code. */
  code?: number
  /** The service's words for its refusal, or why there is no answer that counts. */
  message?: string
}

/** No byte of the request was sent. */
export interface NeverSent extends AnswerFacts {
  kind: 'never-sent'
  message: string
  systemCode: string | undefined
}

/** The service answered that it did nothing. */
interface Refused extends AnswerFacts {
  kind: 'refused'
  status: number
}

/** The request was sent, and it is unknown whether the service did what it asks for. */
interface Ambiguous extends AnswerFacts {
  kind: 'ambiguous'
  message: string
  /** An answer came that is not one of svc's API, such as a login page. Sending the request again would not help. */
  isOdd: boolean
}

/** The service did what the request asks for. */
interface Answered extends AnswerFacts {
  kind: 'answered'
  status: number
  data: unknown
}

export type FailedAttempt = NeverSent | Refused | Ambiguous
export type AttemptResult = FailedAttempt | Answered

/** How a caller follows the attempts of its request. If one of the functions throws, the request ends with its error. */
export interface SendOptions {
  /** The number of attempts that an earlier process made of the same request. */
  attemptsBefore?: number
  /** Called before each wait for the pace, so that a request that must not begin need not wait. */
  beforeWait?: () => void
  /**
   * Called after every wait, right before the first byte of attempt `attempt` (from 1) may be sent. If it throws, nothing
   * was sent and the attempt is not counted.
   */
  beforeAttempt?: (attempt: number) => Promise<void>
  /** Called after the attempt, before svc decides whether to try again. */
  afterAttempt?: (attempt: number, result: AttemptResult) => Promise<void> | void
}

/**
 * Classifies an exchange. Only a 4xx proves that nothing was done, and a 408 does not: like a 5xx, it may come from a gateway
 * (with `Retry-After` or without) while the service behind it has applied the request.
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
    const location = header(headers, 'location') ?? 'an unnamed address'
    const message = `it redirects to ${location}, which svc never follows`
    return { kind: 'ambiguous', ...facts, message, isOdd: true }
  }
  const errorBody = readErrorBody(exchange)
  const isRefusal = status >= 400 && status < 500 && status !== 408
  if (isRefusal) return { kind: 'refused', ...facts, ...errorBody }
  return {
    kind: 'ambiguous',
    ...facts,
    message: `HTTP ${status}`,
    ...errorBody,
    isOdd: false,
  }
}

/** The most UTF-16 units that svc keeps of the service's message. Nobody reads more. */
const maxMessageLength = 16_384

/** Returns a result whose message is not too long. */
export function cutMessage<R extends AttemptResult>(result: R): R {
  const { message } = result
  return message === undefined
    ? result
    : { ...result, message: message.slice(0, maxMessageLength) }
}

/** Describes for the log how an attempt ended: `200`, or `no answer (connection refused)`. */
export function describeResult({ kind, status, message }: AttemptResult) {
  if (status !== undefined) return String(status)
  const loss = kind === 'never-sent' ? 'never sent' : 'no answer'
  return `${loss} (${message})`
}
