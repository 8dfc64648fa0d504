/**
 * A table of people as `svc contacts match` looks for it: the values of its rows in one index, and what to say of its cells. All values are
 * in memory until the lists are read, since any contact may be that of any row; the rows wait in a temporary file. `commands/contacts/match.ts`
 * reads the table by it, and `matching.ts` looks for its rows.
 */
import { usageError } from '../errors.ts'
import { IdTable } from '../input/id-table.ts'
import type { StreamInput } from '../input/input.ts'
import type { Row } from '../input/row.ts'
import type { SpoolHost } from '../output/spool.ts'
import { isUnplaced, type Country, type ReadPhones } from './phone.ts'
import {
  addressOf,
  EarlierMatch,
  hasContent,
  joinReadings,
  nameOf,
  textAt,
  type KeptRow,
  type Reading,
  type RefusedRow,
  readPeople,
  type PeopleOptions,
} from './people-table.ts'
import { columnsInWords, type PeopleColumns, type ValueColumn } from './headings.ts'
import { kindOf, textsIn, valueReader, type Kind } from './identity.ts'
import type { SoughtRow } from './match.ts'
import { Records } from './packed.ts'
import { Examples, quantity } from './reading.ts'
import { ValueIndex, type IndexedValue } from './value-index.ts'
import { shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'

/** A row that is "one" already: its values decide nothing any more, but they may be another contact's. */
export type KeptTableRow = KeptRow & { readonly values: readonly IndexedValue[] }

type TableRow = SoughtRow | KeptTableRow | RefusedRow

/** Choices of a person, as far as rows need them. */
interface Settings {
  /** The country of numbers that do not say it, where their row does not either. */
  readonly country: string | undefined
  /** Rows that are "one" already are looked for again. */
  readonly isAgain: boolean
  /** Undefined for a text that is no country's two letters. */
  readonly readCountry: (text: string) => Country | undefined
}

interface SoughtOptions extends PeopleOptions {
  readonly host: SpoolHost
  readonly country: string | undefined
}

/** Reads the rows of a table and collects what they ask for; `rows.close` must follow. Throws exit 2 for what is no table of people. */
export async function readSought(
  input: StreamInput,
  options: SoughtOptions,
  readPhones: ReadPhones,
) {
  const { host, country, again: isAgain = false } = options
  const { isSupportedCountry } = await import('./phone-numbers.ts')
  const readCountry = (text: string): Country | undefined => {
    const code = text.trim().toUpperCase()
    return isSupportedCountry(code) ? code : undefined
  }
  const index = new ValueIndex(valueReader(readPhones))
  const sought = new SoughtTable(host, index, { country, isAgain, readCountry })
  try {
    const { columns, notes } = await readPeople(input, options, (row, known) =>
      sought.take(row, known),
    )
    if (sought.rows.size === 0) throw usageError('the table has no rows below its heading')
    return { sought, columns, notes }
  } catch (error) {
    sought.rows.close()
    throw error
  }
}

/** A row whose contact is looked for, with the numbers of its values. */
interface StoredSoughtRow extends Omit<SoughtRow, 'values'> {
  readonly values: readonly number[]
}

type StoredRow = StoredSoughtRow | (KeptRow & Pick<Reading, 'values'>) | RefusedRow

/** The rows of a table in their order. */
export class TableRows {
  readonly #index: ValueIndex
  readonly #stored: Records<StoredRow>

  constructor(host: SpoolHost, index: ValueIndex) {
    this.#index = index
    this.#stored = new Records(host)
  }

  get size(): number {
    return this.#stored.size
  }

  push(row: StoredRow): void {
    this.#stored.push(row)
  }

  *[Symbol.iterator](): Generator<TableRow> {
    for (let place = 0; place < this.size; place += 1) yield this.#at(place)
  }

  close(): void {
    this.#stored.close()
  }

  #at(place: number): TableRow {
    const row = this.#stored.at(place)
    if (row.kind === 'no') return row
    return { ...row, values: this.#valuesOf(row.values) }
  }

  #valuesOf(values: readonly number[]): IndexedValue[] {
    return values.map((value) => this.#index.at(value))
  }
}

export class SoughtTable {
  readonly rows: TableRows
  readonly index: ValueIndex
  /** Contacts of rows that are kept. */
  readonly kept = new IdTable()
  readonly #settings: Settings
  readonly #earlier = new EarlierMatch()
  #unplaced = 0
  readonly #unreadable = new Examples('cell', 'cannot be read')
  readonly #noCountries = new Examples('cell', 'without a country that can be read')
  /** Names that a person may not see as they are stored. */
  readonly #unfitNames = new Examples('name', 'not compared')

  constructor(host: SpoolHost, index: ValueIndex, settings: Settings) {
    this.rows = new TableRows(host, index)
    this.index = index
    this.#settings = settings
  }

  take(row: Row, columns: PeopleColumns): void {
    if (row.problem !== undefined) {
      this.#takeBadRow(row.line, row.problem.reason)
      return
    }
    const cells = row.cells
    this.#checkNames(row, cells, columns)
    const decided = this.#earlier.decisionOf(columns, row, this.#settings.isAgain)
    if (decided?.kind === 'no') {
      this.rows.push(decided)
      return
    }
    const { country, remark } = this.#countryOf(row, cells, columns)
    const filled = columns.values.filter(({ column }) => hasContent(row, cells, column))
    const readings = filled.map((place) => this.#read(row, cells, place, country))
    if (decided?.kind === 'one') {
      this.kept.addText(decided.contactId, 0)
      this.rows.push({ ...decided, values: readings.flatMap(({ values }) => values) })
      return
    }
    this.#tell(readings)
    if (remark !== undefined) this.#noCountries.add(remark)
    this.rows.push({
      kind: 'sought',
      line: row.line,
      name: nameOf(columns, row, cells),
      ...joinReadings(readings, remark),
    })
  }

  /** A row none of whose cells can be trusted to stand below its heading, not those of an earlier match either. */
  #takeBadRow(line: number, reason: string): void {
    const remark = `line ${groupDigits(line)}: ${reason}`
    this.#unreadable.add(remark)
    const nothing = { values: [], remarks: [remark] }
    this.rows.push({ kind: 'sought', line, name: '', isUnreadable: true, ...nothing })
  }

  /** Columns that were taken, and cells that were not read. */
  words(columns: PeopleColumns): { readonly columns: string[]; readonly cells: string[] } {
    const numbers = quantity(this.#unplaced, 'phone number')
    const unplaced = `${numbers} without + or 00 can only be a variant: name the country, as in --country DE`
    const isTold = this.#unplaced > 0 && this.#settings.country === undefined
    return {
      columns: [...columnsInWords(columns), ...this.#earlier.words(columns)],
      cells: [
        ...(isTold ? [unplaced] : []),
        ...this.#unreadable.words(),
        ...this.#noCountries.words(),
        ...this.#unfitNames.words(),
      ],
    }
  }

  #checkNames(row: Row, cells: readonly string[], { names }: PeopleColumns): void {
    const { origin } = row
    if (origin === undefined) return
    for (const column of names.flat()) {
      const reason = hasContent(row, cells, column) ? origin.unfit(column, 'word') : undefined
      if (reason !== undefined) this.#unfitNames.add(`${origin.cell(column)}: ${reason}`)
    }
  }

  /** The country of a row; undefined where it says none, or what cannot be understood, which is a remark. */
  #countryOf(
    row: Row,
    cells: readonly string[],
    { country: column }: PeopleColumns,
  ): { country?: Country | undefined; remark?: string } {
    if (column === undefined || !hasContent(row, cells, column)) return {}
    const unfit = row.origin?.unfit(column, 'word')
    const cell = addressOf(row, column)
    if (unfit !== undefined) return { remark: `${cell}: ${unfit}` }
    const text = textAt(cells, column)
    const country = this.#settings.readCountry(text)
    if (country !== undefined) return { country }
    return { remark: `${cell}: "${shorten(text)}" is not the two letters of a country` }
  }

  #read(
    row: Row,
    cells: readonly string[],
    { column, key }: ValueColumn,
    country: Country | undefined,
  ): Reading {
    const kind = kindOf(key)
    const unfit = row.origin?.unfit(column, kind === 'phone' ? 'phone' : 'word')
    if (unfit !== undefined) return { values: [], remark: `${addressOf(row, column)}: ${unfit}` }
    const text = textAt(cells, column)
    const texts = textsIn(key, text)
    const values = texts.flatMap((one) => this.index.add({ kind, key, text: one, country }))
    const mistake = this.#mistakeIn(values, kind, country)
    if (mistake === undefined) return { values, remark: undefined }
    return { values, remark: `${addressOf(row, column)}: "${shorten(text)}" ${mistake}` }
  }

  /** The mistake in a cell that has these values, in words that follow its text; undefined without one. */
  #mistakeIn(
    values: readonly number[],
    kind: Kind,
    country: Country | undefined,
  ): string | undefined {
    if (values.length === 0) return `has ${lacks[kind]}`
    const phones = values.map((value) => this.index.at(value).phone)
    const isPossible = phones.every((phone) => phone?.isPossible !== false)
    if (isPossible) return undefined
    const numbersOf = country ?? this.#settings.country?.toUpperCase()
    const isNational = phones.some((phone) => phone?.national !== undefined)
    const isOfCountry = isNational && numbersOf !== undefined
    return isOfCountry ? `is no number of ${numbersOf}` : 'is no phone number'
  }

  #tell(readings: Iterable<Reading>): void {
    for (const { values, remark } of readings) {
      for (const value of values) {
        const { phone } = this.index.at(value)
        if (phone !== undefined && isUnplaced(phone)) this.#unplaced += 1
      }
      if (values.length === 0 && remark !== undefined) this.#unreadable.add(remark)
    }
  }
}

const lacks: Readonly<Record<Kind, string>> = {
  phone: 'no phone number',
  email: 'no email address',
  messenger: 'no messenger value',
}
