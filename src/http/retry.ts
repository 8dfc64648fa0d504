/** Whether and when a request is sent again. Pure: everything that varies comes in. */
import type { AnswerHeaders } from '../world.ts'
import { header, httpDate } from './answer.ts'
import type { FailedAttempt } from './attempt.ts'
import { isFinalFailure } from './connection-errors.ts'

/** `read`: changes nothing. `repeatable`: sent twice is the same as once. `once`: never sent again after a lost answer. */
export type RetryClass = 'read' | 'repeatable' | 'once'

/** Milliseconds: the first ceiling of a random wait, which doubles with each retry up to the cap. */
export const waits = {
  base: 500,
  /** For 429 and 503. */
  throttledBase: 1000,
  cap: 20_000,
} as const

/** Times in milliseconds. `elapsed`: since the first attempt. `random`: from 0 up to, not including, 1. */
export type RetryState = Readonly<
  Record<'retries' | 'elapsed' | 'wait' | 'random' | 'now', number>
>

/** How long the service asked to wait, and whether that is longer than `--wait` leaves. */
export interface AskedWait {
  ms: number
  isTooLong: boolean
}

/** `hold`: how long all requests wait, in milliseconds; `wait`: how long this one does. */
export type RetryDecision = { hold: number } & (
  { kind: 'stop'; askedWait: AskedWait | undefined } | { kind: 'again'; wait: number }
)

/**
 * Decides after a failed attempt: again until `wait` has passed since the first one. A 429 and a 503 hold all requests. A
 * `Retry-After` only says when: it makes nothing repeatable that is not.
 */
export function decide(
  retryClass: RetryClass,
  result: FailedAttempt,
  state: RetryState,
): RetryDecision {
  const { retries, random } = state
  const left = state.wait - state.elapsed
  const isThrottled = result.status === 429 || result.status === 503
  const asked = isThrottled ? retryAfter(result.headers ?? {}, state.now) : undefined
  const base = isThrottled ? waits.throttledBase : waits.base
  const ceiling = Math.min(waits.cap, base * 2 ** retries)
  // The last attempt comes when the time is over.
  const wait = asked ?? Math.min(Math.max(0, left), Math.floor(random * ceiling))
  const isTooLong = asked !== undefined && asked > left
  const hold = isThrottled && !isTooLong ? wait : 0
  if (!isTooLong && left > 0 && isRepeatable(retryClass, result))
    return { kind: 'again', hold, wait }
  // `Retry-After: 0` counts as none.
  return { kind: 'stop', hold, askedWait: asked ? { ms: asked, isTooLong } : undefined }
}

/** Whether an attempt with this result may be repeated at all, apart from the limits. */
function isRepeatable(retryClass: RetryClass, result: FailedAttempt) {
  if (result.kind === 'never-sent') return !isFinalFailure(result.systemCode)
  if (result.kind === 'refused') return result.status === 429
  if (retryClass === 'once') return false
  return !result.isOdd
}

/** Milliseconds of a `Retry-After`: seconds, or a date against the answer's own `Date`. Bad ones are ignored. */
export function retryAfter(headers: AnswerHeaders, now: number): number | undefined {
  const value = header(headers, 'retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const until = httpDate(value)
  if (until === undefined) return undefined
  const wait = until - (httpDate(header(headers, 'date')) ?? now)
  return wait < 0 ? undefined : wait
}
