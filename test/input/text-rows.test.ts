/** Broken csv by chance: what is read of it, compared with a simple reader of one character after the other. */
import { expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { Dice } from '../support/dice.ts'
import { idOf, read, refusal } from '../support/inputs.ts'

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

/** The ids below the heading `id`, with their lines; undefined if the file is refused. */
function expected(text: string, delimiter: string) {
  const [heading, ...rows] = rowsOf(text, delimiter) ?? []
  if (heading === undefined) return undefined
  const width = heading.cells.length
  const column = heading.cells.indexOf('id')
  const found: [string, number][] = []
  for (const { line, cells } of rows) {
    if (cells.every((cell) => cell.trim() === '')) continue
    const id = (cells[column] ?? '').trim()
    const hasInnerId = cells.some((cell) => /\n\s*[0-9a-f]{24}(?![0-9a-z])/.test(cell))
    if (cells.length > width || hasInnerId || !/^[0-9a-f]{24}$/.test(id)) return undefined
    if (!found.some(([each]) => each === id)) found.push([id, line])
  }
  return found
}

/** A csv with rows of ids, some of them in quotes, and its delimiter. A broken one may have wrong quotes, cells and ids. */
function csvOf(dice: Dice, isBroken: boolean) {
  const delimiter = dice.pick([',', ';', '\t', '|'])
  const isWrong = () => isBroken && dice.isLucky(0.15)
  const cell = () => {
    if (dice.isLucky(0.6)) return dice.pick(['x', '', ' ', 'a b', '#', "'", '٣', 'é'])
    const idInside = `x\n${idOf(3).slice(2)}`
    const inside = dice.pick([`a${delimiter}b`, 'two\nlines', 'a ""b""', '', idInside, '\n\n'])
    if (isWrong()) return dice.pick([`"${inside}`, `${inside}"x`, `"x"${inside}`])
    return `"${inside}"`
  }
  const width = 2 + dice.below(3)
  const idColumn = dice.below(width)
  const rowOf = (id: string, other: (column: number) => string) =>
    Array.from({ length: width }, (_, column) => (column === idColumn ? id : other(column))).join(
      delimiter,
    )
  const lineOf = () => {
    const id = idOf(dice.below(9))
    const usual = rowOf(dice.isLucky(0.8) ? id : `"${id}"`, cell)
    if (!isWrong()) return usual
    const nobody = rowOf('nobody', cell)
    const cells = [`${usual}${delimiter}`, id, '', usual.slice(0, -1)]
    return dice.pick([...cells, nobody, `"\n${id}"`, `${id}"`])
  }
  const heading = rowOf('id', (column) => `h${column}`)
  const lines = Array.from({ length: 1 + dice.below(6) }, lineOf)
  return { delimiter, text: [heading, ...lines].join('\n') + dice.pick(['\n', '', '\n\n']) }
}

test('a csv is read or refused like one that is read character by character', async () => {
  let refused = 0
  const count = amount(200)
  for (let seed = 1; seed <= count; seed += 1) {
    const dice = new Dice(seed)
    const { text, delimiter } = csvOf(dice, seed % 2 === 0)
    const wanted = expected(text, delimiter)
    if (wanted === undefined) refused += 1
    const content = dice.isLucky(0.3) ? text.replaceAll('\n', '\r\n') : text
    const outcome = read(content).then(({ items }) => items.map(({ id, line }) => [id, line]))
    const exitCode = () => refusal(outcome).then((error) => error.exitCode)
    const seen = await (wanted === undefined ? exitCode() : outcome)
    expect([seed, seen]).toEqual([seed, wanted ?? 2])
  }
  // Neither kind is rare.
  expect(refused).toBeGreaterThan(count / 10)
  expect(refused).toBeLessThan(count / 1.5)
})
