/**
 * Cells of a sheet: their places, what a row of them shows, and why a cell cannot be used. Columns count from 0, rows from
 * 1, as programs number them.
 */
import { columnName } from '../words.ts'

/** A text, nothing, a number, or a day or time as its serial number: days since 1899-12-30. */
export type Cell = string | undefined | { kind: 'number' | 'day' | 'time'; raw: number }

/**
 * The use of a cell: as an id, as a word (a name, an address, MATCH, DECISION), as a phone number, or as the value by which
 * `--where` takes its row.
 */
export type CellUse = 'id' | 'word' | 'phone' | 'value'

/** The most that a sheet can have. */
export const mostRows = 1 << 20
export const mostColumns = 1 << 14

interface CellPlace {
  column: number
  row: number
}

export interface CellRange {
  from: CellPlace
  to: CellPlace
}

const cellName = /^([A-Z]{1,3})([1-9]\d{0,6})$/

/** The place of a cell such as `A1`; undefined for anything else, and for a place that no sheet has. */
export function parseCell(text: string): CellPlace | undefined {
  const [, letters = '', digits] = cellName.exec(text) ?? []
  // Letters are digits from 1 (which base 36 has as 10) to 26: after Z comes AA.
  let column = 0
  for (const letter of letters) column = column * 26 + Number.parseInt(letter, 36) - 9
  const row = Number(digits)
  const isThere = column > 0 && column <= mostColumns && row <= mostRows
  return isThere ? { column: column - 1, row } : undefined
}

/** `A1:B2`, or one cell. */
export function parseRange(text: string): CellRange | undefined {
  const [from, to = from, more] = text.split(':').map(parseCell)
  if (from === undefined || to === undefined || more !== undefined) return undefined
  const isReversed = to.row < from.row || to.column < from.column
  return isReversed ? undefined : { from, to }
}

/** The number in which spreadsheets store a time: days since 1899-12-30. Undefined before 1900-03-01: they disagree. */
export function serialOf(time: number): number | undefined {
  const serial = time / 86_400_000 + 25_569
  return serial >= 61 ? serial : undefined
}

/** A value as it is shown. `phone`: a number in a format that only phone numbers have. */
export interface Shown {
  kind: 'text' | 'number' | 'phone' | 'date' | 'boolean' | 'error'
  /** The shown text, or the value in the file if programs may show it in different ways. */
  text: string
  /** Why programs may show it in different ways. */
  problem?: string | undefined
}

/** A cell with a value or a formula. */
export interface SheetCell extends Shown {
  /** From 0. */
  column: number
  /** `saved`: the text is the saved result of a formula. `unsaved`: a formula without its result. */
  formula: 'saved' | 'unsaved' | undefined
}

const formulaReasons = {
  saved: 'a formula, whose result may be out of date; paste the column as values',
  unsaved: 'a formula without its result: open and save it in a spreadsheet',
}

/** The kinds of cells that are plain for each use. */
const kindsByUse: Readonly<Record<CellUse, readonly Shown['kind'][]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number', 'phone'],
  value: ['text', 'number', 'date', 'boolean'],
}

/** Why a cell of another kind cannot be used: the words after "it is". */
const kindReasons: Readonly<Record<Shown['kind'], string | undefined>> = {
  text: undefined,
  number:
    'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone:
    'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}

/** Why the cells of a range cannot be used. */
type Cover = 'merged' | 'formula' | 'total'

const coverReasons: Readonly<Record<Cover, string>> = {
  merged: 'in merged cells, which show only the first one; unmerge them',
  formula: 'a result of a formula for several cells; paste the column as values',
  total: 'in the total row of a table',
}

export interface CoveredRange extends CellRange {
  cover: Cover
}

export class SheetRow {
  readonly line: number
  /** The cells with a value or a formula, by column. */
  readonly #stored: readonly SheetCell[]
  readonly #isHidden: boolean
  /** Ranges with cells of this row that cannot be used. */
  covers: readonly CoveredRange[] = []
  readonly #isHiddenColumn: (column: number) => boolean

  constructor(
    isHiddenColumn: (column: number) => boolean,
    line: number,
    stored: readonly SheetCell[],
    isHidden: boolean,
  ) {
    this.#isHiddenColumn = isHiddenColumn
    this.line = line
    this.#stored = stored
    this.#isHidden = isHidden
  }

  /** Its texts, with holes: there may be thousands of them before the last cell. */
  get cells(): string[] {
    const texts: string[] = []
    for (const { column, text } of this.#stored) texts[column] = text
    return texts
  }

  /** Name of a cell: `A2`. */
  cell(column: number) {
    return `${columnName(column)}${this.line}`
  }

  /** The content that the cell shows, to be written again. */
  value(column: number): Cell {
    const { kind, text = '' } = this.#at(column) ?? {}
    // Any other spelling has leading zeros, or more digits than a number can have.
    if (kind === 'number' && String(Number(text)) === text)
      return { kind, raw: Number(text) }
    if (kind !== 'date') return text
    const isDay = !text.includes(' ')
    const raw = serialOf(Date.parse(isDay ? text : `${text.replace(' ', 'T')}Z`))
    return raw === undefined ? text : { kind: isDay ? 'day' : 'time', raw }
  }

  /** Whether the cell is in the total row of a table. */
  isTotal(column: number) {
    return this.#coversAt(column).includes('total')
  }

  /** Whether the cell shows something that is not in its text: it is merged, or a formula without its result. */
  showsMoreThanText(column: number) {
    const isMerged = this.#coversAt(column).includes('merged')
    return isMerged || this.#at(column)?.formula === 'unsaved'
  }

  /** Why the cell must not decide anything: a person may not see its text. Undefined for a plain cell. */
  unfit(column: number, use: CellUse): string | undefined {
    if (this.#isHiddenColumn(column)) return 'in a hidden column; show the column'
    if (this.#isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    const cell = this.#at(column)
    if (cell?.formula !== undefined) return formulaReasons[cell.formula]
    const [cover] = this.#coversAt(column)
    if (cover !== undefined) return coverReasons[cover]
    if (cell === undefined) return undefined
    return kindsByUse[use].includes(cell.kind) ? cell.problem : kindReasons[cell.kind]
  }

  #at(column: number): SheetCell | undefined {
    return this.#stored.find((one) => one.column === column)
  }

  /** The kinds of ranges that cover the cell in a column. The first of merged cells is shown. */
  #coversAt(column: number): Cover[] {
    const covers = this.covers.filter(({ from, to, cover }) => {
      const isFirst = column === from.column && this.line === from.row
      const isInside = column >= from.column && column <= to.column
      return isInside && !(isFirst && cover === 'merged')
    })
    return covers.map(({ cover }) => cover)
  }
}
