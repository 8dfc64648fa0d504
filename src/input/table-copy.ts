/** A table that is given back as csv or as a new workbook: its columns as they were read, and those that svc adds. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { limits, workbook, type Cell } from '../workbook/writer.ts'
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
 * error for JSON, and for a table that does not fit into a workbook.
 */
export function copyTable(
  table: Table,
  all: readonly FoundRow[],
  { headings: added, isWorkbook }: CopyOptions,
) {
  const { name, source, headings, hasHeading } = table
  if (source.format.endsWith('json'))
    throw usageError(`${name} is JSON; only csv, workbooks and lists can be written again`)
  const rows = all.filter(({ row }) => row.isHidden !== true)
  const lines = [headings, ...rows.map(({ row }) => row.cells)]
  const filled = filledColumns(lines)
  if (isWorkbook) checkRoom(lines, filled.length + added.length)
  const columns = filled.filter((column) => !table.isColumnHidden(column))
  const keptHeadings = columns.map((column) => headings[column] ?? '')
  const appended = added.filter((heading) => !keptHeadings.includes(heading))

  /** Returns the cell of a row: a text, or in a workbook a number. */
  function cellOf(row: Row, column: number): Cell {
    // A decision that was refused must not come back as an id.
    const isRefused =
      headings[column] === 'contactId' && row.unfitReason?.(column) !== undefined
    const text = isRefused ? '' : textAt(row, column)
    return isWorkbook && !isRefused ? (row.originalCell?.(column) ?? text) : text
  }

  /** Yields the heading and the rows. */
  function* cells(textsFor: TextsFor): Generator<Cell[]> {
    yield [
      ...columns.map((column, at) =>
        hasHeading ? (keptHeadings[at] ?? '') : `${column + 1}`,
      ),
      ...appended,
    ]
    for (const found of rows) {
      const texts = textsFor(found)
      const addedCell = (heading = '') => {
        const text = texts[added.indexOf(heading)]
        return text && safe(text)
      }
      yield [
        ...columns.map(
          (column, at) => addedCell(keptHeadings[at]) ?? cellOf(found.row, column),
        ),
        ...appended.map((heading) => addedCell(heading) ?? ''),
      ]
    }
  }

  return async function* bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (isWorkbook) return yield* workbook(cells(textsFor))
    let text = source.needsMark ? '\ufeff' : ''
    for (const row of cells(textsFor)) {
      const texts = row.map((cell) => (typeof cell === 'string' ? cell : ''))
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

/** Throws a usage error if a workbook cannot have so many columns, or one of the texts. */
function checkRoom(lines: readonly (readonly string[])[], columnCount: number) {
  const isTooLong = (text: string) => text.length > limits.cell
  if (columnCount <= limits.columns && !lines.some((cells) => cells.some(isTooLong))) return
  throw usageError(
    `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
    'write a csv file instead',
  )
}
