import { describe, expect, it } from 'vitest'
import { clockIsOff, ServiceClock, describeOffset, explainsRefusal } from '../../src/http/clock.ts'

const [minute, hour] = [60_000, 3_600_000]

it.each([
  [0, false],
  [239_999, false],
  [240_000, true],
  [400 * 24 * hour, true],
] as const)('a 401 is explained by an offset of %s ms either way: %s', (offset, isExplained) => {
  expect([explainsRefusal(offset), explainsRefusal(-offset)]).toEqual([isExplained, isExplained])
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
    ['nor with an old form of date', { date: 'Sunday, 01-Mar-26 10:22:12 GMT' }, at, at, undefined],
    ['a trip of just under 10 s tells', { date }, at - 5000, at + 4999, 0.5],
    ['one of 10 s does not', { date }, at - 5000, at + 5000, undefined],
    ['nor one during which the clock was set back', { date }, at + minute, at, undefined],
  ] as const)('%s', (_what, headers, sentAt, answeredAt, expected) => {
    const clock = new ServiceClock({ now: () => answeredAt, monotonic: () => 0 })
    const sent = { wall: sentAt, monotonic: 0 }
    expect([clock.observe(headers, sent), clock.offset]).toEqual([expected, expected])
  })

  it('nothing is learned from a process that was stopped in the middle of a round trip', () => {
    let monotonic = 0
    const clock = new ServiceClock({ now: () => at, monotonic: () => monotonic })
    monotonic = 145_000
    expect(clock.observe({ date }, { wall: at, monotonic: 0 })).toBeUndefined()
  })

  it('the offset of a clock is told in words', () => {
    expect(describeOffset(432_000)).toBe('7m12s behind the service')
    expect(describeOffset(-45_400)).toBe('45s ahead of the service')
    expect(describeOffset(-(3 * hour + 4 * minute + 5))).toBe('3h4m ahead of the service')
    expect(describeOffset(50 * hour)).toBe('2d2h behind the service')
    expect([60_000, -60_000, 60_001, -60_001].map(clockIsOff)).toEqual([false, false, true, true])
    expect(clockIsOff(undefined)).toBe(false)
  })
})
