/**
 * Finds out what each column of a table of people has, by its heading or by an option. A column that is
 * mistaken for another leads to the wrong people, so the choice of columns is always shown. Pure.
 */
import { usageError } from '../errors.ts'
import { earlierPlaces } from '../input/annotated.ts'
import {
  isSameHeading,
  placeNamed,
  refuseColumn,
  type TableRule,
} from '../input/columns.ts'
import { quoteAll } from '../safe-text.ts'
import { fold } from '../words.ts'
import { meaningOf, nameMeanings, type NameMeaning } from './heading-words.ts'

/** The options that choose columns. Undefined: what is found. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn?: string | undefined
  countryColumn?: string | undefined
}

/** The columns of a table by what they have, as numbers from 0. */
export interface PeopleColumns {
  /** Columns that can identify a contact, each with the key of its values. That of phone numbers is `phone`. */
  values: readonly ValueColumn[]
  /** The column with the country of each row's phone numbers. */
  country: number | undefined
  /** The columns of each name, in the order of its words. In each row, the first name that is not empty is compared. */
  names: readonly (readonly number[])[]
  /** The columns in which an earlier match wrote its result. */
  matched: ReturnType<typeof matchPlaces>
  /** The column in which an earlier match wrote the name. */
  earlierName: number | undefined
  headings: readonly string[]
}

interface ValueColumn {
  column: number
  key: ValueKey
}

/** The kinds of values that identify the person of a row. */
const valueKeys = ['phone', 'email'] as const
export type ValueKey = (typeof valueKeys)[number]

export const addedHeadings = [
  'contactId',
  'MATCH',
  'BY',
  'NAME',
  'LISTS',
  'CANDIDATES',
  'WHY',
] as const

/** How a table of people is read. */
interface PeopleRule extends TableRule {
  /** The columns of the table; undefined until its heading is found. */
  columns: PeopleColumns | undefined
}

/**
 * The rule by which a table of people is read. It throws exit 2 if a column that an option names is missing or appears
 * twice, and if no column can identify a contact.
 */
export function peopleRule(input: string, choice: PeopleChoice): PeopleRule {
  const namedHeadings = headingsOf(choice)
  const isPeopleHeading = (cell: string) =>
    meaningOf(cell) !== undefined ||
    namedHeadings.some(({ heading }) => isSameHeading(cell, heading))
  const rule: PeopleRule = {
    columns: undefined,
    isOfPeople: true,
    isValue: (text) => /@|\d{5}/.test(text),
    columnsOf(cells) {
      if (!cells.some(isPeopleHeading)) return undefined
      rule.columns = findColumns(input, cells, choice, namedHeadings)
      return columnsRead(rule.columns)
    },
    fallbackColumns(first) {
      throw usageError(
        `${input} has no heading for phone numbers, email addresses or names`,
        `its first row is ${quoteAll(first.cells)}; name the columns with --phone-column, --email-column and --name-column`,
      )
    },
  }
  return rule
}

/** The meaning of the cells of a column. */
type Meaning = ValueKey | NameMeaning

/** A heading that an option names, and what the option says of its column. */
interface NamedHeading {
  heading: string
  meaning: Meaning
}

function headingsOf(choice: PeopleChoice): NamedHeading[] {
  const { phoneColumn, emailColumn, nameColumn } = choice
  const named = (meaning: Meaning, headings: readonly string[]) =>
    headings.map((heading) => ({ heading, meaning }))
  return [
    ...named('phone', phoneColumn),
    ...named('email', emailColumn),
    ...named('name', nameColumn === undefined ? [] : [nameColumn]),
  ]
}

/** A column and its meaning, by an option or by its heading. */
interface FoundColumn {
  column: number
  meaning: Meaning
}

function findColumns(
  input: string,
  headings: readonly string[],
  { countryColumn }: PeopleChoice,
  namedHeadings: readonly NamedHeading[],
): PeopleColumns {
  const earlier = earlierPlaces(headings, addedHeadings)
  /** The column with a heading. It is never one that an earlier match added. Throws exit 2 if there is none. */
  const columnNamed = (heading: string) => {
    const others = headings.map((each, column) => (earlier.includes(column) ? '' : each))
    const column = placeNamed(input, others, heading.trim())
    return column ?? refuseColumn(input, headings, heading)
  }
  const named = namedHeadings.map(({ heading, meaning }): FoundColumn => {
    return { column: columnNamed(heading), meaning }
  })
  const country = countryColumn === undefined ? undefined : columnNamed(countryColumn)
  const taken = [...named.map(({ column }) => column), ...earlier, country]
  const byHeading = headings.flatMap((heading, column): FoundColumn[] => {
    const meaning = meaningOf(heading)
    if (meaning === undefined || taken.includes(column)) return []
    // If an option names columns of a meaning, no others of that meaning are read.
    const meaningOfOption = isName(meaning) ? 'name' : meaning
    const isNamed = named.some((one) => one.meaning === meaningOfOption)
    return isNamed ? [] : [{ column, meaning }]
  })
  const found = [...named, ...byHeading]
  const values = valueColumns(found)
  requireValues(input, headings, values)
  return {
    values,
    country,
    names: nameColumns(found),
    matched: matchPlaces(input, headings),
    earlierName: earlier[addedHeadings.indexOf('NAME')],
    headings,
  }
}

