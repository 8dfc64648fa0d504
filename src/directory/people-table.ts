/**
 * A table of people, as `sought.ts` reads it: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses
 * and names; and the decisions that an earlier match, or a person, wrote into it.
 */
import { usageError } from '../errors.ts'
import { inputName, type StreamInput } from '../input/input.ts'
import type { Row } from '../input/row.ts'
import { readPieces } from '../input/rows.ts'
import type { FoundRows } from '../input/search.ts'
import type { TableRule } from '../input/table.ts'
import {
  isPeopleHeading,
  peopleColumns,
  type PeopleChoice,
  type PeopleColumns,
  optionOf,
  wordsOf,
} from './headings.ts'
import { isSame } from '../input/columns.ts'
import { isId, trimBlanks, unwrapId } from '../input/id.ts'
import { kindOf, kinds, type Kind, isEmptyCell } from './identity.ts'
import { columnName } from '../words.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
  /** Called with all rows, also those above the heading. */
  readonly onRows?: ((rows: FoundRows) => void) | undefined
}

/** Takes a row below the heading. */
type TakePerson = (row: Row, columns: PeopleColumns) => void

/** Reads every row below the heading. Throws exit 2 for what is no table of people. */
export async function readPeople(input: StreamInput, options: PeopleOptions, onRow: TakePerson) {
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
      ...Object.values(matched ?? {}).filter((column) => column !== undefined),
    ],
  }
}

/** A row that an earlier match, or a person, decided: it is "one", with its contact. */
export interface KeptRow {
  readonly kind: 'one'
  readonly line: number
  readonly contactId: string
  readonly name: string
  readonly by: string
}

/** A row under whose MATCH a person wrote `no`: nobody, or not this one. */
export interface RefusedRow {
  readonly kind: 'no'
  readonly line: number
  readonly name: string
  readonly by: string
}

type DecidedRow = KeptRow | RefusedRow

export class EarlierMatch {
  /** Kinds of values by which rows were matched. */
  readonly #kinds = new Set<Kind>()

  /** The decision on a row. `isAgain`: only a `no` counts. */
  decisionOf(
    { matched }: PeopleColumns,
    { cells, line, origin }: Row,
    isAgain: boolean,
  ): DecidedRow | undefined {
    if (matched === undefined) return undefined
    const text = (column: number): string => trimBlanks(cells[column] ?? '')
    const by = text(matched.by)
    const name = matched.name === undefined ? '' : text(matched.name)
    for (const kind of kindsOf(by)) this.#kinds.add(kind)
    const match = text(matched.match)
    // Whether it is seen or not: it changes nothing.
    if (isSame(match, 'no')) return { kind: 'no', line, name, by }
    const contactId = unwrapId(text(matched.contactId))
    if (isAgain || !isSame(match, 'one') || !isId(contactId)) return undefined
    const unfit = origin?.unfit(matched.match, 'word') ?? origin?.unfit(matched.contactId, 'id')
    return unfit === undefined ? { kind: 'one', line, contactId, name, by } : undefined
  }

  /** Kinds of values that the earlier match read and this one does not. */
  words({ values }: PeopleColumns): string[] {
    const isRead = new Set(values.map(({ key }) => kindOf(key)))
    const missing = kinds.filter((kind) => this.#kinds.has(kind) && !isRead.has(kind))
    return missing.map(
      (kind) =>
        `an earlier match found rows by ${wordsOf[kind]}, which are not read now; to read them: ${optionOf[kind]}`,
    )
  }
}

/** `phone+email (variant) (name differs)`: the kinds in BY, as a match writes it. */
function kindsOf(by: string): Kind[] {
  if (by === '') return []
  const words = by.split('+').map((word) => word.replace(/ \(.*$/, '').toLowerCase())
  return kinds.filter((kind) => words.includes(kind))
}

/** The address of a cell, as spreadsheets have it. */
export function addressOf({ origin, line }: Row, column: number): string {
  return origin?.cell(column) ?? `${columnName(column)}${line}`
}

export function textAt(cells: readonly string[], column: number): string {
  const cell = cells[column] ?? ''
  return isEmptyCell(cell) ? '' : cell
}

export function hasContent(row: Row, cells: readonly string[], column: number): boolean {
  return textAt(cells, column) !== '' || row.origin?.isMerged(column) === true
}

/** The first name that is there, of cells that a person sees as they are stored. */
export function nameOf({ names }: PeopleColumns, row: Row, cells: readonly string[]): string {
  const isFit = (column: number): boolean => row.origin?.unfit(column, 'word') === undefined
  const textsOf = (columns: readonly number[]) =>
    columns.filter(isFit).map((column) => textAt(cells, column))
  const all = names.map((columns) => textsOf(columns).join(' ').trim())
  return all.find((name) => name !== '') ?? ''
}

/** The numbers of the values of a cell, none where it cannot be read, and the mistake in it. */
export interface Reading {
  readonly values: readonly number[]
  readonly remark?: string | undefined
}

/** Readings of one row as one. */
export function joinReadings(readings: readonly Reading[], more?: string) {
  const mistakes = readings.map(({ remark }) => remark)
  return {
    values: readings.flatMap(({ values }) => values),
    isUnreadable: readings.some(({ values }) => values.length === 0),
    remarks: [...mistakes, more].filter((remark) => remark !== undefined),
  }
}
