/**
 * A table of people, csv or a sheet of a workbook: each row with its name and its values, or with the decision that an earlier match, or a
 * person, wrote into it. `headings.ts` says which columns have what, and `matching.ts` looks for the rows.
 */
import { usageError } from '../errors.ts'
import { inputName, type StreamInput } from '../input/input.ts'
import type { CellUse, Row } from '../input/row.ts'
import { readPieces } from '../input/rows.ts'
import type { FoundRows } from '../input/search.ts'
import type { TableRule } from '../input/table.ts'
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
import { someOf } from './people.ts'
import { countryOf, doubtOf, type Country } from './phone.ts'
import { shorten } from '../safe-text.ts'
import { columnName, groupDigits, pluralize } from '../words.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
  /** The country of numbers that do not say it, where their row does not either. */
  readonly country: string | undefined
  /** Called with all rows, also those above the heading. */
  readonly onRows?: ((rows: FoundRows) => void) | undefined
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
  /** The cell of its country, if it has none. */
  readonly remark?: string | undefined
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

/** Takes a row below the heading. */
type TakePerson = (row: Row, columns: PeopleColumns) => void

/** Reads the rows of a table. Throws exit 2 for what is no table of people. */
export async function readTable(
  input: StreamInput,
  options: PeopleOptions,
  readValues: ReadValues,
): Promise<PeopleTable> {
  const table = new PeopleTable(options, readValues)
  const { columns, notes } = await readPeople(input, options, (row, found) =>
    table.take(row, found),
  )
  if (table.rows.length === 0) throw usageError('the table has no rows below its heading')
  table.columns = columnsInWords(columns)
  table.notes = notes
  return table
}

/** Reads every row below the heading. Throws exit 2 for what is no table of people. */
async function readPeople(input: StreamInput, options: PeopleOptions, onRow: TakePerson) {
  const notes: string[] = []
  let columns: PeopleColumns | undefined
  for await (const piece of readPieces([input], peopleRule(options), {
    ...options,
    format: 'auto',
  })) {
    if (piece.kind === 'items') continue
    const found = piece.table?.columns
    columns = found
    if (piece.kind === 'end') {
      notes.push(...piece.notes)
      continue
    }
    options.onRows?.(piece)
    if (found === undefined) continue
    for (const row of piece.rows) {
      if (row.kind === 'data' || row.kind === 'invalid') onRow(row, found)
    }
  }
  if (columns !== undefined) return { columns, notes }
  throw usageError(`${inputName(input)} is empty`, 'it needs a heading and a row for each person')
}

