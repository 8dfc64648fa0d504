import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptResult } from '../../src/http/attempt.ts'
import {
  budget,
  budgetFor,
  decide,
  httpDate,
  mayRepeat,
  retryAfter,
  waits,
  type RetryClass,
  type RetryState,
} from '../../src/http/retry.ts'

const classes: readonly RetryClass[] = ['read', 'repeatable', 'convergent', 'once']
const now = Date.UTC(2026, 2, 1, 10, 15, 0)

const neverSent = (systemCode: string | undefined): AttemptResult => ({ kind: 'never-sent', message: 'm', systemCode })
const refused = (status: number, after?: string): AttemptResult => ({
  kind: 'refused',
  status,
  headers: after === undefined ? {} : { 'retry-after': after },
  html: false,
})
const ambiguous = (status?: number, html = false, after?: string): AttemptResult => ({
  kind: 'ambiguous',
  message: 'm',
  ...(status === undefined ? {} : { status, html, headers: after === undefined ? {} : { 'retry-after': after } }),
})

function state(more: Partial<RetryState> = {}): RetryState {
  return { retries: 0, maxRetries: 3, budget: 100, maxRetryWait: 60_000, random: 0.5, now, ...more }
}

/** Certificates, hosts that are unknown, no TLS, a proxy that refuses, what we gave up ourselves: no repetition changes them. */
const forGood = [
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...[
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'INVALID_PURPOSE',
  ],
  ...['PATH_LENGTH_EXCEEDED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_HANDSHAKE_TIMEOUT', 'EPROTO', 'ENOTFOUND'],
  ...['SVC_PROXY_REFUSED', 'SVC_ABORTED', 'UND_ERR_INVALID_ARG'],
]

describe('what may be sent again, by class', () => {
  const rows: readonly (readonly [string, AttemptResult, string])[] = [
    ['answered', { kind: 'answered', status: 200, data: {}, headers: {} }, ''],
    ['never sent: refused connection', neverSent('ECONNREFUSED'), 'read repeatable convergent once'],
    ['never sent: a deadline', neverSent('ETIMEDOUT'), 'read repeatable convergent once'],
    ['never sent: reset while connecting', neverSent('ECONNRESET'), 'read repeatable convergent once'],
    ['never sent: no code', neverSent(undefined), 'read repeatable convergent once'],
    ['never sent: a code nobody knows', neverSent('EPROTOTYPE'), 'read repeatable convergent once'],
    ['never sent: the name server is down', neverSent('EAI_AGAIN'), 'read repeatable convergent once'],
    ['never sent: a busy proxy', neverSent('SVC_PROXY'), 'read repeatable convergent once'],
    ...forGood.map((code) => [`never sent: ${code}`, neverSent(code), ''] as const),
    ['refused: 400', refused(400), ''],
    ['refused: 401', refused(401), ''],
    ['refused: 403', refused(403), ''],
    ['refused: 404', refused(404), ''],
    ['refused: 429', refused(429), 'read repeatable convergent once'],
    ['ambiguous: connection lost', ambiguous(), 'read repeatable convergent'],
    ['ambiguous: 200 of another shape', ambiguous(200), 'read repeatable convergent'],
    ['ambiguous: 200, a web page', ambiguous(200, true), ''],
    ['ambiguous: 302', ambiguous(302), ''],
    ['ambiguous: 408', ambiguous(408), 'read repeatable convergent'],
    ['ambiguous: 500', ambiguous(500), 'read repeatable convergent'],
    ['ambiguous: 502, a web page', ambiguous(502, true), 'read repeatable convergent'],
    ['ambiguous: 503', ambiguous(503), 'read repeatable convergent'],
    ['ambiguous: 503 that names a time', ambiguous(503, false, '1'), 'read repeatable convergent'],
    ['ambiguous: 504', ambiguous(504), 'read repeatable convergent'],
  ]
  it.each(rows)('%s', (_what, result, expected) => {
    expect(classes.filter((retryClass) => mayRepeat(retryClass, result)).join(' ')).toBe(expected)
    for (const retryClass of classes) {
      const decision = mayRepeat(retryClass, result) ? { kind: 'again' } : { kind: 'stop', reason: 'final' }
      expect(decide(retryClass, result, state())).toMatchObject(decision)
    }
  })
})

