/** Tables of pairs: a contact and the contact it is merged into, a ticket and its new assignee. */
import { SvcError, usageError } from '../errors.ts'
import { quoteAll } from '../safe-text.ts'
import type { InAddress } from '../values.ts'
import { fold } from '../words.ts'
import { foldHeading, placeNamed, type TableRule } from './columns.ts'
import { idIn, isId, isWrappedId } from './id.ts'
import type { Input } from './input.ts'
import {
  addressOf,
  invalid,
  invalidCell,
  textAt,
  unfitAt,
  type Row,
  type RowFinding,
} from './row.ts'
import { findInInputs, type Search, type SearchOptions } from './search.ts'
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
  /** Headings: `source,target`. An `employee` may be a name, which is left as it is. */
  columns: readonly [first: string, second: string]
}

/** The error for a file that has tickets but not their new assignees. One employee can be chosen for all of them. */
export class MissingEmployees extends SvcError {}

/** Reads every input; a pair that appears twice is there once. Throws exit 2 as `findInInputs` does. */
export async function readPairs(inputs: readonly Input[], options: PairOptions) {
  const { columns: sides } = options
  const pairs: Pair[] = []
  const keys = new Set<string>()
  const search: Search = {
    ruleFor: (input) => pairRule(input, sides),
    inRow: (row, places, table) => pairIn(row, places, sides, table),
    /** A pair with the same first id and another second one is new; the operation judges contradictions. */
    add({ id, other = '' }, line) {
      const key = `${id.toLowerCase()} ${isId(other) ? other.toLowerCase() : JSON.stringify(other)}`
      if (keys.has(key)) return false
      keys.add(key)
      pairs.push({ id, other, line })
      return true
    },
  }
  const facts = await findInInputs(inputs, search, options)
  return { pairs, ...facts }
}

/** Two columns by their headings, `source`, `sourceId`, `source_id` or `Source ID`, and `merge` where it is there. */
function pairRule(input: string, sides: PairOptions['columns']): TableRule {
  return {
    kind: 'pairs',
    isValue: isWrappedId,
    columnsOf(cells) {
      const bare = cells.map((cell) => foldHeading(cell).replace(/[ _]?id$/, ''))
      const places = sides.map((side) => placeNamed(input, bare, side))
      if (places.includes(undefined)) return undefined
      const merge = sides[0] === 'source' ? placeNamed(input, cells, 'merge') : undefined
      return [...places, merge].filter((place) => place !== undefined)
    },
    fallbackColumns({ cells }) {
      const wanted = sides.join(' and ')
      const isOfTickets = cells.some((cell) => isWrappedId(cell) || /^ticket/i.test(cell))
      const message = `${input} has no columns ${wanted}: ${quoteAll(cells)}`
      if (sides[1] === 'employee' && isOfTickets) {
        const hint =
          'name one new assignee for all of them with --to, or add a column "employee"'
        throw new MissingEmployees('usage', message, { hint })
      }
      throw usageError(message, `its first row must be a heading with ${wanted}`)
    },
  }
}

/** The pair in these columns of a row, or why there is none. A third column says whether to merge the pair. */
function pairIn(
  row: Row,
  places: readonly number[],
  sides: PairOptions['columns'],
  table: Table,
): RowFinding {
  const merge = places[2]
  if (merge !== undefined) {
    const reason = unfitAt(row, merge)
    if (reason !== undefined) return invalidCell(row, merge, reason)
    const text = textAt(row, merge)
    const word = fold(text)
    if (word === '' || word === 'no') return table.leaveOut('merge is not "yes"')
    // A merge cannot be undone, so a word that decides nothing is never skipped.
    if (word !== 'yes') {
      const cell = addressOf(row, merge)
      return invalid({ reason: 'merge can be yes or no', text, cell, isNeverSkipped: true })
    }
  }
  const found: string[] = []
  for (const [n, side] of sides.entries()) {
    const place = places[n] ?? 0
    const party = partyIn(row, place, side)
    if (party.reason !== undefined)
      return invalidCell(row, place, `${side}: ${party.reason}`)
    found.push(party.id)
  }
  const [id = '', other] = found
  return { kind: 'found', id, other }
}

/** One side of a pair. The name of an employee is resolved later, so it must not be empty and need not be an id. */
function partyIn(row: Row, place: number, side: string): InAddress {
  const reason = unfitAt(row, place)
  if (reason !== undefined) return { reason }
  const text = textAt(row, place).trim()
  return side === 'employee' && text !== '' ? { id: text } : idIn(text, side === 'ticket')
}
