/** Rows and cells of a sheet: as they are stored, and whether a person sees them so. */
import { columnName } from '../words.ts'
import type { CellUse, Problem, Row, RowKind, RowOrigin } from '../input/row.ts'
import { isCovered, type Cover, type CoveredRange } from './cells.ts'
import type { Shown } from './formats.ts'
import type { Styles } from './styles.ts'
import { hasNeedlessEscape, unescape, type SharedTexts } from './texts.ts'
import type { Attributes } from './xml.ts'

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
  readonly #style: string
  readonly #books: Books
  value = ''
  /** Then the text is the result that was saved with it, if any. */
  isFormula = false

  constructor(column: number, { t: type = 'n', s: style = '0' }: Attributes, books: Books) {
    this.column = column
    this.type = type
    this.#style = style
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

  #showText(escaped: string): Shown {
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
  finding: string | undefined
  /** From 1. */
  readonly line: number
  /** By hand, by a filter, in a collapsed group, by no height, or as all rows of the sheet that have no height of their own. */
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

  get origin(): this {
    return this
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

  isMerged(column: number): boolean {
    return this.covers.some(
      (range) => range.cover === 'merged' && isCovered(range, { column, row: this.line }),
    )
  }

  unfit(column: number, use: CellUse): string | undefined {
    const cell = this.stored.find((each) => each.column === column)
    const cover = this.covers.find((range) => isCovered(range, { column, row: this.line }))?.cover
    if (this.isHidden && cover !== 'hidden')
      return 'in a hidden row; show the row (a filter may hide it)'
    if (cell?.isFormula === true && cover !== 'hidden')
      return 'a formula, whose result may be out of date; paste the column as values'
    if (cover !== undefined) return coverReasons[cover]
    if (cell === undefined) return undefined
    const { kind, problem } = cell.show()
    return taken[use].includes(kind) ? problem : otherKinds[kind]
  }
}

const coverReasons: Readonly<Record<Cover, string>> = {
  hidden: 'in a hidden column; show the column',
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  pivot: 'where a pivot table is; copy the values to a sheet of their own',
  formula: 'a result of a formula for several cells; paste the column as values',
}

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
