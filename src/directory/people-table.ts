/** A table of people: csv or a sheet of a workbook, whose heading says which columns have phone numbers, addresses and names. */
import { usageError } from '../errors.ts'
import { BadLines, type InputPlace } from '../ids/bad-lines.ts'
import type { HeadingRule } from '../ids/columns.ts'
import { isSame } from '../ids/headings.ts'
import { isId, trimBlanks, unwrapId } from '../ids/id.ts'
import type { Row } from '../ids/row.ts'
import { inputName, type StreamInput } from '../ids/input.ts'
import { readRows, rowSteps, type Listening, type RowTaker } from '../ids/rows.ts'
import { isPeopleHeading, peopleColumns, type PeopleChoice, type PeopleColumns } from './headings.ts'
import { isEmptyCell, kindOf, type IdentityKey } from './identity.ts'

export interface PeopleOptions extends PeopleChoice {
  readonly sheet?: string | undefined
  readonly signal: AbortSignal
}

export interface PersonRow {
  /** Its line in a text, its row in a sheet. */
  readonly line: number
  readonly name: string
  /** Cells that may decide and are not empty; `unfit`: why nothing may be decided by one of a sheet. */
  readonly cells: readonly PersonCell[]
  /** Names that a person may not see as they are stored: they are not compared. */
  readonly unfitNames: readonly string[]
  /** Whom an earlier match found, or a person chose. */
  readonly kept: KeptMatch | undefined
}

export interface PersonCell {
  readonly column: number
  readonly key: IdentityKey
  readonly text: string
  readonly unfit: string | undefined
}

export interface KeptMatch {
  readonly contactId: string
  readonly name: string
  readonly by: string
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
    this.#onRow(personRow(columns, row))
  }

  takeItem({ input }: InputPlace): never {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }

  takeDocument(input: string): never {
    return this.takeItem({ input, unit: 'item', line: 1 })
  }
}

function personRow(columns: PeopleColumns, row: Row): PersonRow {
  const { cells, line, origin } = row
  const text = (column: number): string => {
    const cell = cells[column] ?? ''
    return isEmptyCell(cell) ? '' : origin === undefined ? cell : wholeNumber(cell)
  }
  const isFit = (column: number): boolean => origin?.unfit(column, 'word') === undefined
  const names = columns.names.map((places) => places.filter(isFit).map(text).join(' ').trim())
  return {
    line,
    name: names.find((name) => name !== '') ?? '',
    cells: columns.values.flatMap(({ column, key }) => {
      const cell = text(column)
      const unfit = origin?.unfit(column, kindOf(key) === 'phone' ? 'phone' : 'word')
      const reason = unfit === undefined ? undefined : `${origin?.cell(column) ?? ''}: ${unfit}`
      return cell === '' && origin?.isMerged(column) !== true ? [] : [{ column, key, text: cell, unfit: reason }]
    }),
    unfitNames: columns.names.flat().flatMap((column) => {
      const reason =
        text(column) === '' && origin?.isMerged(column) !== true ? undefined : origin?.unfit(column, 'word')
      return reason === undefined ? [] : [`${origin?.cell(column) ?? ''}: ${reason}`]
    }),
    kept: keptMatch(columns, row),
  }
}

/** A row that is `one` with one valid contactId, whoever set them. */
function keptMatch({ matched }: PeopleColumns, { cells, origin }: Row): KeptMatch | undefined {
  if (matched === undefined) return undefined
  const text = (column: number): string => trimBlanks(cells[column] ?? '')
  const contactId = unwrapId(text(matched.contactId))
  if (!isSame(text(matched.match), 'one') || !isId(contactId)) return undefined
  if ((origin?.unfit(matched.match, 'word') ?? origin?.unfit(matched.contactId, 'id')) !== undefined) return undefined
  return { contactId, name: matched.name === undefined ? '' : text(matched.name), by: text(matched.by) }
}

/** A sheet has all digits of a number, which it may write as 4.91712345678E11. */
function wholeNumber(cell: string): string {
  const number = /^\d(?:\.\d+)?E\+?\d+$/i.test(cell) ? Number(cell) : NaN
  return Number.isSafeInteger(number) ? String(number) : cell
}
