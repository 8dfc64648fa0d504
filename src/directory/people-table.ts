/** A table of people: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses and names. */
import { usageError } from '../errors.ts'
import { BadLines, type InputPlace } from '../ids/bad-lines.ts'
import type { HeadingRule } from '../ids/columns.ts'
import type { Row } from '../ids/row.ts'
import { inputName, type StreamInput } from '../ids/input.ts'
import { readRows, rowSteps, type Listening, type RowTaker } from '../ids/rows.ts'
import { isPeopleHeading, peopleColumns, type PeopleChoice, type PeopleColumns } from './headings.ts'
import type { IdentityKey } from './identity.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
}

export interface PersonRow {
  /** Its line in a text, its row in a sheet. */
  readonly line: number
  readonly name: string
  readonly values: readonly { readonly column: number; readonly key: IdentityKey; readonly text: string }[]
}

/** Reads every row below the heading. Throws exit 2 for what is no table of people. */
export async function readPeople(input: StreamInput, options: PeopleOptions, onRow: (row: PersonRow) => void) {
  const reader = new PeopleReader(options, onRow)
  const { notes } = await readRows([input], { ...options, format: 'auto', skipInvalid: true }, reader)
  if (reader.found !== undefined) return { columns: reader.found, notes }
  throw usageError(`${inputName(input)} is empty`, 'it needs a heading and a row for each person')
}

export type PeopleTable = Awaited<ReturnType<typeof readPeople>>

/** The same rows again, step by step, for who listens to them. */
export function peopleSteps(input: StreamInput, options: PeopleOptions, how: Listening): AsyncGenerator<void> {
  const reader = new PeopleReader(options, ({ line }) => how.listener.onId(line, ''))
  return rowSteps([input], { ...options, ...how, format: 'auto' }, reader)
}

class PeopleReader implements RowTaker<PeopleColumns> {
  found: PeopleColumns | undefined
  readonly bad = new BadLines({ skipInvalid: true })
  readonly isTable = true
  readonly isColumnNamed = true
  readonly takesUnmatched = true
  readonly #choice: PeopleChoice
  readonly #onRow: (row: PersonRow) => void

  constructor(choice: PeopleChoice, onRow: (row: PersonRow) => void) {
    this.#choice = choice
    this.#onRow = onRow
  }

  isHeading(cell: string): boolean {
    return isPeopleHeading(cell, this.#choice)
  }

  columns(input: string): HeadingRule<PeopleColumns> {
    const { find, bare } = peopleColumns(input, this.#choice)
    return { find: (cells) => (this.found = find(cells)), bare }
  }

  placesOf({ values, names }: PeopleColumns): readonly number[] {
    return [...values.map(({ column }) => column), ...names]
  }

  takeArgument({ input }: InputPlace): never {
    throw usageError(`${input} are no table`)
  }

  takeRow(_: InputPlace, row: Row, columns: PeopleColumns): void {
    this.#onRow(personRow(columns, row))
  }

  takeItem({ input }: InputPlace): never {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }

  takeDocument(input: string): never {
    return this.takeItem({ input, unit: 'item', line: 1 })
  }
}

function personRow({ values, names }: PeopleColumns, { cells, line, origin }: Row): PersonRow {
  const text = (column: number): string => {
    const cell = cells[column] ?? ''
    return origin === undefined ? cell : wholeNumber(cell)
  }
  return {
    line,
    name: names.map(text).join(' ').trim(),
    values: values.flatMap(({ column, key }) =>
      text(column)
        .split(/;(?!\s*ext=)|[\r\n]+/i)
        .filter((value) => value.trim() !== '')
        .map((value) => ({ column, key, text: value })),
    ),
  }
}

/** A sheet has all digits of a number, which it may write as 4.91712345678E11. */
function wholeNumber(cell: string): string {
  const number = /^\d(?:\.\d+)?E\+?\d+$/i.test(cell) ? Number(cell) : NaN
  return Number.isSafeInteger(number) ? String(number) : cell
}
