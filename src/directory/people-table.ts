/**
 * A table of people, csv or a sheet of a workbook: each row with its name and its values, or with the decision that an earlier match, or a
 * person, wrote into it. `headings.ts` says which columns have what, and `matching.ts` looks for the rows.
 */
import { usageError } from '../errors.ts'
import { inputName, type StreamInput } from '../input/input.ts'
import type { Row } from '../input/row.ts'
import type { CellUse } from '../workbook/rows.ts'
import { readRows } from '../input/rows.ts'
import type { OnRow } from '../input/search.ts'
import type { Table, TableRule } from '../input/table.ts'
import {
  columnsInWords,
  isPeopleHeading,
  peopleColumns,
  type PeopleChoice,
  type PeopleColumns,
  type ValueColumn,
} from './headings.ts'
import { isSame } from '../input/columns.ts'
import { isId, trimBlanks, unwrapId } from '../input/id.ts'
import { isEmptyCell, textsIn, type ReadValues, type Value } from './identity.ts'
import { kindOf, type Kind } from './kinds.ts'
import { countryOf, doubtOf, type Country } from './phone.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits } from '../words.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  /** The country of numbers that do not say it, where their row does not either. */
  readonly country: string | undefined
  /** Called with all rows, also those above the heading. */
  readonly onRow?: OnRow | undefined
}

/** A value of a row. */
export interface SoughtValue extends Value {
  /** Said when nobody has it: it was not compared whole. */
  readonly doubt?: string | undefined
}

/** A row whose contact is looked for. */
export interface SoughtRow {
  readonly kind: 'sought'
  /** Line in a text, row in a sheet. */
  readonly line: number
  /** A name never decides: it only makes `differs`. */
  readonly name: string
  readonly values: readonly SoughtValue[]
  /** Cells that may decide and were not understood, each by its address: `B7: "see notes" has no phone number`. */
  readonly unreadable: readonly string[]
  /** Other cells that count for nothing: a name that a person may not see as it is stored, a country that is none. */
  readonly remarks: readonly string[]
}

/** A row that an earlier match, or a person, decided. Its values decide nothing any more, but they may be another contact's. */
export interface KeptRow {
  readonly kind: 'one'
  readonly line: number
  readonly contactId: string
  readonly name: string
  readonly by: string
  readonly values: readonly SoughtValue[]
}

/** A row under whose MATCH a person wrote `no`: nobody, or not this one. */
export interface RefusedRow extends Pick<KeptRow, 'line' | 'name' | 'by'> {
  readonly kind: 'no'
}

export type PersonRow = SoughtRow | KeptRow | RefusedRow

/** A table that was read. */
export interface PeopleTable {
  readonly rows: readonly PersonRow[]
  /** Sentences about rows that were skipped. */
  readonly notes: readonly string[]
  /** Which columns have what. */
  readonly columns: readonly string[]
}

/** Reads the rows of a table. Throws exit 2 for what is no table of people. */
export async function readTable(
  input: StreamInput,
  options: PeopleOptions,
  readValues: ReadValues,
): Promise<PeopleTable> {
  const rows: PersonRow[] = []
  const reader = new RowReader(options, readValues)
  const onRow = (row: Row, table: Table<PeopleColumns>): void => {
    options.onRow?.(row, table)
    if (table.columns === undefined) return
    if (row.kind === 'data' || row.kind === 'invalid')
      rows.push(reader.read(row, table.columns))
  }
  const how = { sheet: options.sheet, format: 'auto' } as const
  const takers = { onRow, onItem: () => undefined }
  const { tables, notes } = await readRows([input], peopleRule(options), how, takers)
  const columns = tables[0]?.columns
  if (columns === undefined)
    throw usageError(
      `${inputName(input)} is empty`,
      'it needs a heading and a row for each person',
    )
  if (rows.length === 0) throw usageError('the table has no rows below its heading')
  return { rows, notes, columns: columnsInWords(columns) }
}

function peopleRule(choice: PeopleChoice): TableRule<PeopleColumns> {
  return {
    isTable: true,
    takesLists: false,
    takesUnmatched: true,
    isHeading: (cell) => isPeopleHeading(cell, choice),
    columns: (input) => peopleColumns(input, choice),
    members(input) {
      throw usageError(`${input} is JSON: people are read from csv or a workbook`)
    },
    placesOf: ({ values, country, names, matched }) => [
      ...values.map(({ column }) => column),
      ...(country === undefined ? [] : [country]),
      ...names.flat(),
      ...Object.values(matched ?? {}),
    ],
  }
}

/** The content of a cell, or why it counts for nothing. */
interface Reading<T> {
  readonly content?: T | undefined
  readonly problem?: string | undefined
}

class RowReader {
  readonly #options: PeopleOptions
  readonly #readValues: ReadValues

  constructor(options: PeopleOptions, readValues: ReadValues) {
    this.#options = options
    this.#readValues = readValues
  }

