/** Csv by chance: what is read of it, compared with a simple reader of one character after the other. */
import { expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { Dice } from '../support/dice.ts'
import type { SvcError } from '../../src/errors.ts'
import { idOf, read } from '../support/inputs.ts'

interface ReadRow {
  line: number
  cells: string[]
}

/** The rows of csv; undefined where a quote is wrong. */
function rowsOf(text: string, delimiter: string): ReadRow[] | undefined {
  const rows: ReadRow[] = []
  let row: ReadRow = { line: 1, cells: [] }
  let line = 1
  let cell = ''
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  for (const letter of text.endsWith('\n') ? text : `${text}\n`) {
    if (state === 'quoted') {
      if (letter === '\n') line += 1
      if (letter === '"') state = 'closed'
      else cell += letter
      continue
    }
    if (letter === '"') {
      if (state === 'plain') return undefined
      if (state === 'closed') cell += letter
      state = 'quoted'
      continue
    }
    if (letter === delimiter || letter === '\n') {
      row.cells.push(cell)
      cell = ''
      state = 'start'
      if (letter === delimiter) continue
      rows.push(row)
      line += 1
      row = { line, cells: [] }
      continue
    }
    if (state === 'closed') return undefined
    cell += letter
    state = 'plain'
  }
  return state === 'quoted' || state === 'closed' ? undefined : rows
}

const separators = [',', ';', '\t', '|']

/** The ids below the heading `id` with their lines, by the only separator with that heading; undefined if the file is refused. */
function expected(text: string) {
  const headingBy = (separator: string) => {
    // The heading ends where no quote is open.
    const lines = text.split('\n')
    for (let count = 1; count <= lines.length; count += 1) {
      const [row] = rowsOf(`${lines.slice(0, count).join('\n')}\n`, separator) ?? []
      if (row !== undefined) return row.cells.map((cell) => cell.trim())
    }
    return []
  }
  const fitting = separators.filter(
    (each) => headingBy(each).length > 1 && headingBy(each).includes('id'),
  )
  if (fitting.length !== 1) return undefined
  const [heading, ...rows] = rowsOf(text, fitting[0] ?? '') ?? []
  if (heading === undefined) return undefined
  const names = heading.cells.map((cell) => cell.trim())
  const column = names.indexOf('id')
  if (names.lastIndexOf('id') !== column) return undefined
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const found: [string, number][] = []
  for (const { line, cells } of filled) {
    const isLong = cells.slice(names.length).some((cell) => cell.trim() !== '')
    const isCut =
      line === filled.at(-1)?.line && !text.endsWith('\n') && cells.length < names.length
    const hasSwallowed = cells.some(
      (cell) =>
        cell.includes('\n') && (cell.match(/[0-9a-f]+/g) ?? []).some(({ length }) => length === 24),
    )
    const isComment = cells[0]?.trim().startsWith('#') === true
    if (isLong || isCut || hasSwallowed || isComment || cells.length <= column) return undefined
    const id = cells[column]?.trim() ?? ''
    if (['', '-'].includes(id)) continue
    if (!/^[0-9a-f]{24}$/.test(id)) return undefined
    if (!found.some(([each]) => each === id)) found.push([id, line])
  }
  // A table of which no row has an id is refused.
  return found.length === 0 && filled.length > 0 ? undefined : found
}

/** Headings in ten languages. */
const words =
  '"" Nom Téléphone Straße Teléfono Nome Ονομα Имя 名前 이름 Ímeno Adı कॉल שם "Note, old" "a;b" "x|y" "two\nlines"'
    .match(/"[^"]*"|\S+/g)
    ?.map(String) ?? []

/** A csv with rows of ids, some of them in quotes. A broken one may have wrong quotes, cells, ids and headings. */
function csvOf(dice: Dice, isBroken: boolean) {
  const delimiter = dice.pick(separators)
  const isWrong = () => isBroken && dice.isLucky(0.12)
  const cell = () => {
    if (dice.isLucky(0.6))
      return dice.pick(['x', '', ' ', 'a b', isWrong() ? '#' : 'n', "'", '٣', 'é', 'ü'])
    const inside = dice.pick([
      ...[`a${delimiter}b`, 'two\nlines', 'a ""b""', '', '\n\n', `x\n${idOf(3).slice(2)}`],
      ...(isBroken ? [`x\n${idOf(3)}`, `${idOf(3)},\ny`, `x\ny ${idOf(3)}z`] : []),
    ])
    if (isWrong()) return dice.pick([`"${inside}`, `${inside}"x`, `"x"${inside}`])
    return `"${inside}"`
  }
  const width = 2 + dice.below(3)
  const idColumn = dice.below(width)
  const rowOf = (id: string, other: () => string) =>
    Array.from({ length: width }, (_, column) => (column === idColumn ? id : other())).join(
      delimiter,
    )
  const lineOf = () => {
    const id = idOf(dice.below(9))
    const usual = rowOf(dice.pick([id, id, id, `"${id}"`, dice.pick(['-', ' ', id])]), cell)
    if (!isWrong()) return usual + (dice.isLucky(0.1) ? delimiter : '')
    const nobody = rowOf('nobody', cell)
    const cells = [`${usual}${delimiter}y`, id, '', usual.slice(0, -1), usual.split(delimiter)[0]]
    return dice.pick([...cells, nobody, `"\n${id}"`, `${id}"`]) ?? ''
  }
  const heading = () =>
    isWrong() ? dice.pick(['id', 'a,id', '"id;id"', 'x|id|y']) : dice.pick(words)
  const lines = Array.from({ length: 1 + dice.below(6) }, lineOf)
  const id = dice.pick(['id', '"id"', ' id '])
  return [rowOf(id, heading), ...lines].join('\n') + dice.pick(['\n', '\n', '', '\n\n'])
}

/** The bytes of a text in an encoding that has all of its letters. */
function bytesOf(text: string, dice: Dice) {
  const isLatin = /^[\0-\x7f\xa0-\xff]*$/.test(text) && /[\xa0-\xff]/.test(text)
  const mark = dice.pick(['', '\ufeff'])
  if (isLatin && dice.isLucky(0.5)) return Buffer.from(text, 'latin1')
  return dice.isLucky(0.2) ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(mark + text)
}

test('a csv is read or refused like one that is read character by character', async () => {
  let refused = 0
  const count = amount(300)
  for (let seed = 1; seed <= count; seed += 1) {
    const dice = new Dice(seed)
    const text = csvOf(dice, seed % 2 === 0)
    const wanted = expected(text)
    if (wanted === undefined) refused += 1
    const content = dice.isLucky(0.3) ? text.replaceAll('\n', '\r\n') : text
    const outcome = read(bytesOf(content, dice)).then(({ items }) =>
      items.map(({ id, line }) => [id, line]),
    )
    const seen = await outcome.catch((error: SvcError) => error.exitCode)
    expect([seed, text, seen]).toEqual([seed, text, wanted ?? 2])
  }
  // Neither kind is rare.
  expect(refused).toBeGreaterThan(count / 10)
  expect(refused).toBeLessThan(count / 1.5)
})
