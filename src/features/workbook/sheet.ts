/**
 * One sheet of a workbook: its rows, and what hides their cells.
 *
 * * Where an attribute can be read in two ways, the reading counts that hides: a cell that is refused can be
 * typed in again, one that was taken for another cannot. Rows, cells or columns out of order are refused,
 * and so is a sheet in which something else than a cell's value is drawn.
 */
import { usageError, type SvcError } from '../../errors.ts'
import type { CellUse, OriginRow, OriginSheet } from '../../input/row.ts'
import type { Cell } from '../../output/workbook.ts'
import { quoteAll } from '../../safe-text.ts'
import { columnName, groupDigits } from '../../words.ts'
import { mostColumns, mostRows, parseCell, parseRange, type CellRange } from './cells.ts'
import { plainNumber, type Shown, type Styles } from './styles.ts'
import { RunText } from './texts.ts'
import { serialOf } from './writer.ts'
import { readXml, relationshipsOf, type Attributes, type XmlHandlers } from './xml.ts'
import type { Archive } from './zip.ts'

/** The way out of a workbook that is not plain. */
export const saveColumns = 'save its columns as a new workbook or as csv'

/** In points and characters: what is lower or narrower shows nothing of a text. */
const leastHeight = 4
const leastWidth = 1
/** Characters of all cells of a sheet: a shared text counts in each cell that names it. */
const mostText = 1 << 28

export interface SheetPlace {
  readonly name: string
  readonly path: string
}

/** A workbook as its sheets need it. */
export interface Book {
  readonly archive: Archive
  /** Shared texts, with their escapes. */
  readonly texts: readonly string[]
  readonly styles: Styles
}

interface SheetColumn {
  readonly isHidden: boolean
  readonly style: string | undefined
}

export class Sheet implements XmlHandlers, OriginSheet {
  readonly name: string
  readonly #path: string
  readonly #archive: Archive
  /** Those that have a cell with a value or a formula. */
  readonly rows: SheetRow[] = []
  readonly #ranges: CoveredRange[] = []
  /** Those that have an entry of their own. */
  readonly #columns: SheetColumn[] = []
  readonly #book: Book
  /** The one thing that makes all of it unfit to be read. */
  #oddity: string | undefined
  #areRowsHidden = false
  #areColumnsHidden = false
  #hasRows = false
  readonly #run: RunText
  #row: Attributes = {}
  #line = 0
  #cells: SheetCell[] = []
  #column = -1
  #cell: Attributes = {}
  /** Elements of the cell, and its value. */
  #parts: string[] = []
  #value = ''
  #length = 0

  /** Reads the rows of a sheet. Throws exit 2 for one that is damaged. */
  constructor(book: Book, { name, path }: SheetPlace) {
    this.name = name
    this.#path = path
    this.#archive = book.archive
    this.#book = book
    this.#run = new RunText(book.archive)
    readXml(book.archive, path, 'worksheet', this)
  }

