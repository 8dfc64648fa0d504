/** Cells that look alike: `--where` takes two for the same when a person sees no difference. */
import { expect, test } from 'vitest'
import { Dice } from '../dice.ts'
import { idOf, idsOf } from './inputs.ts'

const words = ['Straße', 'fi', 'é', 'Ω', 'left', '12', 'Müller', '東京', 'ЖЖ', 'x=y']
const unseen =
  '\u200b\u200d\u2060\ufeff\u200e\u202a\u2066\u061c\u00ad\ufe0f\u034f\u115f\u3164\uffa0\u180e'
const blanks = ['\u00a0', '\u2009', '\u3000', '\u1680', '\u2800', '  ', ' \t', '\u0085']

/** What changes a text without a person seeing it. */
const unseenChanges: readonly ((text: string, dice: Dice) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text, dice) => text.replace(' ', dice.pick(blanks)),
  (text, dice) => dice.pick(blanks) + text,
  (text) => text.normalize('NFD'),
  (text) => text.replace('fi', '\ufb01'),
  (text) => text.replace(/[!-~]/, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  (text, dice) => {
    const at = dice.whole(0, text.length)
    return text.slice(0, at) + dice.pick(Array.from(unseen)) + text.slice(at)
  },
]
/** What a person sees. */
const seenChanges: readonly ((text: string) => string)[] = [
  (text) => `${text}!`,
  (text) => text.replace(' ', ''),
  (text) => text.replace(' ', '–'),
  (text) => text.slice(0, -1),
  (text) => text.replace('é', 'e').replace('ü', 'u').replace('left', 'Ieft') + '.',
]

test('2,000 pairs of cells', async () => {
  const rows: string[] = []
  const expected: number[] = []
  const value = 'Straße fi é left'
  for (let seed = 1; rows.length < 2_000; seed += 1) {
    const dice = new Dice(seed)
    const other = Array.from({ length: 3 }, () => dice.pick(words)).join(' ')
    const isSame = dice.chance(0.5)
    let text = isSame || dice.chance(0.5) ? value : other
    if (!isSame) text = dice.pick(seenChanges)(text)
    for (let left = dice.whole(0, 4); left > 0; left -= 1)
      text = dice.pick(unseenChanges)(text, dice)
    if (isSame) expected.push(rows.length)
    rows.push(`${idOf(rows.length)};"${text.replaceAll('"', '""')}"\n`)
  }
  const table = `id;state\n${rows.join('')}`
  const ids = await idsOf(table, { where: [`STATE=\u200b${value.toUpperCase()}`] })
  expect(ids).toEqual(expected.map(idOf))
  const others = await idsOf(table, { where: [`state!=${value}`] })
  expect(others.length).toBe(2_000 - expected.length)
})
