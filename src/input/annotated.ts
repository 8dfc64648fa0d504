/** A table that was read, with more columns behind its own, as csv or as a new workbook. */
import { usageError } from '../errors.ts'
import { csvCells } from '../output/writers/csv.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, pluralize } from '../words.ts'
import { isSameHeading } from './columns.ts'
import { rowOf, textAt, type Row } from './row.ts'
import type { OnRow, Table } from './table.ts'

export interface Addition {
  /** The headings of the columns that are added. They replace the columns of an earlier annotation. */
  headings: readonly string[]
  /** The headings of the columns that are read, for a table without one. */
  headingsOfRead: readonly string[]
  /** Finds the columns to replace, unless they are those of `headings` side by side. */
  findEarlier?: (cells: readonly string[]) => readonly number[]
}

/** The texts to add to a row below the heading; undefined to leave it as it is. */
export type TextsFor = (row: Row) => readonly string[] | undefined

/** Places of the columns that an earlier annotation added, side by side. */
function earlierPlaces(cells: readonly string[], headings: readonly string[]) {
  const start = cells.findIndex((_, place) =>
    headings.every((heading, n) => isSameHeading(cells[place + n] ?? '', heading)),
  )
  return start < 0 ? [] : headings.map((_, n) => start + n)
}

/** How many characters of csv are passed on at once. */
const pieceLength = 1 << 16

/** A table to be written to `path` with more cells in its rows. */
export class AnnotatedTable {
  readonly path: string
  readonly #isWorkbook: boolean
  readonly #addition: Addition
  #table: Table | undefined
  readonly #rows: Row[] = []
  #hidden = 0
  /** The columns that have any text, and the length of the longest one. */
  readonly #used = new Set<number>()
  #longest = 0

  constructor(path: string, addition: Addition) {
    this.path = path
    this.#isWorkbook = /\.xlsx$/i.test(path)
    this.#addition = addition
  }

  /** Takes the next row as it was read. A property, because it is passed to readers of inputs. */
  readonly take: OnRow = (row, table) => {
    this.#table = table
    const { kind } = row.finding
    const hasHeading = this.#rows.some(({ finding }) => finding.kind !== 'no-data')
    if (!hasHeading && kind !== 'heading' && kind !== 'no-data') {
      // A table without a heading gets one, so that what is added has a name, and the ids are found by theirs.
      const blanks = Array.from({ length: table.columns?.[0] ?? 0 }, () => '')
      const names = [...blanks, ...this.#addition.headingsOfRead]
      this.#rows.push(rowOf(0, names, { finding: { kind: 'heading' } }))
    }
    // A row that nobody saw would come back as shown.
    if (row.sheetRow?.isHidden === true) this.#hidden += 1
    else this.#rows.push(row)
    // Without holes: a row of a sheet can have thousands of them before its last cell.
    for (const [column, cell] of Object.entries(row.cells)) {
      if (cell !== '') this.#used.add(Number(column))
      this.#longest = Math.max(this.#longest, cell.length)
    }
  }

  get unit(): 'line' | 'row' {
    return this.#table?.format === 'xlsx' ? 'row' : 'line'
  }

  /** Words that follow its name once it is written. */
  get note() {
    const isCopy = this.unit === 'row' && this.#isWorkbook
    const kind = isCopy ? '; it is a new workbook with the values of the table' : ''
    const hidden = pluralize(this.#hidden, 'hidden row')
    return this.#hidden === 0 ? kind : `${kind}; without ${hidden}`
  }

  /** Called when all rows are read. Throws exit 2 if the table does not fit into the file. */
  async checkFit(): Promise<void> {
    if (!this.#isWorkbook) return
    const { limits } = await import('../workbook/writer.ts')
    const columns = this.#used.size + this.#addition.headings.length
    if (columns <= limits.columns && this.#longest <= limits.cell) return
    throw usageError(
      `a workbook takes ${groupDigits(limits.columns)} columns, and ${groupDigits(limits.cell)} characters in a cell; the table has more`,
      'write csv instead: --annotate <file>.csv',
    )
  }

  /** The file, piece by piece. `textsFor`: the texts to add to a row, once its outcome is known. */
  async *bytes(textsFor: TextsFor): AsyncGenerator<Buffer> {
    if (!this.#isWorkbook) return yield* this.#csv(textsFor)
    const { workbook } = await import('../workbook/writer.ts')
    // The content of a cell as a sheet shows it.
    const valueAt = (row: Row, column: number) =>
      row.sheetRow?.value(column) ?? textAt(row, column)
    yield* workbook(this.#rowsWith(textsFor, valueAt))
  }

  /** `at`: the cell of a row in a column. */
  *#rowsWith<C>(
    textsFor: TextsFor,
    at: (row: Row, column: number) => C | string,
  ): Generator<(C | string)[]> {
    const { headings, findEarlier } = this.#addition
    const heading = this.#rows.find(({ finding }) => finding.kind === 'heading')
    const { cells: names = [] } = heading ?? {}
    const earlier = findEarlier?.(names) ?? earlierPlaces(names, headings)
    const columns = [...this.#used]
      .filter((column) => !earlier.includes(column))
      .toSorted((one, other) => one - other)
    for (const row of this.#rows) {
      const texts = row === heading ? headings : textsFor(row)
      const cells = columns.map((column) => at(row, column))
      const last = cells.findLastIndex((cell) => cell !== '')
      if (texts === undefined) yield cells.slice(0, last + 1)
      else yield [...cells, ...texts.map((text) => safe(text))]
    }
  }

  async *#csv(textsFor: TextsFor): AsyncGenerator<Buffer> {
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
}
