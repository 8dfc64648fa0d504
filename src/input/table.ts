/** One table: its first rows tell its columns, and then each row is data, left out, or invalid. */
import { usageError } from '../errors.ts'
import { hasId, mostTitleRows, type HeadingRule } from './columns.ts'
import { isId, trimBlanks, unwrapId } from './id.ts'
import { refuseIncompleteRow, textsIn, withCells, type Row } from './row.ts'
import type { RowFilter } from './row-filter.ts'
import type { Skip } from './detect.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { quoteAll } from '../output/text/safe.ts'

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
  /** How the members that count are found in a document of JSON. Throws exit 2 where JSON is not taken. */
  readonly members: (input: string) => (document: unknown) => Iterable<unknown>
}

/** How a table is written. */
export interface TableForm {
  readonly input: string
  /** Path and bytes of a regular file. */
  readonly path: string | undefined
  readonly size: number | undefined
  readonly format: 'lines' | 'csv' | 'xlsx'
  readonly delimiter: string
  readonly skip: Skip
  readonly isSeparatorSkipped: boolean
  /** Whether a copy begins with a byte order mark: the input has one, or is no UTF-8. Known when it was read. */
  readonly needsMark: () => boolean
}

/** A table whatever its columns are. */
export type ReadTable = Pick<Table<unknown>, 'form' | 'heading' | 'headings' | 'places' | 'sheet'>

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
  hiddenRows = 0
  /** The sheet that is read. */
  sheet: Sheet | undefined
  readonly #rule: HeadingRule<C>
  readonly #placesOf: (columns: C) => readonly number[]
  readonly #filter: RowFilter
  readonly #takesUnmatched: boolean
  /** Rows whose table is not known, and those of them that may be titles or data. */
  #rows: Row[] = []
  #titles: Row[] = []

  constructor(form: TableForm, rule: TableRule<C>, filter: RowFilter) {
    this.form = form
    this.#rule = rule.columns(form.input)
    this.#placesOf = rule.placesOf
    this.#takesUnmatched = rule.takesUnmatched
    this.#filter = filter
  }

  /** Columns that are read; none until they are known. */
  get places(): readonly number[] {
    return this.columns === undefined ? [] : this.#placesOf(this.columns)
  }

  /** Whether this row would be the heading. */
  isHeading(cells: readonly string[]): boolean {
    return (
      !cells.some((cell) => isId(unwrapId(cell))) &&
      this.#rule.find(cells.map(trimBlanks), () => false) !== undefined
    )
  }

  /** Takes rows, and returns those whose kind is known, in their order. Throws exit 2 when the columns cannot be known. */
  take(rows: readonly Row[]): readonly Row[] {
    for (const row of rows)
      if (row.isPlain !== true) refuseIncompleteRow(this.form.input, textsIn(row))
    if (this.columns !== undefined) {
      for (const row of rows) this.#judge(row)
      return rows
    }
    const known: Row[] = []
    for (const row of rows) {
      if (this.columns !== undefined) this.#judge(row)
      else if (row.kind === 'data' || this.#rows.length > 0)
        this.#hold(withCells(row, fillHoles(row.cells)))
      if (this.columns === undefined && this.#rows.length > 0) continue
      if (this.#rows.length === 0) known.push(row)
      else known.push(...this.#release())
    }
    return known
  }

  /** No heading comes any more: rows that may have been titles are data. */
  rest(): readonly Row[] {
    if (this.columns === undefined && this.#titles.length > 0) this.#takeBare()
    return this.#release()
  }

  #release(): Row[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  #hold(row: Row): void {
    this.#rows.push(row)
    if (row.kind !== 'data') return
    const isData = hasId(row)
    const cells = isData ? [] : row.cells.map(trimBlanks)
    const found = isData ? undefined : this.#rule.find(cells, (column) => this.#isHidden(column))
    if (found !== undefined) {
      this.#takeHeading(row, cells, found)
      return
    }
    this.#titles.push(row)
    if (isData || this.#titles.length > mostTitleRows) this.#takeBare()
  }

  #isHidden(column: number): boolean {
    return this.sheet?.isColumnHidden(column) === true
  }

  #takeHeading(row: Row, cells: readonly string[], columns: C): void {
    const { input } = this.form
    if (!this.#takesUnmatched) this.#filter.begin(cells)
    for (const title of this.#titles) title.kind = 'other'
    row.kind = 'heading'
    this.columns = columns
    this.heading = row.line
    this.headings = cells
    if (this.#titles.length > 0) this.notes.push(titleNote(input, this.#titles, row))
    this.#titles = []
    for (const column of [...this.places, ...this.#filter.columns]) {
      const reason = row.origin?.unfit(column, 'word')
      if (reason !== undefined)
        throw usageError(
          `${input} cell ${row.origin?.cell(column) ?? ''}: the heading is ${reason}`,
        )
    }
  }

  #takeBare(): void {
    if (!this.#takesUnmatched) this.#filter.refuse('has none')
    this.columns = this.#rule.bare(this.#titles)
    const [first] = this.#titles
    if (first !== undefined && !hasId(first)) this.likelyHeading = first.line
    for (const row of this.#titles) this.#judge(row)
    this.#titles = []
  }

  #judge(row: Row): void {
    if (row.kind !== 'data') return
    if (row.origin?.isHidden === true) this.hiddenRows += 1
    if (!this.#filter.isActive) return
    const problem = this.#filter.problem(row)
    if (problem === undefined) return
    row.kind = problem.isCondition === true ? 'invalid' : 'left-out'
    row.problem = problem
  }
}

/** Cells without holes. */
export function fillHoles(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (cell = '') => cell)
}

function titleNote(input: string, titles: readonly Row[], { line, origin }: Row): string {
  const texts = titles.map(({ cells }) =>
    trimBlanks(cells.find((cell) => trimBlanks(cell) !== '') ?? ''),
  )
  const rows = titles.length === 1 ? '1 title row' : `${titles.length} title rows`
  const unit = origin === undefined ? 'line' : 'row'
  return `${input}: skipped ${rows} above the heading in ${unit} ${line}: ${quoteAll(texts, 3)}`
}
