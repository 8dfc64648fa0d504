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

test('is read or refused as character by character', async () => {
  let refused = 0
  const count = amount(200)
  for (let seed = 1; seed <= count; seed += 1) {
    const { random } = new Dice(seed)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    const delimiter = pick([',', ';', '\t', '|'])
    const isBroken = seed % 2 === 0
    const cell = () => {
      const plain = pick(['x', '', ' ', 'a b', '#', "'", '٣', 'é'])
      if (random() < 0.6) return plain
      const inside = pick([
        `a${delimiter}b`,
        'two\nlines',
        'a ""b""',
        '',
        `x\n${idOf(3).slice(2)}`,
        '\n\n',
      ])
      return isBroken && random() < 0.15
        ? pick([`"${inside}`, `${inside}"x`, `"x"${inside}`])
        : `"${inside}"`
    }
    const width = 2 + Math.floor(random() * 3)
    const idColumn = Math.floor(random() * width)
    const rowOf = (id: string) =>
      Array.from({ length: width }, (_, column) => (column === idColumn ? id : cell())).join(
        delimiter,
      )
    const lines = [
      Array.from({ length: width }, (_, column) =>
        column === idColumn ? 'id' : `h${column}`,
      ).join(delimiter),
    ]
    for (let row = 0; row < 1 + random() * 6; row += 1) {
      const id = idOf(Math.floor(random() * 9))
      const usual = rowOf(random() < 0.8 ? id : `"${id}"`)
      const odd = [
        `${usual}${delimiter}`,
        id,
        '',
        usual.slice(0, -1),
        rowOf('nobody'),
        `"\n${id}"`,
        `${id}"`,
      ]
      lines.push(isBroken && random() < 0.15 ? pick(odd) : usual)
    }
    const text = lines.join('\n') + pick(['\n', '', '\n\n'])
    const wanted = expected(text, delimiter)
    const content = random() < 0.3 ? text.replaceAll('\n', '\r\n') : text
    if (wanted === undefined) refused += 1
    const found = await read(content)
      .then(({ items }) => items.map(({ id, line }) => [id, line]))
      .catch((error: unknown) => refusal(Promise.reject(error as Error)))
    const seen = Array.isArray(found) ? found : found.exitCode
    expect([seed, seen]).toEqual([seed, wanted ?? 2])
  }
  expect([refused > count / 10, refused < count / 1.5]).toEqual([true, true])
})
