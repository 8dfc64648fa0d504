/**
 * Decides how an attempt ended: never sent, refused, ambiguous or answered. What bulk runs record, repeat and report depends on
 * it: a change is ambiguous unless its answer proves that nothing or everything was done.
 */
import type { Exchange } from '../host.ts'
import { BadAnswer, header, readErrorBody, type Answer, type ReadAnswer } from './answer.ts'
import { connectionFailure, isForeignAnswer, reasonOf } from './connection-errors.ts'
import {
  failures,
  type AnswerFacts,
  type FailedAttempt,
  type FailureName,
} from './failures.ts'

export type AttemptResult =
  FailedAttempt | (AnswerFacts & { kind: 'answered'; data: unknown })

/** How a caller follows the attempts of its request. If one of these functions throws, its error ends the request. */
export interface SendOptions {
  /** Called before each wait for the rate limit (`Pace`). It throws if the request must not begin. */
  beforeWait?: () => void
  /** Called right before the first byte of an attempt may be sent. If it throws, nothing is sent. */
  beforeAttempt?: () => Promise<void>
  /** Called after an attempt, before svc decides whether to try again. */
  afterAttempt?: (result: AttemptResult) => void
}

/** Decides how an attempt ended. Throws what `readAnswer` throws, unless that is about the answer. */
export function classify(exchange: Exchange, readAnswer: ReadAnswer): AttemptResult {
  if (exchange.kind === 'failed') return classifyError(exchange.error, exchange.sent)
  const { status, headers } = exchange
  if (status >= 200 && status < 300) return classifySuccess(exchange, readAnswer)
  if (status >= 300 && status < 400) {
    const location = header(headers, 'location') ?? 'an unnamed address'
    const message = `it redirects to ${location}, which svc never follows`
    return failed('foreign', { status, headers, message })
  }
  return failed(statusFailure(status), { status, headers, ...readErrorBody(exchange) })
}

function failed(failure: FailureName, facts: AnswerFacts): FailedAttempt {
  return { kind: failures[failure].kind, failure, ...facts }
}

function classifyError(error: Error, isSent: boolean) {
  const message = reasonOf(error)
  if (!isSent) return failed(connectionFailure(error), { message })
  return failed(isForeignAnswer(error) ? 'foreign' : 'lost', { message })
}

function classifySuccess(answer: Answer, readAnswer: ReadAnswer): AttemptResult {
  const { status, headers } = answer
  try {
    return { kind: 'answered', status, headers, data: readAnswer(answer) }
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error
    const { message, isForeign } = error
    return failed(isForeign ? 'foreign' : 'garbled', { status, headers, message })
  }
}

/** Recognizes the failure that the status of an answer stands for, other than 2xx and 3xx. */
function statusFailure(status: number): FailureName {
  if (status === 401) return 'credentials'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unwell'
}
