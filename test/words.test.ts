/** Numbers, lists and quotations as a person reads them. */
import { expect, it } from 'vitest'
import { inSeconds, joinOr, quote } from '../src/words.ts'

it('choices are joined by commas and "or"', () => {
  expect([[], ['a'], ['a', 'b', 'c']].map(joinOr)).toEqual(['nothing', 'a', 'a, b or c'])
})

it('at most 60 characters are quoted', () => {
  expect([61, 60].map((length) => quote('x'.repeat(length)).length)).toEqual([60, 62])
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(57)}…"`)
})

it('deadlines are told in milliseconds or seconds', () => {
  const told = [1 / 3, 334, 2_000, 10_333.3].map(inSeconds)
  expect(told).toEqual(['1 ms', '334 ms', '2 s', '10.3 s'])
})