function isName(meaning: Meaning): meaning is NameMeaning {
  return nameMeanings.some((one) => one === meaning)
}

function valueColumns(found: readonly FoundColumn[]): ValueColumn[] {
  return found.flatMap(({ column, meaning }) =>
    isName(meaning) ? [] : [{ column, key: meaning }],
  )
}

/** All columns that are read. */
function columnsRead({ values, names, matched, country, earlierName }: PeopleColumns) {
  const columns = [
    ...values.map(({ column }) => column),
    ...names.flat(),
    ...Object.values(matched ?? {}),
    country,
    earlierName,
  ]
  return columns.filter((column) => column !== undefined)
}

const labels: Readonly<Record<ValueKey, string>> = {
  phone: 'phone numbers',
  email: 'email addresses',
}

/** Throws exit 2 if no column can identify a contact. */
function requireValues(
  input: string,
  headings: readonly string[],
  values: readonly ValueColumn[],
) {
  if (values.length > 0) return
  throw usageError(
    `${input} has no column with phone numbers or email addresses; its columns are ${quoteAll(headings)}`,
    'a name alone is never enough; name a column with --phone-column or --email-column',
  )
}

/**
 * The columns of each name. A whole name next to only one half of a name is the other half: `Nom` next to `Prénom` is the
 * last name, `Nombre` next to `Apellidos` the first name.
 */
function nameColumns(found: readonly FoundColumn[]) {
  const columnsWith = (wanted: NameMeaning) =>
    found.flatMap(({ column, meaning }) => (meaning === wanted ? [column] : []))
  const whole = columnsWith('name')
  const first = columnsWith('firstName')
  const last = columnsWith('lastName')
  const others = [...columnsWith('contact'), ...columnsWith('customer')]
  const hasOnlyOneHalf = (first.length === 0) !== (last.length === 0)
  const names = hasOnlyOneHalf
    ? [[...first, ...whole, ...last]]
    : [...eachAlone(whole), [...first, ...last]]
  return [...names, ...eachAlone(others)].filter(({ length }) => length > 0)
}

function eachAlone(columns: readonly number[]) {
  return columns.map((column) => [column])
}

/** Which columns are read as what, in sentences. */
export function columnsInWords({ values, names, headings }: PeopleColumns): string[] {
  const quoted = (columns: readonly number[]) =>
    quoteAll(columns.map((column) => headings[column] ?? ''))
  const parts = valueKeys.flatMap((valueKey) => {
    const ofKey = values.filter(({ key }) => key === valueKey)
    const columns = ofKey.map(({ column }) => column)
    return columns.length === 0 ? [] : [`${labels[valueKey]} from ${quoted(columns)}`]
  })
  if (names.length > 0) parts.unshift(`names from ${quoted(names.flat())}`)
  const sentences = [parts.join(', ')]
  if (names.length === 0)
    sentences.push(
      'names are not compared: no column of names was found; name it with --name-column',
    )
  return sentences
}

/** Words under MATCH: those of svc contacts match, and `no`, by which a person says that a row has no contact. */
export const verdicts = [
  'one',
  'differs',
  'variant',
  'several',
  'conflict',
  'none',
  'unreadable',
  'empty',
  'no',
] as const

/** Other words for `no`. */
const otherWordsForNo: readonly string[] = ['nein', 'non', 'não']

/**
 * The word of a cell under MATCH; undefined for one that svc does not know, in which a person may have decided something.
 */
export function verdictIn(text: string): (typeof verdicts)[number] | undefined {
  const word = fold(text)
  if (otherWordsForNo.includes(word)) return 'no'
  return verdicts.find((verdict) => verdict === word)
}

/**
 * Where contactId, MATCH and BY are, as svc contacts match writes them; undefined unless all three are there. Throws exit 2
 * where one is there twice: nobody could see which of them decides.
 */
export function matchPlaces(input: string, headings: readonly string[]) {
  const [contactId, match, by] = ['contactId', 'MATCH', 'BY'].map((name) =>
    placeNamed(input, headings, name),
  )
  if (contactId === undefined || match === undefined || by === undefined) return undefined
  return { contactId, match, by }
}
