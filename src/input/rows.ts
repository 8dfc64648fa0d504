/** The rows of texts that every input becomes, whatever its format, and whose columns are found by their headings. */
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold } from '../words.ts'
import type { Cell } from '../workbook/writer.ts'

/** A row of a text, a JSON document or a sheet. Columns are indexes from 0. */
export interface Row {
  /** The first line of the row in a text, its number in a sheet, or its item in a JSON document. Counts from 1; 0 for no line. */
  line: number
  /** The texts by their columns, with holes: see `textAt`. */
  cells: readonly string[]
  /** Why the whole row is bad. */
  problem?: string | undefined
  /** Why nothing may be decided by a cell, such as a formula or a rounded number. */
  reasons?: readonly (string | undefined)[]
  /** The cells of a sheet that are given back with their numbers and formats. */
  originals?: readonly Cell[]
  /** Whether the row of a sheet is hidden. */
  isHidden?: boolean
}

/** Returns the text of a cell; empty if the row has none. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/** Returns the texts of a row in their order, with empty ones where it has none. */
export function textsOf({ cells }: Row): string[] {
  return Array.from(cells, (text: string | undefined) => text ?? '')
}

/** An input from its heading row on, as it is read before its columns are known. */
export interface Source {
  format: 'list' | 'csv' | 'json' | 'ndjson' | 'xlsx'
  /** Whether no row has more than one cell, and ids need no heading. */
  isList: boolean
  /** The line where the heading must be, if there is one. It is 0 for the names of members in JSON. */
  headingLine: number
  /** The character between the cells of csv. */
  delimiter?: string
  /** Tells which columns of a sheet are hidden. */
  isColumnHidden?: (column: number) => boolean
  /** Returns the rows with content, at each call from the first one on. */
  rows: () => Iterable<Row>
}

/** Opens an input from a heading row on, which counts from 1; 0 if there is none. */
export type OpenAt = (headingRow: number) => Source

/** A table with headings; all of them are empty in a table without a heading row. */
export interface Headed {
  readonly name: string
  readonly headings: readonly string[]
  /** Says in which other row a known heading is; undefined if in none. */
  headingHint: () => string | undefined
}

/** Returns how well a heading names a column: 0 is best, and 3 is worst. Undefined if it does not. */
export type RankOf = (heading: string) => number | undefined

/** Returns the form of a heading by which headings are compared: folded, and without a colon at the end. */
export function foldHeading(heading: string) {
  return fold(heading).replace(/ ?:$/, '')
}

/** Returns how well a heading is a name that somebody typed: exactly, or it looks the same. */
export function rankOfName(name: string): RankOf {
  const wanted = foldHeading(name)
  return (heading) => {
    if (heading === name) return 0
    return foldHeading(heading) === wanted ? 1 : undefined
  }
}

/** Returns the column of the best rank; undefined if no heading has a rank. Throws a usage error for two columns of that rank. */
export function findColumn({ name, headings }: Headed, rankOf: RankOf) {
  const ranks = headings.map(rankOf)
  for (const rank of [0, 1, 2, 3]) {
    const column = ranks.indexOf(rank)
    const other = ranks.indexOf(rank, column + 1)
    if (column < 0) continue
    if (other < 0) return column
    const quoted = quoteAll(headings.filter((_, index) => ranks[index] === rank))
    throw usageError(
      `${name} has several matching columns: ${quoted}`,
      `rename one of them, or name one by its number, such as ${other + 1}`,
    )
  }
  return undefined
}

/** Returns the column that a person typed as a number from 1 or a name. Throws a usage error unless there is exactly one. */
export function requireColumn(table: Headed, typed: string) {
  const isNumber = /^[1-9]\d*$/.test(typed) && Number(typed) <= table.headings.length
  const column = isNumber ? Number(typed) - 1 : findColumn(table, rankOfName(typed))
  if (column !== undefined) return column
  throw noColumnError(table, `no column "${shorten(typed)}"`)
}

/** The error for a table without a column that is needed. It shows the headings. */
export function noColumnError(table: Headed, problem: string, hint?: string) {
  const quoted = quoteAll(table.headings)
  const shown = quoted === '' ? 'it has no headings' : `its columns are ${quoted}`
  return usageError(`${table.name} has ${problem}; ${shown}`, table.headingHint() ?? hint)
}
