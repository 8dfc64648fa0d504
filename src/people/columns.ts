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

/** The options that choose columns, by heading or by number from 1. Empty: what is found. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn: readonly string[]
  countryColumn?: string | undefined
}

/** The columns of a table by what they have, as numbers from 0. */
export type PeopleColumns = ReturnType<typeof findColumns>

const addedHeadings = ['contactId', 'MATCH', 'WHY', 'CANDIDATES'] as const

/** The columns that are written anew, wherever they are: contactId, whose content stays, and those of an earlier match. */
function columnsToReplace(headings: readonly string[]) {
  const isMatched = decisionPlace('the table', headings) !== undefined
  const replaced = isMatched ? addedHeadings : ['contactId']
  return headings.flatMap((heading, column) =>
    replaced.some((name) => isSameHeading(heading, name)) ? [column] : [],
  )
}

/** The columns that `contacts match --annotate` adds, or writes anew. */
export const matchAddition = {
  headings: addedHeadings,
  idHeading: '',
  findEarlier: columnsToReplace,
}

/**
 * The rule by which a table of people is read. It finds `columns`, which are undefined until the first row is read, and throws
 * exit 2 if an option names a column that is not there, and if no column can identify a contact.
 */
export function peopleRule(input: string, choice: PeopleChoice) {
  const typed = [
    choice.phoneColumn,
    choice.emailColumn,
    choice.nameColumn,
    choice.countryColumn ?? [],
  ].flat()
  const names = typed.filter((text) => !isColumnNumber(text))
  const isKnown = (cell: string) =>
    names.length > 0 || meaningOf(cell) !== undefined || isSameHeading(cell, 'contactId')
  const rule: TableRule & { columns: PeopleColumns | undefined } = {
    columns: undefined,
    isHeading: (cells) => cells.some(isKnown),
    isValue: (text) => kindOfCell(text) !== undefined,
    find: () => ({ kind: 'data' }),
    columnsOf({ headings }, cells) {
      if (headings.length === 0 && (typed.length === 0 || names.length > 0))
        throw usageError(
          `${input} has no heading for phone numbers, email addresses or names`,
          `its first row is ${quoteAll(cells)}; name the columns by number, as in --phone-column 1`,
        )
      const texts = headings.length === 0 ? cells.map(() => '') : headings
      rule.columns = findColumns(input, texts, choice)
      return rule.columns.read
    },
  }
  return rule
}

/** `headings`: empty texts in a table without a heading. */
function findColumns(input: string, headings: readonly string[], choice: PeopleChoice) {
  const placeOf = (typed: string) =>
    findColumn(input, headings, typed) ?? refuseColumn(input, headings, typed)
  const country = [choice.countryColumn ?? []].flat().map(placeOf)
  const phones = choice.phoneColumn.map(placeOf)
  const emails = choice.emailColumn.map(placeOf)
  const names = choice.nameColumn.map(placeOf)
  const taken = [columnsToReplace(headings), phones, emails, names, country].flat()
  const free = Array.from(headings.keys()).filter((column) => !taken.includes(column))
  const having = (meaning: Meaning) =>
    free.filter((column) => meaningOf(headings[column] ?? '') === meaning)
  // If an option names columns of a kind, no others of that kind are read.
  const phone = phones.length > 0 ? phones : having('phone')
  const email = emails.length > 0 ? emails : having('email')
  // A whole name next to only one half of a name is the other half: `Nom` next to `Prénom` is the last name.
  const first = having('firstName')
  const last = having('lastName')
  const whole = first.length > 0 && last.length > 0 ? [] : having('name')
  const name = names.length > 0 ? names : [...first, ...whole, ...last]
  if (phone.length + email.length === 0)
    throw usageError(
      `${input} has no column with phone numbers or email addresses; its columns are ${quoteAll(headings)}`,
      'a name alone is never enough; name a column with --phone-column or --email-column',
    )
  const contactId = [contactIdPlace(input, headings) ?? []].flat()
  const read = [name, phone, email, country, contactId].flat()
  const others = free.filter((column) => !read.includes(column))
  return { phone, email, name, country, contactId, read, others }
}
