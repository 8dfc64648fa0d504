/** Which columns of a table carry the ids, by headings; keys of JSON are headings too. Pure. */
import { say } from '../message.ts'
import { SvcError, usageError } from '../errors.ts'
import { closest, fold, pluralize, shellWord, visibleText } from '../words.ts'
import { hasId, type Row } from './row.ts'
import { hintOnPeople, isId, trimBlanks, unwrapId } from './id.ts'
import { quoteAll, shorten } from '../safe-text.ts'

/** More rows than these are not above a heading. */
export const mostTitleRows = 20

/** Places of the columns that are read. */
export interface Columns {
  readonly places: readonly number[]
}

/** The rule by which things are found in an input. */
export interface TableRule<C extends Columns> {
  /** Name, number from 1, or dotted path of the column that was asked for. */
  readonly column?: string | undefined
  /** The columns of a list, where lines may be one. */
  readonly list?: C
  /** Whether it is a table of people, whose contacts are looked for: ids are not wanted in it. */
  readonly isOfPeople?: boolean
  readonly isHeading: (cell: string) => boolean
  /**
   * The columns, when this row names them. Throws exit 2 when two of its cells could be meant.
   * @param isHidden Whether a person does not see a column of the sheet.
   */
  readonly find: (
    cells: readonly string[],
    isHidden: (column: number) => boolean,
  ) => C | undefined
  /**
   * The columns of a table without a heading. Throws exit 2 when they cannot be known.
   * @param rows The first ones, at least one; none but the last has an id.
   * @param isNamed Whether the row has the names of members of JSON.
   */
  readonly bare: (rows: readonly Row[], isNamed?: boolean) => C
}

type ColumnRule = Pick<TableRule<Columns>, 'find' | 'bare'>

/**
 * The rule for a table of ids: the column that is asked for by name; or by number, then its heading must be an id heading,
 * for any other word could be a ruined id; or the one with an id heading; or the only one.
 */
export function idColumn(
  input: string,
  column: string | undefined,
  isTickets: boolean,
): ColumnRule {
  const columnsAt = (place: number | undefined): Columns | undefined =>
    place === undefined ? undefined : { places: [place] }
  if (column === undefined) {
    return {
      find: (cells) => columnsAt(onlyHeading(input, cells, isTickets)),
      bare(rows, isNamed = false) {
        // Blank columns after the first one come from a spreadsheet's wider rows.
        const isOneColumn = decidingRow(rows)?.cells.slice(1).every(isBlank) ?? true
        if (isOneColumn && !isNamed) return { places: [0] }
        return refuseUnnamed(input, rows, isTickets)
      },
    }
  }
  const index = /^[1-9]\d{0,5}$/.test(column) ? Number(column) - 1 : undefined
  return {
    find(cells) {
      const place = index ?? placeNamed(input, cells, column, true)
      const name = index === undefined ? column : (cells[index] ?? '')
      const isFound =
        index === undefined || isIdHeading(name, isTickets) || isTwice(cells, index)
      if (place === undefined || !isFound) return undefined
      refuseMembershipId(input, name, cells)
      return columnsAt(place)
    },
    bare(rows, isNamed = false) {
      const width = Math.max(...rows.map(({ cells }) => cells.length))
      if (index !== undefined && !isNamed && index < width) return { places: [index] }
      const names = (likelyHeading(rows) ?? rows[0])?.cells.map(trimBlanks) ?? []
      const hint = 'name one of them, or its number, with --column'
      return refuseColumn(input, names, { option: '--column', column, hint })
    },
  }
}

function isBlank(cell: string): boolean {
  return trimBlanks(cell) === ''
}

function onlyHeading(
  input: string,
  cells: readonly string[],
  isTickets: boolean,
): number | undefined {
  const places = idPlaces(cells, isTickets)
  if (places.length < 2) return places[0]
  const headings = places.map((place) => cells[place] ?? '')
  const options = places.map((place) => optionOfPlace(cells, place))
  throw usageError(
    `${input} has ${places.length} columns that may have the ids: ${quoteAll(headings)}`,
    `name one: ${options.join(' or ')}`,
  )
}

