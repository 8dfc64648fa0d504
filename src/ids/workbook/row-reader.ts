/** Puts the rows of a sheet together from the tags of its XML. */
import { usageError } from '../../errors.ts'
import { columnName } from '../../words.ts'
import { dateText, days1904, hasNeedlessEscape, isDay, isTrue, RunText, unescaped } from './cell-text.ts'
import type { SharedTexts, Styles } from './cell-text.ts'
import { longestText, type Attributes, type XmlEvents, type XmlPlace } from './xml.ts'
import type { Archive } from './zip.ts'

const mostRows = 1 << 20
export const mostColumns = 1 << 14
const longestRow = 8 << 20
/** Characters of the rows that stand in one chunk of the file, where thousands of cells can name one long text. */
const mostAtOnce = 64 << 20
/** Of all rows: each is read again for every cell that names it. */
const mostInSheet = 1 << 30

export interface SheetCell {
  readonly kind: 'text' | 'number' | 'date' | 'boolean' | 'error'
  /** What a csv file would have: of a number its own text (`5.07E+23`), of a date `2026-03-01` or `2026-03-01 10:15:00`. */
  readonly text: string
  /** As it is in the file; of a date the day number of the calendar that begins in 1900. */
  readonly raw: string
  /** Then the text is the result that was saved with it, if any. */
  readonly isFormula: boolean
  /** Why a person may see nothing, or something else, in its place. */
  readonly unseen?: string | undefined
}

export interface SheetRow {
  /** Of the sheet, from 1. */
  readonly row: number
  /** By hand, by a filter, in a collapsed group, by no height, or as all rows of the sheet that have no height of their own. */
  readonly isHidden: boolean
  /** By column, from 0, ascending. Cells without a value are not there. */
  readonly cells: ReadonlyMap<number, SheetCell>
  readonly extent: RowExtent
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

/** Columns from 0, rows from 1. */
export interface Cell {
  readonly column: number
  readonly row: number
}

const rowNumber = /^[1-9]\d{0,6}$/

export function parseCell(text: string): Cell | undefined {
  let [column, at] = [0, 0]
  for (; at < 3; at += 1) {
    const letter = text.charCodeAt(at) - 64
    if (!(letter >= 1 && letter <= 26)) break
    column = column * 26 + letter
  }
  const row = rowNumber.test(text.slice(at)) ? Number(text.slice(at)) : Infinity
  return column === 0 || column > mostColumns || row > mostRows ? undefined : { column: column - 1, row }
}

/** `A1:B2`, or one cell. */
export function parseCells(text: string): readonly [from: Cell, to: Cell] | undefined {
  const [from, to = from] = text.split(':').map(parseCell)
  if (from === undefined || to === undefined || to.row < from.row || to.column < from.column) return undefined
  return [from, to]
}

/** In points and characters: what is lower or narrower shows nothing of a text. */
const leastHeight = 4
export const leastWidth = 1

export function isOfSize(text: string | undefined, least: number): boolean {
  return text === undefined || (/^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) && Number(text) >= least)
}

/** Whatever a program may take for yes. */
export function isHiding(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}

interface OpenCell extends Cell {
  readonly type: string
  readonly style: number
  isFormula: boolean
  value: string
  /** Which of its elements it has, by their names. */
  parts: string
}

function nameOf({ column, row }: Cell): string {
  return `${columnName(column)}${row}`
}

export class RowReader implements XmlEvents {
  readonly #archive: Archive
  readonly #books: SheetBooks
  readonly #run: RunText
  #rows: SheetRow[] = []
  #row: (SheetRow & { readonly cells: Map<number, SheetCell> }) | undefined
  #areHidden = false
  /** By column: the last row of the array formula or data table that a cell there belongs to. */
  readonly #arrays = new Uint32Array(mostColumns)
  #lastRow = 0
  #lastColumn = -1
  #length = 0
  #lengthAtOnce = 0
  #lengthOfAll = 0
  #cell: OpenCell | undefined
  #isValue = false

  constructor(archive: Archive, books: SheetBooks) {
    this.#archive = archive
    this.#books = books
    this.#run = new RunText(archive)
  }

