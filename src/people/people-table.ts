/** Reads a table of people from csv or a workbook, and says which of its columns were read. */
import { usageError } from '../errors.ts'
import type { InputHost } from '../input/bytes.ts'
import { textAt } from '../input/rows.ts'
import { findRows, readTable, type TableOptions } from '../input/table.ts'
import { quoteAll } from '../safe-text.ts'
import { pluralize, shellWord } from '../words.ts'
import { requireCountry, type Country } from './countries.ts'
import {
  choosePeopleColumns,
  isNumbered,
  peopleRule,
  type PeopleChoice,
  type PeopleColumns,
} from './headings.ts'
import { kindOfColumn } from './people-cells.ts'
import { readPerson, type PersonRow } from './person-row.ts'

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

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
  if (table.source.format.endsWith('json'))
    throw usageError(`${table.name} is JSON`, 'people are read from csv or a workbook')
  const columns = choosePeopleColumns(table, options)
  const rows = [...findRows(table)]
  const people = rows.map(({ row }) => readPerson(row, columns, country))
  if (columns.contactId !== undefined)
    refuseOtherContent(people, columns.contactId, table.name)
  const kinds = (['phone', 'email'] as const).filter((kind) => columns[kind].length > 0)
  const nameOf = (column: number) => table.headings[column] || String(column + 1)
  const notes = [
    readColumnsNote(columns, nameOf),
    ...unreadColumnsNotes(people, columns.others, nameOf, country),
    ...missingCountryNotes(people, country),
  ]
  return { people, table, rows, country, kinds, notes }
}

/** Throws a usage error if a column contactId is filled, but has no decision. */
function refuseOtherContent(
  people: readonly PersonRow[],
  contactId: number,
  tableName: string,
) {
  const isFilled = ({ tableRow }: PersonRow) => textAt(tableRow, contactId).trim() !== ''
  const isDecided = ({ decided }: PersonRow) => decided !== undefined
  if (people.some(isFilled) && !people.some(isDecided))
    throw usageError(
      `the column contactId of ${tableName} has neither ids nor "-"`,
      'a column of this name has decisions: give yours another name',
    )
}

/** Returns the heading of a column, or its number from 1. */
type NameOf = (column: number) => string

function readColumnsNote({ name, phone, email }: PeopleColumns, nameOf: NameOf) {
  const quoted = (columns: readonly number[]) =>
    quoteAll(columns.map(nameOf)) || 'no column'
  return `names from ${quoted(name)}, phone numbers from ${quoted(phone)}, email addresses from ${quoted(email)}`
}

/** Returns a note for each column that was not read, but seems to have numbers or addresses. */
function unreadColumnsNotes(
  people: readonly PersonRow[],
  columns: readonly number[],
  nameOf: NameOf,
  country: Country | undefined,
) {
  return columns.flatMap((column) => {
    const name = nameOf(column)
    const texts = people.map(({ tableRow }) => textAt(tableRow, column))
    const kind = isNumbered(name) ? undefined : kindOfColumn(texts, country)
    return kind === undefined
      ? []
      : [
          `"${name}" was not read, but seems to have numbers or addresses: --${kind}-column ${shellWord(name)}`,
        ]
  })
}

function missingCountryNotes(people: readonly PersonRow[], country: Country | undefined) {
  const { length } = people.filter(({ lacksCountry }) => lacksCountry)
  const advice = country === undefined ? ': add --country' : ''
  const who = pluralize(length, 'row has', 'rows have')
  return length === 0 ? [] : [`${who} a phone number without a country${advice}`]
}
