/** A table that is given back as csv or as a new workbook: its own columns, as they were read, and columns of svc. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { limits, workbook, type Cell } from '../workbook/writer.ts'
import { findColumns } from './columns.ts'
import { textAt, type Row } from './rows.ts'
import type { FoundRow, Table } from './table.ts'

/** Returns the texts of svc's columns for a row; undefined for a cell that remains as it is. */
export type TextsFor = (found: FoundRow) => readonly (string | undefined)[]

/** How a table is given back. */
interface CopyOptions {
  /**
   * The headings of svc's columns. A column of the table with exactly such a heading is replaced in its place; the others stand
   * behind the table.
   */
  headings: readonly string[]
  isWorkbook: boolean
}

/** How many characters of csv are yielded at once. */
const chunkLength = 1 << 16

/**
 * Begins a copy of a table. `rows` are all rows below the heading. Returns a function that yields the file in chunks. Throws a usage
 * error for JSON, and for a table that does not fit into a workbook.
 */
export function copyTable(table: Table, rows: readonly FoundRow[], options: CopyOptions) {
  const { source, headings, hasHeading, reader } = table
  const { headings: own, isWorkbook } = options
  if (source.format.endsWith('json'))
    throw usageError(
      `${source.name} is JSON; only csv, workbooks and lists can be written again`,
    )
  const shownRows = rows.filter(({ row }) => row.isHidden !== true)
  /** The columns of the table that have any text and are not hidden. */
  const filled = new Set(findColumns(headings, (heading) => heading !== ''))
  for (const { row } of shownRows)
    for (const [column, text] of Object.entries(row.cells)) {
      if (text !== '') filled.add(Number(column))
      if (isWorkbook) checkFit(text.length, filled.size + own.length)
    }
  const columns = [...filled]
    .filter((column) => !table.isColumnHidden(column))
    .toSorted((one, other) => one - other)
  const headingOf = (column: number) =>
    hasHeading ? (headings[column] ?? '') : String(column + 1)
  const kept = columns.map((column) => headings[column])
  const behind = own.filter((heading) => !kept.includes(heading))

  /** Returns the cell of a row: a text, or in a workbook a number. */
  function cellOf(row: Row, column: number): Cell {
    // A cell that was refused must not come back as an id, and one that a merged range covers not at all.
    const isRefused =
      reader.idColumns.includes(column) && row.unfitReason?.(column) !== undefined
    if (isRefused || row.isCovered?.(column) === true) return ''
    const text = textAt(row, column)
    return isWorkbook ? (row.originalCell?.(column) ?? text) : text
  }

  /** Yields the heading and the rows. */
  function* cells(textsFor: TextsFor): Generator<Cell[]> {
    yield [...columns.map(headingOf), ...behind]
    for (const found of shownRows) {
      const texts = textsFor(found)
      const ownCell = (heading = '') => {
        const text = texts[own.indexOf(heading)]
        return text && safe(text)
      }
      yield [
        ...columns.map((column) => ownCell(headings[column]) ?? cellOf(found.row, column)),
        ...behind.map((heading) => ownCell(heading) ?? ''),
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

/** Throws a usage error if a workbook cannot have a cell of this length, or so many columns. */
function checkFit(length: number, columns: number) {
  if (length <= limits.cell && columns <= limits.columns) return
  throw usageError(
    `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
    'write a csv file instead',
  )
}
