/**
 * Which columns of a table carry the ids, by headings; keys of JSON are headings too. Called by `table.ts` and the readers (`reader.ts`, `pairs.ts`). Pure.
 *
 * The rule, in one place. The heading is the first row, among the first ones, that names the wanted columns and has no id in
 * any cell. What stands above it are title rows, which are skipped with a note. A row with an id ends the search: then
 * there is no heading, and every row is data, so that a first row that is neither an id nor a heading is a bad line.
 */
import { say } from '../message.ts'
import { SvcError, usageError } from '../errors.ts'
import { closest } from '../words.ts'
import { hasId, type Row } from './row.ts'
import { hintOnPeople, isId, trimBlanks, unwrapId } from './id.ts'
import { quoteAll, shorten } from '../safe-text.ts'

/** More rows than these are not above a heading. */
export const mostTitleRows = 20

/** How columns are found among the first rows; `T` is the place or the places of those that are read. */
export interface HeadingRule<T> {
  /**
   * The columns, when this row names them. Throws exit 2 when two of its cells could be meant.
   * @param isHidden Whether a person does not see a column of the sheet.
   */
  readonly find: (
    cells: readonly string[],
    isHidden: (column: number) => boolean,
  ) => T | undefined
  /**
   * The columns of a table without a heading. Throws exit 2 when they cannot be known.
   * @param rows The first ones, at least one; none but the last has an id.
   */
  readonly bare: (rows: readonly Row[]) => T
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
      const widths = rows.map(({ cells }) => cells.length)
      const width = Math.max(...widths)
      if (index < width) return index
      const columns = width === 1 ? '1 column' : `${width} columns`
      throw usageError(`${input} has ${columns}, not ${column}`)
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
    const headings = places.map((place) => cells[place] ?? '')
    const options = places.map((place) => `--column ${place + 1}`)
    throw usageError(
      `${input} has ${places.length} columns that may hold the ids: ${quoteAll(headings)}`,
      `name one with --column: ${options.join(' or ')}`,
    )
  }
  return places[0]
}

/** The one column of a table without a heading. Throws exit 2 for a table of several, with the likely one in the hint. */
function onlyColumn(input: string, rows: readonly Row[], isTickets: boolean): number {
  const last = rows.at(-1)
  const isData = last !== undefined && hasId(last)
  const heading = likelyHeading(rows)
  const deciding = isData ? last : heading
  const cells = deciding?.cells.map(trimBlanks) ?? []
  // Blank columns behind the first one come from a spreadsheet's wider rows.
  const isOneColumn = cells.slice(1).every((cell) => cell === '')
  if (isOneColumn) return 0
  const ids = placesOf(cells, (cell) => isId(unwrapId(cell)))
  const isOfIdsAlone = ids.length === cells.length
  if (isOfIdsAlone && heading?.cells.length !== cells.length) {
    throw usageError(
      `${input} has ${ids.length} ids per line`,
      'put each id on a line of its own, or choose the column, for example --column 1',
    )
  }
  const likely = ids.length > 0 ? ids : idsWithin(last)
  const names = heading?.cells.map(trimBlanks)
  const shape = names === undefined ? 'columns and no heading' : 'columns'
  const everyCell = rows.flatMap((row) => row.cells)
  throw usageError(
    `${input} has ${cells.length} ${shape}: ${quoteAll(names ?? cells)}; none is called ${idHeadings(isTickets)}`,
    say`name the column with the ids: ${optionFor(likely, names)}${hintOnPeople(everyCell)}`,
  )
}

/** The option for the one place that has ids; with several of them a person has to say which. */
function optionFor(places: readonly number[], names: readonly string[] | undefined): string {
  const [only] = places
  if (only === undefined || places.length > 1) return columnOption(undefined)
  const name = names?.[only]
  const number = String(only + 1)
  return columnOption(name ?? number)
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
  const places =
    exact.length > 0 ? exact : placesOf(cells, (cell) => isSameHeading(cell, name))
  if (places.length < 2) return places[0]
  throw usageError(
    `${input} has ${places.length} columns called "${shorten(name)}"`,
    'give one of them another name',
  )
}

/** The column of this name among the cells of a row, if that is its heading. Throws exit 2 for one with ids of memberships. */
function findNamed(
  input: string,
  cells: readonly string[],
  column: string,
): number | undefined {
  const place = placeNamed(input, cells, column)
  if (place !== undefined) refuseMembershipId(input, column, cells)
  return place
}

function refuseName(input: string, rows: readonly Row[], column: string): never {
  const heading = likelyHeading(rows) ?? rows[0]
  const cells = heading?.cells.map(trimBlanks) ?? []
  const hint = 'name one of them, or its number, with --column'
  refuseColumn(input, cells, { option: '--column', column, hint })
}

/** Throws exit 2 for a column that is not there; `hint` where none is called nearly so. */
export function refuseColumn(
  input: string,
  cells: readonly string[],
  {
    option,
    column,
    hint,
  }: { readonly option: string; readonly column: string; readonly hint?: string },
): never {
  const near = closest(column, cells)
  throw usageError(
    `${input} has no column "${shorten(column)}"; its columns are ${quoteAll(cells)}`,
    near === undefined ? hint : `did you mean ${option} "${shorten(near)}"?`,
  )
}

/** The first of the widest rows above the data: title rows are narrow. */
function likelyHeading(rows: readonly Row[]): Row | undefined {
  let widest: Row | undefined
  let most = -1
  for (const row of rows) {
    if (hasId(row)) continue
    const texts = row.cells.filter((cell) => trimBlanks(cell) !== '')
    if (texts.length <= most) continue
    widest = row
    most = texts.length
  }
  return widest
}

