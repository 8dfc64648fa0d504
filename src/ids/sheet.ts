/** The rows of one sheet of a workbook, as they stream in. */
import { usageError } from '../errors.ts'
import { columnName } from '../words.ts'
import { dateText, days1904, RunText, unescaped, type SharedTexts } from './cell-text.ts'
import { longestText, readXml, type Attributes, type XmlEvents } from './xml.ts'
import { damaged, type Archive } from './zip.ts'

const mostRows = 1 << 20
const mostColumns = 1 << 14
const longestRow = 8 << 20
/** Characters of the rows that stand in one chunk of the file, where thousands of cells can name one long text. */
const mostAtOnce = 64 << 20
/** Of all rows: each is read again for every cell that names it. */
const mostInSheet = 1 << 30

export interface SheetCell {
  readonly kind: 'text' | 'number' | 'date' | 'boolean' | 'error'
  /** What a csv file would have: of a number its own text (`5.07E+23`), of a date `2026-03-01` or `2026-03-01 10:15:00`. */
  readonly text: string
  /** As it stands in the file; of a date the day number of the calendar that begins in 1900. */
  readonly raw: string
  /** Then the text is the result that was saved with it, if any. */
  readonly isFormula: boolean
}

export interface SheetRow {
  /** Of the sheet, from 1. */
  readonly row: number
  /** By hand, by a filter, in a collapsed group, or as all rows of the sheet that have no height of their own. */
  readonly isHidden: boolean
  /** By column, from 0, ascending. Cells without a value are not there. */
  readonly cells: ReadonlyMap<number, SheetCell>
}

/** What cells refer to. */
export interface SheetBooks {
  readonly texts: SharedTexts
  readonly dateStyles: ReadonlySet<number>
  readonly is1904: boolean
}

/** Cells that are shown as one. Columns from 0, rows from 1. */
export interface Merged {
  readonly text: string
  readonly from: Cell
  readonly to: Cell
}

interface Cell {
  readonly column: number
  readonly row: number
}

const cellName = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/

