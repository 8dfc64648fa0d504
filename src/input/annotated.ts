/** Writes a table again, with columns added after its own, as csv or as a new workbook. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, pluralize } from '../words.ts'
import { limits, workbook } from '../workbook/writer.ts'
import { isSameHeading } from './columns.ts'
import { noLine, textAt, type Finding, type OnRow, type Row, type Table } from './table.ts'

/** The columns that are added. */
export interface Addition {
  headings: readonly string[]
  /** The heading that the column of ids gets in a table without a heading. */
  idHeading: string
  /** Returns the columns that the added ones replace. Without it, they are those with the same headings. */
  findReplacedColumns?: (tableHeadings: readonly string[]) => readonly number[]
}

/** Returns the texts to add to a row below the heading; undefined to leave the row as it is. */
export type TextsFor = (row: Row, finding: Finding) => readonly string[] | undefined

/** Characters of csv that are passed on at once. */
const chunkLength = 1 << 16

/** Keeps the rows of a table until their texts are known, and then writes them to `path`. */
export class AnnotatedTable {
  readonly path: string
  readonly #isWorkbook: boolean
  readonly #addition: Addition
  /** The table that is copied; undefined until its first row. */
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
    // Hidden rows are left out, because the copy would show them.
    if (row.isHidden === true) this.#hiddenRows += 1
    else this.#rows.push({ row, finding })
    // Object.entries skips holes. A row of a sheet can have thousands of them before its last cell.
    for (const [column, cell] of Object.entries(row.cells)) {
      if (cell !== '') this.#filledColumns.add(Number(column))
      if (this.#isWorkbook) this.#checkFit(cell)
    }
  }

  /** Begins the copy. A table without a heading gets one: the added columns need names, and its ids must be found in the copy. */
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

  /** Throws a usage error for too many columns so far, and for a cell that is too long. */
  #checkFit(cell: string) {
    const columns = this.#filledColumns.size + this.#addition.headings.length
    if (columns <= limits.columns && cell.length <= limits.cell) return
    throw usageError(
      `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** The words that follow the file's name in a note; empty if no row is missing. */
  get noteSuffix() {
    return this.#hiddenRows === 0
      ? ''
      : `; without ${pluralize(this.#hiddenRows, 'hidden row')}`
  }

  /** Yields the file in chunks. Asks `textsFor` for the texts to add to each row. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (this.#isWorkbook) {
      const valueAt = (row: Row, column: number) =>
        row.value?.(column) ?? textAt(row, column)
      return yield* workbook(this.#rowsWith(textsFor, valueAt))
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

  /** Yields the cells of each row with its added texts. `cellAt` returns a cell as the format writes it. */
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
      const cells = columns.map((column) => cellAt(row, column))
      yield [...cells, ...texts.map((text) => safe(text))]
    }
  }
}

/** Returns the last column with each of the wanted headings; none unless all of them are there. */
function lastColumns(headings: readonly string[], wanted: readonly string[]) {
  const columns = wanted.map((name) =>
    headings.findLastIndex((heading) => isSameHeading(heading, name)),
  )
  return columns.includes(-1) ? [] : columns
}