  /** The rows that have ended since the last time. */
  take(): readonly SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    this.#lengthAtOnce = 0
    return rows
  }

  onOpen(name: string, attributes: Attributes, place: XmlPlace): void {
    if (name === 'row') this.#beginRow(attributes, place.position)
    else if (name === 'sheetFormatPr') {
      const { zeroHeight, defaultRowHeight } = attributes
      this.#areHidden = isHiding(zeroHeight) || !isOfSize(defaultRowHeight, leastHeight)
    } else if (name === 'c' && this.#row !== undefined) this.#beginCell(attributes, this.#row.row)
    else if (this.#cell === undefined) return
    else if (name === 't' || name === 'r') this.#run.onOpen(name)
    else this.#beginPart(this.#cell, name, attributes)
  }

  /** `f`, `v` or `is`. */
  #beginPart(cell: OpenCell, name: string, { t: type, ref = '' }: Attributes): void {
    if (cell.parts.includes(name)) throw this.#archive.damaged(`cell ${nameOf(cell)} has <${name}> twice`)
    cell.parts += name
    if (name === 'v') this.#isValue = true
    else if (name === 'f') {
      cell.isFormula = true
      if (type === 'array' || type === 'dataTable') this.#takeArray(cell, ref)
    }
  }

  /** Its other cells have results without a formula of their own. */
  #takeArray(cell: OpenCell, ref: string): void {
    const { column } = cell
    const [from, to] = parseCells(ref) ?? []
    if (from?.row !== cell.row || from.column !== column || to === undefined)
      throw this.#archive.damaged(`the formula of cell ${nameOf(cell)} is for the cells "${ref.slice(0, 40)}"`)
    this.#archive.count(to.column - column + 1)
    for (let at = column; at <= to.column; at += 1) this.#arrays[at] = Math.max(this.#arrays[at] ?? 0, to.row)
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

  #beginRow({ r, hidden, ht: height }: Attributes, from: number): void {
    const row = r === undefined ? this.#lastRow + 1 : /^\d{1,8}$/.test(r) ? Number(r) : 0
    if (row <= this.#lastRow) {
      throw this.#archive.damaged(`row "${(r ?? '').slice(0, 20)}" follows row ${this.#lastRow}`)
    }
    if (row > mostRows) throw this.#archive.damaged(`it has more than ${mostRows.toLocaleString('en-US')} rows`)
    const isHiddenByDefault = hidden === undefined && height === undefined && this.#areHidden
    const isHidden = isHiding(hidden) || isHiddenByDefault || !isOfSize(height, leastHeight)
    this.#row = { row, isHidden, cells: new Map(), extent: { from, to: from, width: 0 } }
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
    this.#rows.push(row)
  }

  #beginCell({ r, t = 'n', s = '0' }: Attributes, row: number): void {
    const place = r === undefined ? { row, column: this.#lastColumn + 1 } : parseCell(r)
    if (place?.row !== row || place.column <= this.#lastColumn || place.column >= mostColumns) {
      throw this.#archive.damaged(`it has a cell "${(r ?? '').slice(0, 20)}" in row ${row}, out of order`)
    }
    this.#lastColumn = place.column
    const style = s === '0' ? 0 : /^\d{1,6}$/.test(s) ? Number(s) : NaN
    const isFormula = (this.#arrays[place.column] ?? 0) >= row
    this.#cell = { column: place.column, row, type: t, style, isFormula, value: '', parts: '' }
  }

  #endCell(open: OpenCell): void {
    this.#cell = undefined
    this.#isValue = false
    const cell = open.parts === '' && !open.isFormula ? undefined : this.#read(open)
    // Thousands of empty ones take a few bytes of an archive.
    if (cell === undefined || (cell.raw === '' && !cell.isFormula)) return this.#archive.count(3)
    const { length } = cell.raw
    this.#length += length
    if (this.#length > longestRow) throw usageError(`${this.#archive.name} has more than 8 MB in row ${open.row}`)
    this.#lengthAtOnce += length
    this.#lengthOfAll += length
    if (this.#lengthAtOnce > mostAtOnce || this.#lengthOfAll > mostInSheet)
      throw this.#archive.tooLarge('its cells name the same long texts again and again')
    this.#row?.cells.set(open.column, cell)
  }

  #read(open: OpenCell): SheetCell {
    const { type, value, isFormula } = open
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
      case 'b':
        return { kind: 'boolean', text: value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE', raw: value, isFormula }
      case 'e':
        return { kind: 'error', text: value, raw: value, isFormula }
      case 'd':
        return { kind: 'date', text: value, raw: value, isFormula }
      default:
        return this.#number(open)
    }
  }

  #text({ style, isFormula }: OpenCell, escaped: string): SheetCell {
    const text = unescaped(escaped)
    const unseen = hasNeedlessEscape(escaped)
      ? 'written with escapes, which programs show in different ways; type it in again'
      : this.#books.styles.unseen.has(style)
        ? 'in a number format that shows nothing or something else; give the cell the format Text'
        : undefined
    return { kind: 'text', text, raw: text, isFormula, unseen }
  }

  #sharedText(cell: OpenCell): string {
    const { value } = cell
    const index = /^\d{1,8}$/.test(value) ? Number(value) : Infinity
    if (index < this.#books.texts.size) return this.#books.texts.at(index)
    throw this.#archive.damaged(`cell ${nameOf(cell)} refers to text "${value.slice(0, 20)}", which it does not have`)
  }

  #number({ value, style, isFormula }: OpenCell): SheetCell {
    if (value !== '' && this.#books.styles.dates.has(style)) {
      const serial = Number(value) + (this.#books.is1904 ? days1904 : 0)
      if (isDay(serial)) {
        return {
          kind: 'date',
          raw: String(serial),
          isFormula,
          // Made for the columns that are looked at.
          get text() {
            return dateText(serial)
          },
        }
      }
    }
    return { kind: 'number', text: value, raw: value, isFormula }
  }
}
