/**
 * A table that is read row by row. Its first row is the heading if it has a known name; otherwise every row is data. Each row is
 * then found to be data, left out or invalid.
 */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import type { Cell } from '../workbook/writer.ts'
import { requireColumn } from './columns.ts'

/** The line of a row that is not in the input: an argument, the names of JSON members, or a heading that svc adds. */
export const noLine = 0

/** A row of a text, a JSON document or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The line on which it begins, the row of a sheet or the item of a JSON document, from 1; else `noLine`. */
  line: number
  /** Its cells. Those of a sheet can have holes between them, so `textAt` reads a cell. */
  cells: readonly string[]
  /** Returns why the text of a cell cannot be trusted (a formula, a rounded number); undefined if it can. */
  unfit?(column: number): string | undefined
  /** Whether the row of a sheet is hidden. */
  isHidden?: boolean
  /** Returns the content of a sheet's cell, to be written again. */
  value?(column: number): Cell
}

/** Returns the text of a cell; empty if the row has none. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/**
 * What was found in a row. Readers of texts find comments, blank lines and broken quotes. The table finds its heading and the
 * rows that are left out. The rule finds ids and pairs. Rows in which it looks for nothing, as those of people, remain `data`.
 */
export type Finding =
  | { kind: 'data' | 'heading' | 'no-data' }
  | { kind: 'left-out'; reason: string }
  | Invalid
  | Found

export interface Invalid {
  kind: 'invalid'
  reason: string
  /** The column of the bad cell; undefined if the whole row is bad. */
  column?: number
  /** Whether --skip-invalid refuses to skip the row, because it may contain other rows or a person's decision. */
  isNeverSkipped?: true
}

export interface Found {
  kind: 'found'
  id: string
  /** The second id of a pair, or the name of an employee. */
  other?: string | undefined
}

/** The columns that are read, and how they are read. */
export interface TableReader {
  columns: readonly number[]
  /** Returns the finding for a row of data. */
  find(row: Row): Finding
}

/** The rule by which ids, pairs or people are found in an input. */
export interface TableRule {
  /** Whether one of these cells names a known column. */
  isHeading(cells: readonly string[]): boolean
  /** Whether a text could be data of the columns that are read. */
  isValue(text: string): boolean
  /**
   * Chooses the columns of a table by the cells of its first row. They are also its `headings`, or these are empty. Throws a usage
   * error if the columns cannot be known.
   */
  readerFor(table: Table, cells: readonly string[]): TableReader
}

/** Whether cells are a heading. A row with data in it never is. */
export function hasKnownHeading(cells: readonly string[], rule: TableRule) {
  return rule.isHeading(cells) && !cells.some((cell) => rule.isValue(cell))
}

/** Gets the rows of a table in their order, each with what was found in it. */
export type OnRow = (row: Row, finding: Finding, table: Table) => void

export interface RowOptions {
  sheet?: string | undefined
  /** `<column>=<value>` or `<column>!=<value>`. Only rows for which all of them are true are read. */
  where?: readonly string[] | undefined
  /** Ids to leave out, in lower case. */
  excepted?: ReadonlySet<string>
  onRow?: OnRow | undefined
  /** Gets sentences about how an input was read. */
  note: (text: string) => void
}

/** A condition of --where. */
interface Condition {
  name: string
  /** The value to compare with, folded. */
  value: string
  isNegated: boolean
  /** The column to compare; undefined until the heading is read. */
  column: number | undefined
}

