/**
 * One table: its first rows tell its columns, and then each row is data, left out, or invalid.
 *
 * The heading is the first row, among the first ones, that names the wanted columns and has no id in any
 * cell. What stands above it are title rows, which are skipped with a note. A row with an id ends the
 * search: then there is no heading, and every row is data, so that a first row that is neither an id nor a
 * heading is a bad line. Until then rows are held back.
 */
import { usageError } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import { mostTitleRows, type Columns, type TableRule } from './columns.ts'
import { isId, isReach, trimBlanks, unwrapId } from './id.ts'
import {
  fillHoles,
  hasId,
  isNullAlone,
  rowOf,
  textAt,
  unfitAt,
  type Problem,
  type Row,
} from './row.ts'
import { RowFilter, totalRow } from './row-filter.ts'
import type { OriginSheet } from './sheet.ts'

/** How a table is written. */
export interface TableForm {
  readonly input: string
  readonly format: 'lines' | 'csv' | 'xlsx' | 'json' | 'ndjson'
  readonly unit: 'line' | 'item' | 'argument'
  readonly delimiter: string
  readonly isSeparatorSkipped: boolean
  /** Whether a copy begins with a byte order mark: the input has one, or is no UTF-8. */
  readonly needsMark: boolean
}

/** A table with any columns. */
export type ReadTable = Pick<Table<Columns>, 'form' | 'heading' | 'headings' | 'columns'>

export class Table<C extends Columns> {
  readonly form: TableForm
  readonly rule: TableRule<C>
  readonly filter: RowFilter
  columns: C | undefined
  /** The heading: its line, or 0, and its cells. */
  heading = 0
  headings: readonly string[] = []
  /** Sentences about what was skipped. */
  readonly notes: string[] = []
  /** Line of the first row when there is no heading and that row has no id, as a heading would; 0 for none. */
  likelyHeading = 0
  /** The sheet that is read. */
  sheet: OriginSheet | undefined
  /** Whether it is a list of JSON without an item, which a command that failed does not write. */
  isEmptyList = false
  readonly #onRow: (row: Row, table: Table<C>) => void
  /** Rows that are held back, and those of them that may be titles or data. */
  #rows: Row[] = []
  #titles: Row[] = []

  /** `onRow` gets the rows in their order, once their kind is known. */
  constructor(
    form: TableForm,
    rule: TableRule<C>,
    where: readonly string[] | undefined,
    onRow: (row: Row, table: Table<C>) => void,
  ) {
    this.form = form
    this.filter = new RowFilter(form.input, form.unit === 'argument' ? [] : where)
    this.rule = rule
    this.#onRow = onRow
  }

  /** Whether this row would be the heading. */
  isHeading(cells: readonly string[]): boolean {
    if (cells.some((cell) => isId(unwrapId(cell)))) return false
    return this.rule.find(cells.map(trimBlanks), () => false) !== undefined
  }

  /** Begins a table whose rows have the names of members of JSON above them, or a list, which has none. */
  begin(members: readonly string[]): void {
    const names = members.map(trimBlanks)
    if (names.some((name) => name !== '')) {
      const row = rowOf(0, names)
      const columns = this.rule.find(names, () => false) ?? this.rule.bare([row], true)
      this.#takeHeading(row, names, columns)
    } else if (this.rule.column === undefined) {
      this.filter.refuse('has none')
      this.columns = this.rule.list
    }
  }

