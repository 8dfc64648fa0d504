/** Puts the rows of a sheet together from the tags of its XML. */
import { usageError } from '../../errors.ts'
import { columnName, grouped } from '../../words.ts'
import { mostColumns, mostRows, parseCell, parseRange, type Cell, type Cover } from './cells.ts'
import type { SheetFrame } from './frame.ts'
import type { Shown } from './formats.ts'
import { plainNumber, type Styles } from './styles.ts'
import { hasNeedlessEscape, RunText, unescaped, type SharedTexts } from './texts.ts'
import { longestText, type Attributes, type XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

const longestRow = 8 << 20
/** Days of the other calendar, which begins in 1904, are this much smaller. */
const days1904 = 1462

export interface SheetCell {
  readonly kind: 'text' | 'boolean' | 'error' | Shown['kind']
  /** As it is shown; of what is not plain the value in the file. */
  readonly text: string
  /** Then the text is the result that was saved with it, if any. */
  readonly isFormula: boolean
  /** Why a person may see nothing, or something else, in its place. */
  readonly problem?: string | undefined
}

export interface SheetRow {
  /** Of the sheet, from 1. */
  readonly row: number
  /** By hand, by a filter, in a collapsed group, by no height, or as all rows of the sheet that have no height of their own. */
  readonly isHidden: boolean
  /** By column, from 0, ascending. Cells without a value are not there. */
  readonly cells: ReadonlyMap<number, SheetCell>
  readonly extent: RowExtent
  /** What a cell is in, whether it is there or not. Known until the row was taken. */
  readonly coverOf: (column: number) => Cover | undefined
}

/** Where a row is in the text of its part: from behind its first tag to behind its last. `width`: columns, with those of empty cells. */
export interface RowExtent {
  readonly from: number
  to: number
  width: number
}

export interface SheetBooks {
  readonly texts: SharedTexts
  readonly styles: Styles
  readonly is1904: boolean
}

interface OpenCell extends Cell {
  readonly type: string
  readonly style: string
  isFormula: boolean
  value: string
  /** Which of its elements it has, by their names. */
  parts: string
}

function nameOf({ column, row }: Cell): string {
  return `${columnName(column)}${row}`
}

export class RowReader {
  readonly #archive: Archive
  readonly #books: SheetBooks
  readonly #frame: SheetFrame
  readonly #run: RunText
  readonly #onRow: (row: SheetRow) => void
  #row: (SheetRow & { readonly cells: Map<number, SheetCell> }) | undefined
  #lastRow = 0
  #lastColumn = -1
  #length = 0
  #cell: OpenCell | undefined
  #isValue = false

  constructor(archive: Archive, books: SheetBooks, frame: SheetFrame, onRow: (row: SheetRow) => void) {
    this.#onRow = onRow
    this.#archive = archive
    this.#books = books
    this.#frame = frame
    this.#run = new RunText(archive)
  }

  onOpen(name: string, attributes: Attributes, place: XmlPlace): void {
    if (name === 'row') this.#beginRow(attributes, place.position)
    else if (name === 'c' && this.#row !== undefined) this.#beginCell(attributes, this.#row.row)
    else if (this.#cell === undefined) return
    else if (name === 't' || name === 'r') this.#run.onOpen(name)
    else this.#beginPart(this.#cell, name, attributes)
  }

  /** `f`, `v` or `is`. */
  #beginPart(cell: OpenCell, name: string, { t: type, ref = '' }: Attributes): void {
    if (cell.parts.includes(name)) throw this.#archive.damaged(`cell ${nameOf(cell)} has <${name}> twice`)
    cell.parts += name
    if (name === 'v') this.#isValue = true
    if (name !== 'f') return
    cell.isFormula = true
    if (type !== 'array' && type !== 'dataTable') return
    // Its other cells have results without a formula of their own.
    const range = parseRange(ref)
    if (range?.from.row !== cell.row || range.from.column !== cell.column)
      throw this.#archive.damaged(`the formula of cell ${nameOf(cell)} is for the cells "${ref.slice(0, 40)}"`)
    this.#archive.work(range.to.column - range.from.column)
    this.#frame.covered.begun(range, 'formula')
  }

  onText(text: string): void {
    if (this.#cell === undefined) return
    if (!this.#isValue) {
      this.#run.onText(text)
      return
    }
    this.#cell.value += text
    if (this.#cell.value.length > longestText) throw usageError(`${this.#archive.name} has a text of more than 1 MB`)
  }

  onClose(name: string, place: XmlPlace): void {
    if (name === 'row') this.#endRow(place.position)
    else if (this.#cell === undefined) return
    else if (name === 'v') this.#isValue = false
    else if (name === 'c') this.#endCell(this.#cell)
    else this.#run.onClose(name)
  }

  #beginRow(attributes: Attributes, from: number): void {
    const { r } = attributes
    const row = r === undefined ? this.#lastRow + 1 : /^\d{1,8}$/.test(r) ? Number(r) : 0
    if (row <= this.#lastRow) {
      throw this.#archive.damaged(`row "${(r ?? '').slice(0, 20)}" follows row ${this.#lastRow}`)
    }
    if (row > mostRows) throw this.#archive.damaged(`it has more than ${grouped(mostRows)} rows`)
    const { covered } = this.#frame
    covered.begin(row)
    const coverOf = (column: number): Cover | undefined => covered.at({ row, column })
    const isHidden = this.#frame.isRowHidden(attributes)
    this.#row = { row, isHidden, cells: new Map(), extent: { from, to: from, width: 0 }, coverOf }
    this.#lastRow = row
    this.#lastColumn = -1
    this.#length = 0
  }
  #endRow(to: number): void {
    const row = this.#row
    this.#row = undefined
    if (row === undefined || row.cells.size === 0) return
    row.extent.to = to
    row.extent.width = this.#lastColumn + 1
    this.#onRow(row)
  }

  #beginCell({ r, t = 'n', s = '0' }: Attributes, row: number): void {
    const place = r === undefined ? { row, column: this.#lastColumn + 1 } : parseCell(r)
    if (place?.row !== row || place.column <= this.#lastColumn || place.column >= mostColumns) {
      throw this.#archive.damaged(`it has a cell "${(r ?? '').slice(0, 20)}" in row ${row}, out of order`)
    }
    this.#lastColumn = place.column
    this.#cell = { column: place.column, row, type: t, style: s, isFormula: false, value: '', parts: '' }
  }

  #endCell(open: OpenCell): void {
    this.#cell = undefined
    this.#isValue = false
    const cell = open.parts === '' ? undefined : this.#read(open)
    // Thousands of empty ones take a few bytes of an archive.
    if (cell === undefined || (cell.text === '' && !cell.isFormula)) return this.#archive.work(24)
    const { length } = cell.text
    this.#length += length
    if (this.#length > longestRow) throw usageError(`${this.#archive.name} has more than 8 MB in row ${open.row}`)
    // A shared text takes as long in each cell that names it.
    this.#archive.work(length >> 4)
    this.#row?.cells.set(open.column, cell)
  }

  #read(open: OpenCell): SheetCell {
    const { type, value, isFormula, style } = open
    const inline = this.#run.take()
    // A text in the other place than its type says is shown by some programs.
    if (type === 'inlineStr' ? value !== '' : inline !== '') {
      throw this.#archive.damaged(`cell ${nameOf(open)} has a text that is not of its type`)
    }
    switch (type) {
      case 's':
        return this.#text(open, value === '' ? '' : this.#sharedText(open))
      case 'inlineStr':
        return this.#text(open, inline)
      case 'str':
        return this.#text(open, value)
      case 'b': {
        const text = value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value
        const problem = text === value ? 'neither true nor false' : this.#books.styles.textProblem(style)
        return { kind: 'boolean', text, isFormula, problem }
      }
      case 'n':
        return this.#number(open)
      default:
        return { kind: 'error', text: value, isFormula }
    }
  }

  #text({ style, isFormula }: OpenCell, escaped: string): SheetCell {
    const problem = hasNeedlessEscape(escaped)
      ? 'written with escapes, which programs show in different ways; type it in again'
      : this.#books.styles.textProblem(style)
    return { kind: 'text', text: unescaped(escaped), isFormula, problem }
  }

  #sharedText(cell: OpenCell): string {
    const { value } = cell
    const index = plainNumber(value) ?? Infinity
    if (index < this.#books.texts.size) return this.#books.texts.at(index)
    throw this.#archive.damaged(`cell ${nameOf(cell)} refers to text "${value.slice(0, 20)}", which it does not have`)
  }

  #number({ value, style, isFormula }: OpenCell): SheetCell {
    if (value === '') return { kind: 'number', text: '', isFormula }
    const { styles, is1904 } = this.#books
    return { ...styles.shownNumber(style, value, is1904 ? days1904 : 0), isFormula }
  }
}