/** Reads `Remark=left` or `Remark!=left`. Throws a usage error for any other text. */
function parseCondition(text: string): Condition {
  // The first = separates the value, which may contain more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const name = typed.trim()
  if (name !== '')
    return { name, value: fold(value), isNegated: sign === '!=', column: undefined }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

export class Table {
  /** The name of its input in messages. */
  readonly name: string
  readonly rule: TableRule
  readonly options: RowOptions
  format: 'lines' | 'csv' | 'json' | 'ndjson' | 'xlsx' = 'lines'
  delimiter = ','
  /** Whether a copy in csv needs a byte order mark: the input has one or is not UTF-8. */
  needsMark = true
  /** The cells of the heading; empty in a table without one. */
  headings: readonly string[] = []
  /** Whether an id or a pair was found in it. */
  hasFound = false
  /** An empty JSON list or a lone heading: a failed command writes neither, so the input is really empty. */
  isSurelyEmpty = false
  /** The conditions of --where. */
  readonly #conditions: readonly Condition[]
  /** Reads the rows; undefined until the columns are known. */
  #reader: TableReader | undefined
  /** The number of cells in the first row. */
  #width = 0

  /** Throws a usage error for a --where that cannot be read. */
  constructor(name: string, rule: TableRule, options: RowOptions) {
    this.name = name
    this.rule = rule
    this.options = options
    this.#conditions = (options.where ?? []).map(parseCondition)
  }

  /** The columns that are read; undefined until they are known. */
  get columns() {
    return this.#reader?.columns
  }

  /**
   * Takes the next row, and passes it on with what was found in it. `given` is what its reader has found already. Throws a usage
   * error if the columns cannot be known.
   */
  readonly take = (row: Row, given: Finding = { kind: 'data' }) => {
    this.#pass(row, this.#findingFor(row, given))
  }

  /** Takes the names of JSON members, which are always the heading. */
  takeHeading(cells: readonly string[]) {
    this.setColumns(cells, { isHeading: true })
    this.#pass({ line: noLine, cells }, { kind: 'heading' })
  }

  /**
   * Sets the columns by the cells of the first row, which may be the heading. Throws a usage error if they cannot be known, and for
   * a --where that names no column.
   */
  setColumns(cells: readonly string[], { isHeading }: { isHeading: boolean }) {
    if (isHeading) this.headings = cells
    else if (this.#conditions.length > 0)
      throw usageError(`--where is for tables with a heading; ${this.name} has none`)
    this.#reader = this.rule.readerFor(this, cells)
    for (const condition of this.#conditions)
      condition.column = requireColumn(this.name, cells, condition.name)
    this.#width = cells.length
  }

  #pass(row: Row, finding: Finding) {
    if (finding.kind !== 'no-data') this.isSurelyEmpty = finding.kind === 'heading'
    if (finding.kind === 'found') this.hasFound = true
    this.options.onRow?.(row, finding, this)
  }

  #findingFor(row: Row, given: Finding): Finding {
    if (given.kind === 'no-data') return given
    if (this.#reader === undefined) {
      const isHeading = this.#takeFirst(row, given)
      if (isHeading) return { kind: 'heading' }
    }
    return given.kind === 'data' ? this.#classify(row) : given
  }

  /** Sets the columns by the first row. Returns whether it is the heading. Throws a usage error if its quotes are wrong. */
  #takeFirst(row: Row, given: Finding) {
    const cells = Array.from(row.cells, (cell?: string) => (cell ?? '').trim())
    const isHeading = hasKnownHeading(cells, this.rule)
    // Readers find no other mistake in a row than its quotes.
    const givenProblem = given.kind === 'invalid' ? given.reason : undefined
    const quoteProblem = givenProblem ?? (isHeading ? this.#innerRowReason(row) : undefined)
    if (quoteProblem !== undefined)
      throw usageError(
        `${this.name} line ${groupDigits(row.line)}: ${quoteProblem}`,
        'fix the quotes',
      )
    this.setColumns(cells, { isHeading })
    return isHeading
  }

  /** Finds what is in a row of data. */
  #classify(row: Row): Finding {
    const problem = this.format === 'csv' ? this.#csvProblem(row) : undefined
    if (problem !== undefined) return problem
    let isWanted = true
    for (const { column = 0, value, isNegated } of this.#conditions) {
      const reason = row.unfit?.(column)
      if (reason !== undefined) return { kind: 'invalid', reason, column }
      const isEqual = fold(textAt(row, column)) === value
      isWanted &&= isEqual !== isNegated
    }
    if (!isWanted) return { kind: 'left-out', reason: 'excluded by --where' }
    const finding = this.#reader?.find(row) ?? { kind: 'data' }
    const isExcepted =
      finding.kind === 'found' && this.options.excepted?.has(finding.id.toLowerCase())
    return isExcepted ? { kind: 'left-out', reason: 'excluded by --except' } : finding
  }

  /** Returns the finding for a row of csv that contains another row or has too many cells. */
  #csvProblem(row: Row): Invalid | undefined {
    const innerRowReason = this.#innerRowReason(row)
    if (innerRowReason !== undefined)
      return { kind: 'invalid', reason: innerRowReason, isNeverSkipped: true }
    const hasMoreCells = row.cells.slice(this.#width).some((cell) => cell.trim() !== '')
    if (!hasMoreCells) return undefined
    const counts = `${groupDigits(row.cells.length)}, not ${pluralize(this.#width, 'cell')}`
    return {
      kind: 'invalid',
      reason: `more cells than the first row (${counts}); put a text with "${this.delimiter}" in quotes`,
    }
  }

  /** Returns why this row seems to contain another row: a line inside one of its cells looks like one. */
  #innerRowReason(row: Row) {
    if (!row.cells.some((cell) => cell.includes('\n'))) return undefined
    const lines = row.cells.join(this.delimiter).split('\n')
    const index = lines.findIndex((line) => this.#canBeRow(line, row))
    return index < 0
      ? undefined
      : `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`
  }

  /** Whether a line inside a cell has enough cells for a row, and a value that its row does not have in the same column. */
  #canBeRow(line: string, row: Row) {
    const cells = line.split(this.delimiter)
    if (cells.length < this.#width) return false
    // Until the columns are known, a value in any of them counts.
    const columns = this.columns ?? [...row.cells.keys()]
    return columns.some((column) => {
      const text = cells[column]?.trim() ?? ''
      const ownTexts = textAt(row, column).split('\n')
      return this.rule.isValue(text) && !ownTexts.includes(text)
    })
  }
}
