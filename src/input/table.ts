/**
 * One table: its first row is the heading if it names the columns that are looked for; else every row is data. Then each row
 * is data, left out, or invalid.
 */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import { placeNamed, refuseColumn, type TableRule } from './columns.ts'
import {
  addressOf,
  invalid,
  invalidCell,
  textAt,
  unfitAt,
  withoutHoles,
  type Problem,
  type Row,
  type RowFinding,
} from './row.ts'
import type { Layout } from './text.ts'

export type OnRow = (row: Row, table: Table) => void

/** `Remark=left`, or `Remark!=left` for the rows that do not have this value. Throws exit 2. */
function parseWhere(text: string) {
  // The first = counts: a value may have more of them.
  const [, typed = '', sign, value = ''] = /^([^=]*?)(!?=)(.*)$/s.exec(text) ?? []
  const column = typed.trim()
  if (column !== '') return { column, value: fold(value), isExcluded: sign === '!=' }
  throw usageError(
    `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    'for example --where Remark=left',
  )
}

export class Table {
  /** The name of its input, for messages. */
  readonly input: string
  readonly rule: TableRule
  /** `words`: arguments of the command line. */
  format: Layout['format'] | 'xlsx' | 'words' = 'words'
  delimiter = ','
  /** Whether a copy as csv begins with a byte order mark: the input has one, or is no UTF-8. */
  needsMark = true
  /** Places of the columns that are read, once the first row is read. */
  columns: readonly number[] | undefined
  /** Cells of the heading. */
  headings: readonly string[] = []
  /** Line of the first row in a table without a heading: it may have been meant as one. */
  firstLine = 0
  /** Sentences about how it was read. */
  readonly notes: string[] = []
  /** Whether it is empty and nothing is missing: a failed command writes neither an empty list nor a heading alone. */
  isProvenEmpty = false
  readonly #onRow: OnRow
  /** The conditions of `--where`. */
  readonly #wanted: readonly ReturnType<typeof parseWhere>[]
  /** The columns that `--where` looks at. */
  #whereColumns: readonly number[] = []
  /** How many rows are left out, by why. */
  readonly #leftOut = new Map<string, number>()
  /** Cells of its first row. */
  #width = 0

  /** `onRow` gets the rows in their order, each with its finding. `where` as it was typed. Throws exit 2. */
  constructor(input: string, rule: TableRule, where: readonly string[], onRow: OnRow) {
    this.input = input
    this.rule = rule
    this.#wanted = where.map(parseWhere)
    this.#onRow = onRow
  }

  get leftOut() {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Sentences about the rows that were left out, and why. */
  get leftOutNotes(): string[] {
    return [...this.#leftOut].map(
      ([why, count]) => `${this.input}: ${pluralize(count, 'row')} left out: ${why}`,
    )
  }

  leaveOut(reason: string): RowFinding {
    this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + 1)
    return { kind: 'left-out', reason }
  }

  /** A property, because it is passed to readers of texts. Throws exit 2 when the columns cannot be known. */
  readonly take = (row: Row) => {
    const { kind } = row.finding
    if (this.columns === undefined && kind !== 'no-data') this.#takeFirst(row)
    const isData = row.finding.kind === 'data'
    if (isData) row.finding = this.#judge(row)
    if (isData || kind === 'invalid') this.isProvenEmpty = false
    this.#onRow(row, this)
  }

  /** Finds the columns in the first row, and makes it the heading if it is one. */
  #takeFirst(row: Row) {
    const { input, rule } = this
    if (row.finding.kind === 'invalid')
      throw this.#refusalOf(row, row.finding.problem.reason)
    row.cells = withoutHoles(row.cells)
    const cells = row.cells.map((cell) => cell.trim())
    const columns = rule.columnsOf(cells)
    this.#width = cells.length
    if (columns === undefined) {
      if (this.#wanted.length > 0)
        throw usageError(`--where is for tables with a heading; ${input} has none`)
      this.columns = rule.fallbackColumns(row)
      this.firstLine = row.line
      return
    }
    this.columns = columns
    const hasRows = (cell: string) =>
      cell.includes('\n') && cell.split(/[\s,;|]+/).some(rule.isValue)
    if (cells.some(hasRows)) throw this.#refusalOf(row, 'a quoted cell contains whole rows')
    this.headings = cells
    this.isProvenEmpty = true
    this.#whereColumns = this.#wanted.map(
      ({ column }) =>
        placeNamed(input, cells, column) ?? refuseColumn(input, cells, column),
    )
    row.finding = { kind: 'heading' }
    for (const column of [...columns, ...this.#whereColumns]) {
      const reason = unfitAt(row, column)
      if (reason === undefined) continue
      throw usageError(`${input} cell ${addressOf(row, column)}: the heading is ${reason}`)
    }
  }

  #refusalOf({ line }: Row, reason: string) {
    return usageError(
      `${this.input} line ${groupDigits(line)}: ${reason}`,
      'fix the quotes',
    )
  }

  /** Whether a row is data, left out by `--where`, or invalid: cells may be shifted, or one that decides is not plain. */
  #judge(row: Row): RowFinding {
    const isCsv = this.format === 'csv'
    const problem = isCsv ? (this.#swallowedRow(row) ?? this.#tooManyCells(row)) : undefined
    if (problem !== undefined) return invalid(problem)
    for (const column of this.#whereColumns) {
      const reason = unfitAt(row, column)
      if (reason !== undefined) return invalidCell(row, column, reason)
    }
    const isWanted = this.#wanted.every(({ value, isExcluded }, index) => {
      const text = fold(textAt(row, this.#whereColumns[index] ?? -1))
      return (text === value) !== isExcluded
    })
    return isWanted ? { kind: 'data' } : this.leaveOut('excluded by --where')
  }

  /** A line inside a cell that looks like a row: a quote is missing, or there is one too many. */
  #swallowedRow(row: Row): Problem | undefined {
    if (!row.cells.some((cell) => cell.includes('\n'))) return undefined
    const lines = row.cells.join(this.delimiter).split('\n')
    const index = lines.findIndex((line) => {
      const cells = line.split(this.delimiter)
      return cells.length >= this.#width && this.#isAnotherRow(row, cells)
    })
    if (index < 0) return undefined
    return {
      reason: `line ${groupDigits(row.line + index)} looks like a separate row, but is inside a quoted cell`,
      text: lines[index] ?? '',
      isNeverSkipped: true,
    }
  }

  /** Whether cells have another value than the row in the columns that are read. */
  #isAnotherRow(row: Row, cells: readonly string[]) {
    return (this.columns ?? []).some((place) => {
      const text = cells[place]?.trim() ?? ''
      return this.rule.isValue(text) && !textAt(row, place).split('\n').includes(text)
    })
  }

  #tooManyCells({ cells }: Row): Problem | undefined {
    const { delimiter } = this
    if (cells.slice(this.#width).every((cell) => cell.trim() === '')) return undefined
    return {
      reason: `more cells than the first row (${groupDigits(cells.length)}, not ${pluralize(this.#width, 'cell')}); put a text with "${delimiter}" in quotes`,
      text: cells.join(delimiter),
    }
  }
}
