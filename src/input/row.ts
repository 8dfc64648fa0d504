/** A row of a table, of a text, of JSON or of a sheet, and what is found out about it. */
import type { SheetRow } from '../workbook/workbook.ts'
import { columnName } from '../words.ts'

export interface Row {
  /** Cells of a sheet can have holes between them: `textAt` reads a cell. */
  cells: readonly string[]
  /** Physical line on which it begins, row of a sheet, or item of JSON. */
  line: number
  /** The row of a sheet that it was. */
  sheetRow: SheetRow | undefined
  /** The values of JSON in its cells. */
  values: readonly unknown[] | undefined
  finding: RowFinding
}

/**
 * A finding about a row. The reader of a text finds comments, blank lines and broken quotes, the table its heading, and what
 * is left out or invalid. Whoever searches for ids makes each row of data `found` or `invalid`; rows of people stay data.
 */
export type RowFinding =
  | { kind: 'data' | 'heading' | 'no-data' }
  | { kind: 'left-out'; reason: string }
  | { kind: 'invalid'; problem: Problem }
  | Found

/** The id that is in a row, and the second id or name of a pair. */
export interface Found {
  kind: 'found'
  id: string
  other?: string | undefined
}

/** Why a row is invalid. */
export interface Problem {
  reason: string
  /** As it is there. Not safe for a terminal. */
  text: string
  /** Name of the cell of a sheet. */
  cell?: string | undefined
  /** Whether --skip-invalid refuses to skip the row: other rows may be lost in it, or the decision of a person. */
  isNeverSkipped?: boolean
}

const data: RowFinding = { kind: 'data' }
export const noData: RowFinding = { kind: 'no-data' }

/** A row of data, unless its reader finds something else. */
export function rowOf(
  line: number,
  cells: readonly string[],
  { sheetRow, values, finding = data }: Partial<Row> = {},
): Row {
  // All rows have the same members in the same order: other objects take twice the memory.
  return { cells, line, sheetRow, values, finding }
}

export function invalid(problem: Problem): RowFinding {
  return { kind: 'invalid', problem }
}

/** Cells of a sheet without the holes between them. For single rows, because they can be many. */
export function withoutHoles(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (cell = '') => cell)
}

/** Text of a cell; empty in a row without it. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/** Why nothing may be decided by a cell, whatever its text is. Undefined for one that is plain. */
export function unfitAt({ sheetRow, values }: Row, column: number): string | undefined {
  const value = values?.[column]
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    return 'a number: its last digits are lost; ids must be strings'
  if (typeof value === 'object' && value !== null)
    return 'an array or an object, not a text'
  return sheetRow?.unfit(column)
}

/** The finding about a row with a cell that cannot be used. */
export function invalidCell(row: Row, column: number, reason: string) {
  const cell = row.sheetRow && addressOf(row, column)
  return invalid({ reason, text: textAt(row, column), cell })
}

/** The address of a cell, as spreadsheets have it. */
export function addressOf({ line }: Row, column: number): string {
  return `${columnName(column)}${line}`
}
