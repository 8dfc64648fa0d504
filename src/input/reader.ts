/**
 * Ids of arguments, files and standard input: checked, unique, with their line numbers. Called by `commands/id-reading.ts` for the verbs that take
 * ids, and by `bulk/` for runs; pairs are read by `pairs.ts`.
 */
import type { BadLine } from './bad-lines.ts'
import { columnOption, idColumn, isIdHeading, isSameHeading } from './columns.ts'
import { IdTable } from './id-table.ts'
import { idIn, trimBlanks } from './id.ts'
import type { Input } from './input.ts'
import { idValue, membersAt, pickId, valuesAt } from './json.ts'
import { refuseErrorValue, textAt, type Problem, type Row } from './row.ts'
import {
  findInInputs,
  type Found,
  type ItemProblem,
  type Search,
  type SearchOptions,
} from './search.ts'
import type { Table } from './table.ts'
import { shorten } from '../safe-text.ts'

export interface IdColumn {
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  readonly column?: string | undefined
  /** Whether ids are those of tickets: an address with one id in it is that id. */
  readonly isTickets?: boolean | undefined
}

export type ReadOptions = SearchOptions & IdColumn

export type IdInput = Awaited<ReturnType<typeof readIds>>

/**
 * Reads every input; `ids` are the unique ones, in the order and letter case in which they first came. Throws exit 2 as `findInInputs`
 * does and, unless they are skipped, one error for all bad lines, naming the first twenty.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions) {
  const ids = new IdTable()
  const take = ({ id }: Found, line: number): boolean => ids.addText(id, line)
  const found = await findInInputs(inputs, idSearch(options), options, take)
  const { bad, duplicates, formats, notes, leftOut } = found
  bad.refuse(ids.size)
  const first: readonly BadLine[] = bad.first
  return {
    ids,
    read: ids.size + duplicates + bad.total,
    duplicates,
    invalid: bad.total,
    bad: first,
    formats,
    notes,
    leftOut,
  }
}

/** The rule by which ids are found: in one column of a table, in a member of JSON objects, and in every argument. */
function idSearch({ column, isTickets = false }: IdColumn): Search<number, Found> {
  return {
    isTable: column !== undefined,
    takesLists: true,
    takesUnmatched: false,
    isHeading(cell) {
      if (isIdHeading(cell, isTickets)) return true
      return column !== undefined && isSameHeading(cell, column)
    },
    columns: (input) => idColumn(input, column, isTickets),
    placesOf: (place) => [place],
    inRow: (row, place, table) => idInRow(row, place, table, isTickets),
    *inItem({ place: { input, unit }, value, isMember }) {
      if (unit === 'argument') {
        // Ids of a command line were in no spreadsheet.
        yield idOf(String(value), { isTickets, isArgument: true })
        return
      }
      refuseErrorValue(input, value)
      if (isMember === true || column === undefined || typeof value === 'string') {
        const picked = pickId(input, value, isTickets)
        yield textOf(picked, isTickets)
        return
      }
      for (const member of valuesAt(input, value, column)) {
        refuseErrorValue(input, member)
        if (member === undefined) {
          yield { reason: `has no "${shorten(column)}"` }
        } else {
          const picked = idValue(member)
          yield textOf(picked, isTickets)
        }
      }
    },
    members: (input, document) => membersAt(input, document, column, isTickets),
  }
}

/** The id in this column of a row of data, or why it has none. */
function idInRow(
  row: Row,
  place: number,
  { form, likelyHeading }: Table<number>,
  isTickets: boolean,
): Found | Problem {
  const { origin, line } = row
  const text = textAt(row, place)
  const cell = origin?.cell(place)
  const unfit = origin?.unfit(place, 'id')
  if (unfit !== undefined) return { text: text ?? '', cell, reason: unfit }
  if (text === undefined) {
    const wholeRow = row.cells.join(form.delimiter)
    return { text: wholeRow, reason: `has no column ${place + 1}` }
  }
  const result = idOf(text, { isTickets })
  if (result.reason === undefined) return result
  // Only a first row can have been meant as the heading.
  const hint = line === likelyHeading ? headingHint(trimBlanks(text)) : ''
  return {
    ...result,
    cell,
    reason: `${result.reason}${hint}`,
  }
}

function textOf(picked: ReturnType<typeof idValue>, isTickets: boolean): Found | ItemProblem {
  if (picked.reason !== undefined) return picked
  return idOf(picked.text, { isTickets })
}

interface TextOrigin {
  readonly isTickets: boolean
  /** Whether somebody typed it: then no spreadsheet has been at work on it. */
  readonly isArgument?: boolean
}

/** An id as text, with whatever may stand around it. */
function idOf(text: string, { isTickets, isArgument = false }: TextOrigin): Found | Problem {
  const result = idIn(text, !isArgument, isTickets)
  if (result.reason === undefined) return result
  return { reason: result.reason, text }
}

/** How to name a first cell that is no id, if it was meant as the heading. */
function headingHint(cell: string): string {
  const isName = /^[\p{L}_#][^=@]{0,63}$/u.test(cell)
  return isName ? `; if this is the heading, name it: ${columnOption(cell)}` : ''
}