  read(row: Row, columns: PeopleColumns): PersonRow {
    const { line, problem } = row
    const nothing = { kind: 'sought', line, name: '', values: [], remarks: [] } as const
    // None of its cells can be trusted to stand below its heading, not those of an earlier match either.
    if (problem !== undefined)
      return { ...nothing, unreadable: [`line ${groupDigits(line)}: ${problem.reason}`] }
    const decision = decisionOf(columns, row, this.#options.again)
    if (decision?.kind === 'no') return decision
    const country = this.#readCountry(row, columns)
    const readings = columns.values
      .filter(({ column }) => hasContent(row, column))
      .map((place) => this.#readCell(row, place, country.content))
    const values = readings.flatMap((reading) => reading.content ?? [])
    if (decision !== undefined) return { ...decision, values }
    const names = columns.names.map((parts) => this.#readName(row, parts))
    return {
      ...nothing,
      name: names.map(wordsOf).find((name) => name !== '') ?? '',
      values,
      unreadable: problemsIn(readings),
      remarks: problemsIn([country, ...names.flat()]),
    }
  }

  #readName(row: Row, parts: readonly number[]): Reading<string>[] {
    const filled = parts.filter((column) => hasContent(row, column))
    return filled.map((column) => this.#readWord(row, column))
  }

  /** The text of a cell that a person sees as it is stored. */
  #readWord(row: Row, column: number, use: CellUse = 'word'): Reading<string> {
    const problem = problemOf(row, column, use)
    if (problem === undefined) return { content: textAt(row, column) }
    return { problem: `${addressOf(row, column)}: ${problem}` }
  }

  /** The country of a row; undefined where it says none. */
  #readCountry(row: Row, { country: column }: PeopleColumns): Reading<Country> {
    if (column === undefined || !hasContent(row, column)) return {}
    const word = this.#readWord(row, column)
    if (word.content === undefined) return { problem: word.problem }
    const content = countryOf(word.content)
    if (content !== undefined) return { content }
    const cell = quoteCell(row, column, word.content)
    return { problem: `${cell} is not the two letters of a country` }
  }

  #readCell(
    row: Row,
    { column, key }: ValueColumn,
    country: Country | undefined,
  ): Reading<SoughtValue[]> {
    const kind = kindOf(key)
    const word = this.#readWord(row, column, kind === 'phone' ? 'phone' : 'word')
    if (word.content === undefined) return { problem: word.problem }
    const cell = quoteCell(row, column, word.content)
    const texts = textsIn(key, word.content)
    const values = texts.flatMap((text) => this.#readValues({ key, text, country }))
    if (values.length === 0) return { problem: `${cell} has ${lacks[kind]}` }
    const usual = country ?? this.#options.country?.toUpperCase()
    const content = values.map((value) => {
      const doubt = value.phone && doubtOf(value.phone, usual)
      return doubt === undefined ? value : { ...value, doubt: `${cell} ${doubt}` }
    })
    return { content }
  }
}

function problemsIn(readings: readonly Reading<unknown>[]): string[] {
  return readings.flatMap(({ problem }) => problem ?? [])
}

function wordsOf(parts: readonly Reading<string>[]): string {
  return parts
    .flatMap(({ content }) => content ?? [])
    .join(' ')
    .trim()
}

function quoteCell(row: Row, column: number, text: string): string {
  return `${addressOf(row, column)}: "${shorten(text)}"`
}

const lacks: Readonly<Record<Kind, string>> = {
  phone: 'no phone number',
  email: 'no email address',
  messenger: 'no messenger value',
}

/** The decision on a row by an earlier match or a person. `isAgain`: only a `no` counts. */
function decisionOf(
  { matched }: PeopleColumns,
  row: Row,
  isAgain = false,
): Omit<KeptRow, 'values'> | RefusedRow | undefined {
  if (matched === undefined) return undefined
  const text = (column: number | undefined): string =>
    column === undefined ? '' : trimBlanks(row.cells[column] ?? '')
  const decided = { line: row.line, name: text(matched.name), by: text(matched.by) }
  const match = text(matched.match)
  // Whether it is seen or not: it changes nothing.
  if (isSame(match, 'no')) return { kind: 'no', ...decided }
  const contactId = unwrapId(text(matched.contactId))
  if (isAgain || !isSame(match, 'one') || !isId(contactId)) return undefined
  const problem =
    problemOf(row, matched.match, 'word') ?? problemOf(row, matched.contactId, 'id')
  return problem === undefined ? { kind: 'one', contactId, ...decided } : undefined
}

/** Why nothing may be decided by a cell: a person may not see it as it is stored. */
function problemOf({ origin }: Row, column: number, use: CellUse): string | undefined {
  return origin?.unfit(column, use)
}

/** The address of a cell, as spreadsheets have it. */
function addressOf({ origin, line }: Row, column: number): string {
  return origin?.cell(column) ?? `${columnName(column)}${line}`
}

function textAt({ cells }: Row, column: number): string {
  const cell = cells[column] ?? ''
  return isEmptyCell(cell) ? '' : cell
}

/** Another cell may be shown in place of one that is merged. */
function hasContent(row: Row, column: number): boolean {
  return textAt(row, column) !== '' || row.origin?.isIn('merged', column) === true
}