  /** Finds out which cells decide nothing. Throws exit 2 for a sheet that is not plain. */
  judge(): this {
    for (const { type, path } of relationshipsOf(this.#archive, this.#path)) {
      if (type === 'pivotTable') this.#oddity = 'a pivot table'
      if (type === 'table' && path !== undefined) this.#takeTable(path)
    }
    if (this.#oddity !== undefined) {
      const what = `the sheet ${quoteAll([this.name])} of ${this.#archive.name} has ${this.#oddity}`
      throw usageError(what, saveColumns)
    }
    this.#coverRows()
    return this
  }

  hiddenColumn(column: number): string | undefined {
    const { isHidden = this.#areColumnsHidden } = this.#columns[column] ?? {}
    return isHidden ? 'in a hidden column; show the column' : undefined
  }

  onOpen(name: string, attributes: Attributes): void {
    switch (name) {
      case 'sheetFormatPr':
        this.#refuseBehindRows(name)
        return this.#takeDefaults(attributes)
      case 'cols':
        return this.#refuseBehindRows(name)
      case 'col':
        return this.#takeColumn(attributes)
      case 'sheetData':
        this.#refuseBehindRows(name)
        this.#hasRows = true
        return
      case 'row':
        return this.#beginRow(attributes)
      case 'c':
        return this.#beginCell(attributes)
      case 'f':
      case 'v':
      case 'is':
        return this.#beginPart(name, attributes)
      case 'r':
      case 't':
        return this.#run.onOpen(name)
      default:
        return this.#takeOther(name, attributes)
    }
  }

  onClose(name: string, text: string): void {
    if (name === 'v') this.#value = text
    else if (name === 'c') this.#endCell(this.#cell)
    else if (name === 'row') this.#endRow(this.#row)
    else this.#run.onClose(name, text)
  }

  /** Conditional formats of an extension name their cells in other ways. */
  onSkipped(name: string, { showValue }: Attributes): void {
    if (name === 'numFmt') this.#oddity = conditionalNumbers
    else this.#takeIcons(name, showValue)
  }

  #refuseBehindRows(name: string): void {
    if (this.#hasRows)
      throw this.#archive.ambiguous(`"${this.#path}" has <${name}> after its rows`)
  }

  #takeDefaults(attributes: Attributes): void {
    const { zeroHeight, defaultRowHeight: height, defaultColWidth: width } = attributes
    this.#areRowsHidden ||= isHiding(zeroHeight) || !isOfSize(height, leastHeight)
    this.#areColumnsHidden ||= !isOfSize(width, leastWidth)
  }

  #takeColumn({ min = '', max, hidden, width, style }: Attributes): void {
    const from = Number(min) - 1
    const to = Math.min(Number(max), mostColumns)
    if (!(from >= this.#columns.length && to > from)) {
      throw this.#archive.damage(`it has columns "${min.slice(0, 20)}" out of order`)
    }
    const isHidden = isHiding(hidden) || !isOfSize(width, leastWidth)
    const column = { isHidden, style }
    for (let n = from; n < to; n += 1) this.#columns[n] = column
  }

  #takeOther(name: string, attributes: Attributes): void {
    const { ref, dxfId, showValue } = attributes
    if (name === 'mergeCell') this.#takeMerged(ref ?? '')
    else if (name !== 'cfRule') this.#takeIcons(name, showValue)
    else if (this.#book.styles.changesFormat(dxfId)) this.#oddity = conditionalNumbers
  }

  #takeMerged(text: string): void {
    // One cell cannot be merged.
    const range = text.includes(':') ? parseRange(text) : undefined
    if (range === undefined)
      throw this.#archive.damage(`"${text.slice(0, 40)}" are not cells`)
    this.#cover('merged', range)
  }

