/**
 * A table that is read row by row. Its first row is the heading if it has a known name; otherwise every row is data. Each row is
 * then found to be data, left out or invalid.
 */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import type { Cell } from '../workbook/writer.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import { requireColumn } from './columns.ts'

/** A row of a text, a JSON document or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The line on which it begins, the row of a sheet or the item of a JSON document, from 1; 0 for arguments and names of JSON. */
  line: number
  /** Its cells. Those of a sheet can have holes between them, so `textAt` reads a cell. */
  cells: readonly string[]
  /** Returns why a cell must not decide anything, whatever its text is; undefined for a plain cell. */
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
 * rows that are left out. The rule finds ids and pairs; rows of people remain `data`.
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

/** The rule by which ids, pairs or people are found in an input. */
export interface TableRule {
  /** Whether one of these cells names a known column. */
  isHeading(cells: readonly string[]): boolean
  /** Whether a text could be data of the columns that are read. */
  isValue(text: string): boolean
  /** Returns the columns to read. `cells` are those of the first row. Throws a usage error if the columns cannot be known. */
  columnsOf(table: Table, cells: readonly string[]): readonly number[]
  /** Returns the finding for a row of data. */
  find(row: Row, table: Table): Finding
}

/** Whether cells are a heading. A row with data in it never is. */
export function isHeading(cells: readonly string[], rule: TableRule) {
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

/** Reads `Remark=left` or `Remark!=left`. Throws a usage error for any other text. */
function parseCondition(text: string) {
  // The first = separates the value, which may contain more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const name = typed.trim()
  if (name !== '') return { name, value: fold(value), isNegated: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

type Condition = ReturnType<typeof parseCondition>

export class Table {
  /** The name of its input in messages. */
  readonly name: string
  readonly rule: TableRule
  readonly options: RowOptions
  format: 'lines' | 'csv' | 'json' | 'ndjson' | 'xlsx' = 'lines'
  delimiter = ','
  /** Whether a copy in csv needs a byte order mark: the input has one or is not UTF-8. */
  needsMark = true
  /** The columns that are read; undefined until the first row is taken. */
  columns: readonly number[] | undefined
  /** The cells of the heading; empty in a table without one. */
  headings: readonly string[] = []
  /** Whether an id or a pair was found in it. */
  hasFound = false
  /** Whether the table is surely complete though it has no data. A failed command writes no empty JSON list and no lone heading. */
  isProvenEmpty = false
  /** The conditions of --where. */
  readonly #conditions: readonly Condition[]
  /** The same conditions with the columns that they compare. */
  #filters: readonly (Condition & { column: number })[] = []
  /** The number of cells in the first row. */
  #width = 0

  /** Throws a usage error for a --where that cannot be read. */
  constructor(name: string, rule: TableRule, options: RowOptions) {
    this.name = name
    this.rule = rule
    this.options = options
    this.#conditions = (options.where ?? []).map(parseCondition)
  }

  /**
   * Takes the next row, and passes it on with what was found in it: by its reader if that says so, otherwise here. Throws a usage
   * error if the columns cannot be known.
   */
  readonly take = (row: Row, findingOfReader: Finding = { kind: 'data' }) => {
    let finding = findingOfReader
    const isFirst = this.columns === undefined && finding.kind !== 'no-data'
    if (isFirst) finding = this.#takeFirst(row, finding)
    if (finding.kind === 'data') finding = this.#judge(row)
    if (finding.kind !== 'no-data') this.isProvenEmpty = finding.kind === 'heading'
    if (finding.kind === 'found') this.hasFound = true
    this.options.onRow?.(row, finding, this)
  }

  /** Finds the columns, and whether the first row is the heading. Throws a usage error if the quotes of the row are wrong. */
  #takeFirst(row: Row, finding: Finding): Finding {
    const cells = Array.from(row.cells, (cell?: string) => (cell ?? '').trim())
    const areJsonNames = row.line === 0
    const isHeadingRow = areJsonNames || isHeading(cells, this.rule)
    const swallowed = isHeadingRow ? this.#swallowedRowReason(row) : undefined
    const problem = finding.kind === 'invalid' ? finding.reason : swallowed
    if (problem !== undefined)
      throw usageError(
        `${this.name} line ${groupDigits(row.line)}: ${problem}`,
        'fix the quotes',
      )
    if (isHeadingRow) this.headings = cells
    else if (this.#conditions.length > 0)
      throw usageError(`--where is for tables with a heading; ${this.name} has none`)
    this.columns = this.rule.columnsOf(this, cells)
    this.#filters = this.#conditions.map((condition) => ({
      ...condition,
      column: requireColumn(this.name, cells, condition.name),
    }))
    this.#width = cells.length
    return isHeadingRow ? { kind: 'heading' } : finding
  }

  /** Finds whether a row is data, left out or invalid. */
  #judge(row: Row): Finding {
    if (this.format === 'csv') {
      const reason = this.#swallowedRowReason(row)
      if (reason !== undefined) return { kind: 'invalid', reason, isNeverSkipped: true }
      const hasMoreCells = row.cells.slice(this.#width).some((cell) => cell.trim() !== '')
      if (hasMoreCells) {
        const counts = `${groupDigits(row.cells.length)}, not ${pluralize(this.#width, 'cell')}`
        return {
          kind: 'invalid',
          reason: `more cells than the first row (${counts}); put a text with "${this.delimiter}" in quotes`,
        }
      }
    }
    let isWanted = true
    for (const { column, value, isNegated } of this.#filters) {
      const reason = row.unfit?.(column)
      if (reason !== undefined) return { kind: 'invalid', reason, column }
      const isEqual = fold(textAt(row, column)) === value
      if (isEqual === isNegated) isWanted = false
    }
    if (!isWanted) return { kind: 'left-out', reason: 'excluded by --where' }
    const finding = this.rule.find(row, this)
    const isExcepted =
      finding.kind === 'found' && this.options.excepted?.has(finding.id.toLowerCase())
    return isExcepted ? { kind: 'left-out', reason: 'excluded by --except' } : finding
  }

  /**
   * Returns the reason if a line inside a cell looks like another row, because a quote is missing or there is one too many.
   * Returns undefined for any other row.
   */
  #swallowedRowReason(row: Row) {
    if (!row.cells.some((cell) => cell.includes('\n'))) return undefined
    const lines = row.cells.join(this.delimiter).split('\n')
    // Until the columns are known, a value in any of them counts.
    const columns = this.columns ?? [...row.cells.keys()]
    const index = lines.findIndex((line) => {
      const cells = line.split(this.delimiter)
      const hasOtherValue = (column: number) => {
        const text = cells[column]?.trim() ?? ''
        const ownTexts = textAt(row, column).split('\n')
        return this.rule.isValue(text) && !ownTexts.includes(text)
      }
      return cells.length >= this.#width && columns.some(hasOtherValue)
    })
    return index < 0
      ? undefined
      : `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`
  }
}
