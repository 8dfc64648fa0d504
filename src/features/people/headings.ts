/**
 * Which columns of a table of people have what, by their headings or by options. A column that is taken for
 * another than it is would find the wrong people, so what was taken is always said. Pure.
 */
import { usageError } from '../../errors.ts'
import {
  isSameHeading,
  placeNamed,
  refuseColumn,
  type TableRule,
} from '../../input/columns.ts'
import { ownPlaces } from '../../input/annotated.ts'
import { matchPlaces } from '../../input/row-filter.ts'
import { joinOr } from '../../words.ts'
import { meaningOf, nameMeanings, type NameMeaning } from './heading-words.ts'
import { kindOf, kinds, messengerKeys, type IdentityKey, type Kind } from './kinds.ts'
import { quoteAll } from '../../safe-text.ts'

/** Columns that were named, and what may decide; undefined: what is found. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn?: string | undefined
  /** `Telegram=messengerB_username`. */
  messengerColumn: readonly string[]
  countryColumn?: string | undefined
  by?: readonly Kind[] | undefined
  /** Rows that are "one" already are looked for again. */
  again?: boolean | undefined
}

export interface PeopleColumns {
  /** All that are read. */
  places: readonly number[]
  /** Columns that may decide, each under its key; phone numbers under `phone`. */
  values: readonly ValueColumn[]
  /** The column with the country of each row's phone numbers. */
  country: number | undefined
  /** Each a name in one column or more, in the order of its words; of a row the first that is there is compared. */
  names: readonly (readonly number[])[]
  /** Where an earlier match wrote whom it found. */
  matched: ReturnType<typeof matchPlaces>
  /** Where it wrote the name. */
  ownName: number | undefined
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

/** Whether a heading says that people are below it, or is one that was named. */
function isPeopleHeading(cell: string, choice: PeopleChoice) {
  if (meaningOf(cell) !== undefined) return true
  return namedColumns(choice).some(({ heading }) => isSameHeading(cell, heading))
}

/**
 * The rule for a table of people. Throws exit 2 for a column that is not there, or there twice, and without anything to decide.
 * `keep` gets the columns of each heading that is found; the last one is that of the table.
 */
export function peopleRule(
  input: string,
  choice: PeopleChoice,
  keep: (columns: PeopleColumns) => void,
): TableRule {
  return {
    isOfPeople: true,
    isHeading: (cell) => isPeopleHeading(cell, choice),
    find(cells) {
      const isHeading = cells.some((cell) => isPeopleHeading(cell, choice))
      if (!isHeading) return undefined
      const columns = columnsOf(input, cells, choice)
      keep(columns)
      return columns.places
    },
    bare([first]) {
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
  const own = ownPlaces(cells, addedHeadings)
  /** Where a column is that was named: never one that an earlier match added. Throws exit 2. */
  const placeOf = (option: string, column: string) => {
    const others = cells.map((cell, place) => (own.includes(place) ? '' : cell))
    const place = placeNamed(input, others, column.trim())
    return place ?? refuseColumn(input, cells, option, column)
  }
  const named = namedColumns(choice).map(({ option, heading, meaning }): FoundColumn => {
    return { column: placeOf(option, heading), meaning }
  })
  const country =
    countryColumn === undefined ? undefined : placeOf('--country-column', countryColumn)
  const taken = [...named.map(({ column }) => column), ...own, country]
  const byHeading = cells.flatMap((cell, column): FoundColumn[] => {
    const meaning = meaningOf(cell)
    if (meaning === undefined || taken.includes(column)) return []
    // Columns of a kind that are named are all there are of it.
    const kind = isName(meaning) ? 'name' : meaning
    return named.some((one) => one.meaning === kind) ? [] : [{ column, meaning }]
  })
  const found = [...named, ...byHeading]
  const values = found.flatMap(({ column, meaning }): ValueColumn[] => {
    const isWanted = !isName(meaning) && by.includes(kindOf(meaning))
    return isWanted ? [{ column, key: meaning }] : []
  })
  refuseLack(input, cells, values, choice.by)
  const names = nameColumns(found)
  const matched = matchPlaces(input, cells)
  const ownName = own[addedHeadings.indexOf('NAME')]
  const places = [
    ...values.map(({ column }) => column),
    ...names.flat(),
    ...Object.values(matched ?? {}),
    country,
    ownName,
  ]
  return {
    places: places.filter((place) => place !== undefined),
    values,
    country,
    names,
    matched,
    ownName,
    headings: cells,
  }
}

function isName(meaning: Meaning): meaning is NameMeaning {
  return nameMeanings.some((one) => one === meaning)
}

/** Throws exit 2 for a table without columns of a kind that was wanted, or of any kind that decides. */
function refuseLack(
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

/** A `Nom` next to a `Prénom` is the last name, and a `Nombre` next to `Apellidos` the first name. */
function nameColumns(found: readonly FoundColumn[]): number[][] {
  const columnsWith = (wanted: NameMeaning) =>
    found.flatMap(({ column, meaning }) => (meaning === wanted ? [column] : []))
  const whole = columnsWith('name')
  const first = columnsWith('firstName')
  const last = columnsWith('lastName')
  const others = [...columnsWith('contact'), ...columnsWith('customer')]
  const isHalf = (first.length === 0) !== (last.length === 0)
  const before = isHalf ? [] : whole
  const parts = isHalf ? [...first, ...whole, ...last] : [...first, ...last]
  const each = [
    ...before.map((column) => [column]),
    parts,
    ...others.map((column) => [column]),
  ]
  return each.filter(({ length }) => length > 0)
}

const wordsOf: Readonly<Record<Kind, string>> = {
  phone: 'phone numbers',
  email: 'email addresses',
  messenger: 'messenger values',
}

/** The columns that were taken, and for what. */
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
