/**
 * Which columns of a table carry the ids, by headings, which keys of JSON are too. Pure.
 *
 * The rule, in one place. The heading is the first row, among the first ones, that names the wanted columns and has no id in
 * any cell. What stands above it are title rows, which are skipped with a note. A row with an id ends the search: then
 * there is no heading, and every row is data, so that a first row that is neither an id nor a heading is a bad line.
 */
import { say } from '../message.ts'
import { SvcError, usageError } from '../errors.ts'
import { closest } from '../words.ts'
import type { Row } from './row.ts'
import { hintOnPeople, isId, trimBlanks, unwrapId } from './id.ts'
import { quoteAll, shorten } from '../output/text/safe.ts'

/** More rows than these are not above a heading. */
export const mostTitleRows = 20

/** How columns are found among the first rows; `T` is the place or the places of those that are read. */
export interface HeadingRule<T> {
  /**
   * The columns, when this row names them. Throws exit 2 when two of its cells could be meant.
   * @param isHidden Whether a person does not see a column of the sheet.
   */
  readonly find: (cells: readonly string[], isHidden: (column: number) => boolean) => T | undefined
  /**
   * The columns of a table without a heading. Throws exit 2 when they cannot be known.
   * @param rows The first ones, at least one; none but the last has an id.
   */
  readonly bare: (rows: readonly Row[]) => T
}

/** Whether a cell of a row is an id. */
export function hasId({ cells }: Row): boolean {
  return cells.some((cell) => isId(unwrapId(cell)))
}

/**
 * The rule for a table of ids: the column that is asked for by name; or by number, then its heading must be an id heading,
 * for any other word could be a ruined id; or the one with an id heading; or the only one.
 */
export function idColumn(
  input: string,
  column: string | undefined,
  isTickets = false,
): HeadingRule<number> {
  if (column === undefined) {
    return {
      find: (cells) => onlyHeading(input, cells, isTickets),
      bare: (rows) => onlyColumn(input, rows, isTickets),
    }
  }
  if (!/^[1-9]\d{0,5}$/.test(column)) {
    return {
      find: (cells) => findNamed(input, cells, column),
      bare: (rows) => refuseName(input, rows, column),
    }
  }
  const index = Number(column) - 1
  return {
    find(cells) {
      const heading = cells[index] ?? ''
      if (!isIdHeading(heading, isTickets)) return undefined
      refuseMembershipId(input, heading, cells)
      return index
    },
    bare(rows) {
      const width = Math.max(...rows.map(({ cells }) => cells.length))
      if (index >= width)
        throw usageError(`${input} has ${width} column${width === 1 ? '' : 's'}, not ${column}`)
      return index
    },
  }
}

function onlyHeading(
  input: string,
  cells: readonly string[],
  isTickets: boolean,
): number | undefined {
  const places = idPlaces(cells, isTickets)
  if (places.length > 1) {
    throw usageError(
      `${input} has ${places.length} columns that may hold the ids: ${quoteAll(places.map((place) => cells[place] ?? ''))}`,
      `name one with --column: ${places.map((place) => `--column ${place + 1}`).join(' or ')}`,
    )
  }
  return places[0]
}

function onlyColumn(input: string, rows: readonly Row[], isTickets: boolean): number {
  const last = rows.at(-1)
  const data = last !== undefined && hasId(last) ? last : undefined
  const heading = likelyHeading(rows)
  const cells = (data ?? heading)?.cells.map(trimBlanks) ?? []
  // Blank columns behind the first one come from a spreadsheet's wider rows.
  if (cells.slice(1).every((cell) => cell === '')) return 0
  const ids = placesOf(cells, (cell) => isId(unwrapId(cell)))
  if (ids.length === cells.length && heading?.cells.length !== cells.length) {
    throw usageError(
      `${input} has ${ids.length} ids per line`,
      'put each id on a line of its own, or choose the column, for example --column 1',
    )
  }
  const what = `${cells.length} columns${heading === undefined ? ' and no heading' : ''}`
  const names = heading?.cells.map(trimBlanks)
  const [only, other] = (ids.length > 0 ? ids : idsWithin(last)).map(
    (place) => names?.[place] ?? String(place + 1),
  )
  throw usageError(
    `${input} has ${what}: ${quoteAll(names ?? cells)}; none is called ${idHeadings(isTickets)}`,
    say`name the column with the ids: ${columnOption(other === undefined ? only : undefined)}${hintOnPeople(rows.flatMap((row) => row.cells))}`,
  )
}