/** Places of the two columns of pairs: what is acted on, and the second party. */
export interface PairColumns {
  readonly first: number
  readonly second: number
}

/**
 * The rule for a table of pairs: its two columns by their headings, among others if need be; without a heading there are
 * two columns, in that order, and nothing above the first pair, for it could be a heading that says otherwise.
 */
export function pairColumns(
  input: string,
  sides: readonly [string, string],
): HeadingRule<PairColumns> {
  const [side, otherSide] = sides
  const wanted = `a heading with ${side} and ${otherSide}, or these two columns alone, in this order`
  return {
    find(cells) {
      const firsts = sideColumns(cells, side)
      const seconds = sideColumns(cells, otherSide)
      const [first] = firsts
      const [second] = seconds
      if (first === undefined || second === undefined) return undefined
      if (firsts.length > 1 || seconds.length > 1) {
        const twice = firsts.length > 1 ? side : otherSide
        throw usageError(`${input} has two columns for the ${twice}`, `it needs ${wanted}`)
      }
      return { first, second }
    },
    bare(rows) {
      const cells = rows[0]?.cells.map(trimBlanks) ?? []
      const [first = ''] = cells
      const isPair = cells.length === 2 && isId(unwrapId(first))
      if (isPair) return { first: 0, second: 1 }
      if (otherSide === 'employee' && rows.some(tellsTickets)) throw lackOfEmployees(input)
      throw usageError(`${input} begins with ${quoteAll(cells)}`, `it needs ${wanted}`)
    },
  }
}

/** Whether a row has ids of tickets, or a heading that says so. */
function tellsTickets(row: Row): boolean {
  if (hasId(row)) return true
  return row.cells.some((cell) => isIdHeading(cell, true))
}

/** Tickets alone, where each should have its new assignee beside it. */
export function lackOfEmployees(input: string): SvcError {
  const hint = 'name the new assignee of all of them with --to; or add a column "employee"'
  return new SvcError('usage', `${input} has tickets and no employees`, {
    hint,
    lacksEmployees: true,
  })
}

function sideColumns(cells: readonly string[], side: string): number[] {
  return placesOf(cells, (cell) => isSideHeading(cell, side))
}

function placesOf(cells: readonly string[], isWanted: (cell: string) => boolean): number[] {
  const places: number[] = []
  cells.forEach((cell, place) => {
    if (isWanted(cell)) places.push(place)
  })
  return places
}

/** A name that no shell changes between double quotes, and one that needs none. */
const canBeTyped = /^[\p{L}\p{N}_#(][\p{L}\p{M}\p{N}_#.:/() -]{0,63}$/u
const plainWord = /^[\p{L}\p{N}_][\p{L}\p{N}_.]*$/u

/** The option that names this column, so that it can be typed as it is in every shell. */
export function columnOption(name: string | undefined): string {
  if (name === undefined || !canBeTyped.test(name)) return '--column <name>'
  const word = plainWord.test(name) ? name : `"${name}"`
  return `--column ${word}`
}

/** Characters that nobody sees: those of formats, variation selectors, fillers. */
const invisible = /[\p{Cf}\ufe00-\ufe0f\u034f\u115f\u1160\u2800\u3164\uffa0]/gu

/** A heading without what a person does not see or mean: outer blanks, quotes, a colon behind it, invisible characters. */
function bareHeading(name: string): string {
  const visible = trimBlanks(name.replace(invisible, ''))
  const unquoted = visible.replace(/^"(.*)"$/s, '$1')
  const bare = trimBlanks(unquoted.replace(/[:\uff1a]$/, ''))
  return bare.replaceAll('\u00a0', ' ')
}

export function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase()
}

/** Whether a person sees and means the same. */
export function isSameHeading(name: string, other: string): boolean {
  const heading = bareHeading(name)
  return isSame(heading, bareHeading(other))
}

const idHeading = /^(?:(?:contact|ticket|employee|source|target)[ _]?)?id$/i

/**
 * Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, and `CONTACT`, as svc writes it
 * (in other files `Contact` is rather a name). `isTickets`: `ticket` too.
 */
export function isIdHeading(name: string, isTickets = false): boolean {
  const heading = bareHeading(name)
  if (idHeading.test(heading) || isContactId(heading)) return true
  if (heading === 'CONTACT') return true
  return isTickets && isSame(heading, 'ticket')
}

function isContactId(name: string): boolean {
  return isSameHeading(name, 'contact.id')
}

/** The names that say that ids are below them; of `id` and `contact.id` the latter alone. */
export function idPlaces(names: readonly string[], isTickets = false): number[] {
  return placesOf(names, (name) => {
    if (!isIdHeading(name, isTickets)) return false
    return !isMembershipId(name, names)
  })
}

/** Whether the ids below it are those of memberships: `id` beside `contact.id`, as members of a list have both. */
function isMembershipId(name: string, names: readonly string[]): boolean {
  const heading = bareHeading(name)
  if (/^membership ?id$/i.test(heading)) return true
  return isSame(heading, 'id') && names.some(isContactId)
}

/** Throws exit 2 when a column is asked for that has ids of memberships: a deletion would find none of them. */
export function refuseMembershipId(
  input: string,
  name: string,
  names: readonly string[],
): void {
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

/** Whether a heading, or a key of JSON, names one side of a pair: `source`, `sourceId`, `source_id`, `Source ID`. */
export function isSideHeading(name: string, side: string): boolean {
  const pattern = new RegExp(`^${side}(?:[ _]?id)?$`, 'i')
  const heading = bareHeading(name)
  return pattern.test(heading)
}
