/** When a request is sent again, and how long that waits; `faults/requests.test.ts` has what may be sent again at all. */
import { describe, expect, it } from 'vitest'
import { httpDate } from '../../src/http/attempt.ts'
import type { FailedAttempt } from '../../src/http/failures.ts'
import { decideRetry, retryAfter, type RetryState } from '../../src/http/retry.ts'

const now = Date.UTC(2026, 2, 1, 10, 15, 0)
const ambiguous = (status: number, after?: string): FailedAttempt => ({
  kind: 'ambiguous',
  failure: 'unwell',
  status,
  headers: after === undefined ? {} : { 'retry-after': after },
})
const refused = (after?: string): FailedAttempt => ({
  kind: 'refused',
  failure: 'throttled',
  status: 429,
  headers: after === undefined ? {} : { 'retry-after': after },
})

function state(more: Partial<RetryState> = {}): RetryState {
  return { retries: 0, elapsed: 0, wait: 30_000, random: 0.5, now, ...more }
}

describe('limits and waits', () => {
  const stop = (ms?: number, isTooLong = false) => ({
    kind: 'stop',
    askedWait: ms === undefined ? undefined : { ms, isTooLong },
  })
  const again = (delay: number, more: object = {}) => ({ kind: 'again', delay, ...more })
  it.each<[string, Parameters<typeof decideRetry>[0], FailedAttempt, Partial<RetryState>, object]>([
    ['--wait 0s is one attempt', 'read', ambiguous(500), { wait: 0 }, stop()],
    ['full jitter begins at 0', 'read', ambiguous(500), { random: 0 }, again(0)],
    ['until --wait has passed', 'read', refused(), { elapsed: 30_000 }, stop()],
    ['and one last time when it has', 'read', refused(), { elapsed: 29_900 }, again(100)],
    ['a named time is waited for by all', 'once', refused('7'), {}, again(7000, { hold: 7000 })],
    ['in full', 'once', refused('30'), {}, again(30_000)],
    ['of a 503 too', 'read', ambiguous(503, '5'), {}, again(5000, { hold: 5000 })],
    ['and of no other status', 'read', ambiguous(500, '7'), {}, again(250, { hold: 0 })],
    [
      'one that is too long ends the request, and holds no other',
      'once',
      refused('31'),
      {},
      { ...stop(31_000, true), hold: 0 },
    ],
    ['or for what is left', 'read', refused('5'), { elapsed: 25_001 }, stop(5000, true)],
    ['after a 503 too', 'once', ambiguous(503, '31'), {}, stop(31_000, true)],
    [
      'what is sent once ends, and holds those that come after it',
      'once',
      ambiguous(503, '5'),
      {},
      { ...stop(5000), hold: 5000 },
    ],
  ])('%s', (_what, retryClass, result, more, decision) => {
    expect(decideRetry(retryClass, result, state(more))).toMatchObject(decision)
  })

  it('the wait doubles from 500 ms (1 s for 429 and 503) up to 20 s', () => {
    const ceilings = (result: FailedAttempt): number[] =>
      Array.from({ length: 8 }, (_, retries) => {
        const decision = decideRetry('read', result, state({ retries, random: 1 - 1e-9 }))
        return decision.kind === 'again' ? decision.delay + 1 : -1
      })
    const throttled = [1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000]
    expect([ambiguous(500), ambiguous(503), refused()].map(ceilings)).toEqual([
      [500, ...throttled.slice(0, 7)],
      throttled,
      throttled,
    ])
  })
})

describe('Retry-After', () => {
  const date = 'Sun, 01 Mar 2026 10:15:00 GMT'
  const noTime =
    '9999999999|-1|+1|1.5|1e3|0x10|1s|1, 2|soon||   |Sunday, 01-Mar-26 10:15:30 GMT|Sun Mar  1 10:15:30 2026|2026-03-01T10:15:30Z|Sun, 01 Mar 2026 10:14:59 GMT'
  const noDate = '01 Mar 2026 10:60:00 GMT|01 Foo 2026 10:15:30 GMT'
  const dates = `${noDate}|01 Mar 2026 10:15:30 CET|00 Mar 2026 10:15:30 GMT`
    .split('|')
    .map((text) => `Sun, ${text}`)
  it.each([...noTime.split('|'), ...dates])(
    '%j is in the past, negative or unreadable: as if it were not there',
    (value) => {
      expect(retryAfter({ 'retry-after': value, date }, 0)).toBeUndefined()
    },
  )

  it('a date has nothing before it and nothing behind it', () => {
    expect([date, `x${date}`, `${date}x`].map(httpDate)).toEqual([now, undefined, undefined])
  })

  it('a date is measured against the Date of the answer, not against a clock that may be wrong', () => {
    const at = 'Sun, 01 Mar 2026 10:15:30 GMT'
    expect(retryAfter({ 'retry-after': '0030', date }, 0)).toBe(30_000)
    expect(retryAfter({ 'retry-after': date, date }, 0)).toBe(0)
    expect(retryAfter({ 'retry-after': at, date }, Date.UTC(2030, 0, 1))).toBe(30_000)
    expect(retryAfter({ 'retry-after': at }, now)).toBe(30_000)
    expect(retryAfter({ 'retry-after': at, date: 'yesterday' }, now)).toBe(30_000)
    expect(retryAfter({ 'retry-after': ['3', '9'] }, now)).toBe(3000)
  })
})
