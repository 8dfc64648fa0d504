/**
 * One sheet of a workbook. It is parsed twice: what stands before and behind its rows says how they are shown, so all of it is known
 * before the first row is read. `workbook.ts` opens the one that is meant; `input/sheet.ts` takes its rows.
 *
 * Whatever may hide a cell, or show something else there, becomes a range with a reason. Where an attribute can be read in two ways, the reading
 * counts that hides: a cell that is refused can be typed in again, one that was taken for another cannot.
 */
import { usageError, type SvcError } from '../errors.ts'
import { quoteAll } from '../safe-text.ts'
import {
  columnsRange,
  rowsRange,
  mostColumns,
  parseRange,
  type Cover,
  type CoveredRange,
  type Range,
} from './cells.ts'
import { relationshipsOf, closedShape, open, readXml, sheetSpaces, type Attributes } from './xml.ts'
import { RowReader, type OnSheetRow } from './row-reader.ts'
import type { Books, SheetRow } from './rows.ts'
import { plainNumber } from './styles.ts'
import { richText } from './texts.ts'
import type { Archive } from './zip.ts'

/** In points and characters: what is lower or narrower shows nothing of a text. */
const leastHeight = 4
const leastWidth = 1
const cell = closedShape({
  f: closedShape(),
  v: closedShape(),
  is: closedShape(richText),
  extLst: 'skipped',
})
const part = {
  spaces: sheetSpaces,
  root: 'worksheet',
  shape: open({
    dimension: open(),
    sheetFormatPr: open(),
    cols: closedShape({ col: closedShape() }),
    sheetData: closedShape({ row: closedShape({ c: cell, extLst: 'skipped' }) }),
    mergeCells: closedShape({ mergeCell: closedShape() }),
    conditionalFormatting: open({ cfRule: open({ iconSet: open(), dataBar: open() }) }),
    autoFilter: open(),
    tableParts: open(),
  }),
}
const tablePart = { spaces: sheetSpaces, root: 'table', shape: open() }

/** `at`: behind it, in the text of its part. */
export interface SheetTag {
  readonly name: string
  /** Undefined at the end of an element. */
  readonly attributes: Attributes | undefined
  readonly at: number
}

const tagged = ['dimension', 'cols', 'col', 'sheetData', 'autoFilter']

/** Place of the name of a filter's cells in the part of the workbook: from behind its first tag to behind its last. */
export interface FilterName {
  readonly part: string
  readonly from: number
  readonly to: number
}

export interface SheetPlace {
  readonly name: string
  readonly path: string
  readonly filterName: FilterName | undefined
}

export class Sheet {
  readonly name: string
  readonly path: string
  readonly books: Books
  readonly filterName: FilterName | undefined
  /** Whether some of its columns are a table of their own: sorting moves those alone. */
  hasTables = false
  /** Those that say how far its rows reach, how wide its columns are, and what is filtered. */
  readonly tags: SheetTag[] = []
  /** Ranges of cells that are not plain, by their first rows. */
  readonly ranges: CoveredRange[] = []
  readonly archive: Archive
  readonly #rowGroups = new Groups()
  readonly #columnGroups = new Groups()
  /** By column. */
  readonly #columnStyles: string[] = []
  #areRowsHidden = false
  /** Cells of the conditional format that is read. */
  #formatted = ''
  #lastRow = 0
  #hasRows = false

  private constructor(archive: Archive, { name, path, filterName }: SheetPlace, books: Books) {
    this.name = name
    this.path = path
    this.filterName = filterName
    this.books = books
    this.archive = archive
  }

