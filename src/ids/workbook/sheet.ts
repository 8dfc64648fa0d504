/** One sheet of a workbook: its frame first, then its rows as they stream in. */
import { allCells, mostColumns, mostRows, parseRange } from './cells.ts'
import { SheetFrame, sheetPart } from './frame.ts'
import { relationshipsOf } from './relationships.ts'
import { RowReader } from './rows.ts'
import type { SheetBooks, SheetRow } from './sheet-row.ts'
import { richText } from './texts.ts'
import { closed, open, readWholeXml, readXml, sheetSpaces, type XmlEvents } from './xml.ts'
import type { Archive } from './zip.ts'

const cell = closed({ f: closed(), v: closed(), is: closed(richText), extLst: 'skipped' })
const part = sheetPart(closed({ row: closed({ c: cell, extLst: 'skipped' }) }))
const pivotPart = { spaces: sheetSpaces, root: 'pivotTableDefinition', shape: open({ location: open() }) }

export class Sheet {
  readonly name: string
  readonly path: string
  readonly frame: SheetFrame
  readonly #archive: Archive
  readonly #books: SheetBooks

  private constructor(archive: Archive, { name, path }: SheetPlace, books: SheetBooks, frame: SheetFrame) {
    this.name = name
    this.path = path
    this.frame = frame
    this.#archive = archive
    this.#books = books
  }

  static async open(archive: Archive, place: SheetPlace, books: SheetBooks): Promise<Sheet> {
    const frame = await SheetFrame.read(archive, place.path, books.styles)
    for (const { type, path } of await relationshipsOf(archive, place.path))
      if (type === 'pivotTable' && path !== undefined) await takePivot(archive, path, frame)
    return new Sheet(archive, place, books, frame)
  }

  /** Rows with a value, from the first to the last; to be read once. `prefix`: stands in front of the names of cells. Throws exit 2 for a sheet that is damaged or too large. */
  async *rows(prefix = ''): AsyncGenerator<SheetRow[]> {
    const rows = new RowReader(this.#archive, this.#books, this.frame, prefix)
    const again = new SheetFrame(this.#archive, this.#books.styles)
    const events: XmlEvents = {
      onOpen(name, attributes, place) {
        again.take(name, attributes)
        rows.onOpen(name, attributes, place)
      },
      onText: (text) => rows.onText(text),
      onClose: (name, place) => rows.onClose(name, place),
      onSkipped: (name) => again.takeSkipped(name),
    }
    for await (const _ of readXml(this.#archive, this.path, part, events)) yield rows.take()
    yield rows.take()
    if (again.sum() !== this.frame.sum())
      throw this.#archive.ambiguous(`"${this.path}" may have its rows in two places`)
  }
}

interface SheetPlace {
  readonly name: string
  readonly path: string
}

/** A pivot table is drawn anew by some programs, as large as it turns out; its filters stand above it. */
async function takePivot(archive: Archive, path: string, { covered }: SheetFrame): Promise<void> {
  await readWholeXml(archive, path, pivotPart, {
    onOpen(name, { ref = '', rowPageCount = '0' }) {
      if (name !== 'location') return
      const { from } = parseRange(ref) ?? allCells
      const row = Math.max(1, from.row - 1 - (Number(rowPageCount) || 0))
      covered.add({ from: { ...from, row }, to: { row: mostRows, column: mostColumns - 1 } }, 'pivot')
    },
  })
}
