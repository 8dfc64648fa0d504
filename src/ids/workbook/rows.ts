/** Puts the rows of a sheet together from the tags of its XML. */
import { usageError } from '../../errors.ts'
import { columnName, grouped } from '../../words.ts'
import { mostColumns, mostRows, parseCell, parseRange, type Cell } from './cells.ts'
import type { SheetFrame } from './frame.ts'
import { SheetCell, SheetRow, type SheetBooks, type StoredCell } from './sheet-row.ts'
import { plainNumber } from './styles.ts'
import { RunText } from './texts.ts'
import { longestText, type Attributes, type XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

const longestRow = 8 << 20
interface OpenCell extends Cell, StoredCell {
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
  #rows: SheetRow[] = []
  readonly #prefix: string
  #row: SheetRow | undefined
  #lastRow = 0
  #lastColumn = -1
  #widest = 0
  #length = 0
  #cell: OpenCell | undefined
  #isValue = false

  /** `prefix`: stands in front of the names of cells. */
  constructor(archive: Archive, books: SheetBooks, frame: SheetFrame, prefix: string) {
    this.#prefix = prefix
    this.#archive = archive
    this.#books = books
    this.#frame = frame
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
    this.#frame.covered.beginRange(range, 'formula')
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
    this.#frame.covered.begin(row)
    const isHidden = this.#frame.isRowHidden(attributes)
    this.#row = new SheetRow({ line: row, from }, isHidden, this.#frame, this.#prefix)
    this.#lastRow = row
    this.#lastColumn = -1
    this.#length = 0
  }

  #endRow(to: number): void {
    const row = this.#row
    this.#row = undefined
    if (row === undefined || row.stored.size === 0) return
    row.to = to
    row.width = this.#lastColumn + 1
    this.#widest = Math.max(this.#widest, row.width)
    row.covers = this.#frame.covered.inRow(row.line, this.#widest)
    this.#rows.push(row)
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
    const length = open.parts === '' ? 0 : this.#lengthOf(open)
    // Thousands of empty ones take a few bytes of an archive.
    if (length === 0 && !open.isFormula) return this.#archive.work(24)
    this.#length += length
    if (this.#length > longestRow) throw usageError(`${this.#archive.name} has more than 8 MB in row ${open.row}`)
    // A shared text takes as long in each cell that names it.
    this.#archive.work(length)
    this.#row?.stored.set(open.column, new SheetCell(open, this.#books))
  }

  /** Length of the text or the value, which is checked to be there. */
  #lengthOf(open: OpenCell): number {
    const { type, value } = open
    const inline = this.#run.take()
    // A text in the other place than its type says is shown by some programs.
    if (type === 'inlineStr' ? value !== '' : inline !== '')
      throw this.#archive.damaged(`cell ${nameOf(open)} has a text that is not of its type`)
    if (type === 'inlineStr') open.value = inline
    if (type !== 's' || value === '') return open.value.length
    const { texts } = this.#books
    const index = plainNumber(value) ?? Infinity
    if (index < texts.size) return texts.lengthAt(index)
    throw this.#archive.damaged(`cell ${nameOf(open)} refers to text "${value.slice(0, 20)}", which it does not have`)
  }
}
