/**
 * Rows of a table with more cells after them, as csv or as a new workbook. `contacts match` writes what it found with it,
 * and a run its outcomes.
 *
 * The rows are kept from the reading that found out what is in them, so that an input is read once.
 */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import type { Cell } from '../workbook/cells.ts'
import { safe } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { isSameHeading } from './columns.ts'
import { rowOf, textAt, type Row } from './row.ts'
import type { OnRow, Table } from './table.ts'

export function isWorkbook(path: string) {
  return /\.xlsx$/i.test(path)
}

export interface Addition {
  /** The headings of the columns that are added. They replace the columns of an earlier annotation. */
  headings: readonly string[]
  /** The headings of the columns that are read, for a table without one. */
  headingsOfRead: readonly string[]
}

/** The texts to add to a row below the heading; undefined to leave it as it is. */
export type TextsFor = (row: Row) => readonly string[] | undefined

/**
 * Places of the columns that an earlier annotation added. Its first three headings (or all, if there are fewer) must stand
 * side by side; the others count as far as they follow.
 */
export function earlierPlaces(
  cells: readonly string[],
  headings: readonly string[],
): number[] {
  const countFrom = (start: number) => {
    const end = headings.findIndex((heading, n) => {
      return !isSameHeading(cells[start + n] ?? '', heading)
    })
    return end < 0 ? headings.length : end
  }
  const least = Math.min(3, headings.length)
  const start = cells.findIndex((_, place) => countFrom(place) >= least)
  const count = start < 0 ? 0 : countFrom(start)
  return Array.from({ length: count }, (_, n) => start + n)
}

/** How many bytes of csv are passed on at once. */
const pieceLength = 1 << 16

/** A line of a list in quotes, which would be doubled in csv. */
const quotedLine = /^\s*"([^"]*)"\s*$/

/** A table to be written to `path` with more cells in its rows. */
export class AnnotatedTable {
  readonly path: string
  readonly #addition: Addition
  #table: Table | undefined
  readonly #rows: Row[] = []
  #hasHeading = false
  /** Places of the columns that an earlier annotation added. */
  #earlier: readonly number[] = []
  /** Places of the columns: in a sheet, of those that have any text. And the length of the longest cell. */
  readonly #used = new Set<number>()
  #longest = 0

  constructor(path: string, addition: Addition) {
    this.path = path
    this.#addition = addition
  }

  /** Takes the next row as it was read. A property, because it is passed to readers of inputs. */
  readonly take: OnRow = (row, table) => {
    this.#table = table
    const { cells, sheetRow } = row
    const { kind } = row.finding
    if (kind === 'heading') this.#takeHeading(row)
    else {
      const isFirst = kind !== 'no-data' && !this.#hasHeading
      if (isFirst) this.#takeHeading(this.#headingFor(table))
      this.#rows.push(row)
    }
    // Without the holes: a row of a sheet can have thousands of them before its last column.
    for (const [column, cell] of Object.entries(cells)) {
      const isHole = sheetRow !== undefined && cell === ''
      if (!isHole) this.#used.add(Number(column))
      this.#longest = Math.max(this.#longest, cell.length)
    }
  }

  get unit(): 'line' | 'row' {
    return this.#isSheet ? 'row' : 'line'
  }

  /** Words that follow its name once it is written. */
  get note() {
    const isCopy = this.#isSheet && isWorkbook(this.path)
    return isCopy ? '; it is a new workbook with the values of the table' : ''
  }

  /** Called when all rows are read. Throws exit 2 if the table does not fit into the file. */
  async checkFit(): Promise<void> {
    if (!isWorkbook(this.path)) return
    const { limits } = await import('../workbook/writer.ts')
    const columns = this.#columns.length + this.#addition.headings.length
    if (columns <= limits.columns && this.#longest <= limits.cell) return
    throw usageError(
      `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** The file, piece by piece. `textsFor`: the texts to add to a row, once its outcome is known. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (!isWorkbook(this.path)) return yield* this.#csv(textsFor)
    const { workbook } = await import('../workbook/writer.ts')
    const index = this.#rows.findIndex(({ finding }) => finding.kind === 'heading')
    // The rows of a sheet stay in their lines. A heading that svc adds has the line 0.
    const line = this.#isSheet ? (this.#rows[index]?.line ?? 0) : 0
    const heading = Math.max(line, index + 1)
    yield* workbook(this.#rowsWith(textsFor, valueAt), heading)
  }

  get #isSheet() {
    return this.#table?.form.format === 'xlsx'
  }

  /** Places of the input's own columns, in their order. */
  get #columns() {
    const columns = [...this.#used].filter((column) => !this.#earlier.includes(column))
    return columns.toSorted((one, other) => one - other)
  }

  /** A heading for a table without one, so that what is added has a name, and the ids are found by theirs. */
  #headingFor({ columns = [] }: Table) {
    const blanks = Array.from({ length: columns[0] ?? 0 }, () => '')
    const names = [...blanks, ...this.#addition.headingsOfRead]
    return rowOf(0, names, { finding: { kind: 'heading' } })
  }

  #takeHeading(row: Row) {
    this.#hasHeading = true
    this.#earlier = earlierPlaces(row.cells, this.#addition.headings)
    this.#rows.push(row)
  }

  /** `at`: the cell of a row in a column. */
  *#rowsWith<C>(
    textsFor: TextsFor,
    at: (row: Row, column: number) => C | string,
  ): Generator<(C | string)[]> {
    const columns = this.#columns
    const isList = this.#table?.form.format === 'lines'
    let lastLine = 0
    for (const row of this.#rows) {
      // A row of a sheet without a cell may be missing, but reasons name rows by their numbers.
      const missing = this.#isSheet ? row.line - lastLine - 1 : 0
      for (let n = 0; n < missing; n += 1) yield []
      lastLine = Math.max(lastLine, row.line)
      const texts = row.finding.kind === 'heading' ? this.#addition.headings : textsFor(row)
      const added = texts?.map((text) => safe(text))
      const cells = columns.map((column) => at(row, column))
      if (isList) cells[0] = textAt(row, 0).replace(quotedLine, '$1')
      const last = cells.findLastIndex((cell) => cell !== '')
      yield added === undefined ? cells.slice(0, last + 1) : [...cells, ...added]
    }
  }

  /** The table as csv in UTF-8, with a byte order mark if the input has one or is not UTF-8. */
  async *#csv(textsFor: TextsFor): AsyncGenerator<Buffer> {
    const { form } = this.#table ?? {}
    const delimiter = form?.delimiter ?? ','
    let text = form?.needsMark === true ? '\ufeff' : ''
    if (form?.isSeparatorSkipped === true) text += `sep=${delimiter}\n`
    for (const cells of this.#rowsWith(textsFor, textAt)) {
      text += `${csvCells(cells, delimiter)}\n`
      if (text.length < pieceLength) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  }
}

/** The content of a cell as a sheet shows it: a text, a number or a day. */
function valueAt(row: Row, column: number): Cell {
  return row.sheetRow?.value(column) ?? textAt(row, column)
}
