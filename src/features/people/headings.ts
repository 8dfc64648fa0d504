/**
 * Finds out what each column of a table of people has, by its heading or by an option. A column that is
 * mistaken for another would find the wrong people, so the choice of columns is always shown. Pure.
 */
import type { IdentityKey } from '../../api/operations.ts'
import { usageError } from '../../errors.ts'
import {
  isSameHeading,
  placeNamed,
  refuseColumn,
  type TableRule,
} from '../../input/columns.ts'
import { earlierPlaces } from '../../input/annotated.ts'
import { matchPlaces } from '../../input/row-filter.ts'
import { joinOr } from '../../words.ts'
import { meaningOf, nameMeanings, type NameMeaning } from './heading-words.ts'
import { kindOf, kinds, messengerKeys, type Kind } from './kinds.ts'
import { quoteAll } from '../../safe-text.ts'

/** The columns that were named, and the kinds of values that may identify a contact. Undefined: whatever is found. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn?: string | undefined
  /** `Telegram=messengerB_username`. */
  messengerColumn: readonly string[]
  countryColumn?: string | undefined
  by?: readonly Kind[] | undefined
  /** Whether to match rows again that already are "one". */
  again?: boolean | undefined
}

export interface PeopleColumns {
  /** All columns that are read. */
  places: readonly number[]
  /** Columns that may identify a contact, each under its key; phone numbers under `phone`. */
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
  key: IdentityKey
}

export const addedHeadings = [
  'contactId',
  'MATCH',
  'BY',
  'NAME',
  'LISTS',
  'CANDIDATES',
  'WHY',
] as const

/** A column and the meaning of its cells, by its heading or by an option. */
interface FoundColumn {
  column: number
  meaning: Meaning
}

type Meaning = IdentityKey | NameMeaning

interface NamedColumn {
  option: string
  heading: string
  meaning: Meaning
}

function namedColumns(choice: PeopleChoice): NamedColumn[] {
  const { phoneColumn, emailColumn, nameColumn, messengerColumn } = choice
  const named = (meaning: 'phone' | 'email' | 'name', headings: readonly string[]) =>
    headings.map((heading) => ({ option: `--${meaning}-column`, heading, meaning }))
  return [
    ...named('phone', phoneColumn),
    ...named('email', emailColumn),
    ...named('name', nameColumn === undefined ? [] : [nameColumn]),
    ...messengerColumn.map(messengerOf),
  ]
}

function messengerOf(text: string): NamedColumn {
  const [, heading = '', word = ''] = /^(.*)=(.*)$/s.exec(text) ?? []
  const key = messengerKeys.find((one) => one.toLowerCase() === word.trim().toLowerCase())
  if (heading.trim() !== '' && key !== undefined)
    return { option: '--messenger-column', heading: heading.trim(), meaning: key }
  throw usageError(
    `--messenger-column takes <column>=<identity key>, not "${text}"`,
    `the keys are ${joinOr(messengerKeys)}`,
  )
}

/** Whether a cell is the heading of a column of people: by its words, or because it was named. */
function isPeopleHeading(cell: string, choice: PeopleChoice) {
  if (meaningOf(cell) !== undefined) return true
  return namedColumns(choice).some(({ heading }) => isSameHeading(cell, heading))
}

/**
 * The rule for a table of people. Throws exit 2 if a named column is missing or there twice, and if no column may identify a
 * contact. `keep` gets the columns of each heading that is found; the last call has those of the table.
 */
export function peopleRule(
  input: string,
  choice: PeopleChoice,
  keep: (columns: PeopleColumns) => void,
): TableRule {
  return {
    isOfPeople: true,
    isHeading: (cell) => isPeopleHeading(cell, choice),
    columnsOf(cells) {
      const isHeading = cells.some((cell) => isPeopleHeading(cell, choice))
      if (!isHeading) return undefined
      const columns = columnsOf(input, cells, choice)
      keep(columns)
      return columns.places
    },
    columnsWithoutHeading([first]) {
      throw usageError(
        `${input} has no heading for phone numbers, email addresses or names`,
        `its first row is ${quoteAll(first?.cells ?? [])}; name the columns with --phone-column, --email-column and --name-column`,
      )
    },
  }
}

