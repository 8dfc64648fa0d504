/**
 * One table: its first rows tell its columns, and then each row is data, left out, or invalid. `rows.ts` makes one for each input that
 * has rows, and hands it all of them in their order; `reader.ts`, `sheet.ts`, `annotated.ts` and the tables of people in `directory` ask it
 * for its columns and its form.
 *
 * Until the columns are known, rows are held back: the rules of `columns.ts` say which row is the heading, which ones above it are titles, and
 * when there is none. A table whose columns are known judges each row at once, and holds nothing.
 */
import { usageError } from '../errors.ts'
import { mostTitleRows, type HeadingRule } from './columns.ts'
import { isId, trimBlanks, unwrapId } from './id.ts'
import {
  hasId,
  isMarkAlone,
  refuseIncomplete,
  refuseIncompleteRow,
  textAt,
  withCells,
  type Problem,
  type Row,
} from './row.ts'
import type { RowFilter } from './row-filter.ts'
import { isWholeMark } from '../output/incomplete.ts'
import type { Skip } from './detect.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { groupDigits, pluralize } from '../words.ts'

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
  /** The sheet that is read. */
  sheet: Sheet | undefined
  readonly #rule: HeadingRule<C>
  readonly #placesOf: (columns: C) => readonly number[]
  readonly #filter: RowFilter
  /** Whether it is a table of people, whose contacts are looked for: ids are not wanted in it. */
  readonly takesUnmatched: boolean
  /** Rows whose table is not known, and those of them that may be titles or data. */
  #rows: Row[] = []
  #titles: Row[] = []
  /** Whether the last row of a table of people, so far, is the cut mark alone. */
  #endsInMark = false

  constructor(form: TableForm, rule: TableRule<C>, filter: RowFilter) {
    this.form = form
    this.#rule = rule.columns(form.input)
    this.#placesOf = rule.placesOf
    this.takesUnmatched = rule.takesUnmatched
    this.#filter = filter
  }

  /** Columns that are read; none until they are known. */
  get places(): readonly number[] {
    return this.columns === undefined ? [] : this.#placesOf(this.columns)
  }

  /** Whether this row would be the heading. */
  isHeading(cells: readonly string[]): boolean {
    if (cells.some((cell) => isId(unwrapId(cell)))) return false
    const columns = this.#rule.find(cells.map(trimBlanks), () => false)
    return columns !== undefined
  }

  /** Takes rows, and returns those whose kind is known, in their order. Throws exit 2 when the columns cannot be known. */
  take(rows: readonly Row[]): readonly Row[] {
    for (const row of rows) this.#refuseIncomplete(row)
    if (this.columns !== undefined) {
      for (const row of rows) this.#judge(row)
      return rows
    }
    const ready: Row[] = []
    for (const row of rows) {
      if (this.columns !== undefined) {
        this.#judge(row)
        ready.push(row)
        continue
      }
      // Comments above the first row of data are handed on at once.
      const isHeld = row.kind === 'data' || this.#rows.length > 0
      if (!isHeld) {
        ready.push(row)
        continue
      }
      const cells = fillHoles(row.cells)
      this.#hold(withCells(row, cells))
      ready.push(...this.#rowsOfKnown())
    }
    return ready
  }

  /** The last row has come: rows that may have been titles are data. Throws exit 2 when the last row of people is the mark. */
  rest(): readonly Row[] {
    if (this.#endsInMark) refuseIncomplete(this.form.input)
    if (this.columns === undefined && this.#titles.length > 0) this.#takeBare()
    return this.#release()
  }

  #refuseIncomplete(row: Row): void {
    if (row.isPlain === true) {
      this.#endsInMark = false
      return
    }
    const { input } = this.form
    if (!this.takesUnmatched) {
      refuseIncompleteRow(input, row)
      return
    }
    refuseIncompleteRow(input, row, isWholeMark)
    if (row.kind !== 'other') this.#endsInMark = isMarkAlone(row)
  }

  /** The rows that were held back, once the columns are known. */
  #rowsOfKnown(): Row[] {
    return this.columns === undefined ? [] : this.#release()
  }

  #release(): Row[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** Holds a row back, unless it tells the columns. */
  #hold(row: Row): void {
    this.#rows.push(row)
    if (row.kind !== 'data') return
    const isData = hasId(row)
    if (!isData) {
      const cells = row.cells.map(trimBlanks)
      const columns = this.#rule.find(cells, (column) => this.#isHidden(column))
      if (columns !== undefined) {
        this.#takeHeading(row, cells, columns)
        return
      }
    }
    this.#titles.push(row)
    if (isData || this.#titles.length > mostTitleRows) this.#takeBare()
  }

  #isHidden(column: number): boolean {
    return this.sheet?.isColumnHidden(column) === true
  }

  #takeHeading(row: Row, cells: readonly string[], columns: C): void {
    const { input } = this.form
    if (!this.takesUnmatched) this.#filter.begin(cells)
    for (const title of this.#titles) title.kind = 'other'
    row.kind = 'heading'
    this.columns = columns
    this.heading = row.line
    this.headings = cells
    const titles = this.#titles.length
    if (titles > 0)
      this.notes.push(`${input}: skipped ${pluralize(titles, 'title row')} above the heading`)
    this.#titles = []
    for (const column of [...this.places, ...this.#filter.columns]) {
      const reason = row.origin?.unfit(column, 'word')
      if (reason === undefined) continue
      const cell = row.origin?.cell(column) ?? ''
      throw usageError(`${input} cell ${cell}: the heading is ${reason}`)
    }
  }

  /** There is no heading: the rows that may have been titles are data. */
  #takeBare(): void {
    if (!this.takesUnmatched) this.#filter.refuse('has none')
    this.columns = this.#rule.bare(this.#titles)
    const [first] = this.#titles
    if (first !== undefined && !hasId(first)) this.likelyHeading = first.line
    for (const row of this.#titles) this.#judge(row)
    this.#titles = []
  }

  /** Whether a row of data is taken, left out, or invalid because of a condition or of cells that may be shifted. */
  #judge(row: Row): void {
    if (row.kind !== 'data') return
    const { origin } = row
    const isTotal = this.places.some((place) => origin?.isTotal(place))
    let problem = isTotal ? this.#filter.leaveOutTotal() : this.#surplusOf(row)
    if (this.#filter.isActive) problem ??= this.#filter.problem(row)
    if (problem === undefined) return
    row.kind = problem.isCondition === true ? 'invalid' : 'left-out'
    row.problem = problem
  }

  /** Cells behind those of the headings: a delimiter within a text may have shifted all of them. */
  #surplusOf(row: Row): Problem | undefined {
    const { format, delimiter } = this.form
    const width = this.headings.length
    if (format !== 'csv' || width === 0 || textAt(row, width) === undefined) return undefined
    const isBlank = row.cells.slice(width).every((cell) => trimBlanks(cell) === '')
    if (isBlank) return undefined
    const cells = `${groupDigits(row.cells.length)} cells below ${pluralize(width, 'heading')}`
    return {
      reason: `more cells than headings (${cells}); put a text with "${delimiter}" in quotes`,
      text: row.cells.join(delimiter),
      isCondition: true,
    }
  }
}

/** Cells without holes. */
export function fillHoles(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (cell = '') => cell)
}