describe('limits and waits', () => {
  it('--retries 0 is one attempt; 3 are four', () => {
    expect(decide('read', ambiguous(500), state({ maxRetries: 0 }))).toEqual({ kind: 'stop', reason: 'retries' })
    expect(decide('read', ambiguous(500), state({ retries: 2 })).kind).toBe('again')
    expect(decide('read', ambiguous(500), state({ retries: 3 }))).toEqual({ kind: 'stop', reason: 'retries' })
  })

  it('the wait is full jitter, doubling from 500 ms (1 s for 429 and 503) up to 20 s', () => {
    const ceilings = (result: AttemptResult): number[] =>
      Array.from({ length: 8 }, (_, retries) => {
        const decision = decide('read', result, state({ retries, maxRetries: 10, random: 1 - 1e-9 }))
        return decision.kind === 'again' ? decision.wait + 1 : -1
      })
    expect(ceilings(ambiguous(500))).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
    expect(ceilings(ambiguous(503))).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000])
    expect(ceilings(refused(429))).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000])
    expect(decide('read', ambiguous(500), state({ random: 0 }))).toMatchObject({ wait: 0 })
  })

  it('no wait is longer than --max-retry-wait', () => {
    expect(decide('read', refused(429), state({ retries: 2, random: 0.999, maxRetryWait: 700 }))).toMatchObject({
      wait: 699,
    })
  })

  it('a full outage ends after about 20 retries in all', () => {
    let left: number = budget.whole
    let retries = 0
    let decision = decide('read', ambiguous(500), state({ maxRetries: 1000, budget: left }))
    while (decision.kind === 'again' && retries < 1000) {
      retries += 1
      left -= decision.cost
      decision = decide('read', ambiguous(500), state({ maxRetries: 1000, budget: left }))
    }
    expect(decision).toEqual({ kind: 'stop', reason: 'budget' })
    expect(retries).toBe(20)
    expect(waits.cap).toBe(20_000)
  })

  it('the budget is never smaller than what one request was allowed', () => {
    expect([0, 3, 20, 21, 40, 100].map(budgetFor)).toEqual([100, 100, 100, 105, 200, 500])
  })

  it('a throttled retry costs less', () => {
    expect(decide('read', refused(429), state())).toMatchObject({ cost: 2 })
    expect(decide('read', ambiguous(503), state())).toMatchObject({ cost: 2 })
    expect(decide('read', ambiguous(500), state())).toMatchObject({ cost: 5 })
    expect(decide('read', neverSent('ECONNREFUSED'), state({ budget: 4 }))).toEqual({ kind: 'stop', reason: 'budget' })
  })

  it('Retry-After is waited for in full, by everybody; longer than allowed, it ends the request', () => {
    expect(decide('once', refused(429, '7'), state())).toEqual({ kind: 'again', wait: 7000, cost: 2, shared: true })
    expect(decide('once', refused(429, '60'), state())).toMatchObject({ kind: 'again', wait: 60_000 })
    expect(decide('once', refused(429, '61'), state())).toEqual({
      kind: 'stop',
      reason: 'retry-after',
      retryAfter: 61_000,
    })
    // Whether or not retries are left.
    for (const busy of [refused(429, '61'), ambiguous(503, false, '61')]) {
      expect(decide('read', busy, state({ retries: 3 }))).toMatchObject({ reason: 'retry-after' })
    }
    expect(decide('read', ambiguous(503, false, '5'), state())).toMatchObject({ kind: 'again', wait: 5000, cost: 2 })
  })

  it('whatever ends a request, what the service asks of those that come after it is told', () => {
    const busy = ambiguous(503, false, '5')
    expect(decide('read', busy, state({ retries: 3 }))).toEqual({ kind: 'stop', reason: 'retries', retryAfter: 5000 })
    expect(decide('read', busy, state({ budget: 1 }))).toEqual({ kind: 'stop', reason: 'budget', retryAfter: 5000 })
    expect(decide('once', busy, state())).toEqual({ kind: 'stop', reason: 'final', retryAfter: 5000 })
    const tooLong = decide('once', ambiguous(503, false, '61'), state())
    expect(tooLong).toEqual({ kind: 'stop', reason: 'retry-after', retryAfter: 61_000 })
  })

  it('only a 429 and a 503 may name a time', () => {
    const lost: AttemptResult = { kind: 'ambiguous', status: 500, message: 'm', headers: { 'retry-after': '7' } }
    expect(decide('read', lost, state())).toMatchObject({ wait: 250, shared: false })
  })
})

