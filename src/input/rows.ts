/** Rows of texts, which every input becomes, whatever its format. */
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

/** The content of a table. One column of `ids` is a list, which needs no heading; of `people`, hidden rows and columns are left out. */
export type TableKind = 'ids' | 'pairs' | 'people'
