/** Texts around an id, and numbers of 24 digits: a spreadsheet keeps fifteen digits of a number and writes zeros for the others. */
import { expect, test } from 'vitest'
import { idIn } from '../../src/input/id.ts'
import { idOf } from './inputs.ts'

const text = (digits: string): string => digits.padEnd(24, '0')

test.each([
  ['fifteen digits and zeros', text('123456789012345'), true],
  ['fewer digits and zeros', text('9'), true],
  ['sixteen digits and zeros', text('1234567890123456'), false],
  ['a digit at the end', `${text('1').slice(0, 23)}1`, false],
  ['zeros alone', text(''), false],
])('an id of %s in a file was rounded, or is one', (_, id, isRounded) => {
  const reason = idIn(id, true, false).reason ?? ''
  expect(reason.includes('rounded by a spreadsheet')).toBe(isRounded)
  expect(idIn(id, false, false)).toEqual({ id })
})

const id = idOf(1)
/** The space characters of Unicode, and the blanks of ASCII. */
const blanks = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680],
  ...Array.from({ length: 11 }, (_, n) => 0x2000 + n),
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
].map((code) => [`U+${code.toString(16).padStart(4, '0')}`, String.fromCharCode(code)] as const)

test.each(blanks)('the blank %s before and behind an id is taken off', (_, blank) => {
  expect(idIn(`${blank}${id}${blank}`, true, false)).toEqual({ id })
  expect(idIn(`${blank}"${blank}${id}${blank}",${blank}`, true, false)).toEqual({ id })
  expect(idIn(blank, true, false)).toEqual({ reason: 'empty' })
})

test.each(['\u200b', '\u200d', '\u2060', '\u180e', '\u0085'])(
  'what nobody sees stays, and is told: %j',
  (invisible) => {
    for (const text of [invisible + id, id + invisible]) {
      expect(idIn(text, true, false).reason).toContain('not a hexadecimal digit')
    }
  },
)

test('16 blanks on one side of an id are taken off; more push it out of sight, in a file', () => {
  const most = ' '.repeat(16)
  expect(idIn(`${most}${id}${most}`, true, false)).toEqual({ id })
  for (const text of [`${most} ${id}`, `${id} ${most}`]) {
    expect(idIn(text, true, false).reason).toContain('spaces around it')
    expect(idIn(text, false, false)).toEqual({ id })
  }
})
