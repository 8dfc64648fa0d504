/** A table whose columns are known: it says for each of its rows what was found there. */
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { fold, groupDigits, pluralize } from '../words.ts'
import { limits } from '../workbook/writer.ts'
import type { InputHost } from './bytes.ts'
import { requireTypedColumn } from './columns.ts'
import {
  openSource,
  textAt,
  textsOf,
  type Row,
  type Source,
  type SourceOptions,
} from './rows.ts'

/** The finding in a row. `data` is a row in which nothing was looked for yet: rows of people remain `data`. */
export type Finding =
  | { kind: 'data' }
  /** `undecided`: nobody has decided yet which contact the row is. */
  | { kind: 'left-out' | 'undecided'; reason: string }
  | Invalid
  | Found

/** A row that cannot be read. */
export interface Invalid {
  kind: 'invalid'
  reason: string
  /** The column of the bad cell; undefined if the whole row is bad. */
  column?: number
}

/** A row with an id or a pair. */
export interface Found {
  kind: 'found'
  id: string
  /** The target of a merge, or the employee who gets the ticket: an id, or a name. */
  other?: string | undefined
}

export interface FoundRow {
  row: Row
  finding: Finding
}

/** Reads the rows of data in a table whose columns are known. */
export interface RowReader {
  /** The columns that are read. */
  columns: readonly number[]
  /** The columns of ids and decisions: a cell that was refused there is empty in a table that is given back. */
  idColumns: readonly number[]
  /** Returns what is in a row. */
  find(row: Row): Finding
}

/** The rule by which ids, pairs or people are found in a table. */
export interface TableRule {
  /** Whether a text without delimiters is a list, and a list needs no heading. */
  canBeList: boolean
  /** Whether hidden rows and columns are left out. Otherwise a hidden cell that is read is a bad one. */
  leavesOutHidden: boolean
  /** Whether a heading names a known column. */
  isKnown(heading: string): boolean
  /** Whether a text is data of the columns that are read, so that a row with it is no heading. */
  isValue(text: string): boolean
  /** Returns the reader for the columns of a table. Throws a usage error if the columns cannot be known. */
  readerFor(table: Columns): RowReader
}

/** The columns of a table. */
export interface Columns {
  name: string
  /** The texts of the heading row; all empty in a table without one. */
  headings: readonly string[]
  /** The column of a list; undefined in a table with several columns. */
  listColumn: number | undefined
  /** Says in which other row a known heading is; undefined if in none. */
  headingHint: string | undefined
}

export interface TableOptions extends SourceOptions {
  /** The texts of --where. Rows that do not meet all of these conditions are left out. */
  where?: readonly string[] | undefined
}

/**
 * Reads a file or standard input, and finds its columns. Throws a usage error if the input cannot be read, or if its columns cannot
 * be known.
 */
export async function readTable(
  host: InputHost,
  path: string,
  rule: TableRule,
  options: TableOptions,
) {
  return new Table(await openSource(host, path, options, rule.canBeList), rule, options)
}

/** The reader of an input without rows. */
const emptyReader: RowReader = {
  columns: [],
  idColumns: [],
  find: () => ({ kind: 'data' }),
}

/** A table that can be read once, from its first row to its last. */
export class Table {
  readonly source: Source
  readonly headings: readonly string[]
  readonly hasHeading: boolean
  readonly reader: RowReader
  /** Says in which other row a known heading is; undefined if in none. */
  readonly headingHint: string | undefined
  /** Whether rows or columns were left out because they are hidden. */
  hasHidden = false
  /** Whether any row of data was read. */
  #hasRows = false
  readonly #rule: TableRule
  readonly #conditions: readonly Condition[]
  readonly #rows: Iterator<Row, undefined>
  /** The first row; it knows which columns of its sheet are hidden. */
  readonly #topRow: Row | undefined
  /** A row of data that was read to look for the heading. */
  #firstRow: Row | undefined

  constructor(source: Source, rule: TableRule, options: TableOptions) {
    this.source = source
    this.#rule = rule
    this.#rows = source.rows[Symbol.iterator]()
    const first = this.#next()
    this.#topRow = first
    const heading = source.names ?? this.#headingIn(first, options)
    this.hasHeading = heading !== undefined
    if (heading === undefined || source.names !== undefined) this.#firstRow = first
    const texts = first === undefined ? [] : textsOf(first)
    this.headings = heading ?? texts.map(() => '')
    const { name, listColumn } = source
    const { where = [] } = options
    if (this.headings.length > limits.columns)
      throw usageError(`${name} has more than ${groupDigits(limits.columns)} columns`)
    const { headings } = this
    const headingHint = this.#headingHint(options)
    this.headingHint = headingHint
    const isEmpty = first === undefined && headings.length === 0
    this.reader = isEmpty
      ? emptyReader
      : rule.readerFor({ name, headings, listColumn, headingHint })
    this.#conditions = isEmpty
      ? []
      : where.map((text) => parseCondition(text, name, headings))
    this.#checkHeading(options)
  }

  /** Whether the table has a heading alone, or is an empty list of JSON. A command that failed writes neither. */
  get isEmptyOnPurpose() {
    return !this.#hasRows && (this.hasHeading || this.source.format === 'json')
  }

