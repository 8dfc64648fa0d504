/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and
 * NDJSON; lines of two ids with a comma, semicolon, tab or pipe between them are csv.
 */
import { usageError } from '../errors.ts'
import { pairColumns, isSameHeading, isSideHeading, type TableRule } from './columns.ts'
import { idIn, isId } from './id.ts'
import type { Input } from './input.ts'
import { invalid, textAt, unfitAt, type Found, type Row, type RowFinding } from './row.ts'
import { parseWhere } from './row-filter.ts'
import { findInInputs, type SearchOptions } from './search.ts'

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
  /** Headings: `source,target`. An `employee` may be a name, which is left as it is; where a `ticket` comes first, its address is taken for its id. */
  columns: readonly [first: string, second: string]
}

/** Reads every input; a pair that appears twice is there once. Throws exit 2 as `findInInputs` does. */
export async function readPairs(inputs: readonly Input[], options: PairOptions) {
  const { columns: sides } = options
  const pairs: Pair[] = []
  const keys = new Set<string>()
  const search = {
    ruleFor: (input: string) => pairRule(input, options),
    inRow: (row: Row, places: readonly number[]) => pairIn(row, places, sides),
    /** A pair whose first id came before is another one; contradictions are for the operation to judge. */
    take: ({ id, other = '' }: Found, line: number): boolean => {
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

/** The rule by which pairs are found: in two columns of a table. */
function pairRule(input: string, { columns: sides, where = [] }: PairOptions): TableRule {
  // Whether the rows to take are chosen by what was decided on each.
  const isChosen = where.some((text) => isDecision(parseWhere(text).column))
  const { find, bare } = pairColumns(input, sides)
  return {
    isHeading: (cell) => sides.some((side) => isSideHeading(cell, side)),
    find(cells) {
      const columns = find(cells)
      // A merge cannot be undone: decisions that somebody wrote are never ignored.
      const isIgnored = sides[0] === 'source' && !isChosen && cells.some(isDecision)
      if (columns === undefined || !isIgnored) return columns
      throw usageError(
        `${input} has a column DECISION, but every row would be merged, no matter what is in it`,
        'to merge those where it is "merge", add --where DECISION=merge',
      )
    },
    bare,
  }
}

/** The pair in these columns of a row, or why there is none. The name of an employee is resolved later, so it must not be empty and need not be an id. */
function pairIn(
  row: Row,
  places: readonly number[],
  sides: PairOptions['columns'],
): RowFinding {
  const found: string[] = []
  for (const [n, side] of sides.entries()) {
    const place = places[n] ?? 0
    const text = textAt(row, place)
    const isName = side === 'employee' && text.trim() !== ''
    const unfit = unfitAt(row, place, side === 'employee' ? 'word' : 'id')
    const whole = isName ? { id: text.trim() } : idIn(text, true, side === 'ticket')
    const reading = unfit === undefined ? whole : { reason: unfit }
    if (reading.reason !== undefined) {
      const texts = places.map((each) => textAt(row, each))
      const cell = row.sheetRow?.cell(place)
      return invalid({ text: texts.join(','), cell, reason: `${side}: ${reading.reason}` })
    }
    found.push(reading.id)
  }
  const [id = '', other] = found
  return { kind: 'found', id, other }
}

const isDecision = (heading: string) => isSameHeading(heading, 'DECISION')

/** The same for every letter case of the ids. A name stays as it was typed. */
export function keyOf({ id, other }: Pair): string {
  const second = isId(other) ? other.toLowerCase() : other
  return JSON.stringify([id.toLowerCase(), second])
}
