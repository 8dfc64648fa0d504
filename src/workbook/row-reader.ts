/**
 * The rows of a sheet, put together from the tags of its XML. Called by `sheet.ts` alone.
 *
 * The rule: anything that programs could read in different ways is refused here, as rows and cells out of order, or two values in a cell.
 */
import { columnName, groupDigits } from '../words.ts'
import {
  mostColumns,
  mostRows,
  parseCell,
  parseRange,
  rowsRange,
  type CoveredRange,
} from './cells.ts'
import { SheetRow, type Books, type SheetCell } from './rows.ts'
import { plainNumber, stylesOfCell } from './styles.ts'
import { RunText } from './texts.ts'
import type { Attributes, XmlHandlers, XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

/** A sheet as its rows need it. */
interface RowsOfSheet {
  readonly books: Books
  /** Ranges of cells that are not plain, by their first rows. */
  readonly ranges: readonly CoveredRange[]
  isRowHidden(attributes: Attributes): boolean
  columnStyle(column: number): string | undefined
}

/** Characters of all cells of a sheet: a shared text counts in each cell that names it. */
const mostText = 1 << 28

/** Gets each row that has a cell with a value or a formula. */
export type OnSheetRow = (row: SheetRow) => void

export class RowReader implements XmlHandlers {
  readonly #archive: Archive
  readonly #sheet: RowsOfSheet
  readonly #prefix: string
  readonly #onRow: OnSheetRow
  readonly #run: RunText
  #from = 0
  #cells: SheetCell[] = []
  #covers: readonly CoveredRange[] = []
  #rowStyle: string | undefined
  #lastRow = 0
  #lastColumn = -1
  /** Attributes of the cell, names of its elements, the last one open, and its value. */
  #cell: Attributes | undefined
  #parts = ''
  #value = ''
  #isValue = false
  #length = 0
  /** Ranges that have begun, and how many of the sheet's these were. */
  #begun: readonly CoveredRange[] = []
  #next = 0

  /** `prefix`: stands in front of the names of cells. */
  constructor(archive: Archive, sheet: RowsOfSheet, prefix: string, onRow: OnSheetRow) {
    this.#archive = archive
    this.#sheet = sheet
    this.#prefix = prefix
    this.#onRow = onRow
    this.#run = new RunText(archive)
  }

  onOpen(name: string, attributes: Attributes, { position }: XmlPlace): void {
    if (name === 'row') this.#beginRow(attributes, position)
    else if (name === 'c' && this.#from > 0) this.#beginCell(attributes)
    else if (this.#cell === undefined) return
    else if (name === 't' || name === 'r') this.#run.onOpen(name)
    else this.#beginPart(name, attributes)
  }

  onText(text: string): void {
    if (this.#isValue) this.#value += text
    else if (this.#cell !== undefined) this.#run.onText(text)
  }

  onClose(name: string, { position }: XmlPlace): void {
    if (name === 'row') this.#endRow(position)
    else if (name === 'v') this.#isValue = false
    else if (name === 'c' && this.#cell !== undefined) this.#endCell(this.#cell)
    else this.#run.onClose(name)
  }

  #beginRow(attributes: Attributes, from: number): void {
    const row = this.#numberOf(attributes)
    this.#begun = this.#rangesAt(row)
    const isHidden = this.#sheet.isRowHidden(attributes)
    this.#covers = isHidden
      ? [{ ...rowsRange(row, row), cover: 'row' }, ...this.#begun]
      : this.#begun
    this.#from = from
    this.#cells = []
    this.#rowStyle = attributes['s']
    this.#lastRow = row
    this.#lastColumn = -1
  }

  /** The number of a row, which follows the one before it when it has none. */
  #numberOf({ r }: Attributes): number {
    const typed = r ?? String(this.#lastRow + 1)
    const row = /^\d{1,8}$/.test(typed) ? Number(typed) : 0
    if (row <= this.#lastRow) {
      throw this.#archive.damage(`row "${typed.slice(0, 20)}" follows row ${this.#lastRow}`)
    }
    if (row <= mostRows) return row
    throw this.#archive.damage(`it has more than ${groupDigits(mostRows)} rows`)
  }

  /** The ranges that have cells in a row: the same array for rows that have the same ones. */
  #rangesAt(row: number): readonly CoveredRange[] {
    const { ranges } = this.#sheet
    const goesOn = ({ to }: CoveredRange): boolean => to.row >= row
    const before = this.#begun.every(goesOn) ? this.#begun : this.#begun.filter(goesOn)
    const first = this.#next
    for (let next = ranges[first]; next !== undefined && next.from.row <= row;) {
      this.#next += 1
      next = ranges[this.#next]
    }
    if (this.#next === first) return before
    return [...before, ...ranges.slice(first, this.#next).filter(goesOn)]
  }

  #endRow(to: number): void {
    const from = this.#from
    this.#from = 0
    if (this.#cells.length === 0) return
    const extent = { from, to, width: this.#lastColumn + 1 }
    const around = { covers: this.#covers, prefix: this.#prefix }
    this.#onRow(new SheetRow(this.#lastRow, this.#cells, extent, around))
  }

  #beginCell(attributes: Attributes): void {
    const { r } = attributes
    const next = this.#lastColumn + 1
    const row = this.#lastRow
    const place = r === undefined ? { row, column: next } : parseCell(r)
    if (place?.row !== row || place.column < next || place.column >= mostColumns) {
      const typed = (r ?? '').slice(0, 20)
      throw this.#archive.damage(`it has a cell "${typed}" in row ${row}, out of order`)
    }
    this.#lastColumn = place.column
    this.#cell = attributes
    this.#parts = ''
    this.#value = ''
  }

  /** Name of the present cell. */
  get #name(): string {
    return `${columnName(this.#lastColumn)}${this.#lastRow}`
  }

  /** `f`, `v` or `is`. */
  #beginPart(name: string, { t: type, ref = '' }: Attributes): void {
    if (this.#parts.includes(name)) {
      throw this.#archive.damage(`cell ${this.#name} has <${name}> twice`)
    }
    this.#parts += name
    this.#isValue = name === 'v'
    if (name !== 'f' || (type !== 'array' && type !== 'dataTable')) return
    // Its other cells have results without a formula of their own.
    const range = parseRange(ref)
    if (range?.from.row !== this.#lastRow || range.from.column !== this.#lastColumn) {
      const cells = ref.slice(0, 40)
      throw this.#archive.damage(`the formula of cell ${this.#name} is for the cells "${cells}"`)
    }
    const formula = { ...range, cover: 'formula' } as const
    this.#begun = [...this.#begun, formula]
    this.#covers = [...this.#covers, formula]
  }

  #endCell({ t: type = 'n', s }: Attributes): void {
    this.#cell = undefined
    const inline = this.#run.take()
    const isInline = type === 'inlineStr'
    // A text in the other place than its type says is shown by some programs.
    const other = isInline ? this.#value : inline
    if (other !== '') {
      throw this.#archive.damage(`cell ${this.#name} has a text that is not of its type`)
    }
    const raw = isInline ? inline : type === 's' ? this.#sharedText(this.#value) : this.#value
    const isFormula = this.#parts.includes('f')
    if (raw === '' && !isFormula) return
    this.#length += raw.length
    if (this.#length > mostText)
      throw this.#archive.tooLarge('it has more in it than a sheet can show')
    const { books } = this.#sheet
    const column = this.#lastColumn
    const styles = stylesOfCell(s, this.#rowStyle, this.#sheet.columnStyle(column))
    const shown = books.styles.show(styles, type, raw, books.is1904)
    this.#cells.push({ column, isFormula, ...shown })
  }

  #sharedText(index: string): string {
    if (index === '') return ''
    const text = this.#sheet.books.texts[plainNumber(index) ?? -1]
    if (text !== undefined) return text
    throw this.#archive.damage(
      `cell ${this.#name} refers to text "${index.slice(0, 20)}", which it does not have`,
    )
  }
}
