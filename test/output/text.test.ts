/** Times that people read: local, in the zone of this machine, with the offset of their own day. */
import { afterEach, expect, test } from 'vitest'
import { dateToMinute } from '../../src/output/text.ts'

const zone = process.env['TZ']
afterEach(() => {
  process.env['TZ'] = zone
})

test.each([
  ['UTC', '2026-03-05T12:00:00Z', '2026-03-05 12:00'],
  ['Asia/Kathmandu', '2026-03-05T12:00:00Z', '2026-03-05 17:45'],
  ['America/St_Johns', '2026-03-05T12:00:00Z', '2026-03-05 08:30'],
  ['Europe/Berlin', '2026-01-15T11:00:00Z', '2026-01-15 12:00'],
  ['Europe/Berlin', '2026-07-15T10:00:00Z', '2026-07-15 12:00'],
])('in %s, %s is %s', (name, time, text) => {
  process.env['TZ'] = name
  expect(dateToMinute(Date.parse(time))).toBe(text)
})
