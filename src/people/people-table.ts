/** Reads a table of people from csv or a workbook. Each row has a name, values, and perhaps a decision who the contact is. */
import { usageError } from '../errors.ts'
import type { InputHost } from '../input/bytes.ts'
import { findDecision } from '../input/ids.ts'
import { textAt, type Row } from '../input/rows.ts'
import { findRows, readTable, type TableOptions } from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { columnName, pluralize, shellWord } from '../words.ts'
import {
  choosePeopleColumns,
  isNumbered,
  peopleRule,
  type PeopleChoice,
  type PeopleColumns,
} from './headings.ts'
import {
  countryOf,
  requireCountry,
  type Country,
  isEmptyCell,
  kindOfCell,
  noCountryProblem,
  readAddresses,
  readPhones,
  type Value,
} from './identities.ts'

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/** A person, as a row of the table describes it. */
export interface PersonRow {
  tableRow: Row
  name: string
  /** The phone numbers and addresses to look for, each once. */
  values: readonly Value[]
  /** Which cells were not understood, and why. With such a cell, the match is never `one` or `none`. */
  problems: readonly string[]
  /** Whether one of its numbers cannot be compared as a whole, because its country is not known. */
  lacksCountry: boolean
  /** The id of a contact, or `-` for nobody; undefined until a person decides. */
  decided: string | undefined
}

/**
 * Reads a table of people. `country` is assumed for rows that name no country. Returns the people, the table and its rows, the
 * columns that were read, and notes about them. Throws a usage error for an input that is no table of people, and for bad lines.
 */
export async function readPeopleTable(
  host: InputHost,
  path: string,
  options: PeopleChoice & TableOptions & { country: string | undefined },
) {
  const country = requireCountry(options.country)
  const table = await readTable(host, path, peopleRule(options), options)
  if (table.columns.length === 0)
    throw usageError(
      `${table.name} is empty`,
      'it needs a heading and a row for each person',
    )
  const columns = choosePeopleColumns(table, options)
  const rows = [...findRows(table)]
  const people = rows.map(({ row }) => readPerson(row, columns, country))
  checkDecisions(people, columns, table.name)
  const kinds = (['phone', 'email'] as const).filter((kind) => columns[kind].length > 0)
  const notes = notesOf(people, columns, table.headings, country)
  return { people, table, rows, columns, country, kinds, notes }
}

/** Throws a usage error if contactId is filled, but has no decision. */
function checkDecisions(
  people: readonly PersonRow[],
  { contactId }: PeopleColumns,
  tableName: string,
) {
  if (contactId === undefined) return
  const filled = people.filter(({ tableRow }) => textAt(tableRow, contactId).trim() !== '')
  if (filled.length > 0 && filled.every(({ decided }) => decided === undefined))
    throw usageError(
      `the column contactId of ${tableName} has neither ids nor "-"`,
      'a column of this name has decisions: give yours another name',
    )
}

/** Returns notes that say which columns were read, which others may have values, and how many rows need a country. */
function notesOf(
  people: readonly PersonRow[],
  columns: PeopleColumns,
  headings: readonly string[],
  country: Country | undefined,
) {
  /** Returns the heading of a column, or its number from 1. */
  const nameOf = (column: number) => headings[column] || String(column + 1)
  const quoted = (indexes: readonly number[]) =>
    quoteAll(indexes.map(nameOf)) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  for (const column of columns.others) {
    const name = nameOf(column)
    const texts = people.map(({ tableRow }) => textAt(tableRow, column))
    const kind = isNumbered(name) ? undefined : kindOfColumn(texts, country)
    if (kind !== undefined)
      notes.push(
        `"${name}" was not read, but seems to have numbers or addresses: --${kind}-column ${shellWord(name)}`,
      )
  }
  const lackingCount = people.filter(({ lacksCountry }) => lacksCountry).length
  if (lackingCount > 0) {
    const who = pluralize(lackingCount, 'row has', 'rows have')
    const advice = country === undefined ? ': add --country' : ''
    notes.push(`${who} a phone number without a country${advice}`)
  }
  return notes
}

/** Returns the kind of values that most of the filled cells of a column have; undefined if they have none. */
function kindOfColumn(texts: readonly string[], country: Country | undefined) {
  const filled = texts.filter((text) => !isEmptyCell(text))
  const kinds = filled.flatMap((text) => kindOfCell(text, country) ?? [])
  // Few columns have both numbers and addresses, so the first value decides the kind.
  return 2 * kinds.length > filled.length ? kinds[0] : undefined
}

/** Reads the person of a row. `defaultCountry` is assumed for a row that names no country. */
function readPerson(
  row: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
): PersonRow {
  const { problems, refuse, readText, readDecision } = cellsOf(row)
  const countryColumn = columns.country.find((column) => readText(column) !== '')
  const country =
    countryColumn === undefined ? defaultCountry : countryOf(textAt(row, countryColumn))
  /** The values by their first keys: one that appears twice counts once. */
  const values = new Map<string, Value>()
  let lacksCountry = false
  for (const column of new Set([...columns.phone, ...columns.email])) {
    const text = readText(column)
    if (text === '') continue
    // In a column that is named for both, an address has an @.
    const isNumber = columns.phone.includes(column) && !text.includes('@')
    const isAddress = columns.email.includes(column) && !isNumber
    const reading = isAddress ? readAddresses(text) : readPhones(text, country)
    for (const value of reading.values) values.set(value.keys[0] ?? '', value)
    if (reading.problem !== undefined) refuse(column, reading.problem)
    if (reading.problem === noCountryProblem) lacksCountry = true
  }
  if (countryColumn !== undefined && lacksCountry) refuse(countryColumn, 'is not a country')
  const names = columns.name.map(readText).filter((text) => text !== '')
  const { contactId } = columns
  const decided = contactId === undefined ? undefined : readDecision(contactId)
  return {
    tableRow: row,
    name: names.join(' '),
    values: [...values.values()],
    decided,
    problems,
    lacksCountry,
  }
}

/** Returns functions that read the cells of a row, and `problems`, to which they add why a cell cannot be used. */
function cellsOf(row: Row) {
  const problems: string[] = []
  const addProblem = (column: number, problem: string) =>
    problems.push(`${columnName(column)}${row.line}: ${problem}`)
  const refuse = (column: number, problem: string) =>
    addProblem(column, `"${shorten(textAt(row, column))}" ${problem}`)
  /** Returns the text of a cell; empty for one that cannot be trusted. */
  const trustedText = (column: number) => {
    const reason = row.reasons?.[column]
    if (reason === undefined) return textAt(row, column)
    addProblem(column, reason)
    return ''
  }
  /** Returns the text of a cell, which is empty if it says that it has nothing. */
  const readText = (column: number) => {
    const text = trustedText(column)
    return isEmptyCell(text) ? '' : text
  }
  /** Returns the id or the `-` that a person wrote in a cell; undefined without a decision. */
  const readDecision = (column: number) => {
    const decision = findDecision(trustedText(column))
    if (decision?.kind === 'bad') refuse(column, 'is not the id of a contact')
    if (decision?.kind === 'left-out') return '-'
    return decision?.kind === 'found' ? decision.id : undefined
  }
  return { problems, refuse, readText, readDecision }
}
