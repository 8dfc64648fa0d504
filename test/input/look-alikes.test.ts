/** Cells that look alike: `--where` takes two for the same when a person sees no difference. */
import { expect, test } from 'vitest'
import { fold } from '../../src/words.ts'

const word = 'Straße fi é'
const unseen: Readonly<Record<string, readonly string[]>> = {
  'letter case': ['STRASSE FI É', 'straße fi é'],
  'what nobody sees': Array.from(
    '\u200b\u200d\u2060\ufeff\u200e\u202a\u2066\u061c\u00ad\ufe0f\u034f\u115f\u3164\uffa0\u180e\u{e0100}\u{e0020}',
    (sign) => `Stra${sign}ße fi é${sign}`,
  ),
  blanks: ['\u00a0', '\u2009', '\u3000', '\u1680', '\u2800', '  ', ' \t', '\r\n', '\u0085'].map(
    (blank) => ` Straße${blank}fi é\t`,
  ),
  forms: [word.normalize('NFD'), 'Ｓｔｒａße fi é', 'Straße \ufb01 é'],
}
test.each(Object.entries(unseen))('%s make no difference', (_, texts) => {
  expect(texts.filter((text) => fold(text) !== fold(word))).toEqual([])
  for (const text of texts) expect(fold(fold(text))).toBe(fold(text))
})

test.each([
  'Straße fi e',
  'Straßefi é',
  'Straße fi é!',
  'Strаße fi é',
  'Straße–fi é',
  'Straße fi é x',
])('a person sees that %j is another text', (text) => {
  expect(fold(text)).not.toBe(fold(word))
})
