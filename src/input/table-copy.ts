/** A table that is given back as csv or as a new workbook: its columns as they were read, and those that svc adds. */
import { csvCells } from '../output/cells.ts'
import { safe } from '../safe-text.ts'
import { workbook, type Cell } from '../workbook/writer.ts'
import { textAt, type Row } from './rows.ts'
import type { FoundRow, Table } from './table.ts'

interface TableCopy {
  table: Table
  /** All rows below the heading. */
  rows: readonly FoundRow[]
  /**
   * The headings of the columns that svc adds, in their order. A column of the table with exactly such a heading is replaced in its
   * place; the others follow the table.
   */
  addedHeadings: readonly string[]
  /** Returns the texts of a row by these headings. Where there is none, the cell remains as it is. */
  addedTextsOf: (row: FoundRow) => Readonly<Record<string, string | undefined>>
  format: 'csv' | 'xlsx'
}

/** How many characters of csv are yielded at once. */
const chunkLength = 1 << 16

/** Yields the file of a copy in pieces. In a workbook, a number or a day keeps its format. */
export async function* copyTable(copy: TableCopy): AsyncGenerator<Buffer> {
  if (copy.format === 'xlsx') {
    const cellAt = (row: Row, column: number): Cell =>
      row.originals?.[column] ?? textAt(row, column)
    yield* workbook(linesOf(copy, cellAt))
    return
  }
  const { needsMark, source } = copy.table
  let text = needsMark ? '\ufeff' : ''
  for (const line of linesOf(copy, textAt)) {
    text += `${csvCells(line, source.delimiter)}\n`
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** Yields the heading and the rows. Hidden rows and columns, and columns without any text, are left out. */
function* linesOf<C>(
  { table, rows, addedHeadings, addedTextsOf }: TableCopy,
  cellAt: (row: Row, column: number) => C,
): Generator<(C | string)[]> {
  const { headings, heading } = table
  const shownRows = rows.filter(({ row }) => row.isHidden !== true)
  const columns = shownColumns(table, shownRows)
  const ownHeadings = columns.map((column) => headings[column] ?? '')
  const furtherHeadings = addedHeadings.filter((each) => !ownHeadings.includes(each))
  const numbers = columns.map((column) => `${column + 1}`)
  yield [...(heading === undefined ? numbers : ownHeadings), ...furtherHeadings]
  for (const found of shownRows) {
    const { row } = found
    const texts = addedTextsOf(found)
    const own = columns.map((column) => {
      const name = headings[column] ?? ''
      const added = addedHeadings.includes(name) ? texts[name] : undefined
      if (added !== undefined) return safe(added)
      // A decision that was refused must not come back as an id.
      const isRefused = name === 'contactId' && row.reasons?.[column] !== undefined
      return isRefused ? '' : cellAt(row, column)
    })
    yield [...own, ...furtherHeadings.map((name) => safe(texts[name] ?? ''))]
  }
}

/** Returns the columns that have any text and are not hidden, in their order. */
function shownColumns({ headings, source }: Table, rows: readonly FoundRow[]) {
  const filled = new Set<number>()
  for (const cells of [headings, ...rows.map(({ row }) => row.cells)])
    cells.forEach((text, column) => {
      if (text !== '') filled.add(column)
    })
  return [...filled]
    .filter((column) => source.isColumnHidden?.(column) !== true)
    .sort((one, other) => one - other)
}
