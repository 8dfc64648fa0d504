/** A table of people: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses and names. */
import { usageError } from '../errors.ts'
import { BadLines, type InputPlace } from '../ids/bad-lines.ts'
import type { HeadingRule } from '../ids/columns.ts'
import type { Row } from '../ids/row.ts'
import { inputName, type StreamInput } from '../ids/input.ts'
import { readRows, rowSteps, type Listening, type RowTaker } from '../ids/rows.ts'
import { isPeopleHeading, peopleColumns, type PeopleChoice, type PeopleColumns } from './headings.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
}

/** Takes a row below the heading. */
type TakePerson = (row: Row, columns: PeopleColumns) => void

/** Reads every row below the heading. Throws exit 2 for what is no table of people. */
export async function readPeople(input: StreamInput, options: PeopleOptions, onRow: TakePerson) {
  const reader = new PeopleReader(options, onRow)
  const { notes } = await readRows([input], { ...options, format: 'auto', skipInvalid: true }, reader)
  if (reader.found !== undefined) return { columns: reader.found, notes }
  throw usageError(`${inputName(input)} is empty`, 'it needs a heading and a row for each person')
}

/** The same rows again, step by step, for who listens to them. */
export function peopleSteps(input: StreamInput, options: PeopleOptions, how: Listening): AsyncGenerator<void> {
  const reader = new PeopleReader(options, ({ line }) => how.listener.onId(line, ''))
  return rowSteps([input], { ...options, ...how, format: 'auto' }, reader)
}

class PeopleReader implements RowTaker<PeopleColumns> {
  found: PeopleColumns | undefined
  readonly bad = new BadLines({ skipInvalid: true })
  readonly isTable = true
  readonly takesUnmatched = true
  readonly #choice: PeopleChoice
  readonly #onRow: TakePerson

  constructor(choice: PeopleChoice, onRow: TakePerson) {
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

  placesOf({ values, names, matched }: PeopleColumns): readonly number[] {
    return [
      ...values.map(({ column }) => column),
      ...names.flat(),
      ...Object.values(matched ?? {}).filter((column) => column !== undefined),
    ]
  }

  takeArgument({ input }: InputPlace): never {
    throw usageError(`${input} are no table`)
  }

  takeRow(_: InputPlace, row: Row, columns: PeopleColumns): void {
    this.#onRow(row, columns)
  }

  takeItem({ input }: InputPlace): never {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }

  takeDocument(input: string): never {
    return this.takeItem({ input, unit: 'item', line: 1 })
  }
}
