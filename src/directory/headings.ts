/**
 * Which columns of a table of people have what, by their headings or by options; `people-table.ts` reads the rows by it. A column that is taken
 * for another than it is would find the wrong people, so what was taken is always said. Pure.
 */
import { usageError, type SvcError } from '../errors.ts'
import { placeNamed, type HeadingRule, isSameHeading } from '../input/columns.ts'
import { matchPlaces } from '../input/row-filter.ts'
import { closest, joinOr } from '../words.ts'
import { meaningOf } from './heading-words.ts'
import { kindOf, kinds, messengerKeys, type IdentityKey, type Kind } from './identity.ts'
import { quoteAll } from '../safe-text.ts'

/** Columns that were named, and what may decide; undefined: what is found. */
export interface PeopleChoice {
  readonly phoneColumn: readonly string[]
  readonly emailColumn: readonly string[]
  readonly nameColumn?: string | undefined
  /** `Telegram=messengerB_username`. */
  readonly messengerColumn: readonly string[]
  readonly countryColumn?: string | undefined
  readonly by?: readonly Kind[] | undefined
  /** Rows that are "one" already are looked for again. */
  readonly again?: boolean | undefined
}

export interface PeopleColumns {
  /** Columns that may decide, each under its key; phone numbers under `phone`. */
  readonly values: readonly ValueColumn[]
  /** The column with the country of each row's phone numbers. */
  readonly country: number | undefined
  /** Each a name in one column or more, in the order of its words; of a row the first that is there is compared. */
  readonly names: readonly (readonly number[])[]
  /** Where an earlier match wrote whom it found. */
  readonly matched:
    | {
        readonly contactId: number
        readonly match: number
        readonly by: number
        readonly name?: number | undefined
      }
    | undefined
  /** Columns that could decide, and that a person does not see: they are not read. */
  readonly hidden: readonly number[]
  readonly headings: readonly string[]
}

export interface ValueColumn {
  readonly column: number
  readonly key: IdentityKey
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

/** Whether a heading says that people are below it, or is one that was named. */
export function isPeopleHeading(cell: string, choice: PeopleChoice): boolean {
  return (
    meaningOf(cell) !== undefined ||
    namedColumns(choice).some(({ column }) => isSameHeading(cell, column))
  )
}

/** The meaning of a column, by its heading or by an option. */
type ColumnMeaning = IdentityKey | NameMeaning
const nameMeanings = ['name', 'firstName', 'lastName', 'contact', 'customer'] as const
type NameMeaning = (typeof nameMeanings)[number]

interface NamedColumn {
  readonly option: string
  readonly column: string
  readonly key: ColumnMeaning
}

function namedColumns({
  phoneColumn,
  emailColumn,
  nameColumn,
  messengerColumn,
}: PeopleChoice): NamedColumn[] {
  return [
    ...phoneColumn.map((column) => ({ option: '--phone-column', column, key: 'phone' }) as const),
    ...emailColumn.map((column) => ({ option: '--email-column', column, key: 'email' }) as const),
    ...(nameColumn === undefined
      ? []
      : [{ option: '--name-column', column: nameColumn, key: 'name' } as const]),
    ...messengerColumn.map((text) => ({ option: '--messenger-column', ...messengerOf(text) })),
  ]
}

function messengerOf(text: string): { column: string; key: IdentityKey } {
  const at = text.lastIndexOf('=')
  const column = text.slice(0, Math.max(at, 0)).trim()
  const word = text.slice(at + 1).trim()
  const key = messengerKeys.find((one) => one.toLowerCase() === word.toLowerCase())
  if (column !== '' && key !== undefined) return { column, key }
  const near = closest(word, messengerKeys)
  throw usageError(
    `--messenger-column takes <column>=<identity key>, not "${text}"`,
    near !== undefined && column !== ''
      ? `did you mean ${column}=${near}?`
      : `the keys are ${joinOr(messengerKeys)}`,
  )
}

/** The rule for a table of people. Throws exit 2 for a column that is not there, or there twice, and without anything to decide. */
export function peopleColumns(input: string, choice: PeopleChoice): HeadingRule<PeopleColumns> {
  const named = namedColumns(choice)
  return {
    find(cells, isHidden) {
      const isHeading = cells.some((cell) => isPeopleHeading(cell, choice))
      return isHeading ? new ColumnSearch(input, cells, choice).find(named, isHidden) : undefined
    },
    bare(rows) {
      const [first] = rows
      const option = named[0] === undefined ? undefined : `${named[0].option} "${named[0].column}"`
      throw usageError(
        `${input} has no heading ${option === undefined ? 'that names a phone number, an address or a name' : `for ${option}`}`,
        `its first row is ${quoteAll(first?.cells ?? [])}; columns are named with --phone-column, --email-column and --name-column`,
      )
    },
  }
}

interface FoundColumn {
  readonly column: number
  readonly key: ColumnMeaning
}

class ColumnSearch {
  readonly #input: string
  readonly #cells: readonly string[]
  readonly #choice: PeopleChoice
  /** Columns of an earlier match. */
  readonly #own: readonly number[]

