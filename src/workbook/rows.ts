/**
 * Rows of a sheet as plain cells: what a cell shows, and why a person may not see it so. `sheet.ts` makes them; all of `input` reads them.
 */
import { columnName } from '../words.ts'
import type { Range } from './cells.ts'
import type { Shown } from './styles.ts'

/** A cell with a value or a formula. */
export interface SheetCell extends Shown {
  /** From 0. */
  readonly column: number
  /** Then the text is the result that was saved with it, if any. */
  readonly isFormula: boolean
}

/** The decision that a cell is for: an id, a word (a name, an address, MATCH, DECISION), a phone number, or a value of `--where`. */
export type CellUse = 'id' | 'word' | 'phone' | 'value'

const taken: Readonly<Record<CellUse, readonly Shown['kind'][]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number', 'phone'],
  value: ['text', 'number', 'date', 'boolean'],
}

const otherKinds: Readonly<Record<Shown['kind'], string | undefined>> = {
  text: undefined,
  number:
    'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone:
    'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}

/** Why the cells of a range are not plain. */
export type Cover = 'merged' | 'formula' | 'total'

const coverReasons: Readonly<Record<Cover, string>> = {
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formula: 'a result of a formula for several cells; paste the column as values',
  total: 'in the total row of a table',
}

export interface CoveredRange extends Range {
  readonly cover: Cover
}

/** A sheet as its rows see it, once all of it was read. */
export interface RowsAround {
  /** Why a column is not seen. */
  hiddenColumn(column: number): string | undefined
}

export class SheetRow {
  /** From 1. */
  readonly line: number
  /** In their order. */
  readonly stored: readonly SheetCell[]
  readonly isHidden: boolean
  /** Ranges that have cells in it which are not plain. */
  covers: readonly CoveredRange[] = []
  readonly #sheet: RowsAround

  constructor(
    sheet: RowsAround,
    { line, stored, isHidden }: Pick<SheetRow, 'line' | 'stored' | 'isHidden'>,
  ) {
    this.#sheet = sheet
    this.line = line
    this.stored = stored
    this.isHidden = isHidden
  }

  /** With holes: there may be thousands of them before the last cell. */
  get cells(): string[] {
    const texts: string[] = []
    for (const { column, text } of this.stored) texts[column] = text
    return texts
  }

  /** Name of a cell: `A2`. */
  cell(column: number): string {
    return `${columnName(column)}${this.line}`
  }

  /** Whether a cell is in the total row of a table, or merged, so that another one is shown in its place. */
  isIn(cover: Cover, column: number): boolean {
    return this.covers.some(
      (range) => range.cover === cover && this.#isCovered(range, column),
    )
  }

  /** Why nothing may be decided by the cell, whatever its text is: a person may not see it so. Undefined for one that is plain. */
  unfit(column: number, use: CellUse): string | undefined {
    const hidden = this.#sheet.hiddenColumn(column)
    if (hidden !== undefined) return hidden
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    const cell = this.stored.find((one) => one.column === column)
    if (cell?.isFormula === true) {
      return 'a formula, whose result may be out of date; paste the column as values'
    }
    const range = this.covers.find((one) => this.#isCovered(one, column))
    if (range !== undefined) return coverReasons[range.cover]
    if (cell === undefined) return undefined
    return taken[use].includes(cell.kind) ? cell.problem : otherKinds[cell.kind]
  }

  /** Merged cells show the first one. */
  #isCovered({ from, to, cover }: CoveredRange, column: number): boolean {
    const isFirst = cover === 'merged' && column === from.column && this.line === from.row
    return column >= from.column && column <= to.column && !isFirst
  }
}
