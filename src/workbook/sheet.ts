/**
 * One sheet of a workbook: its rows, and what hides their cells.
 *
 * An attribute that can be read in two ways is read as hiding the cell: a cell that is refused can be typed
 * in again, but a cell that is mistaken for another does harm. Rows, cells or columns out of order are
 * refused, and so is a sheet that shows something else than its cells' values.
 */
import { usageError } from '../errors.ts'
import { quoteAll } from '../safe-text.ts'
import { columnName, groupDigits } from '../words.ts'
import {
  mostColumns,
  mostRows,
  parseCell,
  parseRange,
  SheetRow,
  type CellRange,
  type CoveredRange,
  type SheetCell,
} from './cells.ts'
import { plainNumber, type Styles } from './styles.ts'
import {
  readXml,
  relationshipsOf,
  RichText,
  type Attributes,
  type XmlHandlers,
} from './xml.ts'
import type { Archive } from './zip.ts'

/** The advice for a workbook that cannot be read plainly. */
export const saveColumns = 'save its columns as a new workbook or as csv'

/** Points: a lower row shows nothing of a text. */
const leastHeight = 4
/** Characters: a narrower column shows nothing of a text. */
const leastWidth = 1
/** Characters of all cells of a sheet: a shared text counts in each cell that names it. */
const mostText = 1 << 28

export interface SheetPlace {
  name: string
  path: string
  isHidden: boolean
}

/** The parts of a workbook that its sheets share. */
export interface Book {
  archive: Archive
  /** Shared texts, with their escapes. */
  texts: readonly string[]
  styles: Styles
}

const conditionalNumbers = 'a conditional format that shows numbers in another way'

