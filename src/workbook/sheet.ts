/** One sheet of a workbook: first what stands around its rows and says how they are shown, then its rows as they stream in. */
import {
  columnsRange,
  mostColumns,
  mostRows,
  parseRange,
  type Cover,
  type CoveredRange,
  type Range,
} from './cells.ts'
import { relationshipsOf } from './relationships.ts'
import { RowReader } from './rows.ts'
import type { Books, SheetRow } from './sheet-row.ts'
import { richText } from './texts.ts'
import {
  closedShape,
  open,
  readWholeXml,
  readXml,
  sheetSpaces,
  textOf,
  type Attributes,
} from './xml.ts'
import type { Archive } from './zip.ts'

/** In points and characters: what is lower or narrower shows nothing of a text. */
const leastHeight = 4
const leastWidth = 1
/** Few in what programs write, and kept. */
const mostRanges = 1 << 18
const elementWork = 256

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
    conditionalFormatting: open({ cfRule: open() }),
    autoFilter: open(),
    tableParts: open(),
  }),
}
const pivotPart = {
  spaces: sheetSpaces,
  root: 'pivotTableDefinition',
  shape: open({ location: open() }),
}

/** `at`: behind it, in the text of its part. */
export interface SheetTag {
  readonly name: string
  /** Undefined at the end of an element. */
  readonly attributes: Attributes | undefined
  readonly at: number
}

const tagged = ['dimension', 'cols', 'col', 'sheetData']

interface SheetPlace {
  readonly name: string
  readonly path: string
}

export class Sheet {
  readonly name: string
  readonly path: string
  readonly books: Books
  /** Whether some of its columns have a filter, or are a table of their own: sorting moves those alone. */
  isFiltered = false
  /** Those before its rows that say how far they reach, and how wide its columns are. */
  readonly tags: SheetTag[] = []
  /** Ranges of cells that are not plain, by their first rows. */
  readonly ranges: CoveredRange[] = []
  readonly #archive: Archive
  #areRowsHidden = false
  #formatted = ''

  private constructor(archive: Archive, { name, path }: SheetPlace, books: Books) {
    this.name = name
    this.path = path
    this.books = books
    this.#archive = archive
  }

  /** Reads the sheet without its rows. Throws exit 2. */
  static async open(archive: Archive, place: SheetPlace, books: Books): Promise<Sheet> {
    const sheet = new Sheet(archive, place, books)
    const texts = withoutRows(archive, place.path)
    await readWholeXml(
      archive,
      place.path,
      { ...part, texts },
      {
        onOpen: (name, attributes, { position }) => sheet.#take(name, attributes, position),
        onClose: (name, { position: at }) => {
          if (name === 'cols') sheet.tags.push({ name, attributes: undefined, at })
        },
        onSkipped: (name) => {
          // An extension with conditional formats.
          if (name === 'numFmt') sheet.#cover('formatted', columnsRange())
        },
      },
    )
    for (const { type, path } of await relationshipsOf(archive, place.path))
      if (type === 'pivotTable' && path !== undefined) await sheet.#takePivot(path)
    sheet.ranges.sort((one, other) => one.from.row - other.from.row)
    return sheet
  }

  isColumnHidden(column: number): boolean {
    return this.ranges.some(
      ({ from, to, cover }) => cover === 'hidden' && column >= from.column && column <= to.column,
    )
  }

  isRowHidden({ hidden, ht: height }: Attributes): boolean {
    const isHiddenByDefault = hidden === undefined && height === undefined && this.#areRowsHidden
    return isHiding(hidden) || isHiddenByDefault || !isOfSize(height, leastHeight)
  }

