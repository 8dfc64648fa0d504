/** Whether and when a request is sent again. Pure: everything that varies comes in. */
import type { RetryClass } from '../api/operations.ts'
import { header, isFinalFailure, type AnswerHeaders, type AttemptResult } from './attempt.ts'

export const waits = {
  base: 500,
  /** For 429 and 503. */
  throttledBase: 1000,
  cap: 20_000,
} as const

/** Shared by all requests of a process: a full outage ends after about 20 retries in all. */
export const budget = { tokens: 100, retry: 5, throttled: 2, success: 1 } as const

/**
 * The size of the shared budget: 100 tokens, or what one request needs that may be sent `maxRetries` times more. The budget
 * keeps many requests from retrying together; how often one is retried was asked for.
 */
export function budgetFor(maxRetries: number): number {
  return Math.max(budget.tokens, maxRetries * budget.retry)
}

export interface RetryState {
  /** Retries of this request so far. */
  readonly retries: number
  readonly maxRetries: number
  /** Tokens left in the shared budget. */
  readonly tokens: number
  /** Milliseconds. */
  readonly maxRetryWait: number
  /** From 0 up to, not including, 1. */
  readonly random: number
  readonly now: number
}

export type Decision =
  /** `retryAfter`: milliseconds that the service asked to wait, whatever ends the request. */
  | { kind: 'stop'; reason: 'final' | 'retries' | 'budget' | 'retry-after'; retryAfter?: number }
  /** `shared`: every worker waits (the service named the time). */
  | { kind: 'again'; wait: number; cost: number; shared: boolean }

/** Whether an attempt with this result may be repeated at all, wherever the limits stand. */
export function mayRepeat(retryClass: RetryClass, result: AttemptResult): boolean {
  switch (result.kind) {
    case 'answered':
      return false
    case 'never-sent':
      return !isFinalFailure(result.systemCode)
    case 'refused':
      return result.status === 429
    case 'ambiguous': {
      if (retryClass === 'once') return false
      // A redirect and a web page come from something else than the service; asking again changes nothing.
      const { status } = result
      if (status === undefined) return true
      return status >= 400 || (status < 300 && result.html !== true)
    }
  }
}

/** Decides after a failed attempt. A `Retry-After` only says when: it makes nothing repeatable that is not. */
export function decide(retryClass: RetryClass, result: AttemptResult, state: RetryState): Decision {
  const status = 'status' in result ? result.status : undefined
  const throttled = status === 429 || status === 503
  const after = throttled && 'headers' in result && result.headers ? retryAfter(result.headers, state.now) : undefined
  const named = after === undefined ? {} : { retryAfter: after }
  if (after !== undefined && after > state.maxRetryWait) return { kind: 'stop', reason: 'retry-after', ...named }
  if (!mayRepeat(retryClass, result)) return { kind: 'stop', reason: 'final', ...named }
  if (state.retries >= state.maxRetries) return { kind: 'stop', reason: 'retries', ...named }
  const cost = throttled ? budget.throttled : budget.retry
  if (state.tokens < cost) return { kind: 'stop', reason: 'budget', ...named }
  if (after !== undefined) return { kind: 'again', wait: after, cost, shared: true }
  const base = throttled ? waits.throttledBase : waits.base
  const ceiling = Math.min(waits.cap, base * 2 ** state.retries, state.maxRetryWait)
  return { kind: 'again', wait: Math.floor(state.random * ceiling), cost, shared: false }
}

/** Seconds; some thirty years, so that no sum with it leaves the range of dates. */
const longest = 1_000_000_000

/**
 * Milliseconds that a `Retry-After` asks for: seconds, or an HTTP date measured against the answer's own `Date`.
 * Negative and unreadable ones are ignored.
 */
export function retryAfter(headers: AnswerHeaders, now: number): number | undefined {
  const value = header(headers, 'retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value), longest) * 1000
  const at = httpDate(value)
  if (at === undefined) return undefined
  const base = httpDate(header(headers, 'date')) ?? now
  return at >= base ? at - base : undefined
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The three forms of an HTTP date (RFC 9110, section 5.6.7) in milliseconds since 1970; anything else is undefined. */
export function httpDate(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const fixed = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text)
  if (fixed) return utc(fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6])
  const old = /^[A-Za-z]{6,9}, (\d{2})-([A-Za-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text)
  if (old) {
    const year = Number(old[3])
    return utc(String(year + (year < 70 ? 2000 : 1900)), old[2], old[1], old[4], old[5], old[6])
  }
  const asctime = /^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text)
  if (asctime) return utc(asctime[6], asctime[1], asctime[2]?.trim(), asctime[3], asctime[4], asctime[5])
  return undefined
}

function utc(...[year, month, day, hour, minute, second]: (string | undefined)[]): number | undefined {
  const monthIndex = months.indexOf((month ?? '').toLowerCase())
  if (monthIndex < 0) return undefined
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || m > 59 || s > 60) return undefined
  const midnight = Date.UTC(Number(year), monthIndex, Number(day))
  // 31 Feb would roll over into March: not a date.
  if (new Date(midnight).getUTCDate() !== Number(day)) return undefined
  return midnight + ((h * 60 + m) * 60 + s) * 1000
}
