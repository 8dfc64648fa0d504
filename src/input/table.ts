/**
 * One table: its first rows tell its columns, and then each row is data, left out, or invalid. `rows.ts` makes one for each input that has
 * rows, and hands it all of them in their order.
 *
 * Rows are held back until the columns are known: the rules of `columns.ts` say which row is the heading, which ones above it are titles, and
 * when there is none.
 */
import { usageError } from '../errors.ts'
import { isWholeMark } from '../output/incomplete.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { mostTitleRows, type HeadingRule } from './columns.ts'
import { isId, trimBlanks, unwrapId } from './id.ts'
import {
  fillHoles,
  hasId,
  isMarkAlone,
  refuseIncomplete,
  refuseIncompleteRow,
  textAt,
  type Problem,
  type Row,
} from './row.ts'
import { totalRow, type RowFilter } from './row-filter.ts'

/** How an input is read; `C` is the place or the places of the columns of a table. */
export interface TableRule<C> {
  /** Whether a table is wanted: then a text that is no JSON is one. */
  readonly isTable: boolean
  /** Whether lines may be a list, and not a table of one column. */
  readonly takesLists: boolean
  /** Whether rows are taken for which a match found nobody. */
  readonly takesUnmatched: boolean
  readonly isHeading: (cell: string) => boolean
  readonly columns: (input: string) => HeadingRule<C>
  readonly placesOf: (columns: C) => readonly number[]
  /** The members of a document of JSON that count. Throws exit 2 where JSON is not taken. */
  readonly members: (input: string, document: unknown) => Iterable<unknown>
}

/** How a table is written. */
export interface TableForm {
  readonly input: string
  readonly format: 'lines' | 'csv' | 'xlsx'
  readonly delimiter: string
  /** Lines above the first row, one of which may be Excel's `sep=`. */
  readonly linesAbove: number
  readonly isSeparatorSkipped: boolean
  /** Whether a copy begins with a byte order mark: the input has one, or is no UTF-8. */
  readonly needsMark: boolean
}

/** A table whatever its columns are. */
export type ReadTable = Pick<
  Table<unknown>,
  'form' | 'heading' | 'headings' | 'places' | 'sheet'
>

export class Table<C> {
  readonly form: TableForm
  columns: C | undefined
  /** The heading: its line, or 0, and its cells. */
  heading = 0
  headings: readonly string[] = []
  /** Sentences about what was skipped. */
  readonly notes: string[] = []
  /** Line of the first row when there is no heading and that row has no id, as a heading would; 0 for none. */
  likelyHeading = 0
  /** The sheet that is read. */
  sheet: Sheet | undefined
  /** Whether it is a table of people, whose contacts are looked for: ids are not wanted in it. */
  readonly takesUnmatched: boolean
  readonly filter: RowFilter
  readonly #rule: HeadingRule<C>
  readonly #placesOf: (columns: C) => readonly number[]
  readonly #onRow: (row: Row, table: Table<C>) => void
  /** Rows that are held back, and those of them that may be titles or data. */
  #rows: Row[] = []
  #titles: Row[] = []
  /** Whether the last row of a table of people, so far, is the cut mark alone. */
  #endsInMark = false

  /** `onRow` gets the rows in their order, once their kind is known. */
  constructor(
    form: TableForm,
    rule: TableRule<C>,
    filter: RowFilter,
    onRow: (row: Row, table: Table<C>) => void,
  ) {
    this.form = form
    this.filter = filter
    this.takesUnmatched = rule.takesUnmatched
    this.#rule = rule.columns(form.input)
    this.#placesOf = rule.placesOf
    this.#onRow = onRow
  }

  /** Columns that are read; none until they are known. */
  get places(): readonly number[] {
    return this.columns === undefined ? [] : this.#placesOf(this.columns)
  }

  /** Whether this row would be the heading. */
  isHeading(cells: readonly string[]): boolean {
    if (cells.some((cell) => isId(unwrapId(cell)))) return false
    return this.#rule.find(cells.map(trimBlanks), () => false) !== undefined
  }

