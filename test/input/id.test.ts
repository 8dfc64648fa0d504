/** Numbers of 24 digits: a spreadsheet keeps fifteen digits of a number and writes zeros for the others. */
import { expect, test } from 'vitest'
import { reasonNotId } from '../../src/input/id.ts'

const text = (digits: string): string => digits.padEnd(24, '0')

test.each([
  ['fifteen digits and zeros', text('123456789012345'), true],
  ['fewer digits and zeros', text('9'), true],
  ['sixteen digits and zeros', text('1234567890123456'), false],
  ['a digit at the end', `${text('1').slice(0, 23)}1`, false],
  ['zeros alone', text(''), false],
])('an id of %s in a file was rounded, or is one', (_, id, isRounded) => {
  const reason = reasonNotId(id, true) ?? ''
  expect(reason.includes('rounded by a spreadsheet')).toBe(isRounded)
  expect(reasonNotId(id, false)).toBeUndefined()
})