/** All rows. */
export async function* readPeopleRows(
  input: StreamInput,
  options: PeopleOptions,
): AsyncGenerator<FoundRows> {
  for await (const piece of readPieces([input], peopleRule(options), {
    ...options,
    format: 'auto',
  }))
    if (piece.kind === 'rows') yield piece
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

/** The values of a cell, or why it has none. */
interface Reading {
  readonly values: readonly SoughtValue[]
  readonly problem?: string
}

export class PeopleTable {
  readonly rows: PersonRow[] = []
  /** Which columns have what. */
  columns: readonly string[] = []
  /** Sentences about rows that were skipped. */
  notes: readonly string[] = []
  readonly #options: PeopleOptions
  readonly #readValues: ReadValues
  /** Numbers whose country is not known. */
  #unplaced = 0
  readonly #badCountries: string[] = []
  /** Names that a person may not see as they are stored. */
  readonly #unfitNames: string[] = []

  constructor(options: PeopleOptions, readValues: ReadValues) {
    this.#options = options
    this.#readValues = readValues
  }

  take(row: Row, columns: PeopleColumns): void {
    this.rows.push(this.#readRow(row, columns))
  }

  /** Cells that were not compared as they are; `unreadable`: those that decided that a row is. */
  words(unreadable: readonly string[]): string[] {
    const numbers = pluralize(this.#unplaced, 'phone number')
    const isTold = this.#unplaced > 0 && this.#options.country === undefined
    const unplaced = `${numbers} without + or 00 can only be a variant: name the country, as in --country DE`
    return [
      ...(isTold ? [unplaced] : []),
      ...someOf(unreadable, 'cell', 'cannot be read'),
      ...someOf(this.#badCountries, 'cell', 'without a country that can be read'),
      ...someOf(this.#unfitNames, 'name', 'not compared'),
    ]
  }

  #readRow(row: Row, columns: PeopleColumns): PersonRow {
    const { line } = row
    if (row.problem !== undefined) {
      // None of its cells can be trusted to stand below its heading, not those of an earlier match either.
      const unreadable = [`line ${groupDigits(line)}: ${row.problem.reason}`]
      return { kind: 'sought', line, name: '', values: [], unreadable }
    }
    const decision = decisionOf(columns, row, this.#options.again)
    if (decision?.kind === 'no') return decision
    const country = this.#readCountry(row, columns)
    const filled = columns.values.filter(({ column }) => hasContent(row, column))
    const readings = filled.map((place) => this.#readCell(row, place, country.code))
    const values = readings.flatMap((reading) => reading.values)
    if (decision !== undefined) return { ...decision, values }
    if (country.remark !== undefined) this.#badCountries.push(country.remark)
    this.#unplaced += values.filter(({ phone }) => phone?.readings.length === 0).length
    return {
      kind: 'sought',
      line,
      name: this.#readName(row, columns),
      values,
      unreadable: readings.flatMap(({ problem }) => problem ?? []),
      remark: country.remark,
    }
  }

  /** The first name that is there, of cells that a person sees as they are stored. */
  #readName(row: Row, { names }: PeopleColumns): string {
    const texts = names.map((columns) => {
      const filled = columns.filter((column) => hasContent(row, column))
      return filled.flatMap((column) => {
        const problem = problemOf(row, column, 'word')
        if (problem !== undefined) this.#unfitNames.push(`${addressOf(row, column)}: ${problem}`)
        return problem === undefined ? [textAt(row, column)] : []
      })
    })
    return texts.map((words) => words.join(' ').trim()).find((name) => name !== '') ?? ''
  }

  /** The country of a row; none where it says none, or something that is none, which is a remark. */
  #readCountry(row: Row, { country: column }: PeopleColumns): { code?: Country; remark?: string } {
    if (column === undefined || !hasContent(row, column)) return {}
    const problem = problemOf(row, column, 'word')
    const text = textAt(row, column)
    const code = countryOf(text)
    if (problem === undefined && code !== undefined) return { code }
    const reason = problem ?? `"${shorten(text)}" is not the two letters of a country`
    return { remark: `${addressOf(row, column)}: ${reason}` }
  }

  #readCell(row: Row, { column, key }: ValueColumn, country: Country | undefined): Reading {
    const kind = kindOf(key)
    const address = addressOf(row, column)
    const problem = problemOf(row, column, kind === 'phone' ? 'phone' : 'word')
    if (problem !== undefined) return { values: [], problem: `${address}: ${problem}` }
    const text = textAt(row, column)
    const cell = `${address}: "${shorten(text)}"`
    const texts = textsIn(key, text)
    const values = texts.flatMap((one) => this.#readValues({ key, text: one, country }))
    if (values.length === 0) return { values, problem: `${cell} has ${lacks[kind]}` }
    const usual = country ?? this.#options.country?.toUpperCase()
    return {
      values: values.map((value) => {
        const doubt = value.phone && doubtOf(value.phone, usual)
        return doubt === undefined ? value : { ...value, doubt: `${cell} ${doubt}` }
      }),
    }
  }
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
  const problem = problemOf(row, matched.match, 'word') ?? problemOf(row, matched.contactId, 'id')
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
  return textAt(row, column) !== '' || row.origin?.isMerged(column) === true
}
