/** Reads a table of people: which columns have names, numbers, addresses and countries, and the person of each row. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { findDecision } from '../input/ids.ts'
import { textAt, type Row } from '../input/text.ts'
import {
  findColumn,
  noColumnError,
  placeOf,
  readTable,
  refuseDataHeading,
  readRows,
  rowProblem,
  type Table,
  type TableOptions,
} from '../input/table.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { pluralize } from '../words.ts'
import {
  countryOf,
  hasWords,
  looksLikeValue,
  needsCountry,
  readValues,
  requireCountry,
  type Country,
  type Value,
} from './person-values.ts'

/** The columns that svc adds to tables. In exactly these letters, they are replaced when a table is matched again. */
const ownHeadings = ['contactId', 'MATCH', 'WHY', 'CANDIDATES', 'OUTCOME', 'REASON', 'AT']

/** The words of a heading, without accents and letter case, above numbers and addresses, and above names. */
const valueWord = /^(?:e?mail|tel|phone|mobil|cell|handy|fon|whatsapp)/
const nameWord =
  /^(?:name|nombre|nome|nom|prenom|apellido)|(?:name|nombre|nome|nom|prenom|apellido)$/

/** `values` are phone numbers and addresses. */
type Meaning = 'values' | 'names' | 'countries' | 'others'