/** Where addresses are that may have an id in them. */
function idsWithin(row: Row | undefined): number[] {
  return placesOf(row?.cells ?? [], (cell) => /[0-9a-f]{24}/i.test(cell))
}

/** The column of this name, or the only one in another letter case. Throws exit 2 where it is there twice. */
export function placeNamed(
  input: string,
  cells: readonly string[],
  name: string,
): number | undefined {
  const exact = placesOf(cells, (cell) => trimBlanks(cell) === name)
  const places = exact.length > 0 ? exact : placesOf(cells, (cell) => isSameHeading(cell, name))
  if (places.length < 2) return places[0]
  throw usageError(
    `${input} has ${places.length} columns called "${shorten(name)}"`,
    'give one of them another name',
  )
}

function findNamed(input: string, cells: readonly string[], column: string): number | undefined {
  const place = placeNamed(input, cells, column)
  if (place !== undefined) refuseMembershipId(input, column, cells)
  return place
}

function refuseName(input: string, rows: readonly Row[], column: string): never {
  const cells = (likelyHeading(rows) ?? rows[0])?.cells.map(trimBlanks) ?? []
  const near = closest(column, cells)
  throw usageError(
    `${input} has no column "${shorten(column)}"; its columns are ${quoteAll(cells)}`,
    near === undefined
      ? 'name one of them, or its number, with --column'
      : `did you mean --column "${shorten(near)}"?`,
  )
}

/** The first of the widest rows above the data: title rows are narrow. */
function likelyHeading(rows: readonly Row[]): Row | undefined {
  const width = ({ cells }: Row): number => cells.filter((cell) => trimBlanks(cell) !== '').length
  const above = rows.filter((row) => !hasId(row))
  const widest = Math.max(...above.map(width))
  return above.find((row) => width(row) === widest)
}

export interface PairColumns {
  readonly first: number
  readonly second: number
}

/**
 * The rule for a table of pairs: its two columns by their headings, among others if need be; without a heading there are
 * two columns, in that order, and nothing above the first pair, for it could be a heading that says otherwise.
 */
export function pairColumns(input: string, sides: readonly [Side, Side]): HeadingRule<PairColumns> {
  const wanted = `a heading with ${sides[0]} and ${sides[1]}, or these two columns alone, in this order`
  return {
    find(cells) {
      const firsts = sideColumns(cells, sides[0])
      const seconds = sideColumns(cells, sides[1])
      const [first] = firsts
      const [second] = seconds
      if (first === undefined || second === undefined) return undefined
      if (firsts.length > 1 || seconds.length > 1) {
        const side = firsts.length > 1 ? sides[0] : sides[1]
        throw usageError(`${input} has two columns for the ${side}`, `it needs ${wanted}`)
      }
      return { first, second }
    },
    bare(rows) {
      const cells = rows[0]?.cells.map(trimBlanks) ?? []
      if (cells.length === 2 && isId(unwrapId(cells[0] ?? ''))) return { first: 0, second: 1 }
      const isOfTickets = rows.some(
        (row) => hasId(row) || row.cells.some((cell) => isIdHeading(cell, true)),
      )
      if (sides[1] === 'employee' && isOfTickets) throw lackOfEmployees(input)
      throw usageError(`${input} begins with ${quoteAll(cells)}`, `it needs ${wanted}`)
    },
  }
}

