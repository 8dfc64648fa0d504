import { describe, expect, it } from 'vitest'
import { clockIsOff, ServiceClock, describeOffset, judgeClock } from '../../src/http/clock.ts'
import {
  answering,
  goodBody,
  http,
  json,
  hintOf,
  openClient,
  tell,
  type TestClient,
} from './loopback.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

describe("what a 401 means, by the difference between the time that was signed and the service's", () => {
  it.each([
    [undefined, 'unknown', 'unknown'],
    [0, 'credentials', 'credentials'],
    [239_999, 'credentials', 'credentials'],
    [240_000, 'adjust', 'credentials'],
    [7 * minute, 'adjust', 'credentials'],
    [24 * hour, 'adjust', 'credentials'],
    [24 * hour + 1, 'set-the-clock', 'set-the-clock'],
    [400 * 24 * hour, 'set-the-clock', 'set-the-clock'],
  ] as const)('%s ms: %s the first time, then %s', (difference, first, then) => {
    for (const sign of [1, -1]) {
      const signed = difference === undefined ? undefined : sign * difference
      expect(judgeClock(signed, false)).toBe(first)
      expect(judgeClock(signed, true)).toBe(then)
    }
  })
})

describe('the offset', () => {
  const date = 'Sun, 01 Mar 2026 10:15:00 GMT'
  const at = Date.UTC(2026, 2, 1, 10, 15, 0)
  it.each([
    ['the middle of the round trip', { date }, at - 100, at + 300, -100],
    ['the Age of a stored answer counts', { date, age: '90' }, at, at, 90_000],
    ['an unreadable Age does not', { date, age: '-1' }, at, at, 0],
    ['nor does one of several digits too many', { date, age: '9999999999' }, at, at, 0],
    ['without a Date nothing is known', {}, at, at, undefined],
    ['nor with one that is none', { date: 'now' }, at, at, undefined],
    ['another form of date', { date: 'Sunday, 01-Mar-26 10:22:12 GMT' }, at, at, 432_000],
  ] as const)('%s', (_what, headers, sentAt, answeredAt, expected) => {
    const clock = new ServiceClock({ now: () => answeredAt, monotonic: () => 0 })
    expect([clock.observe(headers, sentAt), clock.offset]).toEqual([expected, expected])
  })

  it('is accepted until it is set', () => {
    let [now, monotonic] = [at, 0]
    const clock = new ServiceClock({ now: () => now, monotonic: () => monotonic })
    expect(clock.isAccepted).toBe(false)
    clock.accept()
    ;[now, monotonic] = [at + hour, hour + 2000]
    expect(clock.isAccepted).toBe(true)
    now -= 10 * minute
    expect(clock.isAccepted).toBe(false)
  })

  it('in words', () => {
    expect(describeOffset(432_000)).toBe('7m12s behind the service')
    expect(describeOffset(-45_400)).toBe('45s ahead of the service')
    expect(describeOffset(-(3 * hour + 4 * minute + 5))).toBe('3h4m ahead of the service')
    expect(describeOffset(50 * hour)).toBe('2d2h behind the service')
    expect([60_000, -60_000, 60_001, -60_001].map(clockIsOff)).toEqual([false, false, true, true])
    expect(clockIsOff(undefined)).toBe(false)
  })
})

/** A service whose clock is right and that refuses what is signed more than 5 minutes away from it. */
async function strictService(
  answer = goodBody.read,
): Promise<{ baseUrl: string; requests: string[] }> {
  return answering((socket, request) => {
    const signedAt = Number(/x-service-timestamp: (\d+)/i.exec(request)?.[1])
    const good = Math.abs(Date.now() - signedAt) <= 5 * minute
    socket.write(
      good ? http(200, answer) : http(401, '{"code":40121,"message":"Invalid API credentials"}'),
    )
  })
}

const clientTo = (baseUrl: string, clock: number): TestClient =>
  openClient(baseUrl, { clock: () => clock })

