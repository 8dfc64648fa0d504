/** Which columns of a table carry the ids, by headings; keys of JSON are headings too. Pure. */
import { usageError } from '../errors.ts'
import { fold, pluralize, shellWord, visibleText } from '../words.ts'
import { hasId, type Row } from './row.ts'
import { say, svc } from '../message.ts'
import { isId, unwrapId } from './id.ts'
import { quoteAll, shorten } from '../safe-text.ts'

/** The most rows that can be above a heading. */
export const mostTitleRows = 20

/** The rule by which ids, pairs or people are found in an input. Other columns than `wantedColumn` are numbers from 0. */
export interface TableRule {
  /** The column as it was typed: its name, its number from 1, or its dotted path. */
  wantedColumn?: string | undefined
  /** Whether each line may be an item, as in a list of ids. */
  isOfLines?: boolean
  /** Whether it is a table of people to match with contacts: it needs no ids. */
  isOfPeople?: boolean
  isHeading: (cell: string) => boolean
  /** The columns that this row names; undefined if it is no heading. Throws exit 2 if two of its cells could be meant. */
  columnsOf: (cells: readonly string[]) => readonly number[] | undefined
  /**
   * The columns if no row names them. Throws exit 2 if they cannot be known. `rows`: the first ones, at least one; none but
   * the last has an id. `content`: `names` if the only row has the names of members of JSON.
   */
  fallbackColumns: (rows: readonly Row[], content: 'cells' | 'names') => readonly number[]
}

/** The kind of things that the ids of an input identify. */
export type IdItem = 'contact' | 'ticket'

type ColumnRule = Pick<TableRule, 'columnsOf' | 'fallbackColumns'>

/** The rule for a table of ids: the column that is asked for, or the one with an id heading, or the only one. */
export function idColumn(
  input: string,
  wanted: string | undefined,
  item: IdItem,
): ColumnRule {
  if (wanted !== undefined) return namedColumn(input, wanted, item)
  return {
    columnsOf(cells) {
      const decided = item === 'contact' ? decisionPlace(input, cells) : undefined
      if (decided !== undefined) return [decided]
      const known = placesOf(
        cells,
        (name) => isIdHeading(name, item) && !isMembershipId(name, cells),
      )
      // Beside a heading of ids, `Contact` is rather that of names.
      const isContact = (name: string) => isSameHeading(name, 'CONTACT')
      const places = known.length === 0 ? placesOf(cells, isContact) : known
      refuseOtherThings(input, cells, places, item)
      if (places.length < 2) return places.length === 0 ? undefined : places
      const headings = places.map((place) => cells[place] ?? '')
      throw usageError(
        `${input} has ${places.length} columns that may have the ids: ${quoteAll(headings)}`,
        `name one: ${places.map((place) => `--column ${place + 1}`).join(' or ')}`,
      )
    },
    fallbackColumns(rows, content) {
      const deciding = decidingRow(rows)
      // Blank columns after the first one come from a spreadsheet's wider rows.
      const isOneColumn = deciding?.cells.slice(1).every(isBlank) ?? true
      if (isOneColumn && content === 'cells') return [0]
      return refuseUnnamed(input, rows, item)
    },
  }
}

/** The rule for a file of `--except`: the column of the input where it has that, else the one it would have by itself. */
export function exceptColumn(
  input: string,
  wanted: string | undefined,
  item: IdItem,
): ColumnRule {
  const own = idColumn(input, undefined, item)
  if (wanted === undefined) return own
  const named = namedColumn(input, wanted, item)
  return { ...own, columnsOf: (cells) => named.columnsOf(cells) ?? own.columnsOf(cells) }
}

/** The row that shows how many columns there are: the one with an id, or one that may be a heading. */
function decidingRow(rows: readonly Row[]) {
  // No other row has an id.
  const last = rows.at(-1)
  return last !== undefined && hasId(last) ? last : likelyHeading(rows)
}

/** Throws exit 2 for a table of several columns without a known heading, with the likely one in the hint. */
function refuseUnnamed(input: string, rows: readonly Row[], item: IdItem): never {
  const heading = likelyHeading(rows)
  const { cells = [] } = decidingRow(rows) ?? {}
  const places = placesOf(cells, (cell) => isId(unwrapId(cell)))
  const [place = 0] = places
  const name = heading?.cells[place]?.trim() ?? String(place + 1)
  const option = places.length === 1 ? columnOption(name) : '--column <name>'
  const names = (heading?.cells ?? cells).filter((cell) => !isBlank(cell))
  const shape = heading === undefined ? ' and no heading' : ''
  const wanted = item === 'ticket' ? '"ticket" or "ticketId"' : '"id" or "contactId"'
  throw usageError(
    `${input} has ${pluralize(names.length, 'column')}${shape}: ${quoteAll(names.map((each) => each.trim()))}; none is called ${wanted}`,
    `name the column with the ids: ${option}`,
  )
}

/**
 * The column of a name or a number. The heading of a number must be an id heading, for any other word could be a ruined id.
 */
function namedColumn(input: string, wanted: string, item: IdItem): ColumnRule {
  const index = /^[1-9]\d{0,5}$/.test(wanted) ? Number(wanted) - 1 : undefined
  return {
    columnsOf(cells) {
      const place = index ?? placeNamed(input, cells, wanted)
      if (place === undefined) return undefined
      const name = cells[place] ?? ''
      if (index !== undefined && !isIdHeading(name, item)) return undefined
      refuseOtherThings(input, cells, [place], item)
      if (!isMembershipId(name, cells)) return [place]
      throw usageError(
        `"${shorten(name)}" of ${input} has ids of memberships, which no command takes`,
        'the ids of the contacts are in --column contact.id',
      )
    },
    fallbackColumns(rows, content) {
      const width = Math.max(...rows.map(({ cells }) => cells.length))
      if (index !== undefined && content === 'cells' && index < width) return [index]
      const names = (likelyHeading(rows) ?? rows[0])?.cells ?? []
      return refuseColumn(input, names, wanted)
    },
  }
}

