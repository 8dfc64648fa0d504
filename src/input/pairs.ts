/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and
 * NDJSON; lines of two ids with a comma, semicolon, tab or pipe between them are csv.
 */
import { SvcError, usageError } from '../errors.ts'
import { quoteAll } from '../safe-text.ts'
import type { InAddress } from '../values.ts'
import {
  bareHeading,
  isIdHeading,
  placeNamed,
  placesOfAll,
  type TableRule,
} from './columns.ts'
import { isToMerge } from './decisions.ts'
import { idIn, isId, unwrapId } from './id.ts'
import type { Input } from './input.ts'
import {
  addressOf,
  hasId,
  invalid,
  invalidCell,
  textAt,
  unfitAt,
  type Found,
  type Row,
  type RowFinding,
} from './row.ts'
import { findInInputs, type SearchOptions } from './search.ts'
import type { Table } from './table.ts'

/** `id` is acted on (the source, the ticket), `other` is the second party (the target, the employee). */
export interface Pair {
  id: string
  other: string
  /** Physical line of the file, or item of a JSON document. */
  line: number
  /** Assign: who has to have the ticket for it to be changed; anyone when absent. */
  expected?: string
}

export interface PairOptions extends SearchOptions {
  /**
   * Headings: `source,target`. An `employee` may be a name, which is left as it is; where a `ticket` comes first, its
   * address is taken for its id.
   */
  columns: readonly [first: string, second: string]
}

/** Reads every input; a pair that appears twice is there once. Throws exit 2 as `findInInputs` does. */
export async function readPairs(inputs: readonly Input[], options: PairOptions) {
  const { columns: sides } = options
  const pairs: Pair[] = []
  const keys = new Set<string>()
  const search = {
    ruleFor: (input: string) => pairRule(input, sides),
    inRow: (row: Row, places: readonly number[], table: Table) =>
      pairIn(row, places, sides, table),
    /** A pair with the same first id and another second one is new; the operation judges contradictions. */
    add: ({ id, other = '' }: Found, line: number): boolean => {
      // Spread, each would have a hidden class of its own: 210 bytes.
      const pair = { id, other, line }
      const key = keyOf(pair)
      if (keys.has(key)) return false
      keys.add(key)
      pairs.push(pair)
      return true
    },
  }
  const facts = await findInInputs(inputs, search, options)
  return { pairs, ...facts }
}

/**
 * The rule for a table of pairs: its two columns by their headings, among others if need be; without a heading there are
 * two columns, in that order, and nothing above the first pair, for it could be a heading that says otherwise.
 */
function pairRule(input: string, sides: PairOptions['columns']): TableRule {
  const wanted = `it needs a heading with ${sides.join(' and ')}, or just these two columns, in this order`
  return {
    isHeading: (cell) => sides.some((side) => isSideHeading(cell, side)),
    columnsOf(cells) {
      const places = placesOfAll(input, cells, sides, isSideHeading)
      if (places === undefined || sides[0] !== 'source') return places
      const merge = placeNamed(input, cells, 'merge')
      return merge === undefined ? places : [...places, merge]
    },
    fallbackColumns(rows) {
      const [first = ''] = rows[0]?.cells ?? []
      if (rows[0]?.cells.length === 2 && isId(unwrapId(first))) return [0, 1]
      const hasTickets = rows.some(
        (row) => hasId(row) || row.cells.some((cell) => isIdHeading(cell, 'ticket')),
      )
      if (sides[1] !== 'employee' || !hasTickets)
        throw usageError(`${input} begins with ${quoteAll(rows[0]?.cells ?? [])}`, wanted)
      throw new SvcError('usage', `${input} has tickets but no column "employee"`, {
        hint: 'name one new assignee for all of them with --to, or add a column "employee"',
        lacksEmployees: true,
      })
    },
  }
}

/** Whether a heading, or a key of JSON, names one side of a pair: `source`, `sourceId`, `source_id`, `Source ID`. */
function isSideHeading(name: string, side: string) {
  return new RegExp(`^${side}(?:[ _]?id)?$`, 'i').test(bareHeading(name))
}

/** The pair in these columns of a row, or why there is none. A third column says whether to merge the pair. */
function pairIn(
  row: Row,
  places: readonly number[],
  sides: PairOptions['columns'],
  { filter }: Table,
): RowFinding {
  const merge = places[2]
  if (merge !== undefined) {
    const reason = unfitAt(row, merge, 'word')
    if (reason !== undefined) return invalidCell(row, merge, reason)
    const isWanted = isToMerge(textAt(row, merge))
    if (isWanted === undefined) return undecidedMerge(row, merge)
    if (!isWanted) return filter.leaveOut('merge is not "yes"')
  }
  const found: string[] = []
  for (const [n, side] of sides.entries()) {
    const place = places[n] ?? 0
    const party = partyIn(row, place, side)
    if (party.reason !== undefined) {
      const text = places.map((each) => textAt(row, each)).join(',')
      const cell = row.sheetRow?.cell(place)
      return invalid({ text, cell, reason: `${side}: ${party.reason}` })
    }
    found.push(party.id)
  }
  const [id = '', other] = found
  return { kind: 'found', id, other }
}

/** A merge cannot be undone, so a word that decides nothing is never skipped. */
function undecidedMerge(row: Row, place: number) {
  const text = textAt(row, place)
  const cell = addressOf(row, place)
  return invalid({ reason: 'merge can be yes or no', text, cell, isNeverSkipped: true })
}

/** One side of a pair. The name of an employee is resolved later, so it must not be empty and need not be an id. */
function partyIn(row: Row, place: number, side: string): InAddress {
  const isEmployee = side === 'employee'
  const reason = unfitAt(row, place, isEmployee ? 'word' : 'id')
  if (reason !== undefined) return { reason }
  const text = textAt(row, place)
  if (isEmployee && text.trim() !== '') return { id: text.trim() }
  return idIn(text, true, side === 'ticket')
}

/** The same for every letter case of the ids. A name stays as it was typed. */
export function keyOf({ id, other }: Pair) {
  const second = isId(other) ? other.toLowerCase() : other
  return JSON.stringify([id.toLowerCase(), second])
}
