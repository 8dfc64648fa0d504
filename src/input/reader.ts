/** Ids of arguments, files and standard input: checked, unique, with their line numbers. */
import type { BadLine } from './bad-lines.ts'
import { columnOption, idColumn, isIdHeading, isSameHeading } from './columns.ts'
import { IdTable } from './id-table.ts'
import { idIn, idLength, trimBlanks } from './id.ts'
import type { Input } from './input.ts'
import { idValue, membersAt, pickId, valuesAt } from './json.ts'
import { Line } from './text/lines.ts'
import { textAt, type Problem, type Row } from './row.ts'
import { readPieces, type RowsPiece } from './rows.ts'
import {
  collectFound,
  tablesAlone,
  type Found,
  type ItemProblem,
  type Search,
  type SearchOptions,
} from './search.ts'
import type { Table } from './table.ts'
import { shorten } from '../output/text/safe.ts'

export interface IdColumn {
  /** Name, number from 1, or dotted path of the column or member that carries the ids. */
  readonly column?: string | undefined
  /** Whether ids are those of tickets: an address with one id in it is that id. */
  readonly isTickets?: boolean | undefined
}

export type ReadOptions = SearchOptions & IdColumn

export type IdInput = Awaited<ReturnType<typeof readIds>>

/**
 * Reads every input; `ids` are the unique ones, in the order and letter case in which they first came. Throws exit 2 as `readPieces`
 * does and, unless they are skipped, one error for all bad lines, naming the first twenty.
 */
export async function readIds(inputs: readonly Input[], options: ReadOptions) {
  const ids = new IdTable()
  const { sample } = options
  let duplicates = 0
  let table: Table<number> | undefined
  const count = (isNew: boolean, row: Row | undefined): void => {
    if (!isNew) duplicates += 1
    else if (row !== undefined) sample?.take(ids.size - 1, row)
  }
  const addBytes = (row: Row, piece: RowsPiece<number>): boolean => {
    if (table !== piece.table) {
      table = piece.table
      if (table.form.format === 'lines')
        ids.expect(Math.floor((table.form.size ?? 0) / (idLength + 1)))
    }
    const at = row instanceof Line ? row.idAt(table.columns ?? 0) : -1
    const isNew =
      at < 0 || !(row instanceof Line) ? undefined : ids.addBytes(row.bytes, at, row.line)
    if (isNew !== undefined) count(isNew, row)
    return isNew !== undefined
  }
  const add = ({ id }: Found, line: number, row?: Row): void => count(ids.addText(id, line), row)
  const search = { ...idSearch(options), ...(options.onRows && tablesAlone) }
  const pieces = readPieces(inputs, search, options)
  const { bad, formats, notes, leftOut } = await collectFound(pieces, search, options, {
    add,
    addBytes,
  })
  bad.refuse(ids.size)
  ids.settle()
  const read = ids.size + duplicates + bad.total
  const first: readonly BadLine[] = bad.first
  return { ids, read, duplicates, invalid: bad.total, bad: first, formats, notes, leftOut }
}

export function idSearch({ column, isTickets = false }: IdColumn): Search<number, Found> {
  return {
    isTable: column !== undefined,
    takesLists: true,
    takesUnmatched: false,
    isHeading: (cell) =>
      isIdHeading(cell, isTickets) || (column !== undefined && isSameHeading(cell, column)),
    columns: (input) => idColumn(input, column, isTickets),
    placesOf: (place) => [place],
    inRow: (row, place, table) => idInRow(row, place, table, isTickets),
    *inItem({ place: { input, unit }, value, isMember }) {
      if (unit === 'argument') {
        // Ids of a command line were in no spreadsheet.
        yield idOf(String(value), { isTickets, isArgument: true })
        return
      }
      if (isMember === true || column === undefined || typeof value === 'string') {
        yield textOf(pickId(input, value, isTickets), isTickets)
        return
      }
      for (const found of valuesAt(input, value, column))
        yield found === undefined
          ? { reason: `has no "${shorten(column)}"` }
          : textOf(idValue(found), isTickets)
    },
    members: (input) => (document) => membersAt(input, document, column, isTickets),
  }
}

function idInRow(
  row: Row,
  place: number,
  { form, likelyHeading }: Table<number>,
  isTickets: boolean,
) {
  const { origin, line } = row
  const text = textAt(row, place)
  const cell = origin?.cell(place)
  const unfit = origin?.unfit(place, 'id')
  if (unfit !== undefined) return { text: text ?? '', cell, reason: unfit }
  if (text === undefined)
    return { text: row.cells.join(form.delimiter), reason: `has no column ${place + 1}` }
  const found = idOf(text, { isTickets })
  if (found.reason === undefined) return found
  const hint = line === likelyHeading ? headingHint(trimBlanks(text)) : ''
  return { ...found, cell, reason: `${found.reason}${hint}` }
}

function textOf(picked: ReturnType<typeof idValue>, isTickets: boolean): Found | ItemProblem {
  return picked.reason === undefined ? idOf(picked.text, { isTickets }) : picked
}

/** An id as text, with whatever may stand around it. */
function idOf(
  text: string,
  { isTickets, isArgument = false }: { readonly isTickets: boolean; readonly isArgument?: boolean },
): Found | Problem {
  const found = idIn(text, !isArgument, isTickets)
  return found.reason === undefined ? found : { reason: found.reason, text }
}

/** How to name a first cell that is no id, if it was meant as the heading. */
function headingHint(cell: string): string {
  const isName = /^[\p{L}_#][^=@]{0,63}$/u.test(cell)
  return isName ? `; if this is the heading, name it: ${columnOption(cell)}` : ''
}
