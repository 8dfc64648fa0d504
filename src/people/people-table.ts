/** Reads a table of people from csv or a workbook: the person of each row, and which columns were read. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { findDecision } from '../input/ids.ts'
import { textAt, type Row } from '../input/rows.ts'
import { findRows, readTable, type TableOptions } from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { columnName, pluralize, shellWord } from '../words.ts'
import {
  choosePeopleColumns,
  isEmptyCell,
  isNumbered,
  kindOfCell,
  peopleReader,
  type PeopleChoice,
  type PeopleColumns,
} from './people-columns.ts'
import {
  countryOf,
  problemTexts,
  readAddresses,
  readPhones,
  requireCountry,
  type Country,
  type Value,
} from './person-values.ts'

/** A person, as a row of the table describes it. */
export type PersonRow = ReturnType<typeof readPerson>

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/**
 * Reads a table of people. `country` is assumed for rows that name no country. Returns the people, the table and its rows, the
 * columns that were read, and notes about them. Throws a usage error for an input that is no table of people, and for bad lines.
 */
export async function readPeopleTable(
  host: Host,
  path: string,
  options: PeopleChoice & TableOptions & { country: string | undefined },
) {
  const country = requireCountry(options.country)
  const table = await readTable(host, path, peopleReader(options), options)
  if (table.columns.length === 0)
    throw usageError(
      `${table.name} is empty`,
      'it needs a heading and a row for each person',
    )
  if (table.source.format.endsWith('json'))
    throw usageError(`${table.name} is JSON`, 'people are read from csv or a workbook')
  const columns = choosePeopleColumns(table, options)
  const rows = [...findRows(table)]
  const people = rows.map(({ row }) => readPerson(row, columns, country))
  const { contactId } = columns
  const isFilled = ({ tableRow }: PersonRow) =>
    contactId !== undefined && textAt(tableRow, contactId).trim() !== ''
  if (people.some(isFilled) && people.every(({ decided }) => decided === undefined))
    throw usageError(
      `the column contactId of ${table.name} has neither ids nor "-"`,
      'a column of this name has decisions: give yours another name',
    )
  const kinds = (['phone', 'email'] as const).filter((kind) => columns[kind].length > 0)
  /** Returns the heading of a column, or its number from 1. */
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const quoted = (read: readonly number[]) => quoteAll(read.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
    ...unreadColumnsNotes(people, columns.others, nameOf, country),
  ]
  const lacking = people.filter(({ lacksCountry }) => lacksCountry).length
  const advice = country === undefined ? ': add --country' : ''
  if (lacking > 0)
    notes.push(
      `${pluralize(lacking, 'row has', 'rows have')} a phone number without a country${advice}`,
    )
  return { people, table, rows, country, kinds, notes }
}

/** Returns a note for each column that was not read, but most of whose filled cells have numbers or addresses. */
function unreadColumnsNotes(
  people: readonly PersonRow[],
  columns: readonly number[],
  nameOf: (column: number) => string,
  country: Country | undefined,
) {
  return columns.flatMap((column) => {
    const name = nameOf(column)
    if (isNumbered(name)) return []
    const texts = people.map(({ tableRow }) => textAt(tableRow, column))
    const filled = texts.filter((text) => !isEmptyCell(text))
    // Few columns have both numbers and addresses, so the first value decides the kind.
    const kinds = filled.flatMap((text) => kindOfCell(text, country) ?? [])
    const [kind] = kinds
    return kind === undefined || 2 * kinds.length <= filled.length
      ? []
      : [
          `"${name}" was not read, but seems to have numbers or addresses: --${kind}-column ${shellWord(name)}`,
        ]
  })
}

/** Reads the person of a row. `defaultCountry` is assumed for a row that names no country. */
function readPerson(
  tableRow: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
) {
  const cells = new PersonCells(tableRow)
  const [countryCell] = cells.filled(columns.country)
  const country = countryCell === undefined ? defaultCountry : countryOf(countryCell.text)
  const values = new Map<string, Value>()
  let lacksCountry = false
  const valueColumns = new Set([...columns.phone, ...columns.email])
  for (const { column, text } of cells.filled(valueColumns)) {
    // In a column that is named for both, an address has an @.
    const isNumber = columns.phone.includes(column) && !text.includes('@')
    const isAddress = columns.email.includes(column) && !isNumber
    const reading = isAddress ? readAddresses(text) : readPhones(text, country)
    for (const value of reading.values) values.set(value.exact ?? value.near, value)
    if (reading.problem === undefined) continue
    cells.refuse(column, problemTexts[reading.problem])
    if (reading.problem === 'noCountry') lacksCountry = true
  }
  if (countryCell !== undefined && lacksCountry)
    cells.refuse(countryCell.column, 'is not a country')
  const names = Array.from(cells.filled(columns.name), ({ text }) => text)
  return {
    tableRow,
    name: names.join(' '),
    /** The phone numbers and addresses to look for, each once. */
    values: [...values.values()],
    /** The id of a contact, or `-` for nobody; undefined until a person decides. */
    decided: cells.decision(columns.contactId),
    /** Which cells were not understood, and why. With such a cell, the match is never `one` or `none`. */
    problems: cells.problems,
    /** Whether one of its numbers cannot be compared as a whole, because its country is not known. */
    lacksCountry,
  }
}

/** The cells of a row, and which of them cannot be used. */
class PersonCells {
  readonly problems: string[] = []
  readonly #row: Row

  constructor(row: Row) {
    this.#row = row
  }

  /** Yields the cells of some columns, without those that say that they have nothing. */
  *filled(columns: Iterable<number>) {
    for (const column of columns) {
      const text = this.#trusted(column)
      if (!isEmptyCell(text)) yield { column, text }
    }
  }

  /** Returns the id or the `-` that somebody wrote in a cell; undefined without a decision. */
  decision(column: number | undefined) {
    if (column === undefined) return undefined
    const decision = findDecision(this.#trusted(column))
    if (decision.kind === 'bad') this.refuse(column, 'is not the id of a contact')
    if (decision.kind === 'left-out') return '-'
    return decision.kind === 'found' ? decision.id : undefined
  }

  /** Says why the text of a cell cannot be used. */
  refuse(column: number, problem: string) {
    this.#add(column, `"${shorten(textAt(this.#row, column))}" ${problem}`)
  }

  /** Returns the text of a cell; empty for one that cannot be trusted, such as a formula. */
  #trusted(column: number) {
    const reason = this.#row.reasons?.[column]
    if (reason === undefined) return textAt(this.#row, column)
    this.#add(column, reason)
    return ''
  }

  #add(column: number, problem: string) {
    this.problems.push(`${columnName(column)}${this.#row.line}: ${problem}`)
  }
}
