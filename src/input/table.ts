/**
 * A table that is read row by row. Its first row is the heading if it names a known column; otherwise it is data like all other
 * rows. The table says for each row what was found in it.
 */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import type { Cell } from '../workbook/writer.ts'
import { requireColumn } from './columns.ts'

/** The line of a row that stands in no input: an argument, the names of JSON members, or a heading that svc adds. */
export const noLine = 0

/** A row of a text, a JSON document or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, its number in a sheet, or its item in a JSON document. Counts from 1; or `noLine`. */
  line: number
  /** The array can have holes where a sheet has no cell. Array methods skip holes; `textAt` returns an empty text for them. */
  cells: readonly string[]
  /** Returns why the text of a cell cannot be trusted (a formula, a rounded number); undefined if it can. */
  unfitReason?(column: number): string | undefined
  /** Whether the row of a sheet is hidden. */
  isHidden?: boolean
  /** Returns a cell of a sheet with its number and format, to write it again. */
  originalCell?(column: number): Cell
  isColumnHidden?(column: number): boolean
  /** Whether another cell of a merged range covers this one. */
  isCovered?(column: number): boolean
}

/** Returns the text of a cell; empty if the row has none. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/**
 * The finding in a row. `no-data` is a comment or a blank line. `data` is a row in which nothing was looked for yet; the rows
 * of people remain `data`.
 */
export type Finding =
  | { kind: 'heading' | 'no-data' | 'data' }
  | { kind: 'left-out'; reason: string }
  | Invalid
  | Found

/** A row that cannot be read. */
export interface Invalid {
  kind: 'invalid'
  reason: string
  /** The column of the bad cell; undefined if the whole row is bad. */
  column?: number
  /**
   * Whether --skip-invalid refuses to skip the row, because it may contain other rows, or in `contactId` what a person has
   * decided.
   */
  isNeverSkipped?: true
}

/** A row with an id or a pair. */
export interface Found {
  kind: 'found'
  id: string
  /** The target of a merge, or the employee who gets the ticket: an id, or a name. */
  other?: string | undefined
}

/** Reads the rows of data in a table whose columns are known. */
export interface RowReader {
  /** The columns that are read. */
  columns: readonly number[]
  /** The columns of ids and decisions. What was refused there does not come back in a copy. */
  idColumns: readonly number[]
  /** Returns what is in a row. */
  find(row: Row): Finding
}

/** The rule by which ids, pairs or people are found in a table. */
export interface TableRule {
  /** Whether one of these cells names a known column. */
  isHeading(cells: readonly string[]): boolean
  /** Whether a text could be data of the columns that are read. */
  isValue(text: string): boolean
  /**
   * Chooses the columns of a table by the cells of its first row, and returns their reader. `table.headings` has the same cells if
   * the row is the heading; otherwise it is empty. Throws a usage error if the columns cannot be known.
   */
  readerFor(table: Table, cells: readonly string[]): RowReader
}

/** Whether the cells of a row are a heading. A row with data is no heading. */
export function hasKnownHeading(cells: readonly string[], rule: TableRule) {
  return rule.isHeading(cells) && !cells.some((cell) => rule.isValue(cell))
}

/** Takes each row of a table in order, with what was found in it. */
export type OnRow = (row: Row, finding: Finding, table: Table) => void

export interface RowOptions {
  sheet?: string | undefined
  /** The texts of --where. Rows that do not meet all of these conditions are left out. */
  where?: readonly string[] | undefined
  /** Ids to leave out, in lower case. */
  excepted?: ReadonlySet<string>
  onRow?: OnRow | undefined
  /** Tells people how an input was read. */
  note: (text: string) => void
}

/** A condition of --where. */
interface Condition {
  /** The name of the column to compare. */
  name: string
  /** The value to compare with, folded. */
  value: string
  isNegated: boolean
}

