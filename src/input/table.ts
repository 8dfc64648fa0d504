/**
 * One table: its first row is the heading if it has a known name; else every row is data. Then each row is found to be data,
 * left out, or invalid.
 */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import type { Cell } from '../workbook/writer.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import { placeNamed, refuseColumn } from './columns.ts'

/** A row of a text, of JSON or of a sheet. Columns are numbers from 0. */
export interface Row {
  /** Line on which it begins, row of a sheet, or item of JSON, from 1. The names of JSON and arguments have 0. */
  line: number
  /** There can be holes between the cells of a sheet: `textAt` reads a cell. */
  cells: readonly string[]
  /** Why nothing may be decided by a cell, whatever its text is. Undefined for one that is plain. */
  unfit?(column: number): string | undefined
  /** Of a sheet. */
  isHidden?: boolean
  /** The content of a cell of a sheet, to be written again. */
  value?(column: number): Cell
}

/** Text of a cell; empty in a row without it. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/**
 * A finding about a row. Readers of texts find comments, blank lines and broken quotes, the table its heading and what is left
 * out, its rule the rest. Rows of people stay data.
 */
export type Finding =
  | { kind: 'data' | 'heading' | 'no-data' }
  | { kind: 'left-out'; reason: string }
  | Invalid
  | Found

export interface Invalid {
  kind: 'invalid'
  reason: string
  /** The column of the cell that cannot be used, if it is one. */
  column?: number
  /** Whether --skip-invalid refuses to skip the row: other rows may be lost in it, or the decision of a person. */
  isNeverSkipped?: true
}

/** The id that is in a row, and the second id or name of a pair. */
export interface Found {
  kind: 'found'
  id: string
  other?: string | undefined
}

/** The rule by which ids, pairs or people are found in an input. */
export interface TableRule {
  /** Whether cells without a value name a column. */
  isHeading(cells: readonly string[]): boolean
  /** Whether a text would be read in one of the columns. */
  isValue(text: string): boolean
  /** The columns that are read; `cells` are those of the first row. Throws exit 2 if they cannot be known. */
  columnsOf(table: Table, cells: readonly string[]): readonly number[]
  /** Searches a row of data. */
  find(row: Row, table: Table): Finding
}

export interface RowOptions {
  sheet?: string | undefined
  /** `<column>=<value>`, `<column>!=<value>`: only rows for which all of them hold. */
  where?: readonly string[] | undefined
  /** Ids in lower case that are left out. */
  excepted?: ReadonlySet<string>
  /** Gets the rows in their order, each with what was found in it. */
  onRow?: OnRow | undefined
  /** Gets sentences about how an input was read. */
  note: (text: string) => void
}

export type OnRow = (row: Row, finding: Finding, table: Table) => void

/** Whether cells are a heading: a row with a value is never taken for one. */
export function isHeading(cells: readonly string[], rule: TableRule) {
  return rule.isHeading(cells) && !cells.some((cell) => rule.isValue(cell))
}

/** `Remark=left`, or `Remark!=left` for the rows that do not have this value. Throws exit 2. */
function parseCondition(text: string) {
  // The first = counts: a value may have more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const name = typed.trim()
  if (name !== '')
    return { name, column: -1, value: fold(value), isExcluded: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

const data: Finding = { kind: 'data' }

export class Table {
  /** The name of its input, for messages. */
  readonly name: string
  readonly rule: TableRule
  format: 'lines' | 'csv' | 'json' | 'ndjson' | 'xlsx' = 'lines'
  delimiter = ','
  /** Whether a copy as csv begins with a byte order mark: the input has one, or is no UTF-8. */
  needsMark = true
  /** The columns that are read, once the first row is read. */
  columns: readonly number[] | undefined
  /** Cells of the heading. */
  headings: readonly string[] = []
  /** Whether an id or a pair was found in it. */
  hasFound = false
  /** Whether it is empty and nothing is missing: a failed command writes neither an empty list nor a heading alone. */
  isProvenEmpty = false
  readonly options: RowOptions
  readonly #conditions: readonly ReturnType<typeof parseCondition>[]
  /** Cells of its first row. */
  #width = 0

  /** Throws exit 2 for a condition that is none. */
  constructor(name: string, rule: TableRule, options: RowOptions) {
    this.name = name
    this.rule = rule
    this.options = options
    this.#conditions = (options.where ?? []).map(parseCondition)
  }

  /** A property, because it is passed to readers of texts. Throws exit 2 when the columns cannot be known. */
  readonly take = (row: Row, read: Finding = data) => {
    const isFirst = this.columns === undefined && read.kind !== 'no-data'
    let finding = isFirst ? this.#takeFirst(row, read) : read
    if (finding.kind === 'data') finding = this.#judge(row)
    if (finding.kind !== 'no-data') this.isProvenEmpty = finding.kind === 'heading'
    if (finding.kind === 'found') this.hasFound = true
    this.options.onRow?.(row, finding, this)
  }

  /** Finds the columns in the first row, and whether it is the heading. Throws exit 2 if its quotes are wrong. */
  #takeFirst(row: Row, finding: Finding): Finding {
    const cells = Array.from(row.cells, (cell?: string) => (cell ?? '').trim())
    // The names of JSON are a heading, whatever they are.
    const isHeadingRow = row.line === 0 || isHeading(cells, this.rule)
    const swallowed = isHeadingRow ? this.#swallowedRow(row) : undefined
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
    for (const condition of this.#conditions)
      condition.column =
        placeNamed(this.name, cells, condition.name) ??
        refuseColumn(this.name, cells, condition.name)
    this.#width = cells.length
    return isHeadingRow ? { kind: 'heading' } : finding
  }

  /** Whether a row is data, left out by `--where`, or invalid: cells may be shifted, or one that decides is not plain. */
  #judge(row: Row): Finding {
    if (this.format === 'csv') {
      const reason = this.#swallowedRow(row)
      if (reason !== undefined) return { kind: 'invalid', reason, isNeverSkipped: true }
      if (row.cells.slice(this.#width).some((cell) => cell.trim() !== ''))
        return {
          kind: 'invalid',
          reason: `more cells than the first row (${groupDigits(row.cells.length)}, not ${pluralize(this.#width, 'cell')}); put a text with "${this.delimiter}" in quotes`,
        }
    }
    let isWanted = true
    for (const { column, value, isExcluded } of this.#conditions) {
      const reason = row.unfit?.(column)
      if (reason !== undefined) return { kind: 'invalid', reason, column }
      isWanted &&= (fold(textAt(row, column)) === value) !== isExcluded
    }
    if (!isWanted) return { kind: 'left-out', reason: 'excluded by --where' }
    const found = this.rule.find(row, this)
    return found.kind === 'found' && this.options.excepted?.has(found.id.toLowerCase())
      ? { kind: 'left-out', reason: 'excluded by --except' }
      : found
  }

  /** A line inside a cell that looks like a row: a quote is missing, or there is one too many. */
  #swallowedRow(row: Row) {
    if (!row.cells.some((cell) => cell.includes('\n'))) return undefined
    const lines = row.cells.join(this.delimiter).split('\n')
    const columns = this.columns ?? [...row.cells.keys()]
    const index = lines.findIndex((line) => {
      const cells = line.split(this.delimiter)
      // Another value than the row has in a column that is read; a heading has none in any.
      const isOther = (column: number) => {
        const text = cells[column]?.trim() ?? ''
        return this.rule.isValue(text) && !textAt(row, column).split('\n').includes(text)
      }
      return cells.length >= this.#width && columns.some(isOther)
    })
    return index < 0
      ? undefined
      : `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`
  }
}
