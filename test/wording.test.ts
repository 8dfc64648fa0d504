import { expect, it } from 'vitest'
import { inSeconds, joinOr, quote } from '../src/wording.ts'

it('choices are joined by commas and, before the last, "or"', () => {
  const lists = [[], ['a', 'b'], ['a', 'b', 'c']]
  expect(lists.map(joinOr)).toEqual(['nothing', 'a or b', 'a, b, or c'])
})

it('a typed text of more than 60 characters is cut to 57 and an ellipsis in quotes', () => {
  expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(57)}…"`)
})

it('a deadline is in milliseconds below a second, and in seconds from there on', () => {
  const shown = [1 / 3, 334, 2_000, 10_333.3].map(inSeconds)
  expect(shown).toEqual(['1 ms', '334 ms', '2 s', '10.3 s'])
})