/** What else svc prints with an `id`, by the columns beside it. */
const otherThings = [
  { what: 'lists', beside: ['contactsCount', 'updatedAt'] },
  { what: 'employees', beside: ['kind', 'access'] },
]

/** Throws exit 2 where contacts are wanted and the ids are those of lists or employees, as svc prints them. */
function refuseOtherThings(
  input: string,
  cells: readonly string[],
  places: readonly number[],
  item: IdItem,
) {
  const has = (name: string) => cells.some((cell) => isSameHeading(cell, name))
  const isOfId = places.some((place) => isSameHeading(cells[place] ?? '', 'id'))
  const found = otherThings.find(({ beside }) => beside.every(has))
  if (item !== 'contact' || !isOfId || found === undefined) return
  throw usageError(
    `${input} has the ids of ${found.what}, not of contacts`,
    say`the contacts of a list have their ids in:\n  ${svc`lists members <list> -o ids`}`,
  )
}

function isBlank(cell: string) {
  return cell.trim() === ''
}

/** The column of this name, or the only one in another letter case. Throws exit 2 where it is there twice. */
export function placeNamed(
  input: string,
  cells: readonly string[],
  name: string,
): number | undefined {
  const exact = placesOf(cells, (cell) => cell.trim() === name)
  const places =
    exact.length > 0 ? exact : placesOf(cells, (cell) => isSameHeading(cell, name))
  if (places.length < 2) return places[0]
  throw usageError(
    `${input} has ${places.length} columns called "${shorten(name)}"`,
    'give one of them another name',
  )
}

/** Throws exit 2 for a column that is not there. */
export function refuseColumn(
  input: string,
  cells: readonly string[],
  column: string,
): never {
  throw usageError(
    `${input} has no column "${shorten(column)}"; its columns are ${quoteAll(cells)}`,
  )
}

/** The first of the widest rows above the data: title rows are narrow. */
function likelyHeading(rows: readonly Row[]) {
  const widthOf = ({ cells }: Row) => cells.filter((cell) => !isBlank(cell)).length
  const above = rows.filter((row) => !hasId(row))
  return above.toSorted((one, other) => widthOf(other) - widthOf(one))[0]
}

function placesOf(cells: readonly string[], isWanted: (cell: string) => boolean) {
  return cells.flatMap((cell, place) => (isWanted(cell) ? [place] : []))
}

/**
 * Places of columns that belong together, in the order of their names; undefined unless all are there. Throws exit 2 for one
 * that is there twice.
 */
export function placesOfAll(
  input: string,
  cells: readonly string[],
  names: readonly string[],
  isNamed: (cell: string, name: string) => boolean,
) {
  const places = names.map((name) => placesOf(cells, (cell) => isNamed(cell, name)))
  if (places.some(({ length }) => length === 0)) return undefined
  const twice = places.findIndex(({ length }) => length > 1)
  if (twice < 0) return places.flat()
  throw usageError(
    `${input} has two columns for ${names[twice] ?? ''}`,
    'remove one of them',
  )
}

/** The option that names this column, ready to be typed. */
export function columnOption(name: string): string {
  const canBeTyped = /^\P{C}{1,64}$/u.test(name)
  return `--column ${canBeTyped ? shellWord(name) : '<name>'}`
}

/**
 * A heading without parts that a person does not see or mean: outer spaces, quotes, a colon at the end, invisible
 * characters.
 */
export function bareHeading(name: string) {
  const unquoted = visibleText(name).replace(/^"(.*)"$/, '$1')
  return unquoted.replace(/:$/, '').trim()
}

/** Whether a person would call two headings the same. */
export function isSameHeading(name: string, other: string) {
  return fold(bareHeading(name)) === fold(bareHeading(other))
}

/**
 * The column contactId of a table that svc contacts match wrote, in which people decide who each row is; undefined in any
 * other table. Throws exit 2 if there are two.
 */
export function decisionPlace(input: string, cells: readonly string[]): number | undefined {
  if (!cells.some((cell) => isSameHeading(cell, 'MATCH'))) return undefined
  const places = placesOf(cells, (cell) => isSameHeading(cell, 'contactId'))
  if (places.length < 2) return places[0]
  throw usageError(
    `${input} has ${places.length} columns called "contactId"`,
    'remove those that you did not decide in',
  )
}

const idHeading = /^(?:contact\.|(?:contact|ticket|employee|source|target)[ _]?)?id$/i

/**
 * Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, and `CONTACT`,
 * as svc writes it. Of tickets: `ticket` too.
 */
export function isIdHeading(name: string, item: IdItem = 'contact') {
  const heading = bareHeading(name)
  if (idHeading.test(heading) || heading === 'CONTACT') return true
  return item === 'ticket' && fold(heading) === 'ticket'
}

/**
 * Whether the ids below it are those of memberships: `id` next to `contact.id`, because members of a list have both. A
 * deletion would find none of them.
 */
function isMembershipId(name: string, names: readonly string[]) {
  const heading = bareHeading(name)
  if (/^membership ?id$/i.test(heading)) return true
  const [, before] = /^(|.*\.)id$/i.exec(heading) ?? []
  if (before === undefined) return false
  return names.some((each) => isSameHeading(each, `${before}contact.id`))
}
