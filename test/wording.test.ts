/** Words and numbers in messages. */
import { expect, it } from 'vitest'
import { inSeconds, joinOr, quote, shellWord } from '../src/wording.ts'

it('choices are joined by commas and, before the last, "or"', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinOr)).toEqual([
    'nothing',
    'a',
    'a or b',
    'a, b, or c',
  ])
})

it('a typed text of more than 60 characters is cut to 57 and an ellipsis in quotes', () => {
  expect(quote('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
  expect(quote('x'.repeat(61))).toBe(`"${'x'.repeat(57)}…"`)
})

it('a deadline is in milliseconds below a second, and in seconds from there on', () => {
  const shown = [1 / 3, 334, 2_000, 10_333.3].map(inSeconds)
  expect(shown).toEqual(['1 ms', '334 ms', '2 s', '10.3 s'])
})

it('a word is quoted as sh, PowerShell and cmd read alike, where they do', () => {
  const words = ['VIP', 'a b', "it's", '', 'Ünal', 'a $b', 'say "x"', "it's $5"]
  expect(words.map((word) => shellWord(word))).toEqual([
    'VIP',
    '"a b"',
    `"it's"`,
    '""',
    '"Ünal"',
    "'a $b'",
    `'say "x"'`,
    `'it'\\''s $5'`,
  ])
})

it.each([
  ['VIP', 'VIP'],
  ['C:\\a\\b.csv', 'C:\\a\\b.csv'],
  ['C:\\a b\\c!', '"C:\\a b\\c!"'],
  ["it's", `"it's"`],
  ['@name', '"@name"'],
  ['100%', '"100%"'],
  ['', '""'],
  ['a $b', "'a $b'"],
  ['a `b', "'a `b'"],
  ['“x”', "'“x”'"],
  ["it's ‘$5’", "'it''s ‘‘$5’’'"],
])('for Windows, %s is quoted as PowerShell reads it, and cmd where it can: %s', (word, quoted) => {
  expect(shellWord(word, true)).toBe(quoted)
})
