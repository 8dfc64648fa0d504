/** Rows and cells of a sheet: as they are stored, and whether a person sees them so. */
import { columnName } from '../../words.ts'
import type { CellUse, Problem, Row, RowKind, RowOrigin } from '../row.ts'
import type { Cover } from './cells.ts'
import type { Shown } from './formats.ts'
import type { SheetFrame } from './frame.ts'
import type { Styles } from './styles.ts'
import { hasNeedlessEscape, unescape, type SharedTexts } from './texts.ts'

/** Days of the other calendar, which begins in 1904, are this much smaller. */
const days1904 = 1462

export interface SheetBooks {
  readonly texts: SharedTexts
  readonly styles: Styles
  readonly is1904: boolean
  /** The cell that was looked at last. */
  last?: { readonly cell: SheetCell; readonly shown: ShownCell }
}

/** A cell as it stands in the file. */
export interface StoredCell {
  readonly type: string
  readonly style: string
  readonly isFormula: boolean
  readonly value: string
}

type Kind = 'text' | 'boolean' | 'error' | Shown['kind']

interface ShownCell {
  readonly kind: Kind
  /** As it is shown; the value in the file where that is not plain. */
  readonly text: string
  /** Why a person may see nothing, or something else, in its place. */
  readonly problem?: string | undefined
}

/** A cell as it is stored. How it is shown is found when somebody looks at it: most cells are never looked at. */
export class SheetCell implements ShownCell {
  /** Then the text is the result that was saved with it, if any. */
  readonly isFormula: boolean
  readonly #type: string
  readonly #style: string
  readonly #value: string
  readonly #books: SheetBooks

  constructor({ type, style, value, isFormula }: StoredCell, books: SheetBooks) {
    this.#type = type
    this.#style = style
    this.#value = value
    this.isFormula = isFormula
    this.#books = books
  }

  get kind(): Kind {
    return this.#shown().kind
  }

  get text(): string {
    return this.#shown().text
  }

  get problem(): string | undefined {
    return this.#shown().problem
  }

  /** Kept of the last cell alone: its text may be a megabyte. */
  #shown(): ShownCell {
    const books = this.#books
    if (books.last?.cell !== this) books.last = { cell: this, shown: this.#show() }
    return books.last.shown
  }

  #show(): ShownCell {
    const { styles, is1904, texts } = this.#books
    const value = this.#value
    switch (this.#type) {
      case 's':
        return this.#text(value === '' ? '' : texts.at(Number(value)))
      case 'inlineStr':
      case 'str':
        return this.#text(value)
      case 'b': {
        const text = value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value
        const problem = text === value ? 'neither true nor false' : styles.textProblem(this.#style)
        return { kind: 'boolean', text, problem }
      }
      case 'n':
        if (value === '') return { kind: 'number', text: '' }
        return styles.shownNumber(this.#style, value, is1904 ? days1904 : 0)
      default:
        return { kind: 'error', text: value }
    }
  }

  #text(escaped: string): ShownCell {
    const problem = hasNeedlessEscape(escaped)
      ? 'written with escapes, which programs show in different ways; type it in again'
      : this.#books.styles.textProblem(this.#style)
    return { kind: 'text', text: unescape(escaped), problem }
  }
}

/** A row of a sheet, with what is known of its cells. */
export class SheetRow implements Row, RowOrigin {
  kind: RowKind = 'data'
  problem: Problem | undefined
  /** From 1. */
  readonly line: number
  /** By hand, by a filter, in a collapsed group, by no height, or as all rows of the sheet that have no height of their own. */
  readonly isHidden: boolean
  /** Cells with a value or a formula, by column from 0, ascending. */
  readonly stored = new Map<number, SheetCell>()
  readonly from: number
  to = 0
  width = 0
  /** By column: why a cell is not plain, whether it is there or not. Undefined when all are. */
  covers: readonly (Cover | undefined)[] | undefined
  readonly #frame: SheetFrame
  readonly #prefix: string

  /** `prefix`: stands in front of the names of cells. */
  constructor(
    place: { readonly line: number; readonly from: number },
    isHidden: boolean,
    frame: SheetFrame,
    prefix: string,
  ) {
    this.line = place.line
    this.from = place.from
    this.isHidden = isHidden
    this.#frame = frame
    this.#prefix = prefix
  }

  get origin(): this {
    return this
  }

  /** With holes: there may be thousands of them before the last cell. */
  get cells(): string[] {
    const texts: string[] = []
    for (const [column, { text }] of this.stored) texts[column] = text
    return texts
  }

  cell(column: number): string {
    return `${this.#prefix}${columnName(column)}${this.line}`
  }

  isMerged(column: number): boolean {
    return this.covers?.[column] === 'merged'
  }

  unfit(column: number, use: CellUse): string | undefined {
    const [cell, cover] = [this.stored.get(column), this.covers?.[column]]
    if (this.#frame.isColumnHidden(column)) return inHiddenColumn
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    if (cell?.isFormula === true) return 'a formula, whose result may be out of date; paste the column as values'
    if (cover !== undefined) return coverReasons[cover]
    if (cell === undefined) return undefined
    return taken[use].includes(cell.kind) ? cell.problem : otherKinds[cell.kind]
  }
}

const inHiddenColumn = 'in a hidden column; show the column'

const coverReasons: Readonly<Record<Cover, string>> = {
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  pivot: 'where a pivot table is; copy the values to a sheet of their own',
  formula: 'a result of a formula for several cells; paste the column as values',
}

const taken: Readonly<Record<CellUse, readonly Kind[]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number', 'phone'],
  value: ['text', 'number', 'date', 'boolean'],
}

const otherKinds: Readonly<Record<Kind, string | undefined>> = {
  text: undefined,
  number: 'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone: 'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}
