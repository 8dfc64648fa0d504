/** Csv as three kinds of programs write it, with quotes that are broken at random: no row is lost in a cell of another. */
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { Dice } from '../dice.ts'
import { idOf, idsOf } from './inputs.ts'

/** How a program writes the cells of a table. */
interface Writer {
  readonly delimiter: string
  readonly lineEnd: string
  readonly cell: (text: string) => string
}

const doubled = (text: string): string => `"${text.replaceAll('"', '""')}"`
const writers: Readonly<Record<string, Writer>> = {
  spreadsheet: {
    delimiter: ';',
    lineEnd: '\r\n',
    cell: (text) => (/[;"\n]/.test(text) ? doubled(text) : text),
  },
  database: { delimiter: ',', lineEnd: '\n', cell: doubled },
  // Quotes what has a delimiter, and does not know that quotes are doubled.
  script: {
    delimiter: ',',
    lineEnd: '\n',
    cell: (text) => (text.includes(',') ? `"${text}"` : text),
  },
}

const texts = [
  'Ann',
  '',
  'Smith, Bob',
  'MEGA & C .',
  '5" pipe',
  '12, Main St\nBerlin',
  'call; then mail\nthanks',
  'the "old" one',
  `see ${idOf(9_999)}`,
  '"',
  'a,b;c',
]

/** A table with its ids in one of its columns, and the ids. */
function tableOf(dice: Dice, { delimiter, lineEnd, cell }: Writer) {
  const width = dice.whole(2, 5)
  const place = dice.whole(0, width - 1)
  const headings = Array.from({ length: width }, (_, n) => (n === place ? 'id' : `text ${n}`))
  const ids = Array.from({ length: dice.whole(2, 12) }, (_, n) => idOf(n + 1))
  const rows = ids.map((id) => headings.map((_, n) => (n === place ? id : dice.pick(texts))))
  const lines = [headings, ...rows].map((cells) => cells.map(cell).join(delimiter) + lineEnd)
  return { ids, text: lines.join('') }
}

/** A quote is put in, taken out, or moved. */
function breakQuotes(dice: Dice, text: string): string {
  let broken = text
  for (let left = dice.whole(1, 3); left > 0; left -= 1) {
    const quotes = [...broken.matchAll(/"/g)].map(({ index }) => index)
    const edges = [...broken.matchAll(/[;,\n]/g)].map(({ index }) => index + 1)
    if (quotes.length > 0 && dice.chance(0.5)) {
      const at = dice.pick(quotes)
      broken = broken.slice(0, at) + broken.slice(at + 1)
    } else {
      const at = dice.chance(0.7) ? dice.pick(edges) : dice.whole(0, broken.length)
      broken = `${broken.slice(0, at)}"${broken.slice(at)}`
    }
  }
  return broken
}

/** The ids that are read, or undefined where the input is refused. */
async function idsIn(text: string, skipInvalid: boolean): Promise<string[] | undefined> {
  try {
    return await idsOf(text, { skipInvalid, allowEmpty: false })
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return undefined
    throw error
  }
}

test.each(Object.entries(writers))('500 tables of a %s with broken quotes', async (_, writer) => {
  let read = 0
  for (let seed = 1; seed <= 500; seed += 1) {
    const dice = new Dice(seed)
    const { ids, text } = tableOf(dice, writer)
    const broken = breakQuotes(dice, text)
    const found = await idsIn(broken, false)
    if (found === undefined) continue
    read += 1
    expect([seed, broken, found]).toEqual([seed, broken, ids])
  }
  // Some quotes are broken so that no row is lost.
  expect(read).toBeGreaterThan(0)
})

test('with --skip-invalid a broken row costs at most its own id', async () => {
  for (const writer of [writers['spreadsheet'], writers['database']]) {
    if (writer === undefined) throw new RangeError('no writer')
    for (let seed = 1; seed <= 200; seed += 1) {
      const dice = new Dice(seed)
      const { ids, text } = tableOf(dice, writer)
      const at = dice.whole(0, text.length)
      const broken = `${text.slice(0, at)}"${text.slice(at)}`
      const found = await idsIn(broken, true)
      if (found === undefined) continue
      const lost = ids.filter((id) => !found.includes(id))
      expect([seed, broken, lost.length <= 1]).toEqual([seed, broken, true])
    }
  }
})