  #takeIcons(name: string, showValue: string | undefined): void {
    if (name !== 'iconSet' && name !== 'dataBar') return
    const isShown = showValue === undefined || ['1', 'true', 'on'].includes(showValue)
    if (!isShown) this.#oddity = 'icons or bars without their values'
  }

  /** The last rows of a table can be its totals, which are no data. */
  #takeTable(path: string): void {
    readXml(this.#archive, path, 'table', {
      onOpen: (_name, { ref = '', totalsRowCount = '0' }) => {
        const range = parseRange(ref)
        const totals = plainNumber(totalsRowCount) ?? 1
        if (range === undefined || totals === 0) return
        const row = Math.max(range.from.row, range.to.row - totals + 1)
        this.#cover('total', { from: { ...range.from, row }, to: range.to })
      },
    })
  }

  #cover(cover: Cover, { from, to }: CellRange): void {
    this.#ranges.push({ from, to, cover })
  }

  /** Gives each row the ranges that have cells in it: the same array to rows that have the same ones. */
  #coverRows(): void {
    const ranges = this.#ranges.toSorted((one, other) => one.from.row - other.from.row)
    let next = 0
    let begun: CoveredRange[] = []
    for (const row of this.rows) {
      const goesOn = ({ to }: CellRange): boolean => to.row >= row.line
      const first = next
      while ((ranges[next]?.from.row ?? Infinity) <= row.line) next += 1
      if (next > first || !begun.every(goesOn)) {
        begun = [...begun, ...ranges.slice(first, next)].filter(goesOn)
      }
      row.covers = begun
    }
  }

  #beginRow(attributes: Attributes): void {
    // A row follows the one before it when it has no number.
    const { r: typed = String(this.#line + 1) } = attributes
    const line = /^\d{1,8}$/.test(typed) ? Number(typed) : 0
    if (line <= this.#line) {
      throw this.#archive.damage(`row "${typed.slice(0, 20)}" follows row ${this.#line}`)
    }
    if (line > mostRows) {
      throw this.#archive.damage(`it has more than ${groupDigits(mostRows)} rows`)
    }
    this.#row = attributes
    this.#line = line
    this.#cells = []
    this.#column = -1
  }

  #endRow({ hidden, ht: height }: Attributes): void {
    const isSaid = hidden !== undefined || height !== undefined
    const isHidden = isSaid
      ? isHiding(hidden) || !isOfSize(height, leastHeight)
      : this.#areRowsHidden
    if (this.#cells.length === 0) return
    this.rows.push(new SheetRow(this, this.#line, { stored: this.#cells, isHidden }))
  }

  #beginCell(attributes: Attributes): void {
    const { r } = attributes
    const next = this.#column + 1
    const row = this.#line
    const place = r === undefined ? { row, column: next } : parseCell(r)
    if (place?.row !== row || place.column < next || place.column >= mostColumns) {
      const typed = (r ?? '').slice(0, 20)
      throw this.#archive.damage(`it has a cell "${typed}" in row ${row}, out of order`)
    }
    this.#column = place.column
    this.#cell = attributes
    this.#parts = []
    this.#value = ''
  }

  /** `f`, `v` or `is`. */
  #beginPart(name: string, { t: type, ref = '' }: Attributes): void {
    if (this.#parts.includes(name)) throw this.#damagedCell(`has <${name}> twice`)
    this.#parts.push(name)
    if (type !== 'array' && type !== 'dataTable') return
    // Its other cells have results without a formula of their own.
    const range = parseRange(ref)
    if (range?.from.row === this.#line && range.from.column === this.#column) {
      return this.#cover('formula', range)
    }
    throw this.#damagedCell(`has a formula for the cells "${ref.slice(0, 40)}"`)
  }

  #endCell({ t: type = 'n', s: own }: Attributes): void {
    const inline = this.#run.take()
    const isInline = type === 'inlineStr'
    // A text in the other place than its type says is shown by some programs.
    const other = isInline ? this.#value : inline
    if (other !== '') throw this.#damagedCell('has a text that is not of its type')
    const raw = isInline
      ? inline
      : type === 's'
        ? this.#sharedText(this.#value)
        : this.#value
    const formula = formulaOf(this.#parts)
    if (raw === '' && formula === undefined) return
    this.#length += raw.length
    if (this.#length > mostText) throw this.#archive.tooLarge()
    const column = this.#column
    const around = [this.#row['s'] ?? '0', this.#columns[column]?.style ?? '0']
    const shown = this.#book.styles.show(type, raw, own, around)
    this.#cells.push({ column, formula, ...shown })
  }

  #sharedText(index: string): string {
    if (index === '') return ''
    const text = this.#book.texts[plainNumber(index) ?? -1]
    if (text !== undefined) return text
    throw this.#damagedCell(
      `refers to text "${index.slice(0, 20)}", which it does not have`,
    )
  }

  #damagedCell(what: string): SvcError {
    return this.#archive.damage(`cell ${columnName(this.#column)}${this.#line} ${what}`)
  }
}

const conditionalNumbers = 'a conditional format that shows numbers in another way'

/** Whether a height or a width shows something; one that no program could have written does not. */
function isOfSize(text: string | undefined, least: number): boolean {
  if (text === undefined) return true
  const isNumber = /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text)
  return isNumber && Number(text) >= least
}

/** Whether a program may take a word for yes. */
function isHiding(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}

