/** A row of a table, of a text or of a sheet, and what its cells may decide. */
import { isId, unwrapId } from './id.ts'
import { columnName } from '../words.ts'
import type { Cell } from '../output/workbook.ts'

/** `other`: a title, a blank line, a comment. */
export type RowKind = 'data' | 'invalid' | 'left-out' | 'heading' | 'other'

/** Why a row, an item or an argument is not taken. */
export interface Problem {
  readonly reason: string
  /** As it is there; the first bytes when it is very long. */
  readonly text: string
  /** Name of the cell of a sheet. */
  readonly cell?: string | undefined
  /** The row may be a good one, but for this: it is bad, and not left out. */
  readonly isCondition?: boolean
  /** Other rows may be lost in this one: --skip-invalid does not skip it. */
  readonly hidesRows?: boolean
}

export interface Row {
  readonly cells: readonly string[]
  /** Physical line on which it begins, or row of a sheet. */
  readonly line: number
  /** The row of a sheet that it is. */
  readonly origin?: OriginRow | undefined
  /** The values of JSON in its cells. */
  readonly values?: readonly unknown[] | undefined
  /** Its table says it, and why it is invalid or left out. */
  kind: RowKind
  problem?: Problem | undefined
  /** The id of data, or the reason of what is invalid or left out. Known when the row was searched. */
  finding?: string | undefined
}

/** Cells without holes: a row of a sheet can have thousands of them. For the first rows alone. */
export function fillHoles(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (cell = '') => cell)
}

/** A row of data, until its table says something else. */
export function rowOf(line: number, cells: readonly string[], origin?: OriginRow): Row {
  // All rows have the same members in the same order: other objects take twice the memory.
  return {
    cells,
    line,
    origin,
    values: undefined,
    kind: 'data',
    problem: undefined,
    finding: undefined,
  }
}

/** The address of a cell, as spreadsheets have it. */
export function addressOf({ origin, line }: Row, column: number): string {
  return origin?.cell(column) ?? `${columnName(column)}${line}`
}

/** Text of a cell; empty in a row without it. */
export function textAt({ cells }: Row, column: number): string {
  return cells[column] ?? ''
}

/** Why nothing may be decided by a cell, whatever its text is: a person may not see it so, or a number has lost digits. Undefined for one that is plain. */
export function unfitAt(
  { origin, values }: Row,
  column: number,
  use: CellUse,
): string | undefined {
  const value = values?.[column]
  if (typeof value === 'number' && use === 'id')
    return 'a number: its last digits are lost; ids must be strings'
  if (typeof value === 'boolean' && use !== 'value') return 'true or false, not a text'
  if (typeof value === 'object' && value !== null)
    return 'an array or an object, not a text'
  return origin?.unfit(column, use)
}

/** Whether a row is nothing but the word that programs write for an id that they do not have. */
export function isNullAlone({ cells }: Row): boolean {
  // Without the holes: a row of a sheet takes time for the cells that are there.
  const words = Object.values(cells).filter((cell) => cell.trim() !== '')
  return words.length === 1 && /^(?:null|undefined)$/i.test(unwrapId(words[0] ?? ''))
}

/** Whether a cell of a row is an id. */
export function hasId({ cells }: Pick<Row, 'cells'>): boolean {
  return Object.values(cells).some((cell) => isId(unwrapId(cell)))
}

/** The decision that a cell is for: an id, a word (a name, an address, MATCH, DECISION), a phone number, or a value of `--where`. */
export type CellUse = 'id' | 'word' | 'phone' | 'value'

export interface OriginRow {
  readonly line: number
  /** Its texts, with holes: there may be thousands of them before the last cell. */
  readonly cells: readonly string[]
  /** Name of a cell: `A2`. */
  cell(column: number): string
  /** The content that the cell shows, to be written again. */
  value(column: number): Cell
  /** Whether the cell is in the total row of a table. */
  isTotal(column: number): boolean
  /** Whether the cell shows something that its text does not say: it is merged, or a formula without its result. */
  hasMore(column: number): boolean
  /** Why the cell must not decide anything: a person may not see its text. Undefined for a plain cell. */
  unfit(column: number, use: CellUse): string | undefined
}

export interface OriginSheet {
  readonly rows: readonly OriginRow[]
  /** Why nobody sees the column; undefined for one that is shown. */
  hiddenColumn(column: number): string | undefined
}

/** Reads one sheet of a workbook: that of the name `wanted`, else the only one with content, else the one that is meant. Throws exit 2. */
type ReadWorkbook = (
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
  isMeant: (sheet: OriginSheet) => boolean,
) => Promise<{ readonly sheet: OriginSheet; readonly notes: readonly string[] }>

/** Readers of inputs that are no text, by format. */
export interface Readers {
  readonly xlsx?: () => Promise<ReadWorkbook>
}
