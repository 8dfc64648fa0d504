/**
 * One table: its first rows tell its columns, and then each row is data, left out, or invalid.
 *
 * The heading is the first row that names the wanted columns and has no id in any cell. The rows above it
 * are title rows, which are skipped with a note. The search for it ends at a row with an id, or after a
 * fixed number of rows: then there is no heading and every row is data, so that a first row that is neither
 * an id nor a heading is a bad line. Until the search ends, rows are held back.
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
  type Row,
  type RowFinding,
} from './row.ts'
import { totalRow, type RowFilter } from './row-filter.ts'

/** How a table is written. */
export interface TableForm {
  /** `words`: arguments of the command line. */
  format: 'words' | 'lines' | 'csv' | 'xlsx' | 'json' | 'ndjson'
  delimiter: string
  isSeparatorSkipped: boolean
  /** Whether a copy begins with a byte order mark: the input has one, or is not UTF-8. */
  needsMark: boolean
}

export type OnRow = (row: Row, table: Table) => void

const trimAll = (cells: readonly string[]) => cells.map((cell) => cell.trim())

export class Table {
  /** The name of its input, for messages. */
  readonly input: string
  readonly rule: TableRule
  readonly filter: RowFilter
  /** Known once its first lines are read. */
  form: TableForm = {
    format: 'lines',
    delimiter: ',',
    isSeparatorSkipped: false,
    needsMark: true,
  }
  /** Places of the columns that are read, once they are known. */
  columns: readonly number[] | undefined
  /** Line of the heading; 0 without one. */
  headingLine = 0
  /** Cells of the heading. */
  headings: readonly string[] = []
  /** Sentences about what was skipped. */
  readonly notes: string[] = []
  /** Line of a first row without an id in a table without a heading: it may have been meant as one. 0 for none. */
  likelyHeadingLine = 0
  /** Whether it is an empty list of JSON. */
  isEmptyList = false
  /** Whether it has more than a heading and what stands around it. */
  #hasData = false
  readonly #onRow: OnRow
  /** The first rows, held back until the columns are known. Until then, the finding `data` means undecided. */
  #waitingRows: Row[] = []

  /** `onRow` gets the rows in their order, each with its finding. */
  constructor(rule: TableRule, filter: RowFilter, onRow: OnRow) {
    this.input = filter.input
    this.rule = rule
    this.filter = filter
    this.#onRow = onRow
  }

  /** Whether it is empty and nothing is missing: a failed command writes neither an empty list nor a heading alone. */
  get isProvenEmpty() {
    return this.isEmptyList || (this.headingLine > 0 && !this.#hasData)
  }

  /** Whether this row would be the heading, perhaps one that is refused once its sheet is read. */
  mayBeHeading(cells: readonly string[]) {
    try {
      return !hasId({ cells }) && this.rule.columnsOf(trimAll(cells)) !== undefined
    } catch {
      return true
    }
  }

  /** Starts a table of JSON by its member names. Plain values have none: unless they are ids, a heading may come. */
  beginJson(names: readonly string[]) {
    if (names.some((name) => name !== '')) {
      const row = rowOf(0, names)
      const columns =
        this.rule.columnsOf(names) ?? this.rule.fallbackColumns([row], 'names')
      this.#startWithHeading(row, columns)
    } else if (this.rule.wantedColumn === undefined && this.rule.isOfLines === true) {
      this.filter.refuseWhere()
      this.columns = [0]
    }
  }

  /** Takes a row. Throws exit 2 when the columns cannot be known. */
  take(row: Row) {
    const isData = row.finding.kind === 'data'
    // Comments above the first row of data are handed on at once.
    const isUndecided =
      this.columns === undefined && (isData || this.#waitingRows.length > 0)
    if (isUndecided) return this.#keepWaiting(row)
    if (isData) row.finding = this.#judge(row)
    this.#handOn(row)
  }

  /** Keeps a row until the columns are known. */
  #keepWaiting(row: Row) {
    const waiting = rowOf(row.line, fillHoles(row.cells), row)
    this.#waitingRows.push(waiting)
    if (waiting.finding.kind === 'data') this.#findHeading(waiting)
    if (this.columns !== undefined) this.#release()
  }

  /** Called after the last row: undecided rows are data. */
  end() {
    if (this.#waitingRows.length > 0) this.#startWithoutHeading()
    this.#release()
    this.notes.push(...this.filter.notes)
  }

  #release() {
    for (const row of this.#waitingRows) this.#handOn(row)
    this.#waitingRows = []
  }

  #handOn(row: Row) {
    const { kind } = row.finding
    this.#hasData ||= kind !== 'heading' && kind !== 'no-data'
    this.#onRow(row, this)
  }

  /** The held rows that turn out to be titles, if there is a heading, or else data. */
  get #undecidedRows(): Row[] {
    return this.#waitingRows.filter(({ finding }) => finding.kind === 'data')
  }

