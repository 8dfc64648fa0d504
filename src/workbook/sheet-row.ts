/** Rows and cells of a sheet: as they are stored, and whether a person sees them so. */
import { columnName } from '../words.ts'
import { isCovered, type Cover, type CoveredRange } from './cells.ts'
import type { Shown } from './formats.ts'
import type { Styles } from './styles.ts'
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
    const { styles, is1904, texts } = this.#books
    const { value } = this
    switch (this.type) {
      case 's':
        return this.#showText(value === '' ? '' : texts.at(Number(value)))
      case 'inlineStr':
      case 'str':
        return this.#showText(value)
      case 'b': {
        const text = value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value
        const problem =
          text === value ? 'neither true nor false' : styles.booleanProblem(this.#styles)
        return { kind: 'boolean', text, problem }
      }
      case 'n':
        if (value === '') return { kind: 'number', text: '' }
        return styles.shownNumber(this.#styles, value, is1904 ? days1904 : 0)
      default:
        return { kind: 'error', text: value }
    }
  }

  #showText(escaped: string): Shown {
    const problem = hasNeedlessEscape(escaped)
      ? 'written with escapes, which programs show in different ways; type it in again'
      : this.#books.styles.textProblem(this.#styles)
    return { kind: 'text', text: unescape(escaped), problem }
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

  /** Whether another cell is shown in place of this one. */
  isMerged(column: number): boolean {
    return this.covers.some(
      (range) => range.cover === 'merged' && isCovered(range, { column, row: this.line }),
    )
  }

  /** The cell with a value or a formula in this column. */
  cellAt(column: number): SheetCell | undefined {
    return this.stored.find((cell) => cell.column === column)
  }

  /** Why a person may not see the cell at all, or sees something else there, whatever is in it. */
  coverReason(column: number): string | undefined {
    const cover = this.covers.find((range) => isCovered(range, { column, row: this.line }))?.cover
    if (cover !== 'hidden') {
      if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
      if (this.cellAt(column)?.isFormula === true)
        return 'a formula, whose result may be out of date; paste the column as values'
    }
    return cover && coverReasons[cover]
  }
}

const coverReasons: Readonly<Record<Cover, string>> = {
  hidden: 'in a hidden column; show the column',
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  collapsed: 'in a collapsed group; expand the group',
  icons: 'under icons or bars without their values; show the values',
  pivot: 'where a pivot table is; copy the values to a sheet of their own',
  formula: 'a result of a formula for several cells; paste the column as values',
}