function parseCell(text: string): Cell | undefined {
  const [, letters = '', digits] = cellName.exec(text) ?? []
  if (digits === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column > mostColumns || Number(digits) > mostRows ? undefined : { column: column - 1, row: Number(digits) }
}

export class Sheet {
  readonly name: string
  readonly #archive: Archive
  readonly #path: string
  readonly #books: SheetBooks
  readonly #hiddenColumns: { readonly from: number; readonly to: number }[] = []

  constructor(archive: Archive, { name, path }: { readonly name: string; readonly path: string }, books: SheetBooks) {
    this.name = name
    this.#archive = archive
    this.#path = path
    this.#books = books
  }

  /**
   * The rows with a value, from the first to the last. Throws exit 2 for a sheet that is damaged or beyond what a
   * spreadsheet can have. `onMerged` hears of merged cells, which a file names behind its rows.
   */
  async *rows(onMerged?: (merged: Merged) => void): AsyncGenerator<SheetRow> {
    this.#hiddenColumns.length = 0
    const rows = new RowReader(this.#archive.name, this.#books)
    let merged: Merged[] = []
    const events: XmlEvents = {
      onOpen: (name, attributes) => {
        if (name === 'col') this.#takeColumn(attributes)
        else if (name === 'mergeCell') merged.push(this.#parseMerged(attributes.ref ?? ''))
        else rows.onOpen(name, attributes)
      },
      onText: (text) => {
        rows.onText(text)
      },
      onClose: (name) => {
        rows.onClose(name)
      },
    }
    for await (const _ of readXml(this.#archive, this.#path, events)) {
      yield* rows.take()
      for (const cells of merged) onMerged?.(cells)
      merged = []
    }
  }

  /** Whether a column is hidden, as far as the rows have been read. */
  isColumnHidden(column: number): boolean {
    return this.#hiddenColumns.some(({ from, to }) => column >= from && column <= to)
  }

  #takeColumn({ min, max, hidden }: Attributes): void {
    if (!isTrue(hidden)) return
    if (this.#hiddenColumns.length === mostColumns) throw damaged(this.#archive.name, 'it names too many columns')
    this.#hiddenColumns.push({ from: Number(min) - 1, to: Number(max) - 1 })
  }

  #parseMerged(text: string): Merged {
    const [from, to] = text.split(':').map(parseCell)
    if (from === undefined || to === undefined) throw damaged(this.#archive.name, `"${text.slice(0, 40)}" are no cells`)
    return { text, from, to }
  }
}

function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on'
}

interface OpenCell {
  readonly column: number
  readonly type: string
  readonly style: number
  isFormula: boolean
  value: string
}

/** Puts rows together from tags. */
class RowReader implements XmlEvents {
  readonly #name: string
  readonly #books: SheetBooks
  readonly #run: RunText
  #rows: SheetRow[] = []
  #row: { readonly row: number; readonly isHidden: boolean; readonly cells: Map<number, SheetCell> } | undefined
  #areHidden = false
  #lastRow = 0
  #lastColumn = -1
  #length = 0
  #lengthAtOnce = 0
  #lengthOfAll = 0
  #cell: OpenCell | undefined
  #isValue = false

  constructor(name: string, books: SheetBooks) {
    this.#name = name
    this.#books = books
    this.#run = new RunText(name)
  }

  /** The rows that have ended since the last time. */
  take(): readonly SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    this.#lengthAtOnce = 0
    return rows
  }

  onOpen(name: string, attributes: Attributes): void {
    if (name === 'row') this.#beginRow(attributes)
    else if (name === 'sheetFormatPr') this.#areHidden = isTrue(attributes.zeroHeight)
    else if (name === 'c' && this.#row !== undefined) this.#beginCell(attributes, this.#row.row)
    else if (this.#cell === undefined) return
    else if (name === 'v') this.#isValue = true
    else if (name === 'f') this.#cell.isFormula = true
    else this.#run.onOpen(name)
  }

  onText(text: string): void {
    if (this.#cell === undefined) return
    if (!this.#isValue) {
      this.#run.onText(text)
      return
    }
    this.#cell.value += text
    if (this.#cell.value.length > longestText) throw usageError(`${this.#name} has a text of more than 1 MB`)
  }

  onClose(name: string): void {
    if (name === 'row') this.#endRow()
    else if (this.#cell === undefined) return
    else if (name === 'v') this.#isValue = false
    else if (name === 'c') this.#endCell(this.#cell)
    else this.#run.onClose(name)
  }

  #beginRow({ r, hidden, ht: height }: Attributes): void {
    const row = r === undefined ? this.#lastRow + 1 : Number(r)
    if (!(Number.isInteger(row) && row > this.#lastRow)) {
      throw damaged(this.#name, `row "${(r ?? '').slice(0, 20)}" follows row ${this.#lastRow}`)
    }
    if (row > mostRows) throw damaged(this.#name, `it has more than ${mostRows.toLocaleString('en-US')} rows`)
    const isHiddenByDefault = height === undefined ? this.#areHidden : Number(height) === 0
    this.#row = { row, isHidden: hidden === undefined ? isHiddenByDefault : isTrue(hidden), cells: new Map() }
    this.#lastRow = row
    this.#lastColumn = -1
    this.#length = 0
  }

  #endRow(): void {
    if (this.#row !== undefined && this.#row.cells.size > 0) this.#rows.push(this.#row)
    this.#row = undefined
  }

  #beginCell({ r, t = 'n', s }: Attributes, row: number): void {
    const place = r === undefined ? { row, column: this.#lastColumn + 1 } : parseCell(r)
    if (place?.row !== row || place.column <= this.#lastColumn || place.column >= mostColumns) {
      throw damaged(this.#name, `it has a cell "${(r ?? '').slice(0, 20)}" in row ${row}, out of order`)
    }
    this.#lastColumn = place.column
    this.#cell = { column: place.column, type: t, style: Number(s ?? 0), isFormula: false, value: '' }
  }

  #endCell(open: OpenCell): void {
    this.#cell = undefined
    this.#isValue = false
    const cell = this.#read(open)
    if (cell.raw === '' && !cell.isFormula) return
    this.#length += cell.text.length
    if (this.#length > longestRow) throw usageError(`${this.#name} has more than 8 MB in row ${this.#lastRow}`)
    this.#lengthAtOnce += cell.text.length
    this.#lengthOfAll += cell.text.length
    if (this.#lengthAtOnce > mostAtOnce || this.#lengthOfAll > mostInSheet) {
      throw usageError(
        `${this.#name} is too large: its cells name the same long texts again and again`,
        'save the column with the ids as a workbook or csv of its own',
      )
    }
    this.#row?.cells.set(open.column, cell)
  }

  #read({ type, style, value, column, isFormula }: OpenCell): SheetCell {
    const inline = this.#run.take()
    switch (type) {
      case 's': {
        const text = value === '' ? '' : this.#sharedText(value, column)
        return { kind: 'text', text, raw: text, isFormula }
      }
      case 'inlineStr':
        return { kind: 'text', text: inline, raw: inline, isFormula }
      case 'str': {
        const text = unescaped(value)
        return { kind: 'text', text, raw: text, isFormula }
      }
      case 'b':
        return { kind: 'boolean', text: value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE', raw: value, isFormula }
      case 'e':
        return { kind: 'error', text: value, raw: value, isFormula }
      case 'd':
        return { kind: 'date', text: value, raw: value, isFormula }
      default:
        return this.#number(value, style, isFormula)
    }
  }

  #sharedText(value: string, column: number): string {
    const index = /^\d{1,8}$/.test(value) ? Number(value) : Infinity
    if (index < this.#books.texts.size) return this.#books.texts.at(index)
    const cell = `${columnName(column)}${this.#lastRow}`
    throw damaged(this.#name, `cell ${cell} refers to text "${value.slice(0, 20)}", which it does not have`)
  }

  #number(value: string, style: number, isFormula: boolean): SheetCell {
    if (value !== '' && this.#books.dateStyles.has(style)) {
      const serial = Number(value) + (this.#books.is1904 ? days1904 : 0)
      const date = dateText(serial)
      if (date !== undefined) return { kind: 'date', text: date, raw: String(serial), isFormula }
    }
    return { kind: 'number', text: value, raw: value, isFormula }
  }
}