  /** Checks whether a row is the heading, or ends the search for it. */
  #findHeading(row: Row) {
    const columns = hasId(row) ? undefined : this.rule.columnsOf(trimAll(row.cells))
    const endsSearch = hasId(row) || this.#undecidedRows.length > mostTitleRows
    if (columns !== undefined) this.#startWithHeading(row, columns)
    else if (endsSearch) this.#startWithoutHeading()
  }

  #startWithHeading(row: Row, columns: readonly number[]) {
    const { input } = this
    const titles = this.#undecidedRows.filter((above) => above !== row)
    this.headings = trimAll(row.cells)
    if (this.rule.isOfPeople !== true) this.filter.begin(this.headings)
    for (const each of [...titles, row]) this.#refuseBrokenQuotes(each)
    row.finding = { kind: 'heading' }
    this.columns = columns
    this.headingLine = row.line
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

  /** Throws exit 2 for a heading or a title that may have swallowed rows in its quotes. */
  #refuseBrokenQuotes({ line, cells, brokenQuote }: Row) {
    const hasRows = this.#linesIn(cells).some((each) => hasId({ cells: each }))
    const reason = hasRows ? 'a quoted cell contains whole rows' : brokenQuote?.reason
    if (reason === undefined) return
    throw usageError(`${this.input} line ${groupDigits(line)}: ${reason}`, 'fix the quotes')
  }

  /** There is no heading, so the undecided rows are data. */
  #startWithoutHeading() {
    const rows = this.#undecidedRows
    if (this.rule.isOfPeople !== true) this.filter.refuseWhere()
    this.columns = this.rule.fallbackColumns(rows, 'cells')
    const [first] = rows
    if (first !== undefined && !hasId(first)) this.likelyHeadingLine = first.line
    for (const row of rows) row.finding = this.#judge(row)
  }

  /** Whether a row is data, left out, or invalid: by its quotes, by cells that may be shifted, and by the filter. */
  #judge(row: Row): RowFinding {
    const isTotal = this.columns?.some((place) => row.sheetRow?.isTotal(place))
    if (isTotal === true) return this.filter.leaveOut(totalRow)
    const problem = row.brokenQuote ?? this.#shiftOf(row)
    return problem === undefined ? this.filter.judge(row) : invalid(problem)
  }

  /** Why the cells of a row of csv may not be below their headings. */
  #shiftOf(row: Row) {
    if (this.form.format !== 'csv') return undefined
    return this.#swallowedRow(row) ?? this.#tooManyCells(row)
  }

  /** A line inside a cell that looks like a row: a quote is missing, or there is one too many. */
  #swallowedRow(row: Row) {
    const width = this.headings.length
    const leastCells = width === 0 ? row.cells.length : width
    const lines = this.#linesIn(row.cells)
    const index = lines.findIndex(
      (cells) => cells.length >= leastCells && this.#isAnotherRow(row, cells),
    )
    if (index < 0) return undefined
    return {
      reason: `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`,
      text: lines[index]?.join(this.form.delimiter) ?? '',
      isNeverSkipped: true,
    }
  }

  #tooManyCells({ cells }: Row) {
    const { delimiter } = this.form
    const width = this.headings.length
    const isWide = cells.slice(width).some((cell) => cell.trim() !== '')
    if (width === 0 || !isWide) return undefined
    return {
      reason: `more cells than headings (${groupDigits(cells.length)} cells below ${pluralize(width, 'heading')}); put a text with "${delimiter}" in quotes`,
      text: cells.join(delimiter),
    }
  }

  /** Whether cells have another id, or value of a person, than the row has in the columns that are read. */
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

  /** The lines of a row of csv, each cut into cells; none for a row of one line. */
  #linesIn(cells: readonly string[]) {
    const { delimiter } = this.form
    const hasLineBreak = cells.some((cell) => cell.includes('\n'))
    const lines = hasLineBreak ? cells.join(delimiter).split('\n') : []
    return lines.map((line) => line.split(delimiter))
  }
}
