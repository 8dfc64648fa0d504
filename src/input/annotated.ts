/** A table that was read, with more columns behind its own, as csv or as a new workbook. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { limits, workbook } from '../workbook/writer.ts'
import { groupDigits, pluralize } from '../words.ts'
import { isSameHeading } from './columns.ts'
import { textAt, type Finding, type OnRow, type Row, type Table } from './table.ts'

export interface Addition {
  /** The headings of the columns that are added. They replace the columns of an earlier annotation. */
  headings: readonly string[]
  /** The heading of the column that is read, for a table without one. */
  idHeading: string
  /** Finds the columns to replace, unless they are the last ones of all `headings`. */
  findEarlier?: (cells: readonly string[]) => readonly number[]
}

/** The texts to add to a row below the heading; undefined to leave it as it is. */
export type TextsFor = (row: Row, finding: Finding) => readonly string[] | undefined

/** How many characters of csv are passed on at once. */
const pieceLength = 1 << 16

/** A table to be written to `path` with more cells in its rows. */
export class AnnotatedTable {
  readonly path: string
  readonly #isWorkbook: boolean
  readonly #addition: Addition
  #table: Table | undefined
  readonly #rows: { row: Row; finding: Finding }[] = []
  #hidden = 0
  /** The columns that have any text. */
  readonly #used = new Set<number>()

  constructor(path: string, addition: Addition) {
    this.path = path
    this.#isWorkbook = /\.xlsx$/i.test(path)
    this.#addition = addition
  }

  /** Takes the next row as it was read. A property, because it is passed to readers of inputs. Throws exit 2. */
  readonly take: OnRow = (row, finding, table) => {
    if (table.format.endsWith('json'))
      throw usageError(
        `--annotate adds columns to csv, workbooks and plain lists, but ${table.name} is JSON`,
        'for the outcome of each id as JSON lines: --receipts <file>.ndjson',
      )
    const { kind } = finding
    if (this.#table === undefined && kind !== 'no-data') {
      this.#table = table
      // A table without a heading gets one, so that what is added has a name, and the ids are found by theirs.
      const [column = 0] = table.columns ?? []
      const cells = [...Array.from({ length: column }, () => ''), this.#addition.idHeading]
      if (kind !== 'heading')
        this.#rows.push({ row: { line: 0, cells }, finding: { kind: 'heading' } })
    }
    // A row that nobody saw would come back as shown.
    if (row.isHidden === true) this.#hidden += 1
    else this.#rows.push({ row, finding })
    // Without holes: a row of a sheet can have thousands of them before its last cell.
    for (const [column, cell] of Object.entries(row.cells)) {
      if (cell !== '') this.#used.add(Number(column))
      if (this.#isWorkbook) this.#checkFit(cell)
    }
  }

  /** Throws exit 2 if the table does not fit into a workbook. */
  #checkFit(cell: string) {
    const columns = this.#used.size + this.#addition.headings.length
    if (columns <= limits.columns && cell.length <= limits.cell) return
    throw usageError(
      `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** Words that follow its name once it is written. */
  get note() {
    return this.#hidden === 0 ? '' : `; without ${pluralize(this.#hidden, 'hidden row')}`
  }

  /** The file, piece by piece. `textsFor`: the texts to add to a row, once its outcome is known. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (this.#isWorkbook) {
      // The content of a cell as a sheet shows it.
      const valueAt = (row: Row, column: number) =>
        row.value?.(column) ?? textAt(row, column)
      return yield* workbook(this.#rowsWith(textsFor, valueAt))
    }
    const { delimiter, needsMark = false } = this.#table ?? {}
    let text = needsMark ? '\ufeff' : ''
    for (const cells of this.#rowsWith(textsFor, textAt)) {
      text += `${csvCells(cells, delimiter)}\n`
      if (text.length < pieceLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }

  /** `at`: the cell of a row in a column. */
  *#rowsWith<C>(
    textsFor: TextsFor,
    at: (row: Row, column: number) => C | string,
  ): Generator<(C | string)[]> {
    const { headings, findEarlier = annotatedPlaces } = this.#addition
    const earlier = findEarlier(this.#table?.headings ?? [], headings)
    const columns = [...this.#used]
      .filter((column) => !earlier.includes(column))
      .toSorted((one, other) => one - other)
    for (const { row, finding } of this.#rows) {
      const texts = finding.kind === 'heading' ? headings : textsFor(row, finding)
      const cells = columns.map((column) => at(row, column))
      if (texts === undefined) yield [...row.cells]
      else yield [...cells, ...texts.map((text) => safe(text))]
    }
  }
}

/** The last columns with these headings, if all of them are there. */
function annotatedPlaces(cells: readonly string[], headings: readonly string[]) {
  const places = headings.map((heading) =>
    cells.findLastIndex((cell) => isSameHeading(cell, heading)),
  )
  return places.includes(-1) ? [] : places
}
