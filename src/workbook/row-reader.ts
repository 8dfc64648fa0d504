/**
 * The rows of a sheet, put together from the tags of its XML. Called by `sheet.ts` alone, which reads the part of a sheet through a `RowReader`, and
 * takes the rows that have ended after each chunk.
 *
 * The rule: anything that programs could read in different ways is refused here, as rows and cells out of order, or two values in a cell.
 */
import { usageError } from '../errors.ts'
import { columnName, groupDigits } from '../words.ts'
import { mostColumns, mostRows, parseCell, parseRange, type CoveredRange } from './cells.ts'
import { SheetCell, SheetRow, type Books } from './rows.ts'
import { plainNumber, stylesOfCell } from './styles.ts'
import { RunText } from './texts.ts'
import { longestText, type Attributes, type XmlHandlers, type XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

/** In bytes: the texts of a row are in memory together. */
const longestRow = 8 << 20

/** A sheet as its rows need it. */
interface RowsOfSheet {
  readonly books: Books
  /** Ranges of cells that are not plain, by their first rows. */
  readonly ranges: readonly CoveredRange[]
  isRowHidden(attributes: Attributes): boolean
  columnStyle(column: number): string | undefined
}

export class RowReader implements XmlHandlers {
  readonly #archive: Archive
  readonly #sheet: RowsOfSheet
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
  constructor(archive: Archive, sheet: RowsOfSheet, prefix: string) {
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
    if (name === 'row') {
      this.#beginRow(attributes, place.position)
    } else if (name === 'c' && this.#row !== undefined) {
      this.#beginCell(attributes, this.#row.line)
    } else if (this.#cell === undefined) {
      return
    } else if (name === 't' || name === 'r') {
      this.#run.onOpen(name)
    } else {
      this.#beginPart(this.#cell, name, attributes)
    }
  }

  onText(text: string): void {
    const cell = this.#cell
    if (cell === undefined) return
    if (!this.#isValue) {
      this.#run.onText(text)
      return
    }
    cell.value += text
    if (cell.value.length > longestText) {
      throw usageError(`${this.#archive.name} has a text of more than 1 MB`)
    }
  }

  onClose(name: string, place: XmlPlace): void {
    if (name === 'row') {
      this.#endRow(place.position)
    } else if (this.#cell === undefined) {
      return
    } else if (name === 'v') {
      this.#isValue = false
    } else if (name === 'c') {
      this.#endCell(this.#cell)
    } else {
      this.#run.onClose(name)
    }
  }

  #beginRow(attributes: Attributes, from: number): void {
    const { s } = attributes
    const row = this.#numberOf(attributes)
    this.#begun = this.#rangesAt(row)
    this.#archive.work(this.#begun.length)
    const isHidden = this.#sheet.isRowHidden(attributes)
    this.#row = new SheetRow({ line: row, from }, isHidden, this.#prefix)
    this.#rowStyle = s
    this.#lastRow = row
    this.#lastColumn = -1
    this.#length = 0
  }

  /** The number of a row, which follows the one before it when it has none. */
  #numberOf({ r }: Attributes): number {
    if (r === undefined) return this.#checkRow(this.#lastRow + 1, '')
    const isNumber = /^\d{1,8}$/.test(r)
    const row = isNumber ? Number(r) : 0
    return this.#checkRow(row, r)
  }

  #checkRow(row: number, typed: string): number {
    if (row <= this.#lastRow) {
      const name = typed.slice(0, 20)
      throw this.#archive.damage(`row "${name}" follows row ${this.#lastRow}`)
    }
    if (row > mostRows) {
      const most = groupDigits(mostRows)
      throw this.#archive.damage(`it has more than ${most} rows`)
    }
    return row
  }

  /** The ranges that have cells in a row: the same array for rows that have the same ones. */
  #rangesAt(row: number): readonly CoveredRange[] {
    const { ranges } = this.#sheet
    const goesOn = ({ to }: CoveredRange): boolean => to.row >= row
    const before = this.#begun.every(goesOn) ? this.#begun : this.#begun.filter(goesOn)
    const first = this.#next
    let next = ranges[first]
    while (next !== undefined && next.from.row <= row) {
      this.#next += 1
      next = ranges[this.#next]
    }
    if (this.#next === first) return before
    const begun = ranges.slice(first, this.#next)
    return [...before, ...begun.filter(goesOn)]
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
    const next = this.#lastColumn + 1
    const place = r === undefined ? { row, column: next } : parseCell(r)
    if (place?.row !== row || place.column < next || place.column >= mostColumns) {
      const typed = (r ?? '').slice(0, 20)
      throw this.#archive.damage(`it has a cell "${typed}" in row ${row}, out of order`)
    }
    const { column } = place
    this.#lastColumn = column
    const columnStyle = this.#sheet.columnStyle(column)
    const styles = stylesOfCell(s, this.#rowStyle, columnStyle)
    this.#cell = new SheetCell(column, type, styles, this.#sheet.books)
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
      const cells = ref.slice(0, 40)
      throw this.#archive.damage(`the formula of cell ${this.#name} is for the cells "${cells}"`)
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
    const isInline = type === 'inlineStr'
    // A text in the other place than its type says is shown by some programs.
    const other = isInline ? value : inline
    if (other !== '') {
      throw this.#archive.damage(`cell ${this.#name} has a text that is not of its type`)
    }
    if (isInline) cell.value = inline
    if (type !== 's' || value === '') return cell.value.length
    const { texts } = this.#sheet.books
    const index = plainNumber(value) ?? Infinity
    if (index < texts.size) return texts.lengthAt(index)
    const typed = value.slice(0, 20)
    throw this.#archive.damage(
      `cell ${this.#name} refers to text "${typed}", which it does not have`,
    )
  }
}
