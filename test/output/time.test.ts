/** Times in words. */
import { afterEach, expect, test } from 'vitest'
import { exactTime, parseTime, relativeTime } from '../../src/output/text.ts'

const now = Date.parse('2026-03-05T12:00:00Z')
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test.each([
  [59 * second, 'just now'],
  [minute, '1m ago'],
  [hour - second, '59m ago'],
  [hour, '1h ago'],
  [day - second, '23h ago'],
  [day, '1d ago'],
  [30 * day - second, '29d ago'],
  [30 * day, '1mo ago'],
  [365 * day - second, '12mo ago'],
  [365 * day, '1y ago'],
  [2 * 365 * day, '2y ago'],
  [-59 * second, 'just now'],
  [-59 * minute, 'in 59m'],
  [-hour, 'in 1h'],
  // Deadlines are rounded to the hour, because days would round down.
  [-(72 * hour - minute), 'in 2d'],
  [-4 * day, 'in 4d'],
  [-(4 * day + second), 'in 4d'],
])('%i milliseconds ago: %s', (ago, words) => {
  expect(relativeTime(now - ago, now)).toBe(words)
})

const zone = process.env['TZ']
afterEach(() => {
  process.env['TZ'] = zone
})

test.each([
  ['UTC', '2026-03-05T12:00:00+00:00'],
  ['Asia/Kathmandu', '2026-03-05T17:45:00+05:45'],
  ['America/St_Johns', '2026-03-05T08:30:00-03:30'],
])('an exact time names how far %s is from UTC, and is the same moment', (name, text) => {
  process.env['TZ'] = name
  expect(exactTime(now)).toBe(text)
  expect(parseTime(text)).toBe(now)
})

test('an exact time has the offset of its own day, in summer and in winter', () => {
  process.env['TZ'] = 'Europe/Berlin'
  const days = ['2026-01-15T11:00:00Z', '2026-07-15T10:00:00Z']
  expect(days.map((day) => exactTime(Date.parse(day)))).toEqual([
    '2026-01-15T12:00:00+01:00',
    '2026-07-15T12:00:00+02:00',
  ])
})