/** Tickets alone, where each should have its new assignee beside it. */
export function lackOfEmployees(input: string): SvcError {
  const hint = 'name the new assignee of all of them with --to; or add a column "employee"'
  return new SvcError('usage', `${input} has tickets and no employees`, {
    hint,
    lacksEmployees: true,
  })
}

function sideColumns(cells: readonly string[], side: Side): number[] {
  return placesOf(cells, (cell) => isSideHeading(cell, side))
}

function placesOf(cells: readonly string[], fits: (cell: string) => boolean): number[] {
  return cells.flatMap((cell, index) => (fits(cell) ? [index] : []))
}

/** The option that names this column, so that it can be typed as it is in every shell. */
export function columnOption(name: string | undefined): string {
  if (name === undefined || !/^[\p{L}\p{N}_#(][\p{L}\p{M}\p{N}_#.:/() -]{0,63}$/u.test(name))
    return '--column <name>'
  return `--column ${/^[\p{L}\p{N}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `"${name}"`}`
}

/** A heading without what a person does not see or mean: outer blanks, quotes, a colon behind it, invisible characters. */
function bareHeading(name: string): string {
  const visible = trimBlanks(
    name.replace(/[\p{Cf}\ufe00-\ufe0f\u034f\u115f\u1160\u2800\u3164\uffa0]/gu, ''),
  )
  const bare = visible.replace(/^"(.*)"$/s, '$1').replace(/[:\uff1a]$/, '')
  return trimBlanks(bare).replaceAll('\u00a0', ' ')
}

export function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase()
}

/** Whether a person sees and means the same. */
export function isSameHeading(name: string, other: string): boolean {
  return isSame(bareHeading(name), bareHeading(other))
}

const idHeading = /^(?:(?:contact|ticket|employee|source|target)[ _]?)?id$/i

/**
 * Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, and `CONTACT`, as svc writes it
 * (in other files `Contact` is rather a name). `isTickets`: `ticket` too.
 */
export function isIdHeading(name: string, isTickets = false): boolean {
  const heading = bareHeading(name)
  return (
    idHeading.test(heading) ||
    isContactId(heading) ||
    heading === 'CONTACT' ||
    (isTickets && isSame(heading, 'ticket'))
  )
}

function isContactId(name: string): boolean {
  return isSameHeading(name, 'contact.id')
}

/** The names that say that ids are below them; of `id` and `contact.id` the latter alone. */
export function idPlaces(names: readonly string[], isTickets = false): number[] {
  return names.flatMap((name, index) =>
    isIdHeading(name, isTickets) && !isMembershipId(name, names) ? [index] : [],
  )
}

/** Whether the ids below it are those of memberships: `id` beside `contact.id`, as members of a list have both. */
function isMembershipId(name: string, names: readonly string[]): boolean {
  const heading = bareHeading(name)
  return /^membership ?id$/i.test(heading) || (isSame(heading, 'id') && names.some(isContactId))
}

/** Throws exit 2 when a column is asked for that has ids of memberships: a deletion would find none of them. */
export function refuseMembershipId(input: string, name: string, names: readonly string[]): void {
  if (!isMembershipId(name, names)) return
  throw usageError(
    `"${shorten(name)}" of ${input} has ids of memberships, which no command takes`,
    'the ids of the contacts are in --column contact.id',
  )
}

/** Two of the headings that are found, in words. */
export function idHeadings(isTickets: boolean): string {
  return isTickets ? '"ticket" or "ticketId"' : '"id" or "contactId"'
}

export type Side = 'source' | 'target' | 'ticket' | 'employee'

/** Whether a heading, or a key of JSON, names one side of a pair: `source`, `sourceId`, `source_id`, `Source ID`. */
export function isSideHeading(name: string, side: Side): boolean {
  return new RegExp(`^${side}(?:[ _]?id)?$`, 'i').test(bareHeading(name))
}
