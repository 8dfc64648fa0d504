import { expect, it } from 'vitest'
import { momentOf } from '../src/moments.ts'
import { hasTimeZone } from '../src/wording.ts'

const noon = Date.parse('2026-03-10T12:00:00Z')
const read = (text: string, ofDay?: 'last', now = noon) =>
  new Date(
    momentOf(text, { host: { now: () => now, env: {} } }, '--since', ofDay) ?? NaN,
  ).toISOString()

// A time without an offset is local, and the tests' time zone is UTC.
it.each([
  ['2026-03-01T10:15:00Z', '2026-03-01T10:15:00.000Z', '2026-03-01T10:15:00.000Z'],
  ['2026-03-01T10:15:00.5Z', '2026-03-01T10:15:00.500Z', '2026-03-01T10:15:00.500Z'],
  ['2026-03-01 10:15:00+02:00', '2026-03-01T08:15:00.000Z', '2026-03-01T08:15:00.000Z'],
  ['2026-03-01T10:15:00.123456-03:30', '2026-03-01T13:45:00.123Z', '2026-03-01T13:45:00.123Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z'],
  ['2026-03-01T10:15', '2026-03-01T10:15:00.000Z', '2026-03-01T10:15:00.000Z'],
  ['2d', '2026-03-08T12:00:00.000Z', '2026-03-08T12:00:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'],
  ['today', '2026-03-10T00:00:00.000Z', '2026-03-10T23:59:59.999Z'],
  ['yesterday', '2026-03-09T00:00:00.000Z', '2026-03-09T23:59:59.999Z'],
])('%s begins at %s, and ends at %s', (text, first, last) => {
  expect([read(text), read(text, 'last')]).toEqual([first, last])
})

it.each([
  '',
  ...'tomorrow Yesterday 12h 1w 1.5d 10000d 2026-3-1 20260301 1772359200 2026-03-01T10'.split(' '),
  ...'2026-02-29 2026-13-01 2026-00-10 2026-03-01T10:60Z'.split(' '),
])('"%s" is refused', (text) => {
  expect(() => read(text)).toThrow(
    '--since takes a date (2026-03-01), a date and time (2026-03-01T10:15:00Z), ' +
      `an age in days (7d), today, or yesterday, not "${text}"`,
  )
})

it('yesterday begins at its own midnight, even if the clock has changed since', () => {
  const zone = process.env['TZ']
  process.env['TZ'] = 'Europe/Berlin'
  try {
    const now = Date.parse('2026-03-30T10:00:00Z')
    expect(read('yesterday', undefined, now)).toBe('2026-03-28T23:00:00.000Z')
    expect(read('2026-03-01')).toBe('2026-02-28T23:00:00.000Z')
  } finally {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  }
})

it('a time zone that Node does not know is exit 2 for a local time, and for no other', () => {
  const now = () => noon
  for (const TZ of [undefined, '', 'UTC', 'Europe/London', ':Etc/GMT', 'EST5EDT'])
    expect(hasTimeZone({ env: { TZ }, now })).toBe(true)
  for (const TZ of ['Europe/Nowhere', 'Berlin', '\u001b[2J']) {
    const host = { env: { TZ }, now }
    expect(hasTimeZone(host)).toBe(false)
    for (const text of ['2026-03-01', 'today', '2026-03-01T10:15'])
      expect(() => momentOf(text, { host }, '--since')).toThrow(
        expect.objectContaining({ exitCode: 2, message: `there is no time zone "${TZ}"` }),
      )
    for (const text of ['2d', '2026-03-01T10:15Z', '2026-03-01T10:15:00+02:00'])
      expect(momentOf(text, { host }, '--since')).toBeTypeOf('number')
  }
})
