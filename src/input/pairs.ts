/**
 * Files of pairs: a contact and the contact it is merged into, a ticket and its new assignee. Csv, JSON and NDJSON; lines
 * of two ids with a comma, semicolon, tab or pipe between them are csv. Called by `bulk/read.ts` for `contacts merge` and
 * `tickets assign`; runs and plans take the type `Pair` from here.
 */
import { usageError } from '../errors.ts'
import {
  lackOfEmployees,
  pairColumns,
  type PairColumns,
  isSame,
  isSameHeading,
  isSideHeading,
} from './columns.ts'
import { idIn, isId, trimBlanks } from './id.ts'
import type { Input } from './input.ts'
import { idValue } from './json.ts'
import { textAt, type Problem, type Row } from './row.ts'
import type { CellUse } from '../workbook/rows.ts'
import { parseWhere } from './row-filter.ts'
import { findInInputs, type Found, type Search, type SearchOptions } from './search.ts'
import { isObject } from '../values.ts'

/** `id` is acted on (the source, the ticket), `other` is the second party (the target, the employee). */
export interface Pair {
  readonly id: string
  readonly other: string
  /** Physical line of the file, or item of a JSON document. */
  readonly line: number
  /** Assign: who has to have the ticket for it to be changed; anyone when absent. */
  readonly expected?: string
}

export interface PairOptions extends SearchOptions {
  /** Headings: `source,target`. An `employee` may be a name, which is left as it is; where a `ticket` comes first, its address is taken for its id. */
  readonly columns: readonly [first: string, second: string]
}

/**
 * Reads every input; a pair that appears twice is there once. Throws exit 2 as `findInInputs` does and, unless they are skipped, one
 * error for all bad lines.
 */
export async function readPairs(inputs: readonly Input[], options: PairOptions) {
  const pairs: Pair[] = []
  const keys = new Set<string>()
  /** A pair whose first id came before is another one; contradictions are for the operation to judge. */
  const take = ({ id, other }: SidePair, line: number): boolean => {
    // Spread, each would have a hidden class of its own: 210 bytes.
    const pair = { id, other, line }
    const key = keyOf(pair)
    if (keys.has(key)) return false
    keys.add(key)
    pairs.push(pair)
    return true
  }

  const found = await findInInputs(inputs, pairSearch(options), options, take)
  const { bad, duplicates, notes, leftOut } = found
  bad.refuse(undefined)
  const read = pairs.length + duplicates + bad.total
  return {
    pairs,
    read,
    duplicates,
    invalid: bad.total,
    leftOut,
    bad: bad.first,
    notes,
  }
}

type SidePair = Found & Pick<Pair, 'id' | 'other'>

/** The rule by which pairs are found: in two columns of a table, or in two members of JSON objects. */
function pairSearch(
  options: Pick<PairOptions, 'columns' | 'where'>,
): Search<PairColumns, SidePair> {
  const { columns: sides, where = [] } = options
  const [first, second] = sides
  // Whether the rows to take are chosen by what was decided on each.
  const isChosen = where.some((text) => {
    const { column } = parseWhere(text)
    return isDecision(column)
  })
  return {
    isTable: true,
    takesLists: false,
    takesUnmatched: false,
    isHeading: (cell) => sides.some((side) => isSideHeading(cell, side)),
    columns(input) {
      const rule = pairColumns(input, sides)
      const find: typeof rule.find = (cells, isHidden) => {
        const columns = rule.find(cells, isHidden)
        if (columns === undefined) return undefined
        // A merge cannot be undone: decisions that somebody wrote are never ignored.
        const isIgnored = first === 'source' && !isChosen && cells.some(isDecision)
        if (!isIgnored) return columns
        throw usageError(
          `${input} has a column DECISION, and every row would be merged, whatever is written there`,
          'to merge those where it is "merge", add --where DECISION=merge',
        )
      }
      return { ...rule, find }
    },
    placesOf: (columns) => [columns.first, columns.second],
    inRow: (row, columns) => {
      const id = cellOf(row, columns.first, 'id')
      const use = second === 'employee' ? 'word' : 'id'
      const other = cellOf(row, columns.second, use)
      return pairOf(sides, id, other)
    },
    inItem: ({ place: { input, unit }, value }) => {
      if (unit === 'argument') throw usageError('pairs are read from a file: --file <path>')
      if (typeof value === 'string' && second === 'employee') throw lackOfEmployees(input)
      if (!isObject(value)) return [{ reason: `not an object with ${first} and ${second}` }]
      if (first === 'source' && !isDecided(value)) {
        return [{ reason: 'its DECISION is not "merge"' }]
      }
      const id = memberOf(input, value, first)
      const other = memberOf(input, value, second)
      return [pairOf(sides, { text: id }, { text: other })]
    },
    members: (input) => {
      throw usageError(`${input} is not an array of objects with ${sides.join(' and ')}`)
    },
  }
}

/** One side of a pair, as it is there. */
interface PairCell {
  readonly text: string | undefined
  /** Name of the cell of a sheet, and why it cannot be taken. */
  readonly cell?: string | undefined
  readonly unfit?: string | undefined
}

function pairOf(
  columns: PairOptions['columns'],
  first: PairCell,
  second: PairCell,
): SidePair | Problem {
  const text = first.text ?? ''
  const other = trimBlanks(second.text ?? '')
  const isOfTickets = columns[0] === 'ticket'
  // The name is resolved later, so it must not be empty and need not be an id.
  const isName = columns[1] === 'employee'
  const refuse = (side: 0 | 1, { cell }: PairCell, reason: string): Problem => {
    return {
      text: `${text},${second.text ?? ''}`,
      cell,
      reason: `${columns[side]}: ${reason}`,
    }
  }
  if (first.unfit !== undefined) return refuse(0, first, first.unfit)
  const reading = idIn(text, true, isOfTickets)
  if (reading.reason !== undefined) return refuse(0, first, reading.reason)
  if (second.unfit !== undefined) return refuse(1, second, second.unfit)
  if (isName && other !== '') return { id: reading.id, other }
  const otherReading = idIn(other, true, isOfTickets && !isName)
  if (otherReading.reason !== undefined) return refuse(1, second, otherReading.reason)
  return { id: reading.id, other: otherReading.id }
}

function cellOf(row: Row, column: number, use: CellUse): PairCell {
  return {
    text: textAt(row, column),
    cell: row.origin?.cell(column),
    unfit: row.origin?.unfit(column, use),
  }
}

/** Whether an object says "merge" where it has a DECISION: `--where` is for tables. */
function isDecided(value: object): boolean {
  const keys = Object.keys(value).filter(isDecision)
  return keys.every((key) => {
    const decision: unknown = Reflect.get(value, key)
    return typeof decision === 'string' && isSame(trimBlanks(decision), 'merge')
  })
}

const isDecision = (heading: string): boolean => isSameHeading(heading, 'DECISION')

/** The text of an object's member for one side of a pair. Throws exit 2 when two members could be meant. */
function memberOf(input: string, value: object, side: string): string | undefined {
  const keys = Object.keys(value).filter((name) => isSideHeading(name, side))
  const [key, other] = keys
  if (other !== undefined) {
    throw usageError(`the objects in ${input} have two members for the ${side}`)
  }
  const member: unknown = key === undefined ? undefined : Reflect.get(value, key)
  return idValue(member).text
}

/** The same for every letter case of the ids. A name stays as it was typed. */
export function keyOf({ id, other }: Pair): string {
  const first = id.toLowerCase()
  const second = isId(other) ? other.toLowerCase() : other
  return JSON.stringify([first, second])
}