  /** Takes a row. Throws exit 2 when the columns cannot be known. */
  readonly take = (row: Row): void => {
    this.#refuseIncomplete(row)
    // Comments above the first row of data are handed on at once.
    const isHeld =
      this.columns === undefined && (row.kind === 'data' || this.#rows.length > 0)
    if (!isHeld) {
      if (row.kind === 'data') this.#judge(row)
      this.#onRow(row, this)
      return
    }
    const waiting = { ...row, cells: fillHoles(row.cells) }
    this.#rows.push(waiting)
    if (row.kind === 'data') this.#look(waiting)
    if (this.columns !== undefined) this.#release()
  }

  /** The last row has come: rows that may have been titles are data. Throws exit 2 when the last row of people is the mark. */
  end(): void {
    if (this.#endsInMark) refuseIncomplete(this.form.input)
    if (this.columns === undefined && this.#titles.length > 0) this.#takeBare()
    this.#release()
    this.notes.push(...this.filter.notes)
  }

  #refuseIncomplete(row: Row): void {
    const { input } = this.form
    if (!this.takesUnmatched) return refuseIncompleteRow(input, row)
    refuseIncompleteRow(input, row, isWholeMark)
    if (row.kind !== 'other') this.#endsInMark = isMarkAlone(row)
  }

  #release(): void {
    for (const row of this.#rows) this.#onRow(row, this)
    this.#rows = []
  }

  /** Looks whether a row is the heading, or shows that there is none. */
  #look(row: Row): void {
    const isData = hasId(row)
    const cells = row.cells.map(trimBlanks)
    const isHidden = (column: number): boolean =>
      this.sheet?.hiddenColumn(column) !== undefined
    const columns = isData ? undefined : this.#rule.find(cells, isHidden)
    if (columns !== undefined) return this.#takeHeading(row, cells, columns)
    this.#titles.push(row)
    if (isData || this.#titles.length > mostTitleRows) this.#takeBare()
  }

  #takeHeading(row: Row, cells: readonly string[], columns: C): void {
    const { input } = this.form
    if (!this.takesUnmatched) this.filter.begin(cells)
    for (const title of this.#titles) title.kind = 'other'
    row.kind = 'heading'
    this.columns = columns
    this.heading = row.line
    this.headings = cells
    const titles = this.#titles.length
    if (titles > 0)
      this.notes.push(`${input}: skipped ${pluralize(titles, 'title row')} above the heading`)
    for (const column of [...this.places, ...this.filter.columns]) {
      const reason = row.origin?.unfit(column, 'word')
      if (reason === undefined) continue
      throw usageError(
        `${input} cell ${row.origin?.cell(column) ?? ''}: the heading is ${reason}`,
      )
    }
  }

  /** There is no heading: the rows that may have been titles are data. */
  #takeBare(): void {
    if (!this.takesUnmatched) this.filter.refuse('has none')
    this.columns = this.#rule.bare(this.#titles)
    const [first] = this.#titles
    if (first !== undefined && !hasId(first)) this.likelyHeading = first.line
    for (const row of this.#titles) this.#judge(row)
  }

  /** Whether a row of data is taken, left out, or invalid because of a condition or of cells that may be shifted. */
  #judge(row: Row): void {
    const isTotal = this.places.some((place) => row.origin?.isIn('total', place))
    const problem = isTotal
      ? this.filter.leaveOut(totalRow)
      : (this.#surplusOf(row) ?? this.filter.problem(row))
    if (problem === undefined) return
    row.kind = problem.isCondition === true ? 'invalid' : 'left-out'
    row.problem = problem
  }

  /** Cells behind those of the headings: a delimiter within a text may have shifted all of them. */
  #surplusOf(row: Row): Problem | undefined {
    const { format, delimiter } = this.form
    const width = this.headings.length
    if (format !== 'csv' || width === 0 || textAt(row, width) === undefined) return undefined
    if (row.cells.slice(width).every((cell) => trimBlanks(cell) === '')) return undefined
    const cells = `${groupDigits(row.cells.length)} cells below ${pluralize(width, 'heading')}`
    return {
      reason: `more cells than headings (${cells}); put a text with "${delimiter}" in quotes`,
      text: row.cells.join(delimiter),
      isCondition: true,
    }
  }
}