/** The row that shows how many columns there are: the first one with an id, or one that may be a heading. */
function decidingRow(rows: readonly Row[]): Row | undefined {
  const last = rows.at(-1)
  return last !== undefined && hasId(last) ? last : likelyHeading(rows)
}

/** Throws exit 2 for a table of several columns without a known heading, with the likely one in the hint. */
function refuseUnnamed(input: string, rows: readonly Row[], isTickets: boolean): never {
  const names = likelyHeading(rows)?.cells.map(trimBlanks)
  const cells = decidingRow(rows)?.cells.map(trimBlanks) ?? []
  const [place = 0, other] = placesOf(cells, (cell) => isId(unwrapId(cell)))
  const isLikely = other === undefined && hasId({ cells })
  const option = isLikely
    ? columnOption(names?.[place] ?? String(place + 1))
    : '--column <name>'
  const shape = names === undefined ? ' and no heading' : ''
  const everyCell = rows.flatMap((row) => row.cells)
  // A spreadsheet's rows are wider than its columns.
  const columns = (names ?? cells).filter((cell) => cell !== '')
  throw usageError(
    `${input} has ${pluralize(columns.length, 'column')}${shape}: ${quoteAll(columns)}; none is called ${idHeadings(isTickets)}`,
    say`name the column with the ids: ${option}${hintOnPeople(everyCell)}`,
  )
}

/**
 * The column of this name, or the only one in another letter case. Throws exit 2 where it is there twice.
 * @param canBeNumber Whether --column takes its number too.
 */
export function placeNamed(
  input: string,
  cells: readonly string[],
  name: string,
  canBeNumber = false,
): number | undefined {
  const exact = placesOf(cells, (cell) => trimBlanks(cell) === name)
  const places =
    exact.length > 0 ? exact : placesOf(cells, (cell) => isSameHeading(cell, name))
  if (places.length < 2) return places[0]
  const numbers = places.map((place) => `--column ${place + 1}`).join(' or ')
  throw usageError(
    `${input} has ${places.length} columns called "${shorten(name)}"`,
    canBeNumber ? `name it by its number: ${numbers}` : 'give one of them another name',
  )
}

/** Whether a heading in words is there a second time, so that a number alone can tell them apart. */
function isTwice(cells: readonly string[], place: number): boolean {
  const name = cells[place] ?? ''
  const isWord = /^\p{L}[^=@\d]{0,63}$/u.test(name)
  return isWord && cells.filter((cell) => isSameHeading(cell, name)).length > 1
}

/** The option for a column: its number where another one has the same heading. */
function optionOfPlace(cells: readonly string[], place: number): string {
  return isTwice(cells, place) ? `--column ${place + 1}` : columnOption(cells[place] ?? '')
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
  const widthOf = ({ cells }: Row): number => cells.filter((cell) => !isBlank(cell)).length
  const above = rows.filter((row) => !hasId(row))
  return above.toSorted((one, other) => widthOf(other) - widthOf(one))[0]
}

/**
 * The rule for a table of pairs: its two columns by their headings, among others if need be; without a heading there are
 * two columns, in that order, and nothing above the first pair, for it could be a heading that says otherwise.
 */
export function pairColumns(input: string, sides: readonly [string, string]): ColumnRule {
  const [side, otherSide] = sides
  const wanted = `a heading with ${side} and ${otherSide}, or just these two columns, in this order`
  return {
    find(cells) {
      const places = sides.map((name) =>
        placesOf(cells, (cell) => isSideHeading(cell, name)),
      )
      const twice = places.findIndex(({ length }) => length > 1)
      if (places.some(({ length }) => length === 0)) return undefined
      if (twice < 0) return { places: places.flat() }
      throw usageError(
        `${input} has two columns for the ${sides[twice] ?? ''}`,
        `it needs ${wanted}`,
      )
    },
    bare(rows) {
      const cells = rows[0]?.cells.map(trimBlanks) ?? []
      const [first = ''] = cells
      const isPair = cells.length === 2 && isId(unwrapId(first))
      if (isPair) return { places: [0, 1] }
      if (otherSide === 'employee' && rows.some(tellsTickets)) throw lackOfEmployees(input)
      throw usageError(`${input} begins with ${quoteAll(cells)}`, `it needs ${wanted}`)
    },
  }
}