  /** Reads how the rows of the sheet are shown. Throws exit 2, also for a pivot table, which programs draw anew in their own sizes. */
  static open(archive: Archive, place: SheetPlace, books: Books): Sheet {
    const sheet = new Sheet(archive, place, books)
    readXml(archive, place.path, part, {
      onOpen: (name, attributes, { position }) => sheet.#take(name, attributes, position),
      onClose: (name, { position: at }) => {
        if (name === 'cols') sheet.tags.push({ name, attributes: undefined, at })
      },
      onSkipped: (name, { showValue }) => {
        if (name === 'sheetData') throw sheet.#rowsTwice()
        // Conditional formats of an extension name their cells in other ways.
        if (name === 'numFmt') sheet.#cover('formatted', columnsRange())
        if (isOfValues(name) && isHidingValue(showValue)) sheet.#cover('icons', columnsRange())
      },
    })
    for (const { type, path } of relationshipsOf(archive, place.path)) {
      if (type === 'pivotTable') {
        const what = `the sheet ${quoteAll([place.name])} of ${archive.name} has a pivot table`
        throw usageError(what, 'save its columns as a new workbook or as csv')
      }
      if (type === 'table' && path !== undefined) sheet.#takeTable(path)
    }
    for (const { from, to } of sheet.#rowGroups.collapsed) {
      sheet.#cover('collapsed', rowsRange(from, to))
    }
    for (const { from, to } of sheet.#columnGroups.collapsed) {
      sheet.#cover('collapsed', columnsRange(from - 1, to - 1))
    }
    sheet.ranges.sort((one, other) => one.from.row - other.from.row)
    return sheet
  }

  /** The first rows with a value, as they are stored: for telling what the sheet is about. Throws exit 2. */
  static firstRows(archive: Archive, place: SheetPlace, books: Books, most: number): SheetRow[] {
    const first: SheetRow[] = []
    const isEnough = new Error('enough rows')
    try {
      new Sheet(archive, place, books).rows('', (row) => {
        if (first.push(row) === most) throw isEnough
      })
    } catch (error) {
      if (error !== isEnough) throw error
    }
    return first
  }

  isColumnHidden(column: number): boolean {
    return this.ranges.some(
      ({ from, to, cover }) => cover === 'hidden' && column >= from.column && column <= to.column,
    )
  }

  columnStyle(column: number): string | undefined {
    return this.#columnStyles[column]
  }

  isRowHidden({ hidden, ht: height }: Attributes): boolean {
    const isHiddenByDefault = hidden === undefined && height === undefined && this.#areRowsHidden
    return isHiding(hidden) || isHiddenByDefault || !isOfSize(height, leastHeight)
  }

  /** Hands over the rows with a value, from the first to the last. `prefix`: stands in front of the names of cells. Throws exit 2 for a sheet that is damaged. */
  rows(prefix: string, onRow: OnSheetRow): void {
    readXml(this.archive, this.path, part, new RowReader(this.archive, this, prefix, onRow))
  }