  isColumnHidden(column: number) {
    return this.#topRow?.isColumnHidden?.(column) === true
  }

  /** Yields the rows of data with what was found in them. */
  *[Symbol.iterator](): Generator<FoundRow> {
    for (;;) {
      const row = this.#firstRow ?? this.#next()
      this.#firstRow = undefined
      if (row === undefined) return
      this.#hasRows = true
      yield { row, finding: this.#findingIn(row) }
    }
  }

  /** Returns the next row, without hidden ones if the rule leaves them out. */
  #next(): Row | undefined {
    for (;;) {
      const { value: row } = this.#rows.next()
      const isLeftOut = row?.isHidden === true && this.#rule.leavesOutHidden
      if (!isLeftOut) return row
      this.hasHidden = true
    }
  }

  /** Returns the headings in the first row; undefined if the table has none. Throws a usage error if they must be there. */
  #headingIn(first: Row | undefined, { headingRow }: TableOptions) {
    const { name, listColumn, headingLine, firstRows } = this.source
    const isMissing = first === undefined && headingRow !== undefined
    if (isMissing && firstRows().length > 0)
      throw usageError(`${name} has no row ${groupDigits(headingRow)}`)
    const canHaveHeading = headingLine !== undefined && headingRow !== 0
    if (first === undefined || !canHaveHeading) return undefined
    if (listColumn !== undefined && headingRow === undefined) {
      const isKnown = this.#rule.isKnown(textAt(first, listColumn).trim())
      return isKnown ? this.#visibleHeadings(first) : undefined
    }
    const problem =
      first.line === headingLine
        ? (first.problem ?? (first.isHidden === true ? 'it is hidden' : undefined))
        : 'it is empty'
    if (problem === undefined) return this.#visibleHeadings(first)
    throw usageError(
      `the heading row of ${name} cannot be read: ${problem}`,
      this.#headingHint({ headingRow }) ?? 'name another one with --heading-row <n>',
    )
  }

  /** Returns the headings in a row, with an empty text for a hidden column if the rule leaves it out. */
  #visibleHeadings(row: Row) {
    return textsOf(row).map((text, column) => {
      const isHidden = this.#rule.leavesOutHidden && row.isColumnHidden?.(column) === true
      if (!isHidden) return text.trim()
      if (text === 'contactId')
        throw usageError(
          `the column contactId of ${this.source.name} is hidden`,
          'show the column',
        )
      this.hasHidden = true
      return ''
    })
  }

  /** Returns a hint at the first other row that has a known heading. */
  #headingHint({ headingRow = 1 }: Pick<TableOptions, 'headingRow'>) {
    const other = this.source
      .firstRows()
      .find(
        ({ number, cells }) =>
          number > 1 &&
          number !== headingRow &&
          cells.some((cell) => this.#rule.isKnown(cell)),
      )
    return other && `if row ${other.number} is its heading: --heading-row ${other.number}`
  }

  /** Throws a usage error if the heading has data in a column that is read. */
  #checkHeading({ headingRow = 1 }: TableOptions) {
    const { columns } = this.reader
    const column = columns.find((each) => this.#rule.isValue(this.headings[each] ?? ''))
    if (column === undefined || !this.hasHeading) return
    throw usageError(
      `row ${groupDigits(headingRow)} of ${this.source.name} is no heading: it has "${shorten(this.headings[column] ?? '')}"`,
      'if the table has no heading: --heading-row 0',
    )
  }

  #findingIn(row: Row): Finding {
    const problem = row.problem ?? this.#widthProblem(row)
    if (problem !== undefined) return { kind: 'invalid', reason: problem }
    for (const { column } of this.#conditions) {
      const reason = row.unfitReason?.(column)
      if (reason !== undefined) return { kind: 'invalid', reason, column }
    }
    const isWanted = this.#conditions.every(({ column, value, isNegated }) => {
      const isEqual = fold(textAt(row, column)) === value
      return isEqual !== isNegated
    })
    return isWanted
      ? this.reader.find(row)
      : { kind: 'left-out', reason: 'excluded by --where' }
  }

  /** Returns what is wrong with a row of csv that has more cells than the table has columns. */
  #widthProblem({ cells }: Row) {
    const { format, delimiter } = this.source
    const width = this.headings.length
    if (format !== 'csv' || !Array.isArray(cells) || cells.length <= width) return undefined
    const counts = `${pluralize(cells.length, 'cell')} for ${pluralize(width, 'column')}`
    return `${counts}; put a text with "${delimiter}" in quotes`
  }
}

/** A condition of --where. */
interface Condition {
  column: number
  /** The value to compare with, folded. */
  value: string
  isNegated: boolean
}

/** Reads a --where. Throws a usage error if it cannot be read, or names no column. */
function parseCondition(
  text: string,
  inputName: string,
  headings: readonly string[],
): Condition {
  const [, name = '', sign = '', value = ''] = /^(.*?)(!?=)(.*)$/s.exec(text) ?? []
  if (name.trim() === '')
    throw usageError(
      `--where takes <column>=<value> or <column>!=<value>, not "${shorten(text)}"`,
    )
  const column = requireTypedColumn(inputName, headings, name)
  return { column, value: fold(value), isNegated: sign === '!=' }
}
