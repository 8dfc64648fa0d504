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
import { mostTitleRows, type TableRule } from './columns.ts'
import { isId, isReach, unwrapId } from './id.ts'
import {
  fillHoles,
  hasId,
  invalid,
  isNullAlone,
  rowOf,
  textAt,
  unfitAt,
  type Problem,
  type Row,
  type RowFinding,
} from './row.ts'
import { totalRow, type RowFilter } from './row-filter.ts'

/** How a table is written. */
interface TableForm {
  /** `words`: those of the command line. */
  format: 'words' | 'lines' | 'csv' | 'xlsx' | 'json' | 'ndjson'
  delimiter: string
  isSeparatorSkipped: boolean
  /** Whether a copy begins with a byte order mark: the input has one, or is no UTF-8. */
  needsMark: boolean
}

export type OnRow = (row: Row, table: Table) => void

const trimAll = (cells: readonly string[]) => cells.map((cell) => cell.trim())

export class Table {
  /** Its input, in words. */
  readonly input: string
  readonly rule: TableRule
  readonly filter: RowFilter
  /** Known when its first lines were read. */
  form: TableForm = {
    format: 'lines',
    delimiter: ',',
    isSeparatorSkipped: false,
    needsMark: true,
  }
  /** Places of the columns that are read, once they are known. */
  columns: readonly number[] | undefined
  /** The heading: its line, or 0, and its cells. */
  heading = 0
  headings: readonly string[] = []
  /** Sentences about what was skipped. */
  readonly notes: string[] = []
  /** Line of the first row when there is no heading and that row has no id, as a heading would; 0 for none. */
  likelyHeading = 0
  /** Whether it is a list of JSON without an item, which a command that failed does not write. */
  isEmptyList = false
  readonly #onRow: OnRow
  /** The first rows, held back until the columns are known. */
  #rows: Row[] = []

  /** `onRow` gets the rows in their order, once the table has its finding about them. */
  constructor(rule: TableRule, filter: RowFilter, onRow: OnRow) {
    this.input = filter.input
    this.rule = rule
    this.filter = filter
    this.#onRow = onRow
  }

  /** Whether this row would be the heading. */
  isHeading(cells: readonly string[]) {
    return !hasId({ cells }) && this.rule.find(trimAll(cells)) !== undefined
  }

  /** Begins a table whose rows have the names of members of JSON above them, or a list, which has none. */
  begin(names: readonly string[]) {
    if (names.some((name) => name !== '')) {
      const row = rowOf(0, names)
      const columns = this.rule.find(names) ?? this.rule.bare([row], true)
      this.#takeHeading(row, columns)
    } else if (this.rule.column === undefined && this.rule.isOfLines === true) {
      this.filter.refuse()
      this.columns = [0]
    }
  }

