/** A table of people as it is looked for: its rows with their values in one index, and what to say of its cells. */
import { usageError } from '../errors.ts'
import { isSame } from '../input/headings.ts'
import { IdTable } from '../input/id-table.ts'
import { isId, trimBlanks, unwrapId } from '../input/id.ts'
import type { StreamInput } from '../input/input.ts'
import type { Row } from '../input/row.ts'
import { groupDigits } from '../words.ts'
import { columnsInWords, type PeopleColumns } from './headings.ts'
import { isEmptyCell, kindOf, textsIn, valueReader } from './identity.ts'
import { readPeople, type PeopleOptions } from './people-table.ts'
import type { ReadPhones } from './phone.ts'
import { quantity } from './reading.ts'
import { ValueIndex, type IndexedValue } from './value-index.ts'
import { shorten } from '../output/text/safe.ts'

export interface SoughtRow {
  /** Line in a text, row in a sheet. */
  readonly line: number
  /** A name never decides: it only makes `differs`. */
  readonly name: string
  /** Values that may decide, whether they are known or not. */
  readonly values: readonly IndexedValue[]
  /** Whether a cell that may decide has something that cannot be read. */
  readonly isUnreadable: boolean
}

/** A row that an earlier match, or a person, made `one`. */
export interface KeptRow {
  readonly line: number
  readonly contactId: string
  readonly name: string
  readonly by: string
}

/** Reads the rows of a table and collects what they ask for. Throws exit 2 for what is no table of people. */
export async function readSought(
  input: StreamInput,
  options: PeopleOptions,
  readPhones: ReadPhones,
) {
  const sought = new SoughtTable(new ValueIndex(valueReader(readPhones)))
  const { columns, notes } = await readPeople(input, options, (row, columns) =>
    sought.take(row, columns),
  )
  if (sought.rows.length === 0) throw usageError('the table has no rows below its heading')
  return { sought, columns, notes }
}

export class SoughtTable {
  readonly rows: (SoughtRow | KeptRow)[] = []
  readonly index: ValueIndex
  /** Contacts of rows that are kept. */
  readonly kept = new IdTable()
  #unplaced = 0
  readonly #unreadable = new Examples('cell', 'cannot be read')
  /** Names that a person may not see as they are stored. */
  readonly #unfitNames = new Examples('name', 'not compared')

  constructor(index: ValueIndex) {
    this.index = index
  }

  take(row: Row, columns: PeopleColumns): void {
    const { line, origin } = row
    for (const column of columns.names.flat()) {
      const reason = hasContent(row, column) ? origin?.unfit(column, 'word') : undefined
      if (reason !== undefined) this.#unfitNames.add(`${origin?.cell(column) ?? ''}: ${reason}`)
    }
    const filled = columns.values.filter(({ column }) => hasContent(row, column))
    const kept = keptRow(columns, row)
    if (kept !== undefined) {
      this.kept.addText(kept.contactId, 0)
      this.rows.push(kept)
      return
    }
    const found = filled.map((place) => this.#valuesOf(row, place))
    const values = found.flat()
    this.#unplaced += values.filter(({ phone }) => phone?.readings.length === 0).length
    // As long as it is: V8 keeps room for sixteen more in an array that grew.
    const isUnreadable = found.some(({ length }) => length === 0)
    this.rows.push({ line, name: nameOf(columns, row), values: values.slice(), isUnreadable })
  }

  /** Columns that were taken, and cells that were not read. `hasCountry`: numbers without + are read as those of a country. */
  words(
    columns: PeopleColumns,
    hasCountry: boolean,
  ): { readonly columns: string[]; readonly cells: string[] } {
    const numbers = quantity(this.#unplaced, 'phone number')
    const unplaced = `${numbers} without + or 00 can only be a variant: name the country, as in --country DE`
    const isTold = this.#unplaced > 0 && !hasCountry
    return {
      columns: columnsInWords(columns),
      cells: [
        ...(isTold ? [unplaced] : []),
        ...this.#unreadable.words(),
        ...this.#unfitNames.words(),
      ],
    }
  }

  /** Empty for a cell that cannot be read. */
  #valuesOf(row: Row, { column, key }: PeopleColumns['values'][number]): IndexedValue[] {
    const { line, origin } = row
    const [kind, text] = [kindOf(key), textAt(row, column)]
    const unfit = origin?.unfit(column, kind === 'phone' ? 'phone' : 'word')
    const texts = unfit === undefined ? textsIn(key, text) : []
    const values = texts.flatMap((one) => this.index.add({ kind, key, text: one }))
    if (values.length > 0) return values
    if (unfit === undefined) this.#unreadable.add(`"${shorten(text)}" in row ${groupDigits(line)}`)
    else this.#unreadable.add(`${origin?.cell(column) ?? ''}: ${unfit}`)
    return values
  }
}

/** `5 cells cannot be read: "see notes" in row 5; … and 2 more`. */
class Examples {
  readonly #what: string
  readonly #why: string
  readonly #shown: string[] = []
  #count = 0

  constructor(what: string, why: string) {
    this.#what = what
    this.#why = why
  }

  add(text: string): void {
    this.#count += 1
    if (this.#count <= examplesShown) this.#shown.push(text)
  }

  words(): string[] {
    const others = this.#count - this.#shown.length
    const more = others > 0 ? ` and ${groupDigits(others)} more` : ''
    return this.#count === 0
      ? []
      : [`${quantity(this.#count, this.#what)} ${this.#why}: ${this.#shown.join('; ')}${more}`]
  }
}

const examplesShown = 3

function textAt({ cells, origin }: Row, column: number): string {
  const cell = cells[column] ?? ''
  return isEmptyCell(cell) ? '' : origin === undefined ? cell : wholeNumber(cell)
}

function hasContent(row: Row, column: number): boolean {
  return textAt(row, column) !== '' || row.origin?.isMerged(column) === true
}

/** A sheet has all digits of a number, which it may write as 4.91712345678E11. */
function wholeNumber(cell: string): string {
  const number = /^\d(?:\.\d+)?E\+?\d+$/i.test(cell) ? Number(cell) : NaN
  return Number.isSafeInteger(number) ? String(number) : cell
}

/** The first name that is there, of cells that a person sees as they are stored. */
function nameOf({ names }: PeopleColumns, row: Row): string {
  const isFit = (column: number): boolean => row.origin?.unfit(column, 'word') === undefined
  const textsOf = (columns: readonly number[]) =>
    columns.filter(isFit).map((column) => textAt(row, column))
  const all = names.map((columns) => textsOf(columns).join(' ').trim())
  return all.find((name) => name !== '') ?? ''
}

/** A row that is `one` with one valid contactId, set by a match or by a person. */
function keptRow({ matched }: PeopleColumns, { cells, line, origin }: Row): KeptRow | undefined {
  if (matched === undefined) return undefined
  const text = (column: number): string => trimBlanks(cells[column] ?? '')
  const contactId = unwrapId(text(matched.contactId))
  if (!isSame(text(matched.match), 'one') || !isId(contactId)) return undefined
  if (
    (origin?.unfit(matched.match, 'word') ?? origin?.unfit(matched.contactId, 'id')) !== undefined
  )
    return undefined
  return {
    line,
    contactId,
    name: matched.name === undefined ? '' : text(matched.name),
    by: text(matched.by),
  }
}
