/** Reads a table of people: which columns have names, numbers, addresses and countries, and the person of each row. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { findDecision } from '../input/ids.ts'
import {
  BadLines,
  cellProblem,
  noColumnError,
  placeOf,
  readTable,
  refuseDataHeading,
  rowProblem,
  type Table,
  type TableOptions,
} from '../input/table.ts'
import { textAt, type Row } from '../input/rows.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { pluralize } from '../words.ts'
import {
  countryOf,
  hasWords,
  kindOfCell,
  needsCountry,
  readValues,
  requireCountry,
  type Country,
  type Value,
} from './person-values.ts'

/** The columns that svc adds to tables. In exactly these letters, they are replaced when a table is matched again. */
const ownHeadings = ['contactId', 'MATCH', 'WHY', 'CANDIDATES', 'OUTCOME', 'REASON', 'AT']

/** Words of headings without accents and letter case, by what is below. */
const headingWords = {
  email: /^e?mail/,
  phone: /^(?:tel|phone|mobil|cell|handy|fon|whatsapp)/,
  name: /^(?:name|nombre|nome|nom|prenom|apellido)|(?:name|nombre|nome|nom|prenom|apellido)$/,
} as const

type Meaning = keyof typeof headingWords | 'country'

/** Whether a cell is empty, or has only a word or sign that says so. */
const isEmptyCell = (text: string) => /^\s*(?:'?[-–—?]|n\/a|none|unknown)?\s*$/i.test(text)

/** Returns the meaning of a column: of numbers and addresses by what it has, and then by its heading; undefined if it has none. */
function meaningOf(heading: string, cells: readonly string[]): Meaning | undefined {
  if (ownHeadings.includes(heading)) return undefined
  const filled = cells.filter((text) => !isEmptyCell(text))
  const isMost = (kind: 'email' | 'phone') =>
    2 *
      filled.filter(
        (text) => kindOfCell(text) === kind && (kind === 'email' || !hasWords(text)),
      ).length >
    filled.length
  const found = (['email', 'phone'] as const).find(isMost)
  if (found !== undefined) return found
  const plain = heading.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()
  const words = plain.split(/[^\p{L}]+/u)
  if (['country', 'land', 'pays', 'pais'].includes(plain)) return 'country'
  return (['email', 'phone', 'name'] as const).find((meaning) =>
    words.some((word) => headingWords[meaning].test(word)),
  )
}

/** Returns the columns of a table by their meaning. */
function columnsOf({ headings, rows, isColumnHidden }: ReturnType<typeof shownPart>) {
  const columns = { email: [], phone: [], name: [], country: [], other: [] } as Record<
    Meaning | 'other',
    number[]
  >
  for (const [column, heading] of headings.entries()) {
    if (isColumnHidden(column) || ownHeadings.includes(heading)) continue
    const texts = rows.map((row) => textAt(row, column))
    columns[meaningOf(heading, texts) ?? 'other'].push(column)
  }
  return columns
}

type PeopleColumns = ReturnType<typeof columnsOf>

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
  const read = await readTable(host, path, {
    ...options,
    // Cut by a wrong delimiter, a heading has others in it.
    isWanted: (heading, cells) =>
      heading === 'contactId' ||
      (!/[,;|\t]/.test(heading) && meaningOf(heading, cells()) !== undefined),
    isByNumber: false,
  })
  const table = shownPart(read, note)
  const { name, headings } = table
  const columns = columnsOf(table)
  const ofValues = [...columns.phone, ...columns.email]
  if (ofValues.length === 0)
    throw noColumnError(
      table,
      'no column with phone numbers or email addresses',
      'a name alone is never enough; give a column the heading Phone or E-mail',
    )
  const contactId = headings.indexOf('contactId')
  const all = [
    ...ofValues,
    ...columns.name,
    ...columns.country,
    ...(contactId < 0 ? [] : [contactId]),
  ]
  refuseDataHeading(table, all, (text) => kindOfCell(text) !== undefined)
  const bad = new BadLines(table)
  for (const row of table.rows) {
    const problem = rowProblem(table, row, all)
    if (problem !== undefined) bad.add(row, problem)
  }
  bad.refuse()
  const people = table.rows.map((row) => readPerson(table, row, columns, country))
  const isFilled = ({ row }: PersonRow) => textAt(row, contactId).trim() !== ''
  if (people.some(isFilled) && people.every(({ decided }) => decided === undefined))
    throw usageError(
      `the column contactId of ${name} has neither ids nor "-"`,
      'a column of this name has decisions: give yours another name',
    )
  for (const text of notesOf(table, columns, people)) note(text)
  const lacking = people.filter(({ problems }) =>
    problems.some((each) => each.endsWith(needsCountry)),
  ).length
  const advice = country === undefined ? ': add --country' : ''
  if (lacking > 0)
    note(
      `${pluralize(lacking, 'row has', 'rows have')} a phone number without a country${advice}`,
    )
  const hasWordsElsewhere = people.some(({ row }) =>
    columns.other.some((column) => hasWords(textAt(row, column))),
  )
  /** Why no match in this table is certain. */
  const doubt =
    columns.name.length === 0 && hasWordsElsewhere
      ? 'no column of names was read; give it the heading Name'
      : undefined
  return { people, table, country, doubt }
}

