/** Which columns of a table have the ids, by its first row; keys of JSON are headings too. Pure. */
import { usageError } from '../errors.ts'
import { say, svc } from '../message.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold, pluralize } from '../words.ts'
import { isWrappedId } from './id.ts'
import type { Row } from './row.ts'

/** The rule by which ids, pairs or people are found in an input. Columns are numbers from 0. */
export interface TableRule {
  /** Words of a command line can be ids only, and people are not read from JSON. */
  kind: 'ids' | 'pairs' | 'people'
  /** Whether a text would be read in one of the columns. */
  isValue: (text: string) => boolean
  /** The columns that this row names; undefined if it is no heading. Throws exit 2 if two could be meant. */
  columnsOf: (cells: readonly string[]) => readonly number[] | undefined
  /** The columns if the first row is no heading. Throws exit 2 if they cannot be known. The names of JSON have line 0. */
  fallbackColumns: (first: Row) => readonly number[]
}

/** The kind of things that the ids of an input identify. */
export type IdItem = 'contact' | 'ticket'

/**
 * The rule for a table of ids: the column that is asked for, or the one with an id heading, or the only one. `isException`:
 * a file of --except need not have the column that is asked for.
 */
export function idColumn(
  input: string,
  wanted: string | undefined,
  item: IdItem,
  isException: boolean,
): Pick<TableRule, 'columnsOf' | 'fallbackColumns'> {
  const number = /^[1-9]\d{0,5}$/.test(wanted ?? '') ? Number(wanted) - 1 : undefined
  const placeIn = (cells: readonly string[]) => {
    if (wanted === undefined) return idPlace(input, cells, item)
    if (number === undefined) return placeNamed(input, cells, wanted)
    // Any other word could be a ruined id.
    return isIdHeading(cells[number] ?? '', item) ? number : undefined
  }
  return {
    columnsOf(cells) {
      const place =
        placeIn(cells) ?? (isException ? idPlace(input, cells, item) : undefined)
      if (place === undefined) return undefined
      refuseOtherThings(input, cells, place, item)
      return [place]
    },
    fallbackColumns({ cells, line }) {
      const isData = line > 0
      if (wanted !== undefined && !isException) {
        const isThere = isData && number !== undefined && number < cells.length
        return isThere ? [number] : refuseColumn(input, cells, wanted)
      }
      const isOneColumn = cells.slice(1).every((cell) => cell.trim() === '')
      return isData && isOneColumn ? [0] : refuseUnnamed(input, cells, item)
    },
  }
}

/** The column that may have the ids by its heading. Throws exit 2 if there are several. */
function idPlace(input: string, cells: readonly string[], item: IdItem) {
  const decided = item === 'contact' ? decisionPlace(input, cells) : undefined
  if (decided !== undefined) return decided
  const known = placesOf(cells, (cell) => isIdHeading(cell, item))
  // Beside another id, `id` is that of the row itself, as of a membership, and `Contact` a name.
  const others = known.filter(
    (place) => !/^(?:id|contact)$/.test(foldHeading(cells[place] ?? '')),
  )
  const places = others.length > 0 ? others : known
  if (places.length < 2) return places[0]
  const headings = places.map((place) => cells[place] ?? '')
  throw usageError(
    `${input} has ${places.length} columns that may have the ids: ${quoteAll(headings)}`,
    `name one: ${places.map((place) => `--column ${place + 1}`).join(' or ')}`,
  )
}

/** Throws exit 2 for a table of several columns without a known heading. */
function refuseUnnamed(input: string, cells: readonly string[], item: IdItem): never {
  const wanted = item === 'ticket' ? '"ticket" or "ticketId"' : '"id" or "contactId"'
  const place = cells.findIndex(isWrappedId)
  throw usageError(
    `${input} has ${pluralize(cells.length, 'column')}: ${quoteAll(cells)}; none is called ${wanted}`,
    `name the column with the ids: --column ${place < 0 ? '<name>' : place + 1}`,
  )
}

/** Other things that svc prints with an `id`, by the columns beside it. */
const otherThings = [
  { what: 'lists', beside: ['contactsCount', 'updatedAt'] },
  { what: 'employees', beside: ['kind', 'access'] },
]

/** Throws exit 2 where contacts are wanted and the ids are those of lists or employees, as svc prints them. */
function refuseOtherThings(
  input: string,
  cells: readonly string[],
  place: number,
  item: IdItem,
) {
  const has = (name: string) => cells.some((cell) => isSameHeading(cell, name))
  const found = otherThings.find(({ beside }) => beside.every(has))
  if (item !== 'contact' || !isSameHeading(cells[place] ?? '', 'id') || !found) return
  throw usageError(
    `${input} has the ids of ${found.what}, not of contacts`,
    say`the contacts of a list have their ids in:\n  ${svc`lists members <list> -o ids`}`,
  )
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
export function refuseColumn(input: string, cells: readonly string[], name: string): never {
  throw usageError(
    `${input} has no column "${shorten(name)}"; its columns are ${quoteAll(cells)}`,
  )
}

/** The column contactId, also of a table that was never matched. Throws exit 2 if there are two. */
export function contactIdPlace(input: string, cells: readonly string[]) {
  return placeNamed(input, cells.map(foldHeading), 'contactid')
}

/**
 * The column contactId of a table that svc contacts match wrote, in which people decide who each row is; undefined in any
 * other table. Throws exit 2 if there are two.
 */
export function decisionPlace(input: string, cells: readonly string[]): number | undefined {
  const isMatched = cells.some((cell) => foldHeading(cell) === 'match')
  return isMatched ? contactIdPlace(input, cells) : undefined
}

function placesOf(cells: readonly string[], isWanted: (cell: string) => boolean) {
  return cells.flatMap((cell, place) => (isWanted(cell) ? [place] : []))
}

/** A heading as headings are compared: without a colon at its end. */
export function foldHeading(name: string) {
  return fold(name).replace(/ ?:$/, '')
}

/** Whether a person would call two headings the same. */
export function isSameHeading(name: string, other: string) {
  return foldHeading(name) === foldHeading(other)
}

const idHeading =
  /^(?:contact|contact\.id|(?:(?:contact|ticket|employee|source|target)[ _]?)?id)$/

/** Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, `CONTACT`. */
export function isIdHeading(name: string, item: IdItem = 'contact') {
  const heading = foldHeading(name)
  return idHeading.test(heading) || (item === 'ticket' && heading === 'ticket')
}