/** Whether a cell is empty, or has only a word or sign that says so. */
const isEmptyCell = (text: string) => /^\s*(?:'?[-–—?]|n\/a|none|unknown)?\s*$/i.test(text)

/** Returns the meaning of a column: first by what most of its cells have, and then by its heading. */
function meaningOf(heading: string, cells: readonly string[]): Meaning {
  const filled = cells.filter((text) => !isEmptyCell(text))
  if (2 * filled.filter(looksLikeValue).length > filled.length) return 'values'
  const plain = heading.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()
  const words = plain.split(/[^\p{L}]+/u)
  if (words.some((word) => valueWord.test(word))) return 'values'
  if (words.some((word) => nameWord.test(word))) return 'names'
  return ['country', 'land', 'pays', 'pais'].includes(plain) ? 'countries' : 'others'
}

export type PeopleTable = Awaited<ReturnType<typeof readPeopleTable>>

/**
 * Reads a table of people, and notes which columns were read. `country` is assumed for rows that name none. Throws a usage error for
 * an input that is no such table, and for bad lines.
 */
export async function readPeopleTable(
  host: Host,
  path: string,
  options: Omit<TableOptions, 'isWanted'> & { country: string | undefined },
) {
  const { note } = options
  const country = requireCountry(options.country)
  const found = await readTable(host, path, {
    ...options,
    // Cut by a wrong delimiter, a heading has others in it.
    isWanted: (heading, cells) =>
      !/[,;|\t]/.test(heading) && meaningOf(heading, cells) !== 'others',
  })
  const all = [...found.rows()]
  const rows = all.filter(({ isHidden }) => isHidden !== true)
  const table: Table = { ...found, rows: () => rows }
  const columns = columnsOf(table, rows)
  const hidden = [...table.headings.keys()].some(table.isColumnHidden)
  if (rows.length < all.length || hidden)
    note(`hidden rows or columns of ${table.name} are left out`)
  const { values, names, countries, others, contactId } = columns
  const read = [...values, ...names, ...countries, contactId]
  refuseDataHeading(table, read, looksLikeValue)
  readRows(table, (row) => ({ reason: rowProblem(table, row, read) }))
  const people = rows.map((row) => readPerson(table, row, columns, country))
  const areFilled = rows.some((row) => textAt(row, contactId).trim() !== '')
  if (areFilled && people.every(({ decided }) => decided === undefined))
    throw usageError(
      `the column contactId of ${table.name} has neither ids nor "-"`,
      'a column of this name has decisions: give yours another name',
    )
  noteColumns(table, columns, people, note)
  const lacking = people.filter(({ problems }) =>
    problems.some((each) => each.endsWith(needsCountry)),
  ).length
  const advice = country === undefined ? ': add --country' : ''
  if (lacking > 0)
    note(
      `${pluralize(lacking, 'row has', 'rows have')} a phone number without a country${advice}`,
    )
  const hasOtherWords = rows.some((row) =>
    others.some((column) => hasWords(textAt(row, column))),
  )
  /** Why no match in this table is certain. */
  const doubt =
    names.length === 0 && hasOtherWords
      ? 'no column of names was read; give it the heading Name'
      : undefined
  return { people, table, country, doubt }
}

type PeopleColumns = ReturnType<typeof columnsOf>

/** Returns the shown columns of a table by their meaning. Throws a usage error if none has values, and if contactId is hidden. */
function columnsOf(table: Table, rows: readonly Row[]) {
  const { name, headings, isColumnHidden } = table
  const found: Record<Meaning, number[]> = {
    values: [],
    names: [],
    countries: [],
    others: [],
  }
  for (const [column, heading] of headings.entries())
    if (!isColumnHidden(column) && !ownHeadings.includes(heading))
      found[
        meaningOf(
          heading,
          rows.map((row) => textAt(row, column)),
        )
      ].push(column)
  if (found.values.length === 0)
    throw noColumnError(
      table,
      'no column with phone numbers or email addresses',
      'a name alone is never enough; give a column the heading Phone or E-mail',
    )
  const contactId = findColumn(table, [/^contactId$/])
  if (contactId !== undefined && isColumnHidden(contactId))
    throw usageError(`the column contactId of ${name} is hidden`, 'show the column')
  return { ...found, contactId: contactId ?? -1 }
}

/** A person, as a row of the table describes it. */
export type PersonRow = ReturnType<typeof readPerson>

/** Reads the person of a row. */
function readPerson(
  table: Table,
  row: Row,
  { values, names, countries, others, contactId }: PeopleColumns,
  defaultCountry: Country | undefined,
) {
  /** Which cells were not understood, and why. With such a cell, the match is never `one` or `none`. */
  const problems: string[] = []
  const refuse = (column: number, problem: string) => {
    const text = shorten(textAt(row, column))
    problems.push(`${placeOf(table, row, column)}: "${text}" ${problem}`)
  }
  /** Returns the text of a cell; empty for one that cannot be trusted, such as a formula. */
  const trusted = (column: number) => {
    const problem = row.reasons?.[column]
    if (problem === undefined) return textAt(row, column)
    refuse(column, `is ${problem}`)
    return ''
  }
  const filled = (columns: readonly number[]) =>
    columns
      .map((column) => ({ column, text: trusted(column) }))
      .filter(({ text }) => !isEmptyCell(text))
  const [named] = filled(countries)
  const country = named === undefined ? defaultCountry : countryOf(named.text)
  if (named !== undefined && country === undefined) refuse(named.column, 'is not a country')
  const found = new Map<string, Value>()
  for (const { column, text } of filled(values)) {
    const reading = readValues(text, country)
    for (const value of reading.values) found.set(value.exact ?? value.near, value)
    if (reading.problem !== undefined) refuse(column, reading.problem)
  }
  /** The columns with what looks like a number or an address, but was not read. */
  const unread = [...names, ...others].filter((column) =>
    looksLikeValue(textAt(row, column)),
  )
  for (const column of unread) refuse(column, 'was not read')
  const { kind, reason, id } = findDecision(trusted(contactId))
  if (reason !== undefined && kind === undefined)
    refuse(contactId, 'is not the id of a contact')
  return {
    row,
    /** The filled cells of names. */
    names: filled(names).map(({ text }) => text),
    /** The phone numbers and addresses to look for, each once. */
    values: [...found.values()],
    /** The id of a contact, or `-` for nobody; undefined until a person decides. */
    decided: kind === 'left-out' ? '-' : id,
    problems,
    unread,
  }
}

/** Notes which columns were read, and which seem to have more. */
function noteColumns(
  { headings, headingHint }: Table,
  { values, names }: PeopleColumns,
  people: readonly PersonRow[],
  note: (text: string) => void,
) {
  const quoted = (columns: readonly number[]) =>
    quoteAll(columns.map((column) => headings[column] || `${column + 1}`)) || 'no column'
  note(`names from ${quoted(names)}, phone numbers and addresses from ${quoted(values)}`)
  // Below a title, the numbers of a column are read, but its heading is not.
  const isBelow = values.some((column) => headings[column] === '')
  if (isBelow && headingHint !== undefined) note(headingHint)
  const unread = [...new Set(people.flatMap((person) => person.unread))]
  if (unread.length > 0)
    note(
      `${quoted(unread)} seems to have numbers or addresses, and was not read: give it the heading Phone, or take it out of the table`,
    )
}
