/** The rows of one sheet of a workbook, as they stream in. */
import { richText } from './cell-text.ts'
import { isHiding, isOfSize, leastWidth, mostColumns, parseCells, RowReader } from './row-reader.ts'
import type { Cell, SheetBooks, SheetRow } from './row-reader.ts'
import { closed, open, readXml, sheetSpaces, type Attributes, type XmlEvents } from './xml.ts'
import type { Archive } from './zip.ts'

/** `at`: behind it, in the text of its part. */
export interface SheetTag {
  readonly name: string
  /** Undefined at the end of an element. */
  readonly attributes: Attributes | undefined
  readonly at: number
}

export interface Merged {
  readonly text: string
  readonly from: Cell
  readonly to: Cell
}

const order = ['sheetFormatPr', 'cols', 'sheetData', 'mergeCells']
const cell = closed({ f: closed(), v: closed(), is: closed(richText), extLst: 'skipped' })
const beforeRows = new Set(['dimension', 'cols', 'col', 'sheetData'])
const sheetPart = {
  spaces: sheetSpaces,
  root: 'worksheet',
  shape: open({
    dimension: open(),
    sheetFormatPr: open(),
    cols: closed({ col: closed() }),
    sheetData: closed({ row: closed({ c: cell, extLst: 'skipped' }) }),
    mergeCells: closed({ mergeCell: closed() }),
    autoFilter: open(),
    tableParts: open(),
  }),
  once: new Set(['sheetFormatPr', 'sheetData']),
}

export class Sheet {
  readonly name: string
  readonly #archive: Archive
  readonly path: string
  readonly #books: SheetBooks
  /** Whether some of its columns have a filter, or are a table of their own: sorting moves those alone. Known behind its rows. */
  isFiltered = false
  /** Those before its rows that say how far they reach, and how wide its columns are. */
  tags: SheetTag[] = []
  readonly #hiddenColumns: { readonly from: number; readonly to: number }[] = []

  constructor(archive: Archive, { name, path }: { readonly name: string; readonly path: string }, books: SheetBooks) {
    this.name = name
    this.#archive = archive
    this.path = path
    this.#books = books
  }

  /**
   * The rows with a value, many at once, from the first to the last. Throws exit 2 for a sheet that is damaged or beyond what
   * a spreadsheet can have. `onMerged` hears of merged cells, which a file names behind its rows.
   */
  async *rows(onMerged?: (merged: Merged) => void): AsyncGenerator<readonly SheetRow[]> {
    this.#hiddenColumns.length = 0
    this.tags = []
    const rows = new RowReader(this.#archive, this.#books)
    let merged: Merged[] = []
    const events: XmlEvents = {
      onOpen: (name, attributes, place) => {
        inOrder(name)
        if (beforeRows.has(name) && this.tags.at(-1)?.name !== 'sheetData')
          this.tags.push({ name, attributes, at: place.position })
        if (name === 'col') this.#takeColumn(attributes)
        else if (name === 'mergeCell') {
          // A million of them at most.
          this.#archive.count(31)
          merged.push(this.#parseMerged(attributes.ref ?? ''))
        } else if (name === 'autoFilter' || name === 'tableParts') this.isFiltered = true
        else rows.onOpen(name, attributes, place)
      },
      onText: (text) => rows.onText(text),
      onClose: (name, place) => {
        if (name === 'cols') this.tags.push({ name, attributes: undefined, at: place.position })
        rows.onClose(name, place)
      },
    }
    const inOrder = this.#schemaOrder()
    for await (const _ of readXml(this.#archive, this.path, sheetPart, events)) {
      yield rows.take()
      for (const cells of merged) onMerged?.(cells)
      merged = []
    }
  }

  /** Whether a column is hidden, as far as the rows have been read. */
  isColumnHidden(column: number): boolean {
    return this.#hiddenColumns.some(({ from, to }) => column >= from && column <= to)
  }

  /** What stands out of order is used by one program and left out by another. */
  #schemaOrder(): (name: string) => void {
    let last = -1
    return (name) => {
      const place = order.indexOf(name)
      if (place >= 0 && place < last) throw this.#archive.damaged(`"${this.path}" has <${name}> out of order`)
      last = Math.max(last, place)
    }
  }

  #takeColumn({ min, max, hidden, width }: Attributes): void {
    // A million of them at most.
    this.#archive.count(31)
    const [from, to] = [Number(min) - 1, Number(max) - 1]
    if (!(from >= 0 && to >= from)) throw this.#archive.damaged(`it has columns "${(min ?? '').slice(0, 20)}"`)
    if (!isHiding(hidden) && isOfSize(width, leastWidth)) return
    if (this.#hiddenColumns.length === mostColumns) throw this.#archive.damaged('it names too many columns')
    this.#hiddenColumns.push({ from, to })
  }

  #parseMerged(text: string): Merged {
    const cells = text.includes(':') ? parseCells(text) : undefined
    if (cells === undefined) throw this.#archive.damaged(`"${text.slice(0, 40)}" are no cells`)
    return { text, from: cells[0], to: cells[1] }
  }
}