  /** Notes that these cells are not plain. */
  #cover(cover: Cover, { from, to }: Range): void {
    this.ranges.push({ from, to, cover })
  }

  /** Takes an element. `at`: behind its tag. */
  #take(name: string, attributes: Attributes, at: number): void {
    this.hasTables ||= name === 'tableParts'
    if (tagged.includes(name)) this.tags.push({ name, attributes, at })
    switch (name) {
      case 'row':
        return this.#takeRow(attributes)
      case 'sheetData':
        if (this.#hasRows) throw this.#rowsTwice()
        this.#hasRows = true
        return
      case 'sheetFormatPr':
        return this.#takeDefaults(attributes)
      case 'col':
        return this.#takeColumn(attributes)
      case 'mergeCell':
        return this.#takeMerged(attributes.ref ?? '')
      default:
        this.#takeConditional(name, attributes)
    }
  }

  #takeConditional(name: string, attributes: Attributes): void {
    if (name === 'conditionalFormatting') {
      this.#formatted = attributes.sqref ?? ''
    } else if (name === 'cfRule') {
      if (this.books.styles.changesFormat(attributes.dxfId)) this.#coverFormatted('formatted')
    } else if (isOfValues(name) && isHidingValue(attributes.showValue)) {
      this.#coverFormatted('icons')
    }
  }

  #rowsTwice(): SvcError {
    return this.archive.ambiguous(`"${this.path}" may have its rows in two places`)
  }

  #coverFormatted(cover: Cover): void {
    for (const ref of this.#formatted.split(' ')) {
      this.#cover(cover, parseRange(ref) ?? columnsRange())
    }
  }

  /** Rows out of order are refused when they are read. */
  #takeRow({ r, outlineLevel, collapsed }: Attributes): void {
    const row = r === undefined ? this.#lastRow + 1 : Number(r)
    this.#rowGroups.take({ from: row, to: row }, outlineLevel, isHiding(collapsed))
    this.#lastRow = row
  }

  #takeDefaults({
    zeroHeight,
    defaultRowHeight: height,
    defaultColWidth: width,
  }: Attributes): void {
    this.#areRowsHidden ||= isHiding(zeroHeight) || !isOfSize(height, leastHeight)
    if (!isOfSize(width, leastWidth)) this.#cover('hidden', columnsRange())
  }

  #takeColumn(attributes: Attributes): void {
    const { min = '', max, hidden, width, style, outlineLevel, collapsed } = attributes
    const from = Number(attributes.min) - 1
    const to = Math.min(Number(max), mostColumns) - 1
    const isRange = from >= 0 && to >= from
    if (!isRange) throw this.archive.damage(`it has columns "${min.slice(0, 20)}"`)
    if (this.tags.length > 2 * mostColumns) throw this.archive.damage('it names too many columns')
    if (isHiding(hidden) || !isOfSize(width, leastWidth)) {
      this.#cover('hidden', columnsRange(from, to))
    }
    this.#columnGroups.take({ from: from + 1, to: to + 1 }, outlineLevel, isHiding(collapsed))
    if (style === undefined) return
    for (let column = from; column <= to; column += 1) this.#columnStyles[column] = style
  }

  #takeMerged(text: string): void {
    // One cell cannot be merged.
    const range = text.includes(':') ? parseRange(text) : undefined
    if (range === undefined) throw this.archive.damage(`"${text.slice(0, 40)}" are no cells`)
    this.#cover('merged', range)
  }

  /** The last rows of a table can be its totals, which are no data. */
  #takeTable(path: string): void {
    readXml(this.archive, path, tablePart, {
      onOpen: (name, { ref = '', totalsRowCount = '0' }) => {
        const range = name === 'table' ? parseRange(ref) : undefined
        const totals = plainNumber(totalsRowCount) ?? 1
        if (range === undefined || totals === 0) return
        const row = Math.max(range.from.row, range.to.row - totals + 1)
        this.#cover('total', { from: { ...range.from, row }, to: range.to })
      },
    })
  }
}

/** Whether a height or a width shows something; one that no program could have written does not. */
function isOfSize(text: string | undefined, least: number): boolean {
  if (text === undefined) return true
  const isNumber = /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text)
  return isNumber && Number(text) >= least
}

/** Whether an element of a conditional format draws something beside the values of its cells, or in their place. */
function isOfValues(name: string): boolean {
  return name === 'iconSet' || name === 'dataBar'
}

function isHidingValue(showValue: string | undefined): boolean {
  return showValue !== undefined && !['1', 'true', 'on'].includes(showValue)
}

/** Whether a program may take a word for yes. */
function isHiding(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}

interface Lines {
  readonly from: number
  readonly to: number
}

/** More are not drawn. */
const mostLevels = 8

/** Groups of rows or of columns, which come in their order, from 1. */
class Groups {
  /** Lines that are in a collapsed group. */
  readonly collapsed: Lines[] = []
  /** By level from 0: where those of the present lines begin that have a higher one. */
  #starts: number[] = []
  #next = 1
  /** The lowest level of a collapsed line whose group may follow it: some programs write it before its group. */
  #before = Infinity

  take({ from, to }: Lines, outlineLevel: string | undefined, isCollapsed: boolean): void {
    const level = Math.max(0, Math.min(Number(outlineLevel) || 0, mostLevels))
    if (from !== this.#next) {
      this.#starts = []
      this.#before = Infinity
    }
    const start = this.#starts[level]
    if (isCollapsed && start !== undefined) this.collapsed.push({ from: start, to: from - 1 })
    if (level > this.#before) this.#collapse({ from, to })
    else this.#before = Infinity
    if (isCollapsed) this.#before = Math.min(this.#before, level)
    this.#starts = this.#starts.slice(0, level)
    while (this.#starts.length < level) this.#starts.push(from)
    this.#next = to + 1
  }

  #collapse({ from, to }: Lines): void {
    const last = this.collapsed.at(-1)
    if (last?.to !== from - 1) this.collapsed.push({ from, to })
    else this.collapsed[this.collapsed.length - 1] = { from: last.from, to }
  }
}