function columnsOf(
  input: string,
  cells: readonly string[],
  choice: PeopleChoice,
): PeopleColumns {
  const { countryColumn, by = kinds } = choice
  const earlier = earlierPlaces(cells, addedHeadings)
  /** The place of a named column, which is never one that an earlier match added. Throws exit 2 if there is none. */
  const placeOf = (option: string, column: string) => {
    const others = cells.map((cell, place) => (earlier.includes(place) ? '' : cell))
    const place = placeNamed(input, others, column.trim())
    return place ?? refuseColumn(input, cells, option, column)
  }
  const named = namedColumns(choice).map(({ option, heading, meaning }): FoundColumn => {
    return { column: placeOf(option, heading), meaning }
  })
  const country =
    countryColumn === undefined ? undefined : placeOf('--country-column', countryColumn)
  const taken = [...named.map(({ column }) => column), ...earlier, country]
  const byHeading = cells.flatMap((cell, column): FoundColumn[] => {
    const meaning = meaningOf(cell)
    if (meaning === undefined || taken.includes(column)) return []
    // If columns of a kind are named, no others of that kind are read.
    const kind = isName(meaning) ? 'name' : meaning
    return named.some((one) => one.meaning === kind) ? [] : [{ column, meaning }]
  })
  const found = [...named, ...byHeading]
  const values = found.flatMap(({ column, meaning }): ValueColumn[] => {
    const isWanted = !isName(meaning) && by.includes(kindOf(meaning))
    return isWanted ? [{ column, key: meaning }] : []
  })
  requireKinds(input, cells, values, choice.by)
  const names = nameColumns(found)
  const matched = matchPlaces(input, cells)
  const earlierName = earlier[addedHeadings.indexOf('NAME')]
  const places = [
    ...values.map(({ column }) => column),
    ...names.flat(),
    ...Object.values(matched ?? {}),
    country,
    earlierName,
  ]
  return {
    places: places.filter((place) => place !== undefined),
    values,
    country,
    names,
    matched,
    earlierName,
    headings: cells,
  }
}

function isName(meaning: Meaning): meaning is NameMeaning {
  return nameMeanings.some((one) => one === meaning)
}

/** Throws exit 2 if a table lacks columns of a kind in `by`, or has none that may identify a contact. */
function requireKinds(
  input: string,
  cells: readonly string[],
  values: readonly ValueColumn[],
  by: readonly Kind[] = [],
) {
  const missing = by.find((kind) => !values.some(({ key }) => kindOf(key) === kind))
  if (missing === undefined && values.length > 0) return
  const what =
    missing === undefined
      ? 'phone numbers, addresses or messenger values'
      : wordsOf[missing]
  throw usageError(
    `${input} has no column with ${what}; its columns are ${quoteAll(cells)}`,
    missing === undefined
      ? 'a name alone is never enough; name a column with --phone-column or --email-column'
      : `name it with --${missing}-column`,
  )
}

/**
 * The columns of each name. A whole name next to only one half of a name is the other half: `Nom` next to `Prénom` is the
 * last name, `Nombre` next to `Apellidos` the first name.
 */
function nameColumns(found: readonly FoundColumn[]): number[][] {
  const columnsWith = (wanted: NameMeaning) =>
    found.flatMap(({ column, meaning }) => (meaning === wanted ? [column] : []))
  const whole = columnsWith('name')
  const first = columnsWith('firstName')
  const last = columnsWith('lastName')
  const others = [...columnsWith('contact'), ...columnsWith('customer')]
  const hasOnlyOneHalf = (first.length === 0) !== (last.length === 0)
  const wholeNames = hasOnlyOneHalf ? [] : whole
  const nameParts = hasOnlyOneHalf ? [...first, ...whole, ...last] : [...first, ...last]
  const candidates = [
    ...wholeNames.map((column) => [column]),
    nameParts,
    ...others.map((column) => [column]),
  ]
  return candidates.filter(({ length }) => length > 0)
}

const wordsOf: Readonly<Record<Kind, string>> = {
  phone: 'phone numbers',
  email: 'email addresses',
  messenger: 'messenger values',
}

/** Which columns are read as what, in sentences. */
export function columnsInWords({ values, names, headings }: PeopleColumns): string[] {
  const quoted = (columns: readonly number[]) =>
    quoteAll(columns.map((column) => headings[column] ?? ''))
  const taken = kinds.flatMap((kind) => {
    const columns = values.filter(({ key }) => kindOf(key) === kind)
    const places = columns.map(({ column }) => column)
    return places.length === 0 ? [] : [`${wordsOf[kind]} from ${quoted(places)}`]
  })
  if (names.length > 0) taken.unshift(`names from ${quoted(names.flat())}`)
  const words = [taken.join(', ')]
  if (names.length === 0)
    words.push(
      'names are not compared: no column of names was found; name it with --name-column',
    )
  return words
}
