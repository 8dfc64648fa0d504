/** Copies a table to csv or to a new workbook, and adds columns after its own. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, pluralize } from '../words.ts'
import { limits, workbook } from '../workbook/writer.ts'
import { isSameHeading } from './columns.ts'
import { noLine, textAt, type Finding, type OnRow, type Row, type Table } from './table.ts'

/** The columns that a copy adds. */
export interface Addition {
  headings: readonly string[]
  /** The heading above the ids, if the copied table has no heading. */
  idHeading: string
  /** If the table is itself a copy: returns its added columns, which are left out. By default, the last with the added headings. */
  findReplacedColumns?: (tableHeadings: readonly string[]) => readonly number[]
}

/** Returns the texts to add to a row below the heading; undefined for a comment or a blank line, which is copied as it is. */
export type TextsFor = (row: Row, finding: Finding) => readonly string[] | undefined

/** How many characters of csv are yielded at once. */
const chunkLength = 1 << 16

/** Takes the rows of a table as they are read, and yields their copy once the texts to add are known. */
export class AnnotatedTable {
  readonly path: string
  readonly #isWorkbook: boolean
  readonly #addition: Addition
  /** The table that is copied; undefined before its first row that is no comment or blank line. */
  #table: Table | undefined
  readonly #rows: { row: Row; finding: Finding }[] = []
  #hiddenRows = 0
  /** The columns that have any text. */
  readonly #filledColumns = new Set<number>()

  constructor(path: string, addition: Addition) {
    this.path = path
    this.#isWorkbook = /\.xlsx$/i.test(path)
    this.#addition = addition
  }

  /** Takes the next row as it was read. Throws a usage error for JSON, and for a table that does not fit into a workbook. */
  readonly take: OnRow = (row, finding, table) => {
    if (this.#table === undefined && finding.kind !== 'no-data') this.#start(table, finding)
    // The copy would show hidden rows, so they are left out.
    if (row.isHidden === true) this.#hiddenRows += 1
    else this.#rows.push({ row, finding })
    // Object.entries skips holes. A row of a sheet can have thousands of them before its last cell.
    for (const [column, cell] of Object.entries(row.cells)) {
      const isShown = cell !== '' && row.isColumnHidden?.(Number(column)) !== true
      if (isShown) this.#filledColumns.add(Number(column))
      if (this.#isWorkbook) this.#checkFit(cell)
    }
  }

  /**
   * Begins the copy. Adds a heading to a table without one, so that the added columns have names, and so that svc finds the ids
   * in the copy.
   */
  #start(table: Table, { kind }: Finding) {
    if (table.format.endsWith('json'))
      throw usageError(
        `--annotate adds columns to csv, workbooks and plain lists, but ${table.name} is JSON`,
        'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
      )
    this.#table = table
    if (kind === 'heading') return
    const [idColumn = 0] = table.columns ?? []
    const cells = Array<string>(idColumn).fill('').concat(this.#addition.idHeading)
    this.#rows.push({ row: { line: noLine, cells }, finding: { kind: 'heading' } })
  }

  /** Throws a usage error if the columns so far are too many for a workbook, or a cell is too long. */
  #checkFit(cell: string) {
    const columns = this.#filledColumns.size + this.#addition.headings.length
    if (columns <= limits.columns && cell.length <= limits.cell) return
    throw usageError(
      `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** The end of a note about the file: how many rows are missing. Empty if none are. */
  get noteSuffix() {
    if (this.#hiddenRows === 0) return ''
    return `; without ${pluralize(this.#hiddenRows, 'hidden row')}`
  }

  /** Yields the file in chunks. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (this.#isWorkbook) {
      const originalAt = (row: Row, column: number) =>
        row.originalCell?.(column) ?? textAt(row, column)
      return yield* workbook(this.#rowsWith(textsFor, originalAt))
    }
    const { delimiter, needsMark = false } = this.#table ?? {}
    let text = needsMark ? '\ufeff' : ''
    for (const cells of this.#rowsWith(textsFor, textAt)) {
      text += `${csvCells(cells, delimiter)}\n`
      if (text.length < chunkLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }

  /** Yields the cells of each row, and its added texts. `cellAt` returns a cell for the copy: a text, or in a workbook a number. */
  *#rowsWith<C>(
    textsFor: TextsFor,
    cellAt: (row: Row, column: number) => C,
  ): Generator<(C | string)[]> {
    const { headings, findReplacedColumns } = this.#addition
    const tableHeadings = this.#table?.headings ?? []
    const replaced =
      findReplacedColumns?.(tableHeadings) ?? lastColumns(tableHeadings, headings)
    const columns = [...this.#filledColumns]
      .filter((column) => !replaced.includes(column))
      .toSorted((one, other) => one - other)
    for (const { row, finding } of this.#rows) {
      const texts = finding.kind === 'heading' ? headings : textsFor(row, finding)
      if (texts === undefined) {
        yield [...row.cells]
        continue
      }
      // What was refused must not come back as an id, and what a merged range covers not at all.
      const idColumns = this.#table?.idColumns ?? []
      const cells = columns.map((column) => {
        const isId = idColumns.includes(column)
        const isRefused = isId && row.unfitReason?.(column) !== undefined
        return isRefused || row.isCovered?.(column) === true ? '' : cellAt(row, column)
      })
      yield [...cells, ...texts.map((text) => safe(text))]
    }
  }
}

/** Returns the last column with each of the wanted headings. If one is missing, returns no columns. */
function lastColumns(headings: readonly string[], wanted: readonly string[]) {
  const columns = wanted.map((name) =>
    headings.findLastIndex((heading) => isSameHeading(heading, name)),
  )
  return columns.includes(-1) ? [] : columns
}
