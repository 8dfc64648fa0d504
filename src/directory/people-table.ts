/** A table of people: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses and names. */
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
} from './headings.ts'

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
    if (found !== undefined)
      piece.rows.filter(({ kind }) => kind === 'data').forEach((row) => onRow(row, found))
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
