/** A table that is given back as csv or as a new workbook: its own columns, as they were read, and columns of svc. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { limits, workbook, type Cell } from '../workbook/writer.ts'
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
 * Begins a copy of a table. `all` are all rows below the heading. Returns a function that yields the file in chunks. Throws a usage
 * error for JSON, and for a table that does not fit into a workbook.
 */
export function copyTable(
  table: Table,
  all: readonly FoundRow[],
  { headings: own, isWorkbook }: CopyOptions,
) {
  const { name, source, headings, hasHeading } = table
  if (source.format.endsWith('json'))
    throw usageError(`${name} is JSON; only csv, workbooks and lists can be written again`)
  const rows = all.filter(({ row }) => row.isHidden !== true)
  const columns = filledColumns(table, rows, isWorkbook ? own.length : undefined)
  const kept = columns.map((column) => headings[column] ?? '')
  const behind = own.filter((heading) => !kept.includes(heading))

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
      ...columns.map((column, at) => (hasHeading ? (kept[at] ?? '') : `${column + 1}`)),
      ...behind,
    ]
    for (const found of rows) {
      const texts = textsFor(found)
      const ownCell = (heading = '') => {
        const text = texts[own.indexOf(heading)]
        return text && safe(text)
      }
      yield [
        ...columns.map((column, at) => ownCell(kept[at]) ?? cellOf(found.row, column)),
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

/**
 * Returns the columns that have any text and are not hidden. Throws a usage error if a workbook cannot have them and so many columns
 * `behind` them.
 */
function filledColumns(
  table: Table,
  rows: readonly FoundRow[],
  behind: number | undefined,
) {
  const filled = new Set<number>()
  let longest = 0
  for (const cells of [table.headings, ...rows.map(({ row }) => row.cells)])
    cells.forEach((text, column) => {
      if (text !== '') filled.add(column)
      longest = Math.max(longest, text.length)
    })
  const hasRoom = longest <= limits.cell && filled.size + (behind ?? 0) <= limits.columns
  if (behind === undefined || hasRoom)
    return [...filled]
      .filter((column) => !table.isColumnHidden(column))
      .sort((one, other) => one - other)
  throw usageError(
    `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
    'write a csv file instead',
  )
}
