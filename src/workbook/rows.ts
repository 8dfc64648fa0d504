/** Rows and cells of a sheet, put together from the tags of its XML: as they are stored, and whether a person sees them so. */
import { usageError } from '../errors.ts'
import { columnName, groupDigits } from '../words.ts'
import {
  mostColumns,
  mostRows,
  parseCell,
  parseRange,
  type CoveredRange,
  isCovered,
  type Cover,
} from './cells.ts'
import { plainNumber, stylesOfCell, type Shown, type Styles } from './styles.ts'
import { RunText, hasNeedlessEscape, unescape, type SharedTexts } from './texts.ts'
import { longestText, type Attributes, type XmlHandlers, type XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

const longestRow = 8 << 20

interface SheetFacts {
  readonly books: Books
  /** Ranges of cells that are not plain, by their first rows. */
  readonly ranges: readonly CoveredRange[]
  isRowHidden(attributes: Attributes): boolean
  columnStyle(column: number): string | undefined
}

export class RowReader implements XmlHandlers {
  readonly #archive: Archive
  readonly #sheet: SheetFacts
  readonly #prefix: string
  readonly #run: RunText
  #rows: SheetRow[] = []
  #row: SheetRow | undefined
  #cell: SheetCell | undefined
  #rowStyle: string | undefined
  /** Names of the elements of the cell, the last one open. */
  #parts = ''
  #isValue = false
  #lastRow = 0
  #lastColumn = -1
  #length = 0
  /** Ranges that have begun, and how many of the sheet's these were. */
  #begun: readonly CoveredRange[] = []
  #next = 0

  /** `prefix`: stands in front of the names of cells. */
  constructor(archive: Archive, sheet: SheetFacts, prefix: string) {
    this.#archive = archive
    this.#sheet = sheet
    this.#prefix = prefix
    this.#run = new RunText(archive)
  }

  /** Rows that ended since the last time. */
  take(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  onOpen(name: string, attributes: Attributes, place: XmlPlace): void {
    if (name === 'row') this.#beginRow(attributes, place.position)
    else if (name === 'c' && this.#row !== undefined) this.#beginCell(attributes, this.#row.line)
    else if (this.#cell === undefined) return
    else if (name === 't' || name === 'r') this.#run.onOpen(name)
    else this.#beginPart(this.#cell, name, attributes)
  }

  onText(text: string): void {
    if (this.#cell === undefined) return
    if (!this.#isValue) {
      this.#run.onText(text)
      return
    }
    this.#cell.value += text
    if (this.#cell.value.length > longestText) {
      throw usageError(`${this.#archive.name} has a text of more than 1 MB`)
    }
  }

  onClose(name: string, place: XmlPlace): void {
    if (name === 'row') this.#endRow(place.position)
    else if (this.#cell === undefined) return
    else if (name === 'v') this.#isValue = false
    else if (name === 'c') this.#endCell(this.#cell)
    else this.#run.onClose(name)
  }

  #beginRow(attributes: Attributes, from: number): void {
    const { r, s } = attributes
    const row = r === undefined ? this.#lastRow + 1 : /^\d{1,8}$/.test(r) ? Number(r) : 0
    if (row <= this.#lastRow) {
      throw this.#archive.damage(`row "${(r ?? '').slice(0, 20)}" follows row ${this.#lastRow}`)
    }
    if (row > mostRows) throw this.#archive.damage(`it has more than ${groupDigits(mostRows)} rows`)
    const { ranges } = this.#sheet
    if (this.#begun.some(({ to }) => to.row < row)) {
      this.#begun = this.#begun.filter(({ to }) => to.row >= row)
    }
    const first = this.#next
    while ((ranges[this.#next]?.from.row ?? Infinity) <= row) this.#next += 1
    if (this.#next > first) {
      this.#begun = [
        ...this.#begun,
        ...ranges.slice(first, this.#next).filter(({ to }) => to.row >= row),
      ]
    }
    this.#archive.work(this.#begun.length)
    this.#row = new SheetRow({ line: row, from }, this.#sheet.isRowHidden(attributes), this.#prefix)
    this.#rowStyle = s
    this.#lastRow = row
    this.#lastColumn = -1
    this.#length = 0
  }

  #endRow(to: number): void {
    const row = this.#row
    this.#row = undefined
    if (row === undefined || row.stored.length === 0) return
    row.to = to
    row.width = this.#lastColumn + 1
    row.covers = this.#begun
    this.#rows.push(row)
  }

  #beginCell({ r, s, t: type = 'n' }: Attributes, row: number): void {
    const place = r === undefined ? { row, column: this.#lastColumn + 1 } : parseCell(r)
    if (place?.row !== row || place.column <= this.#lastColumn || place.column >= mostColumns) {
      throw this.#archive.damage(
        `it has a cell "${(r ?? '').slice(0, 20)}" in row ${row}, out of order`,
      )
    }
    this.#lastColumn = place.column
    const styles = stylesOfCell(s, this.#rowStyle, this.#sheet.columnStyle(place.column))
    this.#cell = new SheetCell(place.column, type, styles, this.#sheet.books)
    this.#parts = ''
  }

  /** Name of the present cell. */
  get #name(): string {
    return `${columnName(this.#lastColumn)}${this.#lastRow}`
  }

  /** `f`, `v` or `is`. */
  #beginPart(cell: SheetCell, name: string, { t: type, ref = '' }: Attributes): void {
    if (this.#parts.includes(name)) {
      throw this.#archive.damage(`cell ${this.#name} has <${name}> twice`)
    }
    this.#parts += name
    if (name === 'v') this.#isValue = true
    if (name !== 'f') return
    cell.isFormula = true
    if (type !== 'array' && type !== 'dataTable') return
    // Its other cells have results without a formula of their own.
    const range = parseRange(ref)
    if (range?.from.row !== this.#lastRow || range.from.column !== this.#lastColumn) {
      throw this.#archive.damage(
        `the formula of cell ${this.#name} is for the cells "${ref.slice(0, 40)}"`,
      )
    }
    this.#archive.work(this.#begun.length)
    this.#begun = [...this.#begun, { ...range, cover: 'formula' }]
  }

  #endCell(cell: SheetCell): void {
    this.#cell = undefined
    this.#isValue = false
    const length = this.#parts === '' ? 0 : this.#lengthOf(cell)
    // Thousands of empty ones take a few bytes of an archive.
    if (length === 0 && !cell.isFormula) return this.#archive.work(24)
    this.#length += length
    if (this.#length > longestRow) {
      throw usageError(`${this.#archive.name} has more than 8 MB in row ${this.#lastRow}`)
    }
    // A shared text takes as long in each cell that names it.
    this.#archive.work(length)
    this.#row?.stored.push(cell)
  }

  /** Length of the text or the value, which is checked to be there. */
  #lengthOf(cell: SheetCell): number {
    const { type, value } = cell
    const inline = this.#run.take()
    // A text in the other place than its type says is shown by some programs.
    if (type === 'inlineStr' ? value !== '' : inline !== '') {
      throw this.#archive.damage(`cell ${this.#name} has a text that is not of its type`)
    }
    if (type === 'inlineStr') cell.value = inline
    if (type !== 's' || value === '') return cell.value.length
    const { texts } = this.#sheet.books
    const index = plainNumber(value) ?? Infinity
    if (index < texts.size) return texts.lengthAt(index)
    throw this.#archive.damage(
      `cell ${this.#name} refers to text "${value.slice(0, 20)}", which it does not have`,
    )
  }
}

/** Days of the other calendar, which begins in 1904, are this much smaller. */
const days1904 = 1462

export interface Books {
  readonly texts: SharedTexts
  readonly styles: Styles
  readonly is1904: boolean
}

/** A cell as it is stored. How it is shown is found when somebody looks at it: most cells are never looked at. */
class SheetCell {
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
    return {
      kind: 'text',
      text: unescape(escaped),
      problem,
    }
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
      if (this.cellAt(column)?.isFormula === true) {
        return 'a formula, whose result may be out of date; paste the column as values'
      }
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
