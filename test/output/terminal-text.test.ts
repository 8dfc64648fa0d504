/** Texts that people read: times of this machine's zone, with the offset of their own day, and texts that are cut or wrapped to a width. */
import { afterEach, expect, test } from 'vitest'
import { truncate, wrap } from '../../src/output/terminal-text.ts'
import { dateToMinute } from '../../src/words.ts'

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

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['abcdef', 1, '…'],
  ['客户名单', 7, '客户名…'],
  ['客户名单', 6, '客户…'],
  ['👩‍👩‍👧x y', 3, '👩‍👩‍👧…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%j truncated to %d is %j', (text, width, cut) => {
  expect(truncate(text, width)).toBe(cut)
})

/** Consonants joined into one character, which takes more cells than a line has. */
const conjunct = 'क्'.repeat(60)

test.each([
  ['some words of a line', 10, ['some words', 'of a line']],
  ['some words of  ', 10, ['some words', 'of']],
  ['  code of-forty-two-letters', 10, ['  code', 'of-forty-t', 'wo-letters']],
  ['客户名单 客户', 8, ['客户名单', '客户']],
  ['abe\u0301', 3, ['abe\u0301']],
  ['xxe\u0301e\u0301', 3, ['xxe\u0301', 'e\u0301']],
  [`a ${conjunct} b`, 20, ['a', conjunct, 'b']],
  ['', 10, ['']],
])('%j wrapped at %d is %j', (line, width, lines) => {
  expect(wrap(line, width)).toEqual(lines)
})
