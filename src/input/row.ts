/** A row of a table, of a text or of a sheet, and what is found out about it. */
import { isId, unwrapId } from './id.ts'
import { columnName } from '../words.ts'
import type { CellUse, SheetRow } from '../workbook/cells.ts'

export interface Row {
  /** Cells of a sheet can have holes between them: `textAt` reads a cell. */
  cells: readonly string[]
  /** Physical line on which it begins, or row of a sheet. */
  line: number
  /** The row of a sheet that it was. */
  sheetRow: SheetRow | undefined
  /** The values of JSON in its cells. */
  values: readonly unknown[] | undefined
  /** A quote in it that does not close as it should: data is invalid then, and a heading is refused. */
  brokenQuote: Problem | undefined
  finding: RowFinding
}

/**
 * A finding about a row. The reader of a text finds comments, blank lines and broken JSON. The table then finds titles
 * (`no-data` too), its heading, and what is left out or invalid. Whoever searches for ids makes each row of data `found` or
 * `invalid`; rows of people stay data.
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
  /** As it is there; the first bytes when it is very long. */
  text: string
  /** Name of the cell of a sheet. */
  cell?: string | undefined
  /** Whether --skip-invalid refuses to skip the row: other rows may be lost in it, or the decision of a person. */
  isNeverSkipped?: boolean
}

type RowDetails = Partial<Omit<Row, 'cells' | 'line'>>

const data: RowFinding = { kind: 'data' }

/** A row of data, unless its reader finds something else. */
export function rowOf(
  line: number,
  cells: readonly string[],
  details: RowDetails = {},
): Row {
  const { sheetRow, values, brokenQuote, finding = data } = details
  // All rows have the same members in the same order: other objects take twice the memory.
  return { cells, line, sheetRow, values, brokenQuote, finding }
}

export function invalid(problem: Problem): RowFinding & { kind: 'invalid' } {
  return { kind: 'invalid', problem }
}

/** Text of a cell; empty in a row without it. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/** Whether a cell of a row is an id. */
export function hasId({ cells }: Pick<Row, 'cells'>) {
  return Object.values(cells).some((cell) => isId(unwrapId(cell)))
}

/** Whether a row is nothing but the word that programs write for an id that they do not have. */
export function isNullAlone({ cells }: Row) {
  // Without the holes: a row of a sheet takes time for the cells that are there.
  const words = Object.values(cells).filter((cell) => cell.trim() !== '')
  return words.length === 1 && /^(?:null|undefined)$/i.test(unwrapId(words[0] ?? ''))
}

/** Cells without holes: a row of a sheet can have thousands of them. For the first rows alone. */
export function fillHoles(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (cell = '') => cell)
}

/**
 * Why nothing may be decided by a cell, whatever its text is: a person may not see it so, or a number has lost digits.
 * Undefined for one that is plain.
 */
export function unfitAt(
  { sheetRow, values }: Row,
  column: number,
  use: CellUse,
): string | undefined {
  const value = values?.[column]
  if (typeof value === 'number' && use === 'id')
    return 'a number: its last digits are lost; ids must be strings'
  if (typeof value === 'boolean' && use !== 'value') return 'true or false, not a text'
  if (typeof value === 'object' && value !== null)
    return 'an array or an object, not a text'
  return sheetRow?.unfit(column, use)
}

/** The finding about a row with a cell that cannot be used. */
export function invalidCell(row: Row, column: number, reason: string) {
  const cell = row.sheetRow?.cell(column)
  return invalid({ reason, text: textAt(row, column), cell })
}

/** The address of a cell, as spreadsheets have it. */
export function addressOf({ sheetRow, line }: Row, column: number): string {
  return sheetRow?.cell(column) ?? `${columnName(column)}${line}`
}