describe('a request on a machine whose clock is wrong', () => {
  it.each([
    [
      -7 * minute - 12 * second,
      "this machine's clock is 7m12s behind the service; signing with the service's time, set the clock",
    ],
    [
      23 * hour,
      "this machine's clock is 23h0m ahead of the service; signing with the service's time, set the clock",
    ],
  ])(
    "%i ms: signed once more with the service's time, with one warning",
    async (clock, warning) => {
      const service = await strictService()
      const client = clientTo(service.baseUrl, clock)
      expect((await tell(client, 'read')).error).toBeUndefined()
      expect(service.requests).toHaveLength(2)
      expect(Math.round((client.clock.offset ?? 0) / 2000)).toBe(Math.round(-clock / 2000))
      // The offset is kept: the next request needs no second try, and no second warning.
      expect((await tell(client, 'read')).error).toBeUndefined()
      expect(service.requests).toHaveLength(3)
      expect(
        client.warnings.map((text) =>
          text.replace(/7m1[123]s|2[23]h\d+m/, (time) =>
            time.startsWith('7') ? '7m12s' : '23h0m',
          ),
        ),
      ).toEqual([warning])
      // Waiting would change nothing, so nothing was waited for.
      expect(client.waits).toEqual([])
    },
  )

  it('several requests at once, with one warning', async () => {
    const service = await strictService()
    const client = clientTo(service.baseUrl, 8 * minute)
    const told = await Promise.all(Array.from({ length: 8 }, () => tell(client, 'read')))
    expect(told.map(({ error }) => error)).toEqual(Array(8).fill(undefined))
    expect(client.warnings).toHaveLength(1)
  })

  it('even what may be sent only once: a 401 is certain', async () => {
    const service = await strictService(goodBody.once)
    const { error, results } = await tell(clientTo(service.baseUrl, 10 * minute), 'once')
    expect(error).toBeUndefined()
    expect(results.map(({ kind }) => kind)).toEqual(['refused', 'answered'])
  })

  it('a clock that is set during a long run is noticed', async () => {
    const service = await strictService()
    let clock = 10 * minute
    const client = openClient(service.baseUrl, { clock: () => clock })
    expect((await tell(client, 'read')).error).toBeUndefined()
    clock = 0
    expect((await tell(client, 'read')).error).toBeUndefined()
    expect(service.requests).toHaveLength(4)
  })

  it('wrong credentials and a wrong clock: one more try, then the credentials', async () => {
    const service = await answering((socket) =>
      socket.write(http(401, '{"code":40121,"message":"Invalid API credentials"}')),
    )
    const { error } = await tell(clientTo(service.baseUrl, 10 * minute), 'read')
    expect(service.requests).toHaveLength(2)
    expect(hintOf(error)).toMatch(/^the key or the secret is wrong/)
  })

  it('a service whose time jumps gets one more try, not one after the other', async () => {
    const service = await answering((socket, _request, n) => {
      const date = new Date(Date.now() + n * 10 * minute).toUTCString()
      socket.write(
        http(401, '{"code":40121,"message":"Invalid API credentials"}', { ...json, date }),
      )
    })
    expect((await tell(clientTo(service.baseUrl, 0), 'read')).error?.exitCode).toBe(4)
    expect(service.requests).toHaveLength(2)
  })

  it.each([
    [50 * second, 0],
    [-50 * second, 0],
    [90 * second, 1],
    [-4 * minute, 1],
  ])('good answers, %i ms off: %i warning', async (clock, warnings) => {
    const service = await strictService()
    const client = clientTo(service.baseUrl, clock)
    for (let i = 0; i < 3; i += 1) expect((await tell(client, 'read')).error).toBeUndefined()
    expect(client.warnings).toHaveLength(warnings)
    for (const warning of client.warnings)
      expect(warning).toContain('beyond 5 minutes requests are refused')
  })
})
