/** A table whose columns are known: it says for each of its rows what was found there. One bad line stops the whole table. */
import { SvcError, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { columnName, fold, groupDigits, pluralize } from '../words.ts'
import { limits } from '../workbook/writer.ts'
import type { InputHost } from './bytes.ts'
import { requireColumn } from './columns.ts'
import { openInput, type Input, type PlaceOptions } from './open.ts'
import {
  textAt,
  textsOf,
  type OpenAt,
  type Row,
  type Source,
  type TableKind,
} from './rows.ts'

/** The meaning of a row. */
export type Finding =
  /**
   * `other` is the target of a merge, or the employee who gets the ticket: an id, or a name. In a row of people, whose cells are
   * read later, the id is empty.
   */
  | { kind: 'found'; id: string; other?: string | undefined }
  /** `undecided`: nobody has decided yet which contact the row is. */
  | { kind: 'left-out' | 'undecided'; reason: string }

/** Why a row is bad. `column` is that of the bad cell, if not the whole row is bad. */
interface Bad {
  kind: 'bad'
  reason: string
  column?: number
}

export interface FoundRow {
  row: Row
  finding: Finding
}

/** A column that is read. */
export interface ColumnReader {
  column: number
  /** Returns what a text means; undefined if the other columns decide. Columns of people are read later. */
  find?: (text: string) => Finding | Bad | undefined
}

/** The columns that a command looks for in a table, and how it judges their cells. */
export interface TableRule {
  kind: TableKind
  /** Whether a heading names a known column. */
  isKnown(heading: string): boolean
  /** Whether a text is data of the columns that are read, so that a row with it is no heading. */
  isValue(text: string): boolean
  /** Returns the columns to read. Throws a usage error if they cannot be known. */
  columnsOf(table: Table): readonly ColumnReader[]
  /** Returns what to do about bad lines. */
  advice: (format: Source['format']) => string
}

export interface TableOptions extends PlaceOptions {
  /** The texts of --where. Rows that do not meet all of these conditions are left out. */
  where?: readonly string[] | undefined
  /** The ids of --except in lower case. */
  excepted?: ReadonlySet<string> | undefined
}

/** Reads an input as a table. Throws a usage error if it cannot be read, or if its columns cannot be known. */
export async function readTable(
  host: InputHost,
  input: Input,
  rule: TableRule,
  options: TableOptions,
) {
  return new Table(await openInput(host, input, rule.kind, options), rule, options)
}

/** A heading is looked for in this many rows. */
const maxHeadingRow = 20

/** An error shows at most this many lines, and counts the others. */
const maxShown = 20

export class Table {
  readonly source: Source
  readonly name: string
  /** The texts of the heading row; all empty in a table without one. */
  readonly headings: readonly string[]
  readonly hasHeading: boolean
  /** The columns that are read; none in an input without any row. */
  readonly columns: readonly ColumnReader[]
  readonly #openAt: OpenAt
  readonly #rule: TableRule
  readonly #options: TableOptions
  readonly #first: Row | undefined
  /** The columns of --where, which leave out rows before the others are judged, and then those of the rule. */
  readonly #stages: readonly (readonly ColumnReader[])[]

  constructor(openAt: OpenAt, rule: TableRule, options: TableOptions) {
    const { headingRow = 1, where = [] } = options
    this.#openAt = openAt
    this.#rule = rule
    this.#options = options
    this.source = openAt(headingRow)
    const { name } = this.source
    const [first] = this.source.rows()
    const [anyRow] = openAt(0).rows()
    if (first === undefined && anyRow !== undefined)
      throw usageError(`${name} has no row ${groupDigits(headingRow)}`)
    this.name = name
    this.#first = first
    this.hasHeading = first !== undefined && this.#isHeading(first)
    const texts = first === undefined ? [] : textsOf(first)
    this.headings = texts.map((text, column) => this.#headingOf(text, column))
    if (this.headings.length > limits.columns)
      throw usageError(`${name} has more than ${groupDigits(limits.columns)} columns`)
    this.columns = first === undefined ? [] : rule.columnsOf(this)
    const heading = this.columns.map(({ column }) => this.headings[column] ?? '')
    const value = heading.find((text) => rule.isValue(text))
    if (value !== undefined)
      throw usageError(
        `row ${groupDigits(headingRow)} of ${name} is not a heading: it has "${shorten(value)}"`,
        'if the table has no heading: --heading-row 0',
      )
    const conditions = first === undefined ? [] : where
    const conditionColumns = conditions.map((text) => conditionOf(this, text))
    this.#stages = [conditionColumns, this.columns].filter((columns) => columns.length > 0)
  }

  isColumnHidden(column: number) {
    return this.#first?.isColumnHidden?.(column) === true
  }

  /** Yields the rows below the heading with what was found in them. Then throws a usage error that shows bad lines, if there are any. */
  *[Symbol.iterator](): Generator<FoundRow> {
    const headingLine = this.hasHeading ? this.#first?.line : undefined
    const badLines: string[] = []
    let badCount = 0
    for (const row of this.source.rows()) {
      if (row.line === headingLine) continue
      const finding = this.#findingIn(row)
      if (finding.kind !== 'bad') {
        yield { row, finding }
        continue
      }
      badCount += 1
      if (badCount <= maxShown) badLines.push(this.#describe(row, finding))
    }
    if (badCount === 0) return
    if (badCount > maxShown) badLines.push(`and ${groupDigits(badCount - maxShown)} more`)
    const { format } = this.source
    const noun = format === 'words' ? 'bad id' : 'bad line'
    throw new SvcError('usage', `${this.name} has ${pluralize(badCount, noun)}`, {
      lines: badLines,
      // Bad lines in a list without a heading can be those of a table below its title.
      hint: (this.hasHeading ? undefined : this.headingHint()) ?? this.#rule.advice(format),
    })
  }

  /** Returns a hint at the first other row that has a known heading. */
  headingHint() {
    for (let row = 2; row <= maxHeadingRow; row += 1) {
      const { rows, headingLine } = this.#openAt(row)
      const [first] = rows()
      if (first === undefined) return undefined
      const isHeading =
        headingLine > 0 &&
        row !== this.#options.headingRow &&
        first.line === headingLine &&
        textsOf(first).some((text) => this.#rule.isKnown(text))
      if (isHeading) return `if row ${row} is its heading: --heading-row ${row}`
    }
    return undefined
  }

  /** Whether the first row is a heading. Throws a usage error if it must be one, and is none. */
  #isHeading(first: Row) {
    const { name, isList, headingLine } = this.source
    const { headingRow } = this.#options
    if (headingRow === 0) return false
    if (isList && headingRow === undefined)
      return headingLine > 0 && this.#rule.isKnown(textAt(first, 0))
    const isHidden = first.isHidden === true
    const problem =
      first.line === headingLine
        ? (first.problem ?? (isHidden ? 'it is hidden' : undefined))
        : 'it is empty'
    if (problem === undefined) return true
    throw usageError(
      `the heading row of ${name} cannot be read: ${problem}`,
      this.headingHint() ?? 'name another one with --heading-row <n>',
    )
  }

  /** Returns the heading of a column; empty if there is none, or if the column is left out because it is hidden. */
  #headingOf(text: string, column: number) {
    const isLeftOut = this.#rule.kind === 'people' && this.isColumnHidden(column)
    if (isLeftOut && text === 'contactId')
      throw usageError(`the column contactId of ${this.name} is hidden`, 'show the column')
    return this.hasHeading && !isLeftOut ? text.trim() : ''
  }

  #findingIn(row: Row): Finding | Bad {
    const problem = row.problem ?? this.#widthProblem(row)
    if (problem !== undefined) return { kind: 'bad', reason: problem }
    let found: Finding = { kind: 'found', id: '' }
    for (const columns of this.#stages) {
      const unfit = this.#unfitCell(row, columns)
      if (unfit !== undefined) return unfit
      for (const { column, find } of columns) {
        const finding = find?.(textAt(row, column))
        if (finding?.kind === 'bad') return { ...finding, column }
        if (finding === undefined) continue
        if (finding.kind !== 'found') return finding
        found = found.id === '' ? finding : { ...found, other: finding.id }
      }
    }
    if (this.#options.excepted?.has(found.id.toLowerCase()) !== true) return found
    return { kind: 'left-out', reason: 'excluded by --except' }
  }

  /** Returns the first of these cells that cannot be trusted. In a row of people, other cells may identify the person. */
  #unfitCell(row: Row, columns: readonly ColumnReader[]): Bad | undefined {
    for (const { column } of this.#rule.kind === 'people' ? [] : columns) {
      const reason = row.unfitReason?.(column)
      if (reason !== undefined) return { kind: 'bad', reason, column }
    }
    return undefined
  }

  /** Returns what is wrong with a row of csv that has more cells than the table has columns. */
  #widthProblem({ cells }: Row) {
    const { format, delimiter } = this.source
    const width = this.headings.length
    if (format !== 'csv' || cells.length <= width) return undefined
    const counts = `${pluralize(cells.length, 'cell')} for ${pluralize(width, 'column')}`
    return `${counts}; put a text with "${delimiter}" in quotes`
  }

  /** Returns the place, the text and the reason of a bad line: `line 4: "xyz": contains "x", …`. */
  #describe(row: Row, { column, reason }: Bad) {
    const { format, delimiter } = this.source
    const text = column === undefined ? textsOf(row).join(delimiter) : textAt(row, column)
    // The beginning of a long line is enough to find it.
    const shown = `"${shorten(text.slice(0, 200).trim())}": ${reason}`
    if (format === 'words') return shown
    if (format === 'xlsx' && column !== undefined)
      return `cell ${columnName(column)}${row.line}: ${shown}`
    return `${format === 'json' ? 'item' : 'line'} ${groupDigits(row.line)}: ${shown}`
  }
}

/** Reads a --where. Throws a usage error if it cannot be read, or names no column. */
function conditionOf(table: Table, condition: string): ColumnReader {
  const [, name = '', sign = '', value = ''] = /^(.*?)(!?=)(.*)$/s.exec(condition) ?? []
  if (name.trim() === '')
    throw usageError(
      `--where takes <column>=<value> or <column>!=<value>, not "${shorten(condition)}"`,
    )
  const wanted = fold(value)
  return {
    column: requireColumn(table, name),
    find: (text) =>
      (fold(text) === wanted) === (sign === '=')
        ? undefined
        : { kind: 'left-out', reason: 'excluded by --where' },
  }
}
