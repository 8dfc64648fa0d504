/**
 * Rows of a sheet as plain cells: what a cell shows, and why a person may not see it so. `row-reader.ts` makes them; all of `input` reads them.
 */
import { columnName } from '../words.ts'
import { type CoveredRange, isCovered, type Cover } from './cells.ts'
import type { Shown, Styles } from './styles.ts'

export interface Books {
  /** Shared texts, with their escapes. */
  readonly texts: readonly string[]
  readonly styles: Styles
  readonly is1904: boolean
}

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
  number: 'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone:
    'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}

/** Why cells of such ranges are not plain, and what to do about it. */
const coverReasons: Readonly<Record<Cover, string>> = {
  hidden: 'in a hidden column; show the column',
  row: 'in a hidden row; show the row (a filter may hide it)',
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  collapsed: 'in a collapsed group; expand the group',
  icons: 'under icons or bars without their values; show the values',
  total: 'in the total row of a table',
  formula: 'a result of a formula for several cells; paste the column as values',
}

/** A row in the text of its sheet: from behind its first tag to behind its last. `width`: columns, with those of empty cells. */
export interface RowExtent {
  readonly from: number
  readonly to: number
  readonly width: number
}

export class SheetRow {
  /** From 1. */
  readonly line: number
  /** In their order. */
  readonly stored: readonly SheetCell[]
  readonly extent: RowExtent
  /** Ranges in it whose cells are not plain, whether they are there or not. */
  readonly #covers: readonly CoveredRange[]
  /** Stands in front of the names of cells. */
  readonly #prefix: string

  constructor(
    line: number,
    stored: readonly SheetCell[],
    extent: RowExtent,
    { covers, prefix }: { readonly covers: readonly CoveredRange[]; readonly prefix: string },
  ) {
    this.line = line
    this.stored = stored
    this.extent = extent
    this.#covers = covers
    this.#prefix = prefix
  }

  /** With holes: there may be thousands of them before the last cell. */
  get cells(): string[] {
    const texts: string[] = []
    for (const { column, text } of this.stored) texts[column] = text
    return texts
  }

  /** Name of a cell: `A2`, with its sheet in front where there are several. */
  cell(column: number): string {
    return `${this.#prefix}${columnName(column)}${this.line}`
  }

  /** Whether another cell is shown in its place. */
  isMerged(column: number): boolean {
    return this.#isIn('merged', column)
  }

  /** Whether a cell is in the total row of a table, as a spreadsheet program makes tables. */
  isTotal(column: number): boolean {
    return this.#isIn('total', column)
  }

  /** Why nothing may be decided by the cell, whatever its text is: a person may not see it so. Undefined for one that is plain. */
  unfit(column: number, use: CellUse): string | undefined {
    const place = { column, row: this.line }
    const cover = this.#covers.find((range) => isCovered(range, place))?.cover
    if (cover === 'hidden' || cover === 'row') return coverReasons[cover]
    const cell = this.stored.find((one) => one.column === column)
    if (cell?.isFormula === true) {
      return 'a formula, whose result may be out of date; paste the column as values'
    }
    if (cover !== undefined) return coverReasons[cover]
    if (cell === undefined) return undefined
    return taken[use].includes(cell.kind) ? cell.problem : otherKinds[cell.kind]
  }

  #isIn(cover: Cover, column: number): boolean {
    const place = { column, row: this.line }
    return this.#covers.some((range) => range.cover === cover && isCovered(range, place))
  }
}