/** Whether a row has ids of tickets, or a heading that says so. */
function tellsTickets(row: Row): boolean {
  return hasId(row) || row.cells.some((cell) => isIdHeading(cell, true))
}

/** The error for a table with only tickets, if each needs its new assignee next to it. */
function lackOfEmployees(input: string): SvcError {
  const hint = 'name one new assignee for all of them with --to, or add a column "employee"'
  return new SvcError('usage', `${input} has tickets but no employees`, {
    hint,
    lacksEmployees: true,
  })
}

function placesOf(cells: readonly string[], isWanted: (cell: string) => boolean): number[] {
  return cells.flatMap((cell, place) => (isWanted(cell) ? [place] : []))
}

/** The option that names this column, so that it can be typed as it is. */
export function columnOption(name: string): string {
  const canBeTyped = /^\P{C}{1,64}$/u.test(name)
  return `--column ${canBeTyped ? shellWord(name) : '<name>'}`
}

/** A heading without parts that a person does not see or mean: outer spaces, quotes, a colon at the end, invisible characters. */
function bareHeading(name: string): string {
  const unquoted = visibleText(name).replace(/^"(.*)"$/, '$1')
  return unquoted.replace(/:$/, '').trim()
}

/** Whether a person sees and means the same. */
export function isSameHeading(name: string, other: string): boolean {
  return fold(bareHeading(name)) === fold(bareHeading(other))
}

const idHeading = /^(?:contact\.|(?:contact|ticket|employee|source|target)[ _]?)?id$/i

/**
 * Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, and `CONTACT`, as svc writes it
 * (in other files `Contact` is rather a name). `isTickets`: `ticket` too.
 */
export function isIdHeading(name: string, isTickets = false): boolean {
  const heading = bareHeading(name)
  if (idHeading.test(heading) || heading === 'CONTACT') return true
  return isTickets && fold(heading) === 'ticket'
}

/** The names that say that ids are below them; of `id` and `contact.id` the latter alone. */
function idPlaces(names: readonly string[], isTickets: boolean): number[] {
  return placesOf(names, (name) => {
    if (!isIdHeading(name, isTickets)) return false
    return !isMembershipId(name, names)
  })
}

/** Whether the ids below it are those of memberships: `id` next to `contact.id`, because members of a list have both. */
function isMembershipId(name: string, names: readonly string[]): boolean {
  const heading = bareHeading(name)
  if (/^membership ?id$/i.test(heading)) return true
  const [, before] = /^(|.*\.)id$/i.exec(heading) ?? []
  if (before === undefined) return false
  return names.some((each) => isSameHeading(each, `${before}contact.id`))
}

/** Throws exit 2 when a column is asked for that has ids of memberships: a deletion would find none of them. */
function refuseMembershipId(input: string, name: string, names: readonly string[]): void {
  if (!isMembershipId(name, names)) return
  throw usageError(
    `"${shorten(name)}" of ${input} has ids of memberships, which no command takes`,
    'the ids of the contacts are in --column contact.id',
  )
}

/** Two of the headings that are found, in words. */
function idHeadings(isTickets: boolean): string {
  return isTickets ? '"ticket" or "ticketId"' : '"id" or "contactId"'
}

/** Whether a heading, or a key of JSON, names one side of a pair: `source`, `sourceId`, `source_id`, `Source ID`. */
export function isSideHeading(name: string, side: string): boolean {
  const pattern = new RegExp(`^${side}(?:[ _]?id)?$`, 'i')
  const heading = bareHeading(name)
  return pattern.test(heading)
}
