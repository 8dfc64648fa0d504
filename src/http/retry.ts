/** Decides whether and when a request is sent again. Times are in milliseconds. */
import type { AnswerHeaders } from '../host.ts'
import { header, httpDate } from './attempt.ts'
import {
  failures,
  type AskedWait,
  type FailedAttempt,
  type RetryClass,
} from './failures.ts'

/** Limits of the random delay before a retry. The limit of the first retry doubles with each further one, up to `max`. */
const delays = {
  first: 500,
  /** For 429 and 503. */
  firstThrottled: 1000,
  max: 20_000,
} as const

/** The facts that decide about a retry, in addition to the result of the last attempt. */
export interface RetryState {
  /** How many retries there were so far. */
  retries: number
  /** The time since the first attempt. */
  elapsed: number
  /** The setting `--wait`. */
  wait: number
  /** From 0 up to, not including, 1. */
  random: number
  /** Since 1970. */
  now: number
}

/**
 * Decides whether to send a request again after a failed attempt. `--wait` limits the time for retries. A 429 or 503 makes all
 * requests wait, unless the asked wait is longer than what is left of `--wait`. `Retry-After` says only when to retry, not
 * whether the request may be sent again. `hold` is how long all requests wait, and `delay` how long this one does.
 */
export function decideRetry(
  retryClass: RetryClass,
  result: FailedAttempt,
  state: RetryState,
):
  | { kind: 'stop'; hold: number; askedWait: AskedWait | undefined }
  | { kind: 'again'; hold: number; delay: number } {
  const { retries, random } = state
  const timeLeft = state.wait - state.elapsed
  const isThrottled = result.status === 429 || result.status === 503
  const asked = isThrottled ? retryAfter(result.headers ?? {}, state.now) : undefined
  const firstLimit = isThrottled ? delays.firstThrottled : delays.first
  const limit = Math.min(delays.max, firstLimit * 2 ** retries)
  // At most the time that is left: the last attempt is made when `--wait` is over.
  const randomDelay = Math.min(Math.max(0, timeLeft), Math.floor(random * limit))
  const delay = asked ?? randomDelay
  const isTooLong = asked !== undefined && asked > timeLeft
  // After a wait that is too long, this command sends nothing more.
  const hold = isThrottled && !isTooLong ? delay : 0
  const mayHaveTakenEffect = retryClass === 'once' && result.kind === 'ambiguous'
  const canRetry = failures[result.failure].isTemporary && !mayHaveTakenEffect
  if (canRetry && !isTooLong && timeLeft > 0) return { kind: 'again', hold, delay }
  // `Retry-After: 0` asks for no wait that a person should know of.
  return { kind: 'stop', hold, askedWait: asked ? { ms: asked, isTooLong } : undefined }
}

/**
 * Returns how long `Retry-After` asks to wait; undefined if it is missing, unreadable or in the past. It is a number of seconds
 * or a date. A date is compared with the answer's own `Date`, because this machine's clock may be wrong.
 */
export function retryAfter(headers: AnswerHeaders, now: number) {
  const value = header(headers, 'retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const until = httpDate(value)
  if (until === undefined) return undefined
  const wait = until - (httpDate(header(headers, 'date')) ?? now)
  return wait < 0 ? undefined : wait
}