/** A cell with a value or a formula. */
interface SheetCell extends Shown {
  /** From 0. */
  readonly column: number
  /** Whether it is a formula, and the text the result that was saved with it, or a formula without its result. */
  readonly formula: 'saved' | 'unsaved' | undefined
}

/** `parts`: the elements of a cell. */
function formulaOf(parts: readonly string[]): SheetCell['formula'] {
  if (!parts.includes('f')) return undefined
  return parts.includes('v') ? 'saved' : 'unsaved'
}

const formulaReasons = {
  saved: 'a formula, whose result may be out of date; paste the column as values',
  unsaved: 'a formula without its result: open and save it in a spreadsheet',
}

const taken: Readonly<Record<CellUse, readonly Shown['kind'][]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number', 'phone'],
  value: ['text', 'number', 'date', 'boolean'],
}

const otherKinds: Readonly<Record<Shown['kind'], string | undefined>> = {
  text: undefined,
  number:
    'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone:
    'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}

/** Why the cells of a range are not plain. */
type Cover = 'merged' | 'formula' | 'total'

const coverReasons: Readonly<Record<Cover, string>> = {
  merged: 'in merged cells, which show only the first one; unmerge them',
  formula: 'a result of a formula for several cells; paste the column as values',
  total: 'in the total row of a table',
}

interface CoveredRange extends CellRange {
  readonly cover: Cover
}

class SheetRow implements OriginRow {
  readonly line: number
  /** In their order. */
  readonly #stored: readonly SheetCell[]
  readonly #isHidden: boolean
  /** Ranges that have cells in it which are not plain. */
  covers: readonly CoveredRange[] = []
  readonly #sheet: Sheet

  constructor(
    sheet: Sheet,
    line: number,
    row: { readonly stored: readonly SheetCell[]; readonly isHidden: boolean },
  ) {
    this.#sheet = sheet
    this.line = line
    this.#stored = row.stored
    this.#isHidden = row.isHidden
  }

  get cells(): string[] {
    const texts: string[] = []
    for (const { column, text } of this.#stored) texts[column] = text
    return texts
  }

  cell(column: number): string {
    return `${columnName(column)}${this.line}`
  }

  value(column: number): Cell {
    const { kind, text = '' } = this.#at(column) ?? {}
    // In another spelling it is shown with zeros before it, or has more digits than a number can.
    if (kind === 'number' && String(Number(text)) === text)
      return { kind, raw: Number(text) }
    if (kind !== 'date') return text
    const [day = '', time] = text.split(' ')
    const raw = serialOf(Date.parse(`${day}T${time ?? '00:00:00'}Z`))
    return raw === undefined ? text : { kind: time === undefined ? 'day' : 'time', raw }
  }

  isTotal(column: number): boolean {
    return this.#isIn('total', column)
  }

  hasMore(column: number): boolean {
    return this.#isIn('merged', column) || this.#at(column)?.formula === 'unsaved'
  }

  unfit(column: number, use: CellUse): string | undefined {
    const hidden = this.#sheet.hiddenColumn(column)
    if (hidden !== undefined) return hidden
    if (this.#isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    const cell = this.#at(column)
    if (cell?.formula !== undefined) return formulaReasons[cell.formula]
    const range = this.covers.find((one) => this.#isCovered(one, column))
    if (range !== undefined) return coverReasons[range.cover]
    if (cell === undefined) return undefined
    return taken[use].includes(cell.kind) ? cell.problem : otherKinds[cell.kind]
  }

  #at(column: number): SheetCell | undefined {
    return this.#stored.find((one) => one.column === column)
  }

  #isIn(cover: Cover, column: number): boolean {
    return this.covers.some(
      (range) => range.cover === cover && this.#isCovered(range, column),
    )
  }

  /** Merged cells show the first one. */
  #isCovered({ from, to, cover }: CoveredRange, column: number): boolean {
    const isFirst = cover === 'merged' && column === from.column && this.line === from.row
    return column >= from.column && column <= to.column && !isFirst
  }
}
