/** A table that is given back as csv or as a new workbook: its columns as they were read, and those that svc adds. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { workbook, type Cell } from '../workbook/writer.ts'
import { textAt, type Row } from './rows.ts'
import type { FoundRow, Table } from './table.ts'

/** Returns the texts of the added columns for a row; undefined for a cell that remains as it is. */
export type TextsFor = (found: FoundRow) => readonly (string | undefined)[]

/** How a table is given back. */
interface CopyOptions {
  /**
   * The headings of the columns that svc adds. A column of the table with exactly such a heading is replaced in its place; the
   * others follow the table.
   */
  headings: readonly string[]
  isWorkbook: boolean
}

/** How many characters of csv are yielded at once. */
const chunkLength = 1 << 16

/**
 * Begins a copy of a table. `all` are all rows below the heading. Returns a function that yields the file in chunks. Throws a usage
 * error for JSON.
 */
export function copyTable(
  { name, source, needsMark, headings, heading }: Table,
  all: readonly FoundRow[],
  { headings: added, isWorkbook }: CopyOptions,
) {
  if (source.format.endsWith('json'))
    throw usageError(`${name} is JSON; only csv, workbooks and lists can be written again`)
  const rows = all.filter(({ row }) => row.isHidden !== true)
  const columns = filledColumns([headings, ...rows.map(({ row }) => row.cells)]).filter(
    (column) => source.isColumnHidden?.(column) !== true,
  )
  const kept = columns.map((column) => headings[column] ?? '')
  const appended = added.filter((each) => !kept.includes(each))

  function cellOf(row: Row, column: number): Cell {
    // A decision that was refused must not come back as an id.
    if (headings[column] === 'contactId' && row.reasons?.[column] !== undefined) return ''
    return (isWorkbook ? row.originals?.[column] : undefined) ?? textAt(row, column)
  }

  /** Yields the heading and the rows. */
  function* lines(textsFor: TextsFor): Generator<Cell[]> {
    const numbers = columns.map((column) => `${column + 1}`)
    yield [...(heading === undefined ? numbers : kept), ...appended]
    for (const found of rows) {
      const texts = textsFor(found)
      const addedText = (each = '') => {
        const text = texts[added.indexOf(each)]
        return text && safe(text)
      }
      const own = columns.map(
        (column, at) => addedText(kept[at]) ?? cellOf(found.row, column),
      )
      yield [...own, ...appended.map((each) => addedText(each) ?? '')]
    }
  }

  return async function* bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (isWorkbook) return yield* workbook(lines(textsFor))
    let text = needsMark ? '\ufeff' : ''
    for (const line of lines(textsFor)) {
      const texts = line.map((cell) => (typeof cell === 'string' ? cell : ''))
      text += `${csvCells(texts, source.delimiter)}\n`
      if (text.length < chunkLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
}

/** Returns the columns that have any text, in their order. */
function filledColumns(lines: readonly (readonly string[])[]) {
  const filled = new Set<number>()
  for (const cells of lines)
    cells.forEach((text, column) => {
      if (text !== '') filled.add(column)
    })
  return [...filled].sort((one, other) => one - other)
}