/** Parses `Remark=left` or `Remark!=left`. Throws a usage error for any other text. */
function parseCondition(text: string): Condition {
  // The value begins after the first =, and may contain more of them.
  const signAt = text.indexOf('=')
  const isNegated = text[signAt - 1] === '!'
  const name = text.slice(0, isNegated ? signAt - 1 : signAt).trim()
  if (signAt > 0 && name !== '')
    return { name, value: fold(text.slice(signAt + 1)), isNegated }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

/** The facts about a table that are known once its first row was read. */
interface Layout {
  reader: RowReader
  conditions: readonly (Condition & { column: number })[]
  /** The number of cells in the first row. */
  width: number
}

export class Table {
  /** The name of its input in messages. */
  readonly name: string
  readonly rule: TableRule
  readonly options: RowOptions
  format: 'lines' | 'csv' | 'json' | 'ndjson' | 'xlsx' = 'lines'
  delimiter = ','
  /** Whether a copy in csv needs a byte order mark. Only a text in UTF-8 without such a mark sets it to false. */
  needsMark = true
  /** The cells of the heading; empty in a table without one. */
  headings: readonly string[] = []
  /** Whether an id or a pair was found. */
  hasFound = false
  readonly #conditions: readonly Condition[]
  /** Whether there is a row other than the heading, comments and blank lines. */
  #hasRows = false
  /** Undefined until the first row is read. */
  #layout: Layout | undefined

  /** Throws a usage error for a --where that cannot be read. */
  constructor(name: string, rule: TableRule, options: RowOptions) {
    this.name = name
    this.rule = rule
    this.options = options
    this.#conditions = (options.where ?? []).map(parseCondition)
  }

  /** The columns that are read; undefined until they are known. */
  get columns() {
    return this.#layout?.reader.columns
  }

  get idColumns() {
    return this.#layout?.reader.idColumns ?? []
  }

  /**
   * Whether the input is an empty JSON list, or a heading without rows. So it is empty on purpose: a command that failed writes
   * neither.
   */
  get isEmptyList() {
    return !this.#hasRows && (this.headings.length > 0 || this.format === 'json')
  }

  /**
   * Takes the next row, and passes it on with what was found in it. `given` says what the row is, if the format already shows it.
   * Throws a usage error if the columns cannot be known.
   */
  take(row: Row, given: Finding = { kind: 'data' }) {
    this.#pass(row, this.#findingFor(row, given))
  }

  /** Takes the names of JSON members as the heading. */
  takeHeading(cells: readonly string[]) {
    this.setColumns(cells, { isHeading: true })
    this.#pass({ line: noLine, cells }, { kind: 'heading' })
  }

  /**
   * Sets the columns by the cells of the first row, which may be the heading. Throws a usage error if the columns cannot be known,
   * or if a --where names no column.
   */
  setColumns(cells: readonly string[], { isHeading }: { isHeading: boolean }): Layout {
    if (isHeading) this.headings = cells
    else if (this.#conditions.length > 0)
      throw usageError(`--where is for tables with a heading; ${this.name} has none`)
    const reader = this.rule.readerFor(this, cells)
    const conditions = this.#conditions.map((condition) => ({
      ...condition,
      column: requireColumn(this.name, cells, condition.name),
    }))
    this.#layout = { reader, conditions, width: cells.length }
    return this.#layout
  }

  #pass(row: Row, finding: Finding) {
    this.#hasRows ||= finding.kind !== 'no-data' && finding.kind !== 'heading'
    if (finding.kind === 'found') this.hasFound = true
    this.options.onRow?.(row, finding, this)
  }

  #findingFor(row: Row, given: Finding): Finding {
    if (given.kind === 'no-data') return given
    const isFirst = this.#layout === undefined
    const layout = this.#layout ?? this.#layoutByFirstRow(row, given)
    if (isFirst && this.headings.length > 0) return { kind: 'heading' }
    return given.kind === 'data' ? this.#classify(row, layout) : given
  }

  /** Sets the columns by the first row. Throws a usage error if the quotes of the row are wrong. */
  #layoutByFirstRow(row: Row, given: Finding): Layout {
    // Array.from does not skip holes.
    const cells = Array.from(row.cells, (cell?: string) => (cell ?? '').trim())
    const isHeading = hasKnownHeading(cells, this.rule)
    const innerRowReason = isHeading ? this.#innerRowReason(row) : undefined
    // The readers of the formats report no other mistake in a row than wrong quotes.
    const quoteProblem = given.kind === 'invalid' ? given.reason : innerRowReason
    if (quoteProblem !== undefined)
      throw usageError(
        `${this.name} line ${groupDigits(row.line)}: ${quoteProblem}`,
        'fix the quotes',
      )
    return this.setColumns(cells, { isHeading })
  }

  /** Returns what is in a row of data. */
  #classify(row: Row, { reader, conditions, width }: Layout): Finding {
    const csvProblem = this.format === 'csv' ? this.#csvProblem(row, width) : undefined
    if (csvProblem !== undefined) return csvProblem
    for (const { column } of conditions) {
      const reason = row.unfitReason?.(column)
      if (reason !== undefined) return { kind: 'invalid', reason, column }
    }
    const isWanted = conditions.every(({ column, value, isNegated }) => {
      const isEqual = fold(textAt(row, column)) === value
      return isNegated ? !isEqual : isEqual
    })
    if (!isWanted) return { kind: 'left-out', reason: 'excluded by --where' }
    const finding = reader.find(row)
    const isExcepted =
      finding.kind === 'found' && this.options.excepted?.has(finding.id.toLowerCase())
    return isExcepted ? { kind: 'left-out', reason: 'excluded by --except' } : finding
  }

  /** Returns the finding for a row of csv that contains another row or has too many cells; undefined for any other row. */
  #csvProblem(row: Row, width: number): Invalid | undefined {
    const innerRowReason = this.#innerRowReason(row)
    if (innerRowReason !== undefined)
      return { kind: 'invalid', reason: innerRowReason, isNeverSkipped: true }
    const hasMoreCells = row.cells.slice(width).some((cell) => cell.trim() !== '')
    if (!hasMoreCells) return undefined
    const counts = `${groupDigits(row.cells.length)}, not ${pluralize(width, 'cell')}`
    return {
      kind: 'invalid',
      reason: `more cells than the first row (${counts}); put a text with "${this.delimiter}" in quotes`,
    }
  }

  /** Returns the reason if a line inside a cell looks like a row of its own: a quote that is not closed swallows rows. */
  #innerRowReason(row: Row) {
    if (!row.cells.some((cell) => cell.includes('\n'))) return undefined
    const lines = row.cells.join(this.delimiter).split('\n')
    const index = lines.findIndex((line) => this.#canBeRow(line, row))
    if (index < 0) return undefined
    return `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`
  }

  /** Whether a line inside `row` has enough cells for a row, and a value that `row` itself does not have in that column. */
  #canBeRow(line: string, row: Row) {
    const cells = line.split(this.delimiter)
    const { reader, width } = this.#layout ?? {}
    if (width !== undefined && cells.length < width) return false
    // Until the columns are known, a value in any column counts.
    const columns = reader?.columns ?? [...row.cells.keys()]
    return columns.some((column) => {
      const text = cells[column]?.trim() ?? ''
      const ownTexts = textAt(row, column).split('\n')
      return this.rule.isValue(text) && !ownTexts.includes(text)
    })
  }
}
