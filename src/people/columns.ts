/**
 * What each column of a table of people has, by its heading or by an option. A column that is mistaken for another leads to
 * the wrong people, so the choice of columns is always shown. Pure.
 */
import { usageError } from '../errors.ts'
import {
  contactIdPlace,
  decisionPlace,
  findColumn,
  isColumnNumber,
  isSameHeading,
  refuseColumn,
} from '../input/columns.ts'
import type { TableRule } from '../input/table.ts'
import { quoteAll } from '../safe-text.ts'
import { meaningOf, type Meaning } from './heading-words.ts'
import { kindOfCell } from './values.ts'

/** The options that choose columns, by heading or by number from 1. Undefined: what is found. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn?: string | undefined
  countryColumn?: string | undefined
}

/** The columns of a table by what they have, as numbers from 0. */
export interface PeopleColumns {
  phone: readonly number[]
  email: readonly number[]
  /** The columns of each name, in the order of its words. */
  names: readonly (readonly number[])[]
  /** The column with the country of each row's phone numbers. */
  country: number | undefined
  /** The column in which people decide. */
  contactId: number | undefined
  /** Columns that are not read: neither by their headings nor by an option. */
  others: readonly number[]
  /** Empty texts in a table without a heading. */
  headings: readonly string[]
}

export const addedHeadings = ['contactId', 'MATCH', 'WHY', 'CANDIDATES'] as const

/** The columns that are written anew, wherever they are: contactId, whose content stays, and those of an earlier match. */
export function columnsToReplace(headings: readonly string[]): number[] {
  const contactId = contactIdPlace('the table', headings)
  const isMatched = decisionPlace('the table', headings) !== undefined
  const isAdded = (heading: string) =>
    addedHeadings.some((added) => isSameHeading(heading, added))
  return headings.flatMap((heading, column) =>
    column === contactId || (isMatched && isAdded(heading)) ? [column] : [],
  )
}

/**
 * The rule by which a table of people is read. It finds `columns`, which are undefined until the first row is read, and throws
 * exit 2 if an option names a column that is not there, and if no column can identify a contact.
 */
export function peopleRule(input: string, choice: PeopleChoice) {
  const { phoneColumn, emailColumn, nameColumn = [], countryColumn = [] } = choice
  const named = [phoneColumn, emailColumn, nameColumn, countryColumn].flat()
  const names = named.filter((typed) => !isColumnNumber(typed))
  const isKnown = (cell: string) =>
    meaningOf(cell) !== undefined || names.some((name) => isSameHeading(cell, name))
  const rule: TableRule & { columns: PeopleColumns | undefined } = {
    columns: undefined,
    isHeading: (cells) => cells.some(isKnown) || contactIdPlace(input, cells) !== undefined,
    isValue: (text) => kindOfCell(text) !== undefined,
    find: () => ({ kind: 'data' }),
    columnsOf({ headings }, cells) {
      if (headings.length === 0 && (named.length === 0 || names.length > 0))
        throw usageError(
          `${input} has no heading for phone numbers, email addresses or names`,
          `its first row is ${quoteAll(cells)}; name the columns by number, as in --phone-column 1`,
        )
      const texts = headings.length === 0 ? cells.map(() => '') : headings
      rule.columns = findColumns(input, texts, choice)
      const { phone, email, names: found, country, contactId } = rule.columns
      const read = [...phone, ...email, ...found.flat(), country, contactId]
      return read.filter((column) => column !== undefined)
    },
  }
  return rule
}

function findColumns(
  input: string,
  headings: readonly string[],
  { phoneColumn, emailColumn, nameColumn, countryColumn }: PeopleChoice,
): PeopleColumns {
  const placeOf = (typed: string) =>
    findColumn(input, headings, typed) ?? refuseColumn(input, headings, typed)
  const country = countryColumn === undefined ? undefined : placeOf(countryColumn)
  const phones = phoneColumn.map(placeOf)
  const emails = emailColumn.map(placeOf)
  const names = nameColumn === undefined ? [] : [placeOf(nameColumn)]
  const taken = [...columnsToReplace(headings), ...phones, ...emails, ...names, country]
  const free = Array.from(headings.keys()).filter((column) => !taken.includes(column))
  const having = (meaning: Meaning) =>
    free.filter((column) => meaningOf(headings[column] ?? '') === meaning)
  // If an option names columns of a meaning, no others of that meaning are read.
  const phone = phones.length > 0 ? phones : having('phone')
  const email = emails.length > 0 ? emails : having('email')
  if (phone.length + email.length === 0)
    throw usageError(
      `${input} has no column with phone numbers or email addresses; its columns are ${quoteAll(headings)}`,
      'a name alone is never enough; name a column with --phone-column or --email-column',
    )
  const found = names.length > 0 ? [names] : namesOf(having)
  const used = [...phone, ...email, ...found.flat()]
  return {
    phone,
    email,
    names: found,
    country,
    contactId: contactIdPlace(input, headings),
    others: free.filter((column) => !used.includes(column)),
    headings,
  }
}

/**
 * The columns of each name. A whole name next to only one half of a name is the other half: `Nom` next to `Prénom` is the
 * last name, `Nombre` next to `Apellidos` the first name.
 */
function namesOf(having: (meaning: Meaning) => readonly number[]) {
  const [whole, first, last] = [having('name'), having('firstName'), having('lastName')]
  const hasOnlyOneHalf = (first.length === 0) !== (last.length === 0)
  const names = hasOnlyOneHalf
    ? [[...first, ...whole, ...last]]
    : [...whole.map((column) => [column]), [...first, ...last]]
  return names.filter(({ length }) => length > 0)
}

/** A column in words: by its heading, or by its number from 1. */
export function nameOfColumn({ headings }: PeopleColumns, column: number): string {
  return headings[column] || String(column + 1)
}

/** Which columns are read as what, in a sentence. */
export function columnsInWords(columns: PeopleColumns): string {
  const { names, phone, email } = columns
  const read = { names: names.flat(), 'phone numbers': phone, 'email addresses': email }
  const parts = Object.entries(read).map(([what, places]) => {
    const quoted = quoteAll(places.map((column) => nameOfColumn(columns, column)))
    return `${what} from ${quoted || 'no column'}`
  })
  return parts.join(', ')
}