/** Returns a table without its hidden rows, and notes what is left out. Throws a usage error if contactId is hidden. */
function shownPart(table: Table, note: (text: string) => void) {
  const { name, headings, isColumnHidden } = table
  const all = [...table.rows]
  const rows = all.filter(({ isHidden }) => isHidden !== true)
  const contactId = headings.indexOf('contactId')
  if (contactId >= 0 && isColumnHidden(contactId))
    throw usageError(`the column contactId of ${name} is hidden`, 'show the column')
  const hasHidden = rows.length < all.length || [...headings.keys()].some(isColumnHidden)
  if (hasHidden) note(`hidden rows or columns of ${name} are left out`)
  return { ...table, rows }
}

/** A person, as a row of the table describes it. */
export type PersonRow = ReturnType<typeof readPerson>

/** Reads the person of a row. */
function readPerson(
  table: Table,
  row: Row,
  columns: PeopleColumns,
  defaultCountry: Country | undefined,
) {
  const problems: string[] = []
  const refuse = (column: number, problem: string) => {
    problems.push(`${placeOf(table, row, column)}: ${problem}`)
  }
  const refuseText = (column: number, problem: string) =>
    refuse(column, `"${shorten(textAt(row, column))}" ${problem}`)
  /** Returns the cells that say something. Those that cannot be trusted, such as formulas, are refused. */
  const filled = (read: readonly number[]) =>
    read.flatMap((column) => {
      const problem = cellProblem(table, row, [column])
      if (problem !== undefined) refuse(column, problem.reason)
      const text = problem === undefined ? textAt(row, column) : ''
      return isEmptyCell(text) ? [] : [{ column, text }]
    })
  const [countryCell] = filled(columns.country)
  const country = countryCell === undefined ? defaultCountry : countryOf(countryCell.text)
  if (countryCell !== undefined && country === undefined)
    refuseText(countryCell.column, 'is not a country')
  const values = new Map<string, Value>()
  for (const { column, text } of filled([...columns.phone, ...columns.email])) {
    const reading = readValues(text, country)
    for (const value of reading.values) values.set(value.exact ?? value.near, value)
    if (reading.problem !== undefined) refuseText(column, reading.problem)
  }
  const unread = [...columns.name, ...columns.other].filter(
    (column) => kindOfCell(textAt(row, column)) !== undefined,
  )
  for (const column of unread) refuseText(column, 'was not read')
  const contactId = table.headings.indexOf('contactId')
  const refused = cellProblem(table, row, [contactId])
  if (refused !== undefined) refuse(contactId, refused.reason)
  const decision = findDecision(refused === undefined ? textAt(row, contactId) : '')
  if (decision.kind === 'bad') refuseText(contactId, 'is not the id of a contact')
  const id = decision.kind === 'found' ? decision.id : undefined
  return {
    row,
    /** The filled cells of names. */
    names: filled(columns.name).map(({ text }) => text),
    /** The phone numbers and addresses to look for, each once. */
    values: [...values.values()],
    /** The id of a contact, or `-` for nobody; undefined until a person decides. */
    decided: decision.kind === 'left-out' ? '-' : id,
    /** Which cells were not understood, and why. With such a cell, the match is never `one` or `none`. */
    problems,
    /** The columns with what looks like a number or an address, but was not read. */
    unread,
  }
}

/** Returns notes about the columns: which were read, which seem to have more, and whether numbers lack a country. */
function notesOf(
  { headings }: Table,
  columns: PeopleColumns,
  people: readonly PersonRow[],
) {
  const quoted = (read: readonly number[]) =>
    quoteAll(read.map((column) => headings[column] || String(column + 1))) || 'no column'
  const notes = [
    `names from ${quoted(columns.name)}, phone numbers from ${quoted(columns.phone)}, email addresses from ${quoted(columns.email)}`,
  ]
  const unread = [...new Set(people.flatMap((person) => person.unread))]
  if (unread.length > 0)
    notes.push(
      `${quoted(unread)} seems to have numbers or addresses, and was not read: give it the heading Phone, or take it out of the table`,
    )
  return notes
}