  constructor(input: string, cells: readonly string[], choice: PeopleChoice) {
    this.#input = input
    this.#cells = cells
    this.#choice = choice
    this.#own = ownColumns(cells)
  }

  find(named: readonly NamedColumn[], isHidden: (column: number) => boolean): PeopleColumns {
    const typed = named.map(({ option, column, key }) => ({
      column: this.#placeOf(option, column),
      key,
    }))
    const { countryColumn, by } = this.#choice
    const country =
      countryColumn === undefined ? undefined : this.#placeOf('--country-column', countryColumn)
    const taken = new Set([...typed.map(({ column }) => column), ...this.#own])
    if (country !== undefined) taken.add(country)
    const free = [...this.#cells.keys()].filter((column) => !taken.has(column))
    const byHeading = this.#byHeading(free, typed)
    const isRead = new Set(byHeading.map(({ column }) => column))
    const found = [...typed, ...byHeading]
    const visible = found.filter((one) => typed.includes(one) || !isHidden(one.column))
    const canDecide = visible.some(
      ({ key }) => !isNameMeaning(key) && by?.includes(kindOf(key)) !== false,
    )
    // When nothing else could decide, the table is refused for what is hidden.
    const shown = canDecide ? visible : found
    const columns = this.#split(shown)
    this.#check(columns)
    const used = new Set([...columns.names.flat(), ...shown.map(({ column }) => column)])
    return {
      ...columns,
      country,
      matched: this.#findMatch(),
      hidden: [...isRead].filter((column) => isHidden(column) && !used.has(column)),
      headings: this.#cells,
    }
  }

  #byHeading(free: readonly number[], typed: readonly FoundColumn[]): FoundColumn[] {
    return free.flatMap((column) => {
      const key = meaningOf(this.#cells[column] ?? '')
      const isTyped = typed.some((one) => one.key === (isNameMeaning(key) ? 'name' : key))
      return key === undefined || isTyped ? [] : [{ column, key }]
    })
  }

  #split(found: readonly FoundColumn[]): Pick<PeopleColumns, 'values' | 'names'> {
    const { by } = this.#choice
    const values = found.flatMap(({ column, key }) => (isNameMeaning(key) ? [] : [{ column, key }]))
    return {
      values: by === undefined ? values : values.filter(({ key }) => by.includes(kindOf(key))),
      names: nameColumns((wanted) =>
        found.flatMap(({ column, key }) => (key === wanted ? [column] : [])),
      ),
    }
  }

  #check({ values }: Pick<PeopleColumns, 'values'>): void {
    const kindsFound = new Set(values.map(({ key }) => kindOf(key)))
    const missing = (this.#choice.by ?? []).find((kind) => !kindsFound.has(kind))
    if (missing !== undefined || kindsFound.size === 0)
      throw lackOfColumns(this.#input, this.#cells, missing)
  }

  #findMatch(): PeopleColumns['matched'] {
    const places = matchPlaces(this.#cells)
    if (places === undefined) return undefined
    return { ...places, name: this.#own[addedHeadings.indexOf('NAME')] }
  }

  #placeOf(option: string, column: string): number {
    const others = this.#cells.map((cell, place) => (this.#own.includes(place) ? '' : cell))
    const place = placeNamed(this.#input, others, column.trim())
    if (place !== undefined) return place
    const near = closest(column, this.#cells)
    throw usageError(
      `${this.#input} has no column "${column}"; its columns are ${quoteAll(this.#cells)}`,
      near === undefined ? undefined : `did you mean ${option} "${near}"?`,
    )
  }
}

/** The error of a table without columns of a kind, or of any kind that decides. */
export function lackOfColumns(
  input: string,
  headings: readonly string[],
  missing?: Kind,
): SvcError {
  const what =
    missing === undefined ? 'phone numbers, addresses or messenger values' : wordsOf[missing]
  return usageError(
    `${input} has no column with ${what}; its columns are ${quoteAll(headings)}`,
    missing === undefined
      ? 'a name alone never decides; name a column with --phone-column or --email-column'
      : `name it with ${optionOf[missing]}`,
  )
}

function isNameMeaning(key: ColumnMeaning | undefined): key is NameMeaning {
  return nameMeanings.some((one) => one === key)
}

/** A `Nom` beside a `Prénom` is the last name, and a `Nombre` beside `Apellidos` the first. */
function nameColumns(columnsWith: (meaning: NameMeaning) => number[]): number[][] {
  const names = columnsWith('name')
  const first = columnsWith('firstName')
  const last = columnsWith('lastName')
  const isWhole = (first.length === 0) === (last.length === 0)
  const together = [...first, ...(isWhole ? [] : names), ...last]
  const others = [...columnsWith('contact'), ...columnsWith('customer')]
  const each = [
    ...(isWhole ? names : []).map((column) => [column]),
    together,
    ...others.map((column) => [column]),
  ]
  return each.filter(({ length }) => length > 0)
}

export const wordsOf: Readonly<Record<Kind, string>> = {
  phone: 'phone numbers',
  email: 'email addresses',
  messenger: 'messenger values',
}
export const optionOf: Readonly<Record<Kind, string>> = {
  phone: '--phone-column',
  email: '--email-column',
  messenger: '--messenger-column <column>=<identity key>',
}

/** Which columns were taken for what. */
export function columnsInWords({ values, names, hidden, headings }: PeopleColumns): string[] {
  const quoteColumns = (columns: readonly number[]): string =>
    quoteAll(columns.map((column) => headings[column] ?? ''))
  const placesOf = (kind: Kind): number[] =>
    values.flatMap(({ column, key }) => (kindOf(key) === kind ? [column] : []))
  const taken: string[] = []
  if (names.length > 0) taken.push(`names from ${quoteColumns(names.flat())}`)
  for (const kind of kinds) {
    const columns = placesOf(kind)
    if (columns.length > 0) taken.push(`${wordsOf[kind]} from ${quoteColumns(columns)}`)
  }
  const words = [taken.join(', ')]
  if (names.length === 0)
    words.push('names are not compared: no column of names was found; name it with --name-column')
  if (hidden.length > 0)
    words.push(`hidden, and not read: ${quoteColumns(hidden)}; show what is to be compared`)
  return words
}

/** The columns that an earlier `--annotate` added: contactId, MATCH and BY side by side, with those of the others that follow. */
export function ownColumns(cells: readonly string[]): number[] {
  const isOwn = (place: number, index: number): boolean =>
    isSameHeading(cells[place] ?? '', addedHeadings[index] ?? '')
  const first = cells.findIndex(
    (_, place) => isOwn(place, 0) && isOwn(place + 1, 1) && isOwn(place + 2, 2),
  )
  if (first < 0) return []
  const missing = addedHeadings.findIndex((_, index) => !isOwn(first + index, index))
  const length = missing < 0 ? addedHeadings.length : missing
  return Array.from({ length }, (_, index) => first + index)
}