  /** Rows with a value, from the first to the last; to be read once. `prefix`: stands in front of the names of cells. Throws exit 2 for a sheet that is damaged or too large. */
  async *rows(prefix = ''): AsyncGenerator<SheetRow[]> {
    const rows = new RowReader(this.#archive, this, prefix)
    for await (const _ of readXml(this.#archive, this.path, part, rows)) yield rows.take()
    yield rows.take()
  }

  #cover(cover: Cover, { from, to }: Range): void {
    this.#archive.work(elementWork)
    if (this.ranges.push({ from, to, cover }) > mostRanges)
      throw this.#archive.tooLarge('it has too many ranges')
  }

  #take(name: string, attributes: Attributes, at: number): void {
    if (tagged.includes(name) && this.tags.at(-1)?.name !== 'sheetData')
      this.tags.push({ name, attributes, at })
    if (name === 'autoFilter' || name === 'tableParts') this.isFiltered = true
    else if (name === 'sheetFormatPr') this.#takeDefaults(attributes)
    else if (name === 'col') this.#takeColumn(attributes)
    else if (name === 'mergeCell') this.#takeMerged(attributes.ref ?? '')
    else if (name === 'conditionalFormatting') this.#formatted = attributes.sqref ?? ''
    else if (name === 'cfRule') this.#takeRule(attributes)
  }

  #takeRule({ dxfId }: Attributes): void {
    if (!this.books.styles.changesFormat(dxfId)) return
    for (const ref of this.#formatted.split(' '))
      this.#cover('formatted', parseRange(ref) ?? columnsRange())
  }

  #takeDefaults({
    zeroHeight,
    defaultRowHeight: height,
    defaultColWidth: width,
  }: Attributes): void {
    this.#areRowsHidden ||= isHiding(zeroHeight) || !isOfSize(height, leastHeight)
    if (!isOfSize(width, leastWidth)) this.#cover('hidden', columnsRange())
  }

  #takeColumn({ min, max, hidden, width }: Attributes): void {
    const [from, to] = [Number(min) - 1, Math.min(Number(max), mostColumns) - 1]
    if (!(from >= 0 && to >= from))
      throw this.#archive.damage(`it has columns "${(min ?? '').slice(0, 20)}"`)
    if (this.tags.length > 2 * mostColumns) throw this.#archive.damage('it names too many columns')
    if (isHiding(hidden) || !isOfSize(width, leastWidth))
      this.#cover('hidden', columnsRange(from, to))
  }

  #takeMerged(text: string): void {
    const range = text.includes(':') ? parseRange(text) : undefined
    if (range === undefined) throw this.#archive.damage(`"${text.slice(0, 40)}" are no cells`)
    this.#cover('merged', range)
  }

  /** A pivot table is drawn anew by some programs, as large as it turns out; its filters stand above it. */
  async #takePivot(path: string): Promise<void> {
    await readWholeXml(this.#archive, path, pivotPart, {
      onOpen: (name, { ref = '', rowPageCount = '0' }) => {
        if (name !== 'location') return
        const { from } = parseRange(ref) ?? columnsRange()
        const row = Math.max(1, from.row - 1 - (Number(rowPageCount) || 0))
        this.#cover('pivot', {
          from: { ...from, row },
          to: { row: mostRows, column: mostColumns - 1 },
        })
      },
    })
  }
}

function isOfSize(text: string | undefined, least: number): boolean {
  return text === undefined || (/^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) && Number(text) >= least)
}

/** Whether a program may take a word for yes. */
function isHiding(text: string | undefined): boolean {
  return text !== undefined && !['0', 'false', 'off'].includes(text)
}

const rowsTag = /<(\/?)(?:[^\s<>/:!?]+:)?sheetData(?=[\s/>])[^>]*>/g
/** Longer tags are not looked for. */
const longestTag = 256

/** The text of a sheet up to its rows and from their end. Throws exit 2 where another program may find them in another place. */
async function* withoutRows(archive: Archive, path: string): AsyncGenerator<string> {
  let text = ''
  /** Tags that were found: the rows are between the first and the second. */
  let tags = 0
  for await (const chunk of textOf(archive, path)) {
    text += chunk
    let from = 0
    for (const { 0: tag, 1: slash, index } of text.includes('sheetData')
      ? text.matchAll(rowsTag)
      : []) {
      if (tags !== (slash === '' ? 0 : 1))
        throw archive.ambiguous(`"${path}" may have its rows in two places`)
      tags += tag.endsWith('/>') ? 2 : 1
      if (tags === 1) yield text.slice(from, index + tag.length)
      else if (slash !== '') from = index
    }
    const last = text.lastIndexOf('<')
    const isOpen = last > text.lastIndexOf('>') && text.length - last < longestTag
    const end = isOpen ? last : text.length
    if (tags !== 1) yield text.slice(from, end)
    text = text.slice(end)
  }
  yield text
}
