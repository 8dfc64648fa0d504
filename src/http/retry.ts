/** Whether and when a request is sent again, and the pace of all requests. */
import type { Host } from '../host.ts'
import type { AnswerHeaders } from '../world.ts'
import { header, httpDate } from './answer.ts'
import { type FailedAttempt, isFinalFailure } from './attempt.ts'

/**
 * Whether a request may be sent again: `read` changes nothing, `repeatable` changes the same things if it is sent twice, and
 * `once` is never sent again after a lost answer.
 */
export type RetryClass = 'read' | 'repeatable' | 'once'

/** The longest random delay, in milliseconds: `base` or `throttledBase` at first, doubled with each retry up to `cap`. */
const delays = {
  base: 500,
  /** For 429 and 503. */
  throttledBase: 1000,
  cap: 20_000,
} as const

/** What a retry depends on beside the result. Times are in milliseconds. */
export interface RetryState {
  /** How often the request was sent again so far. */
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

/** How long the service asked to wait, and whether that is longer than what is left of `--wait`. */
export interface AskedWait {
  ms: number
  isTooLong: boolean
}

/** `hold` is how long all requests wait, `delay` how long this one does, in milliseconds. */
export type RetryDecision =
  | { kind: 'stop'; hold: number; askedWait: AskedWait | undefined }
  | { kind: 'again'; hold: number; delay: number }

/**
 * Decides whether to send a request again after a failed attempt, which it may be until `--wait` has passed. A 429 or 503
 * holds all requests. `Retry-After` only says when: a request that is not repeatable does not become so.
 */
export function decideRetry(
  retryClass: RetryClass,
  result: FailedAttempt,
  state: RetryState,
): RetryDecision {
  const { retries, random } = state
  const timeLeft = state.wait - state.elapsed
  const isThrottled = isThrottledStatus(result.status)
  const asked = isThrottled ? retryAfter(result.headers ?? {}, state.now) : undefined
  const base = isThrottled ? delays.throttledBase : delays.base
  const ceiling = Math.min(delays.cap, base * 2 ** retries)
  // Shortened to the time that is left, so that the last attempt comes when it is over.
  const ownDelay = Math.min(Math.max(0, timeLeft), Math.floor(random * ceiling))
  const delay = asked ?? ownDelay
  const isTooLong = asked !== undefined && asked > timeLeft
  const hold = isThrottled && !isTooLong ? delay : 0
  if (!isTooLong && timeLeft > 0 && isRepeatable(retryClass, result))
    return { kind: 'again', hold, delay }
  // A person is not told of `Retry-After: 0`.
  return { kind: 'stop', hold, askedWait: asked ? { ms: asked, isTooLong } : undefined }
}

/** Whether the service answers that it is asked too much. */
function isThrottledStatus(status: number | undefined) {
  return status === 429 || status === 503
}

/** Whether the same request may be answered otherwise later. */
export function isTemporaryStatus(status: number) {
  return status >= 500 || status === 408 || status === 429
}

/** Whether an attempt with this result may be repeated at all, whatever time is left. */
function isRepeatable(retryClass: RetryClass, result: FailedAttempt) {
  if (result.kind === 'never-sent') return !isFinalFailure(result.systemCode)
  if (result.kind === 'refused') return result.status === 429
  if (retryClass === 'once') return false
  return !result.isOdd
}

/**
 * Milliseconds to wait by a `Retry-After`, which is a number of seconds or a date. A date is compared with the answer's own
 * `Date`, because this machine's clock may be wrong. Undefined if there is none, or one that is unreadable or in the past.
 */
export function retryAfter(headers: AnswerHeaders, now: number): number | undefined {
  const value = header(headers, 'retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const until = httpDate(value)
  if (until === undefined) return undefined
  const wait = until - (httpDate(header(headers, 'date')) ?? now)
  return wait < 0 ? undefined : wait
}

/** The pace of all requests of one process. */
export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  /** The time between two requests. */
  #interval = 0
  /** When the next request may be sent. */
  #nextAt = 0

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /** From now on allows `rate` requests per second; without a rate, as many as the service accepts. */
  limit(rate = Infinity) {
    this.#interval = 1000 / rate
  }

  /**
   * Resolves when the next request may be sent. Rejects when `signal` is aborted, or with the error of `beforeWait`, which is
   * called before each wait.
   */
  async waitForTurn(signal: AbortSignal, beforeWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      if (this.#nextAt <= now) {
        this.#nextAt = now + this.#interval
        return
      }
      beforeWait?.()
      await this.#host.sleep(Math.max(1, this.#nextAt - now), signal)
    }
  }

  /** Delays all requests by at least `ms` milliseconds. */
  hold(ms: number) {
    this.#nextAt = Math.max(this.#nextAt, this.#host.monotonic() + ms)
  }
}
