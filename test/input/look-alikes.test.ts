/** Cells that look alike, made at random of kinds of differences: `--where` takes two for the same when a person sees no difference. */
import { expect, test } from 'vitest'
import { readIds } from '../../src/input/reader.ts'
import { fold } from '../../src/words.ts'
import { Dice } from '../simulator/dice.ts'
import { idOf, stdin } from './inputs.ts'
import { reading } from './texts.ts'

type Change = (text: string, dice: Dice) => string

/** Puts something somewhere into a text. */
const insert =
  (...pieces: readonly string[]): Change =>
  (text, dice) => {
    const at = dice.whole(0, Array.from(text).length)
    const characters = Array.from(text)
    return [...characters.slice(0, at), dice.pick(pieces), ...characters.slice(at)].join('')
  }

/** Puts something between two words, in place of the space. */
const between =
  (...pieces: readonly string[]): Change =>
  (text, dice) =>
    text.replace(' ', dice.pick(pieces))

const around =
  (...pieces: readonly string[]): Change =>
  (text, dice) =>
    dice.pick(pieces) + text + dice.pick(pieces)

/** Changes one letter, if the text has it. */
const letter =
  (from: string, to: string): Change =>
  (text) =>
    text.replace(from, to)

/** Differences that a person does not see, or only as letter case or white space. */
const unseen: Readonly<Record<string, Change>> = {
  nothing: (text) => text,
  'letter case': (text, dice) => (dice.chance(0.5) ? text.toUpperCase() : text.toLowerCase()),
  'zero width': insert('\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'),
  'marks of direction': insert(
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202c',
    '\u2066',
    '\u2069',
    '\u061c',
  ),
  'soft hyphens': insert('\u00ad'),
  'variation selectors': insert('\ufe00', '\ufe0e', '\ufe0f', '\u{e0100}'),
  'joiners and fillers': insert('\u034f', '\u115f', '\u1160', '\u3164', '\uffa0', '\u180e'),
  'tag characters': insert('\u{e0020}', '\u{e007f}'),
  'other blanks': between('\u00a0', '\u2009', '\u202f', '\u3000', '\u2007', '\u1680', '\u2800'),
  'several blanks': between('  ', ' \t', '\t', '\n', '\r\n', '\u2028', '\u0085', ' \u200b '),
  'outer blanks': around(' ', '\u00a0', '\t', '\u2003', ''),
  'composed letters': (text) => text.normalize('NFC'),
  'letters and accents': (text) => text.normalize('NFD'),
  'full width': (text) =>
    text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ligatures: letter('fi', '\ufb01'),
  'sharp s': letter('ß', 'SS'),
}

/** Differences that a person sees. */
const seen: Readonly<Record<string, Change>> = {
  'another letter': insert('x', 'é', '0'),
  'a sign': insert('!', '.', '"', "'", '_'),
  'a dash': insert('-', '–', '\u2011'),
  'an accent': insert('\u0301', '\u0308'),
  'no space': (text) => text.replace(' ', ''),
  'Cyrillic letters': (text) => text.replace(/e/, 'е').replace(/o/, 'о'),
  'a word more': (text) => `${text} not`,
  'an emoji': insert('😀'),
}

const words = [
  'keep',
  'do not delete',
  'gérer',
  'Straße 5',
  'profil à garder',
  'ok office',
  'Ωμέγα nein',
]

/** Csv with every cell in quotes. */
const rowOf = (...cells: readonly string[]): string =>
  `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`

async function isTaken(cell: string, where: string): Promise<boolean> {
  const input = stdin(rowOf('id', 'status') + rowOf(idOf(1), cell))
  const how = { format: 'auto', skipInvalid: false, allowEmpty: true, where: [where] } as const
  return (await readIds([input], how)).ids.size === 1
}

test('2,000 pairs of look-alikes', async () => {
  const dice = new Dice(2_000)
  for (let pair = 0; pair < 2_000; pair += 1) {
    const isSame = dice.chance(0.6)
    const word = dice.pick(words)
    const kind = dice.pick(Object.keys(isSame ? unseen : seen))
    const also = dice.pick(Object.keys(unseen))
    const changed = (isSame ? unseen : seen)[kind]?.(word, dice) ?? ''
    const other = unseen[also]?.(changed, dice) ?? ''
    // A letter that the word does not have is no difference.
    const isAlike = isSame || changed === word
    const [cell, value] = dice.chance(0.5) ? [word, other] : [other, word]
    const taken = [
      await isTaken(cell, `status=${value}`),
      await isTaken(cell, `status!=${value}`),
      await isTaken(cell, `ＳＴＡＴＵＳ = ${value}`),
    ]
    expect([kind, also, cell, value, taken]).toEqual([
      ...[kind, also, cell, value],
      [isAlike, !isAlike, isAlike],
    ])
  }
})

test.each([
  ['a heading', 'na\u200bme,\u00a0ID\u2060\nx,@a\n', 'a2', {}],
  ['a column that is named', 'x,Kunden\u00a0 Nr\n@a,@b\n', 'b2', { column: 'kunden nr' }],
  [
    'MATCH',
    'contactId,MATCH,BY\n@a,ｏｎｅ\u200b,phone\n@b,n\u00adone,\n',
    'a2 | 1 left out | 1 notes',
    {},
  ],
  [
    'DECISION',
    'source,target,DE\u00adCISION\n@a,@b,mer\u200bge\n',
    'a>b2',
    {
      columns: ['source', 'target'],
      where: ['DECISION=merge'],
    },
  ],
] as const)('%s is compared as it is seen', async (_, text, expected, options) => {
  expect(await reading(text, options)).toBe(expected)
})

test('the form of a text is its own form', () => {
  const dice = new Dice(1)
  for (let n = 0; n < 2_000; n += 1) {
    const text = Array.from({ length: 8 }, () => String.fromCodePoint(dice.whole(1, 0xd7ff))).join(
      '',
    )
    expect(fold(fold(text))).toBe(fold(text))
  }
})
