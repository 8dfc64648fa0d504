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

export class TableCopy {
  readonly #table: Table
  readonly #rows: readonly FoundRow[]
  readonly #options: CopyOptions
  /** The columns of the table that have any text and are not hidden. */
  readonly #columns: readonly number[]

  /** `rows` are all rows below the heading. Throws a usage error for JSON, and for a table that does not fit into a workbook. */
  constructor(table: Table, rows: readonly FoundRow[], options: CopyOptions) {
    const { source, headings } = table
    if (source.format.endsWith('json'))
      throw usageError(
        `${source.name} is JSON; only csv, workbooks and lists can be written again`,
      )
    this.#table = table
    this.#rows = rows.filter(({ row }) => row.isHidden !== true)
    this.#options = options
    const filled = new Set([...headings.keys()].filter((column) => headings[column] !== ''))
    for (const { row } of this.#rows)
      for (const [column, text] of Object.entries(row.cells)) {
        if (text !== '') filled.add(Number(column))
        if (options.isWorkbook) checkFit(text.length, filled.size + options.headings.length)
      }
    this.#columns = [...filled]
      .filter((column) => !table.isColumnHidden(column))
      .toSorted((one, other) => one - other)
  }

  /** Yields the file in chunks. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (this.#options.isWorkbook) {
      const originalAt = (row: Row, column: number) =>
        row.originalCell?.(column) ?? textAt(row, column)
      return yield* workbook(this.#cells(textsFor, originalAt))
    }
    const { delimiter, needsMark } = this.#table.source
    let text = needsMark ? '\ufeff' : ''
    for (const cells of this.#cells(textsFor, textAt)) {
      text += `${csvCells(cells, delimiter)}\n`
      if (text.length < chunkLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }

  /** Yields the heading and the rows. `cellAt` returns a cell of the table: a text, or in a workbook a number. */
  *#cells<C extends Cell>(
    textsFor: TextsFor,
    cellAt: (row: Row, column: number) => C,
  ): Generator<(C | string)[]> {
    const { headings, hasHeading, reader } = this.#table
    const own = this.#options.headings
    const places = this.#columns.map((column) => ({
      column,
      ownIndex: own.indexOf(headings[column] ?? ''),
    }))
    const isReplaced = (index: number) => places.some(({ ownIndex }) => ownIndex === index)
    const behind = [...own.keys()].filter((index) => !isReplaced(index))
    const joined = (
      cellOf: (column: number) => C | string,
      texts: ReturnType<TextsFor>,
    ): (C | string)[] => [
      ...places.map(({ column, ownIndex }) => texts[ownIndex] ?? cellOf(column)),
      ...behind.map((index) => texts[index] ?? ''),
    ]
    yield joined(
      (column) => (hasHeading ? (headings[column] ?? '') : String(column + 1)),
      own,
    )
    for (const found of this.#rows) {
      const { row } = found
      const cellOf = (column: number) => {
        // What was refused must not come back as an id, and what a merged range covers not at all.
        const isRefused =
          reader.idColumns.includes(column) && row.unfitReason?.(column) !== undefined
        return isRefused || row.isCovered?.(column) === true ? '' : cellAt(row, column)
      }
      const texts = textsFor(found).map((text) => text && safe(text))
      yield joined(cellOf, texts)
    }
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
