/**
 * Rows and cells of a sheet as they are stored, and whether a person sees them so. `row-reader.ts` makes them; `input/row.ts`, by way of
 * which all of `input` reads them, asks a row for its cells, and why one may be shown otherwise; `row-places.ts` notes where they are.
 *
 * A cell is kept as it is stored, and nothing is found out about it until somebody looks: of a table with a hundred columns one is an id.
 */
import { columnName } from '../words.ts'
import { type CoveredRange, isCovered, type Cover } from './cells.ts'
import type { Shown, Styles } from './styles.ts'
import { hasNeedlessEscape, unescape, type SharedTexts } from './texts.ts'

/** Days of the other calendar, which begins in 1904, are this much smaller. */
const days1904 = 1462

export interface Books {
  readonly texts: SharedTexts
  readonly styles: Styles
  readonly is1904: boolean
}

/** A cell as it is stored. How it is shown is found when somebody looks at it: most cells are never looked at. */
export class SheetCell {
  /** From 0. */
  readonly column: number
  readonly type: string
  readonly #styles: string
  readonly #books: Books
  value = ''
  /** Then the text is the result that was saved with it, if any. */
  isFormula = false

  /** `styles`: those that it may be shown in. */
  constructor(column: number, type: string, styles: string, books: Books) {
    this.column = column
    this.type = type
    this.#styles = styles
    this.#books = books
  }

  get text(): string {
    return this.show().text
  }

  show(): Shown {
    const { texts } = this.#books
    const { value } = this
    switch (this.type) {
      case 's':
        return this.#showText(value === '' ? '' : texts.at(Number(value)))
      case 'inlineStr':
      case 'str':
        return this.#showText(value)
      case 'b':
        return this.#showBoolean(value)
      case 'n':
        if (value === '') return { kind: 'number', text: '' }
        return this.#showNumber(value)
      default:
        return { kind: 'error', text: value }
    }
  }

  #showNumber(value: string): Shown {
    const { styles, is1904 } = this.#books
    const shift = is1904 ? days1904 : 0
    return styles.shownNumber(this.#styles, value, shift)
  }

  #showBoolean(value: string): Shown {
    if (value !== '0' && value !== '1') {
      return { kind: 'boolean', text: value, problem: 'neither true nor false' }
    }
    const text = value === '1' ? 'TRUE' : 'FALSE'
    const problem = this.#books.styles.booleanProblem(this.#styles)
    return { kind: 'boolean', text, problem }
  }

  #showText(escaped: string): Shown {
    const text = unescape(escaped)
    if (hasNeedlessEscape(escaped)) {
      const problem =
        'written with escapes, which programs show in different ways; type it in again'
      return { kind: 'text', text, problem }
    }
    const problem = this.#books.styles.textProblem(this.#styles)
    return { kind: 'text', text, problem }
  }
}

/** Place of a row in the text of its sheet: from behind its first tag to behind its last. `width`: columns, with those of empty cells. */
export interface RowExtent {
  readonly from: number
  readonly to: number
  readonly width: number
}

/** A row of a sheet: its cells, and why a person may not see them as they are stored. */
export class SheetRow implements RowExtent {
  /** From 1. */
  readonly line: number
  /** By hand, by a filter, by no height, or as all rows of the sheet that have no height of their own. */
  readonly isHidden: boolean
  /** Cells with a value or a formula, in their order. */
  readonly stored: SheetCell[] = []
  readonly from: number
  to = 0
  width = 0
  /** Ranges in it whose cells are not plain, whether they are there or not. */
  covers: readonly CoveredRange[] = []
  readonly #prefix: string

  /** `prefix`: stands in front of the names of cells. */
  constructor(
    { line, from }: { readonly line: number; readonly from: number },
    isHidden: boolean,
    prefix: string,
  ) {
    this.line = line
    this.from = from
    this.isHidden = isHidden
    this.#prefix = prefix
  }

  /** With holes: there may be thousands of them before the last cell. */
  get cells(): string[] {
    const texts: string[] = []
    for (const { column, text } of this.stored) texts[column] = text
    return texts
  }

  cell(column: number): string {
    return `${this.#prefix}${columnName(column)}${this.line}`
  }

  /** Whether a cell is in a range of this kind; of merged ones, whether another cell is shown in its place. */
  isIn(cover: Cover, column: number): boolean {
    return this.covers.some(
      (range) => range.cover === cover && isCovered(range, { column, row: this.line }),
    )
  }

  /** The cell with a value or a formula in this column. */
  cellAt(column: number): SheetCell | undefined {
    return this.stored.find((cell) => cell.column === column)
  }

  /** Why a person may not see the cell at all, or sees something else there, whatever is in it. */
  coverReason(column: number): string | undefined {
    const place = { column, row: this.line }
    const cover = this.covers.find((range) => isCovered(range, place))?.cover
    if (cover === 'hidden') return coverReasons.hidden
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    if (this.cellAt(column)?.isFormula === true) {
      return 'a formula, whose result may be out of date; paste the column as values'
    }
    return cover && coverReasons[cover]
  }
}

/** Why cells of such ranges are not plain, and what to do about it. */
const coverReasons: Readonly<Record<Cover, string>> = {
  hidden: 'in a hidden column; show the column',
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  collapsed: 'in a collapsed group; expand the group',
  icons: 'under icons or bars without their values; show the values',
  total: 'in the total row of a table',
  formula: 'a result of a formula for several cells; paste the column as values',
}