export class Sheet implements XmlHandlers {
  readonly name: string
  /** The rows that have a cell with a value or a formula, without `covers` until `finish`. */
  readonly rows: SheetRow[] = []
  readonly #path: string
  readonly #archive: Archive
  readonly #texts: readonly string[]
  readonly #styles: Styles
  /** Ranges of cells that cannot be used. */
  readonly #ranges: CoveredRange[] = []
  /** The columns that have a `col` element. */
  readonly #columns: { isHidden: boolean; style: string | undefined }[] = []
  #areRowsHidden = false
  #areColumnsHidden = false
  readonly #isHiddenColumn = (column: number) => {
    return this.#columns[column]?.isHidden ?? this.#areColumnsHidden
  }
  /** Why the whole sheet cannot be read: the words after "has". */
  #refusal: string | undefined
  #hasReachedRows = false
  /** Characters of its cells so far. */
  #length = 0
  /** The row that is being read, and its cells so far. */
  #row: { attributes: Attributes; line: number; cells: SheetCell[] } = {
    attributes: {},
    line: 0,
    cells: [],
  }
  /** The cell that is being read, or that was read last: its child elements and its value. */
  #cell = openCell({}, -1)
  readonly #richText: RichText

  /** Reads the rows of a sheet. Throws exit 2 for one that is damaged. */
  constructor({ archive, texts, styles }: Book, { name, path }: SheetPlace) {
    this.name = name
    this.#path = path
    this.#archive = archive
    this.#texts = texts
    this.#styles = styles
    this.#richText = new RichText(archive)
    readXml(archive, path, 'worksheet', this)
  }

  /** Finds the cells that cannot be used. Returns the rows. Throws exit 2 for a sheet that cannot be read plainly. */
  finish(): readonly SheetRow[] {
    for (const { type, path } of relationshipsOf(this.#archive, this.#path)) {
      if (type === 'pivotTable') this.#refusal = 'a pivot table'
      if (type === 'table' && path !== undefined) this.#takeTable(path)
    }
    if (this.#refusal !== undefined) {
      const what = `the sheet ${quoteAll([this.name])} of ${this.#archive.name} has ${this.#refusal}`
      throw usageError(what, saveColumns)
    }
    this.#coverRows()
    return this.rows
  }

  onOpen(name: string, attributes: Attributes) {
    switch (name) {
      case 'sheetFormatPr':
        return this.#takeSizes(name, attributes)
      case 'cols':
      case 'sheetData':
        return this.#beginSection(name)
      case 'col':
        return this.#takeColumn(attributes)
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
        return this.#richText.onOpen(name)
      case 'mergeCell':
        return this.#takeMerged(attributes)
      case 'cfRule':
        if (this.#styles.changesFormat(attributes['dxfId']))
          this.#refusal = conditionalNumbers
        return
      default:
        return this.#takeIcons(name, attributes)
    }
  }

  onClose(name: string, text: string) {
    if (name === 'v') this.#cell.value = text
    else if (name === 'c') this.#endCell()
    else if (name === 'row') this.#endRow()
    else this.#richText.onClose(name, text)
  }

  /** Looks for conditional formats in extensions, which are skipped. */
  onSkipped(name: string, attributes: Attributes) {
    if (name === 'numFmt') this.#refusal = conditionalNumbers
    else this.#takeIcons(name, attributes)
  }

  /** Throws exit 2 for a section after the rows, where some programs do not look. */
  #beginSection(name: string) {
    if (this.#hasReachedRows)
      throw this.#archive.ambiguous(`"${this.#path}" has <${name}> after its rows`)
    this.#hasReachedRows = name === 'sheetData'
  }

  #takeSizes(
    name: string,
    { zeroHeight, defaultRowHeight: height, defaultColWidth: width }: Attributes,
  ) {
    this.#beginSection(name)
    this.#areRowsHidden ||= isHiding(zeroHeight) || isTooSmall(height, leastHeight)
    this.#areColumnsHidden ||= isTooSmall(width, leastWidth)
  }

  #takeColumn({ min = '', max, hidden, width, style }: Attributes) {
    const from = Number(min) - 1
    const to = Math.min(Number(max), mostColumns)
    // Negated, so that a place that is not a number is refused too.
    if (!(from >= this.#columns.length && to > from)) {
      throw this.#archive.damage(`it has columns "${min.slice(0, 20)}" out of order`)
    }
    const isHidden = isHiding(hidden) || isTooSmall(width, leastWidth)
    const column = { isHidden, style }
    for (let n = from; n < to; n += 1) this.#columns[n] = column
  }

  #takeMerged({ ref = '' }: Attributes) {
    // A single cell cannot be merged.
    const range = ref.includes(':') ? parseRange(ref) : undefined
    if (range === undefined)
      throw this.#archive.damage(`"${ref.slice(0, 40)}" is not a range of cells`)
    this.#ranges.push({ ...range, cover: 'merged' })
  }

  #takeIcons(name: string, { showValue = '1' }: Attributes) {
    const isIcon = name === 'iconSet' || name === 'dataBar'
    if (isIcon && !['1', 'true', 'on'].includes(showValue))
      this.#refusal = 'icons or bars without their values'
  }

  /** Finds the total rows at the end of a table, which are not data. */
  #takeTable(path: string) {
    readXml(this.#archive, path, 'table', {
      onOpen: (_name, { ref = '', totalsRowCount = '0' }) => {
        const range = parseRange(ref)
        const totals = plainNumber(totalsRowCount) ?? 1
        if (range === undefined || totals === 0) return
        const { from, to } = range
        const row = Math.max(from.row, to.row - totals + 1)
        this.#ranges.push({ from: { ...from, row }, to, cover: 'total' })
      },
    })
  }

  /** Gives each row the ranges that have cells in it. Rows with the same ranges share one array. */
  #coverRows() {
    const ranges = this.#ranges.toSorted((one, other) => one.from.row - other.from.row)
    let next = 0
    let active: CoveredRange[] = []
    for (const row of this.rows) {
      const reachesRow = ({ to }: CellRange) => to.row >= row.line
      const firstNew = next
      while ((ranges[next]?.from.row ?? Infinity) <= row.line) next += 1
      if (next > firstNew || !active.every(reachesRow)) {
        active = [...active, ...ranges.slice(firstNew, next)].filter(reachesRow)
      }
      row.covers = active
    }
  }

  #beginRow(attributes: Attributes) {
    const { line: lineBefore } = this.#row
    // A row without a number follows the one before it.
    const { r: typed = String(lineBefore + 1) } = attributes
    const line = /^\d{1,8}$/.test(typed) ? Number(typed) : 0
    if (line <= lineBefore) {
      throw this.#archive.damage(`row "${typed.slice(0, 20)}" follows row ${lineBefore}`)
    }
    if (line > mostRows) {
      throw this.#archive.damage(`it has more than ${groupDigits(mostRows)} rows`)
    }
    this.#row = { attributes, line, cells: [] }
    this.#cell = openCell({}, -1)
  }

  #endRow() {
    const { attributes, line, cells } = this.#row
    const { hidden, ht: height } = attributes
    const hasOwnSize = hidden !== undefined || height !== undefined
    const isHidden = hasOwnSize
      ? isHiding(hidden) || isTooSmall(height, leastHeight)
      : this.#areRowsHidden
    if (cells.length === 0) return
    this.rows.push(new SheetRow(this.#isHiddenColumn, line, cells, isHidden))
  }

  #beginCell(attributes: Attributes) {
    const { r } = attributes
    const next = this.#cell.column + 1
    const { line: row } = this.#row
    const place = r === undefined ? { row, column: next } : parseCell(r)
    if (place?.row !== row || place.column < next || place.column >= mostColumns) {
      const typed = (r ?? '').slice(0, 20)
      throw this.#archive.damage(`it has a cell "${typed}" in row ${row}, out of order`)
    }
    this.#cell = openCell(attributes, place.column)
  }

  /** Begins `f`, `v` or `is`. */
  #beginPart(name: string, { t: type, ref = '' }: Attributes) {
    const { parts, column } = this.#cell
    if (parts.includes(name)) throw this.#damagedCell(`has <${name}> twice`)
    parts.push(name)
    if (type !== 'array' && type !== 'dataTable') return
    // The other cells of its range have results, but no formula of their own.
    const range = parseRange(ref)
    if (range?.from.row !== this.#row.line || range.from.column !== column)
      throw this.#damagedCell(`has a formula for the cells "${ref.slice(0, 40)}"`)
    this.#ranges.push({ ...range, cover: 'formula' })
  }

  #endCell() {
    const { attributes, column, parts } = this.#cell
    const { t: type = 'n', s: own } = attributes
    const raw = this.#valueOf(type)
    const hasFormula = parts.includes('f')
    if (raw === '' && !hasFormula) return
    this.#length += raw.length
    if (this.#length > mostText) throw this.#archive.tooLarge()
    const rowStyle = this.#row.attributes['s'] ?? '0'
    const columnStyle = this.#columns[column]?.style ?? '0'
    const shown = this.#styles.show(type, raw, own, [rowStyle, columnStyle])
    const result = parts.includes('v') ? 'saved' : 'unsaved'
    const formula = hasFormula ? result : undefined
    this.#row.cells.push({ column, formula, ...shown })
  }

  /** The value of the cell, which is where its type says: some programs show a text that is elsewhere. */
  #valueOf(type: string) {
    const { value } = this.#cell
    const text = this.#richText.finish()
    const isInline = type === 'inlineStr'
    if ((isInline ? value : text) !== '')
      throw this.#damagedCell('has a text that is not of its type')
    if (isInline) return text
    return type === 's' ? this.#sharedText(value) : value
  }

  #sharedText(index: string) {
    if (index === '') return ''
    const text = this.#texts[plainNumber(index) ?? -1]
    if (text !== undefined) return text
    throw this.#damagedCell(
      `refers to text "${index.slice(0, 20)}", which it does not have`,
    )
  }

  #damagedCell(what: string) {
    const name = `${columnName(this.#cell.column)}${this.#row.line}`
    return this.#archive.damage(`cell ${name} ${what}`)
  }
}

/** A cell without its child elements and its value. Column -1 is before the first one. */
function openCell(attributes: Attributes, column: number) {
  const parts: string[] = []
  return { attributes, column, parts, value: '' }
}

/** Whether a height or a width is too small to show a text. A malformed one is. */
function isTooSmall(text: string | undefined, least: number) {
  if (text === undefined) return false
  const isNumber = /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text)
  return !isNumber || Number(text) < least
}

/** Whether a program may read a value as yes. */
function isHiding(text: string | undefined) {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}