  /** Takes a row. Throws exit 2 when the columns cannot be known. */
  readonly take = (row: Row): void => {
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

  /** The last row has come: rows that may have been titles are data. */
  end(): void {
    if (this.columns === undefined && this.#titles.length > 0) this.#takeBare()
    this.#release()
    this.notes.push(...this.filter.notes)
  }

  #release(): void {
    for (const row of this.#rows) this.#onRow(row, this)
    this.#rows = []
  }

  /** Checks whether a row is the heading, or shows that there is none. */
  #look(row: Row): void {
    const isData = hasId(row)
    const cells = row.cells.map(trimBlanks)
    const isHidden = (column: number): boolean =>
      this.sheet?.hiddenColumn(column) !== undefined
    const columns = isData ? undefined : this.rule.find(cells, isHidden)
    if (columns !== undefined) return this.#takeHeading(row, cells, columns)
    this.#titles.push(row)
    if (isData || this.#titles.length > mostTitleRows) this.#takeBare()
  }

  #takeHeading(row: Row, cells: readonly string[], columns: C): void {
    const { input } = this.form
    if (this.rule.isOfPeople !== true) this.filter.begin(cells)
    row.kind = 'heading'
    this.columns = columns
    this.heading = row.line
    this.headings = cells
    for (const above of [...this.#titles, row]) this.#refuseBrokenQuotes(above)
    for (const title of this.#titles) if (!isNullAlone(title)) title.kind = 'other'
    const titles = this.#titles.length
    if (titles > 0)
      this.notes.push(
        `${input}: skipped ${pluralize(titles, 'title row')} above the heading`,
      )
    for (const column of [...columns.places, ...this.filter.columns]) {
      const reason = unfitAt(row, column, 'word')
      if (reason === undefined) continue
      throw usageError(
        `${input} cell ${row.origin?.cell(column) ?? ''}: the heading is ${reason}`,
      )
    }
  }

  /** Throws exit 2 for a heading, or a title, in whose quotes rows may be. */
  #refuseBrokenQuotes({ line, cells, problem }: Row): void {
    const { input, format, delimiter } = this.form
    const lines = format === 'csv' ? cells.join(delimiter).split('\n') : []
    const hasRows = lines.some((text) => hasId({ cells: text.split(delimiter) }))
    const reason = hasRows ? 'rows are in a cell with quotes' : problem?.reason
    if (reason === undefined) return
    throw usageError(`${input} line ${groupDigits(line)}: ${reason}`, 'fix the quotes')
  }

  /** There is no heading: the rows that may have been titles are data. */
  #takeBare(): void {
    if (this.rule.isOfPeople !== true) this.filter.refuse('has none')
    this.columns = this.rule.bare(this.#titles)
    const [first] = this.#titles
    if (first !== undefined && !hasId(first)) this.likelyHeading = first.line
    for (const row of this.#titles) this.#judge(row)
  }

  /** Whether a row of data is taken, left out, or invalid because of a condition or of cells that may be shifted. */
  #judge(row: Row): void {
    const isTotal = this.columns?.places.some((place) => row.origin?.isTotal(place))
    const problem =
      isTotal === true
        ? this.filter.leaveOut(totalRow)
        : (row.problem ??
          this.#rowWithin(row) ??
          this.#surplusOf(row) ??
          this.filter.problem(row))
    if (problem === undefined) return
    row.kind = problem.isCondition === true ? 'invalid' : 'left-out'
    row.problem = problem
  }

  /** A line of a record that would be a row for itself: a quote is missing, or one too many. */
  #rowWithin(row: Row): Problem | undefined {
    const { format, delimiter } = this.form
    if (format !== 'csv' || !row.cells.some((cell) => cell.includes('\n'))) return undefined
    const width = this.headings.length === 0 ? row.cells.length : this.headings.length
    const lines = row.cells.join(delimiter).split('\n')
    const at = lines.findIndex((line) => {
      const cells = line.split(delimiter)
      return cells.length >= width && this.#isAnotherRow(row, cells)
    })
    if (at < 0) return undefined
    return {
      reason: `line ${groupDigits(row.line + at)} would be a row for itself, but is in a cell with quotes`,
      text: lines[at] ?? '',
      isCondition: true,
      hidesRows: true,
    }
  }

  /** Whether cells have an id, or a value of a person, where it is wanted, and it is not that of the row. */
  #isAnotherRow(row: Row, cells: readonly string[]): boolean {
    const places = this.columns?.places ?? []
    return places.some((place) => {
      const text = cells[place] ?? ''
      const own = textAt(row, place)
      if (isId(unwrapId(text))) return text !== own
      const isValue = this.rule.isOfPeople === true && isReach(text)
      return isValue && !own.split('\n').includes(text)
    })
  }

  /** Cells after those of the headings. A delimiter within a text may have shifted all of them. */
  #surplusOf(row: Row): Problem | undefined {
    const { format, delimiter } = this.form
    const width = this.headings.length
    if (format !== 'csv' || width === 0) return undefined
    if (row.cells.slice(width).every((cell) => trimBlanks(cell) === '')) return undefined
    const cells = `${groupDigits(row.cells.length)} cells below ${pluralize(width, 'heading')}`
    return {
      reason: `more cells than headings (${cells}); put a text with "${delimiter}" in quotes`,
      text: row.cells.join(delimiter),
      isCondition: true,
    }
  }
}