  /** Takes a row. Throws exit 2 when the columns cannot be known. */
  take(row: Row) {
    // Comments above the first row of data are handed on at once.
    const isData = row.finding.kind === 'data'
    const isHeld = this.columns === undefined && (isData || this.#rows.length > 0)
    if (!isHeld) {
      if (isData) row.finding = this.#judge(row)
      this.#onRow(row, this)
      return
    }
    const waiting = rowOf(row.line, fillHoles(row.cells), row)
    this.#rows.push(waiting)
    if (isData) this.#look(waiting)
    if (this.columns !== undefined) this.#release()
  }

  /** The last row has come: rows that may have been titles are data. */
  end() {
    if (this.#rows.length > 0) this.#takeBare()
    this.#release()
    this.notes.push(...this.filter.notes)
  }

  #release() {
    for (const row of this.#rows) this.#onRow(row, this)
    this.#rows = []
  }

  /** The held rows that may be titles or data. */
  get #titles(): Row[] {
    return this.#rows.filter(({ finding }) => finding.kind === 'data')
  }

  /** Checks whether a row is the heading, or shows that there is none. */
  #look(row: Row) {
    const isData = hasId(row)
    const columns = isData ? undefined : this.rule.find(trimAll(row.cells))
    if (columns !== undefined) this.#takeHeading(row, columns)
    else if (isData || this.#titles.length > mostTitleRows) this.#takeBare()
  }

  #takeHeading(row: Row, columns: readonly number[]) {
    const { input } = this
    this.headings = trimAll(row.cells)
    if (this.rule.isOfPeople !== true) this.filter.begin(this.headings)
    for (const above of [...this.#titles, row]) this.#refuseBrokenQuotes(above)
    row.finding = { kind: 'heading' }
    this.columns = columns
    this.heading = row.line
    const titles = this.#titles
    for (const title of titles) if (!isNullAlone(title)) title.finding = { kind: 'no-data' }
    if (titles.length > 0)
      this.notes.push(
        `${input}: skipped ${pluralize(titles.length, 'title row')} above the heading`,
      )
    for (const column of [...columns, ...this.filter.columns]) {
      const reason = unfitAt(row, column, 'word')
      if (reason === undefined) continue
      throw usageError(
        `${input} cell ${row.sheetRow?.cell(column) ?? ''}: the heading is ${reason}`,
      )
    }
  }

  /** Throws exit 2 for a heading, or a title, in whose quotes rows may be. */
  #refuseBrokenQuotes({ line, cells, brokenQuote }: Row) {
    const hasRows = this.#linesIn(cells).some((each) => hasId({ cells: each }))
    const reason = hasRows ? 'a quoted cell contains whole rows' : brokenQuote?.reason
    if (reason === undefined) return
    throw usageError(`${this.input} line ${groupDigits(line)}: ${reason}`, 'fix the quotes')
  }

  /** There is no heading: the rows that may have been titles are data. */
  #takeBare() {
    const rows = this.#titles
    if (this.rule.isOfPeople !== true) this.filter.refuse()
    this.columns = this.rule.bare(rows)
    const [first] = rows
    if (first !== undefined && !hasId(first)) this.likelyHeading = first.line
    for (const row of rows) row.finding = this.#judge(row)
  }

  /** Finds whether a row is taken as data, left out, or invalid: by its quotes, its cells that may be shifted, and the filter. */
  #judge(row: Row): RowFinding {
    const isTotal = this.columns?.some((place) => row.sheetRow?.isTotal(place))
    if (isTotal === true) return this.filter.leaveOut(totalRow)
    const problem = row.brokenQuote ?? this.#shiftOf(row)
    return problem === undefined ? this.filter.judge(row) : invalid(problem)
  }

  /** Cells of csv that may not be below their headings. */
  #shiftOf(row: Row): Problem | undefined {
    const { format, delimiter } = this.form
    if (format !== 'csv') return undefined
    const width = this.headings.length
    const { cells } = row
    const within = this.#linesIn(cells)
    // A line of a record that would be a row for itself: a quote is missing, or one too many.
    const at = within.findIndex(
      (each) => each.length >= (width || cells.length) && this.#isAnotherRow(row, each),
    )
    if (at >= 0)
      return {
        reason: `line ${groupDigits(row.line + at)} looks like a separate row, but is inside a quoted cell`,
        text: within[at]?.join(delimiter) ?? '',
        isNeverSkipped: true,
      }
    const isWide = cells.slice(width).some((cell) => cell.trim() !== '')
    if (width === 0 || !isWide) return undefined
    return {
      reason: `more cells than headings (${groupDigits(cells.length)} cells below ${pluralize(width, 'heading')}); put a text with "${delimiter}" in quotes`,
      text: cells.join(delimiter),
    }
  }

  /** Whether cells have an id, or a value of a person, where it is wanted, and it is not that of the row. */
  #isAnotherRow(row: Row, cells: readonly string[]) {
    return (this.columns ?? []).some((place) => {
      const text = cells[place] ?? ''
      const own = textAt(row, place)
      if (isId(unwrapId(text))) return text !== own
      return (
        this.rule.isOfPeople === true && isReach(text) && !own.split('\n').includes(text)
      )
    })
  }

  /** The lines of a record of csv, each cut into cells; none for a record of one line. */
  #linesIn(cells: readonly string[]): string[][] {
    const { delimiter } = this.form
    const isOfLines = cells.some((cell) => cell.includes('\n'))
    const lines = isOfLines ? cells.join(delimiter).split('\n') : []
    return lines.map((line) => line.split(delimiter))
  }
}