describe('Retry-After', () => {
  const date = 'Sun, 01 Mar 2026 10:15:00 GMT'
  it.each([
    ['0', 0],
    ['1', 1000],
    [' 30 ', 30_000],
    ['0030', 30_000],
    ['86400', 86_400_000],
    // Thirty years at most: the sum with a date stays one.
    ['99999999999999999999', 1_000_000_000_000],
    ['9'.repeat(400), 1_000_000_000_000],
    // The three forms of a date; RFC 9110, section 5.6.7.
    ['Sun, 01 Mar 2026 10:15:30 GMT', 30_000],
    ['Sunday, 01-Mar-26 10:15:30 GMT', 30_000],
    ['Sun Mar  1 10:15:30 2026', 30_000],
    ['Sun, 01 Mar 2026 10:15:00 GMT', 0],
    // In the past, negative, unreadable: as if it were not there.
    ['Sun, 01 Mar 2026 10:14:59 GMT', undefined],
    ['-1', undefined],
    ['+1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['1s', undefined],
    ['1, 2', undefined],
    ['soon', undefined],
    ['', undefined],
    ['   ', undefined],
    ['2026-03-01T10:15:30Z', undefined],
    ['Sun, 31 Feb 2026 10:15:30 GMT', undefined],
    ['Sun, 01 Mar 2026 24:00:00 GMT', undefined],
    ['Sun, 01 Mar 2026 10:60:00 GMT', undefined],
    ['Sun, 01 Foo 2026 10:15:30 GMT', undefined],
    ['Sun, 01 Mar 2026 10:15:30 CET', undefined],
    ['Sun, 00 Mar 2026 10:15:30 GMT', undefined],
    // A leap second is a second.
    ['Sun, 01 Mar 2026 10:15:60 GMT', 60_000],
  ])('%j', (value, expected) => {
    expect(retryAfter({ 'retry-after': value, date }, 0)).toBe(expected)
  })

  it('a date is measured against the Date of the answer, not against a clock that may be wrong', () => {
    const at = 'Sun, 01 Mar 2026 10:15:30 GMT'
    expect(retryAfter({ 'retry-after': at, date }, Date.UTC(2030, 0, 1))).toBe(30_000)
    expect(retryAfter({ 'retry-after': at }, now)).toBe(30_000)
    expect(retryAfter({ 'retry-after': at, date: 'yesterday' }, now)).toBe(30_000)
  })

  it('nothing, and the first of several', () => {
    expect(retryAfter({}, now)).toBeUndefined()
    expect(retryAfter({ 'retry-after': ['3', '9'] }, now)).toBe(3000)
  })

  it('reads every whole second, and every date it writes', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (seconds) => {
        expect(retryAfter({ 'retry-after': String(seconds) }, now)).toBe(seconds * 1000)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (second) => {
        expect(httpDate(new Date(second * 1000).toUTCString())).toBe(second * 1000)
      }),
    )
  })

  it('never throws and never gives a negative or endless wait, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer(), (value, date, clock) => {
        const wait = retryAfter({ 'retry-after': value, date }, clock)
        expect(wait === undefined || (wait >= 0 && Number.isFinite(wait))).toBe(true)
      }),
    )
  })
})
