/**
 * A workbook as it is, with more cells in one sheet; every byte that need not change stays. `input/annotated.ts` loads it when a user's own
 * workbook is given back (`--annotate`): first for where the cells go, and then for the bytes.
 */
import { usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { columnName } from '../words.ts'
import { mostColumns, parseCell, parseRange } from './cells.ts'
import type { SheetRow } from './rows.ts'
import type { Sheet } from './sheet.ts'
import { ZipWriter, textCell } from './writer.ts'
import { readXml, type Attributes, type XmlHandlers, type XmlPlace } from './xml.ts'

/** A sheet of a workbook that is given back. */
export interface OwnSheet {
  readonly sheet: Sheet
  /** Its cells of the table; cells above them are titles. */
  readonly rows: readonly SheetRow[]
  /** The row of the heading; 0 without one. */
  readonly heading: number
  /** The columns that an earlier annotation added. */
  readonly replaced: readonly number[]
  /** Where to write instead, for a workbook that cannot be given back. */
  readonly hint: string
}

export interface SheetLayout {
  readonly sheet: Sheet
  /** The row of the heading; 0 without one. */
  readonly heading: number
  /** The first one that is added, from 0, and how wide they are. */
  readonly column: number
  readonly widths: readonly number[]
  /** Columns that an earlier annotation added somewhere else. */
  readonly cleared: readonly number[]
  /** The range of the filter with the added columns; undefined without a filter of this table. */
  readonly filter: string | undefined
}

/**
 * Finds columns that are free: those that an earlier annotation added, or the next ones behind the table. Throws exit 2 when there are none, for a
 * workbook with macros, and for a signed one.
 */
export function layOutSheet(own: OwnSheet, widths: readonly number[]): SheetLayout {
  const { sheet, rows, heading, replaced, hint } = own
  refuseFormulas(own)
  refuseSpecial(sheet, hint)
  const taken = new Set(rows.flatMap(({ stored }) => stored.map(({ column }) => column)))
  for (const column of replaced) taken.delete(column)
  const isFree = (column: number): boolean =>
    column < mostColumns && !taken.has(column) && isSeen(sheet, heading, column)
  const next = Math.max(-1, ...taken) + 1
  const columns = [
    ...replaced.slice(0, 1),
    ...Array.from({ length: mostColumns }, (_, n) => next + n),
  ]
  const column = columns.find((first) => widths.every((_, n) => isFree(first + n)))
  if (column === undefined) {
    const what = `${sheet.archive.name} has no ${widths.length} free columns beside its table`
    throw usageError(what, hint)
  }
  const end = column + widths.length
  const cleared = replaced.filter((place) => place < column || place >= end)
  const place = { heading, column, widths }
  return { sheet, ...place, cleared, filter: widenFilter(sheet.filter, place) }
}

/** Whether a column is neither hidden nor merged. Merged cells above the heading are titles. */
function isSeen(sheet: Sheet, heading: number, column: number): boolean {
  if (sheet.hiddenColumn(column) !== undefined) return false
  return !sheet.ranges.some(
    ({ cover, from, to }) =>
      cover === 'merged' &&
      to.row >= heading &&
      column >= from.column &&
      column <= to.column,
  )
}

/** The columns that are added are part of a filter whose heading is that of the table; otherwise sorting by it would tear rows apart. */
function widenFilter(
  filter: string | undefined,
  { heading, column, widths }: Pick<SheetLayout, 'heading' | 'column' | 'widths'>,
): string | undefined {
  const { from, to } = parseRange(filter ?? '') ?? {}
  if (from === undefined || to === undefined) return undefined
  if (from.row !== heading || from.column > column) return undefined
  const last = Math.max(to.column, column + widths.length - 1)
  return `${columnName(from.column)}${from.row}:${columnName(last)}${to.row}`
}

/** Throws exit 2 for a formula in a column that is replaced. */
function refuseFormulas({ sheet, rows, replaced }: OwnSheet): void {
  for (const row of rows) {
    const formula = row.stored.find(
      ({ column, isFormula }) => isFormula && replaced.includes(column),
    )
    if (formula === undefined) continue
    throw usageError(
      `${sheet.archive.name}: cell ${row.cell(formula.column)} is a formula, and would be replaced`,
      'paste the column as values',
    )
  }
}

/** Throws exit 2 for a workbook whose signature would be broken, or that is written as a file of another kind. */
function refuseSpecial({ archive }: Sheet, hint: string): void {
  const types = archive.text('[Content_Types].xml')
  const [type] = /macroEnabled|vbaProject|digital-signature/i.exec(types) ?? []
  if (type === undefined) return
  const words = /sig/i.test(type) ? 'is signed' : 'has macros'
  throw usageError(`${archive.name} ${words}, and cannot be given back as it is`, hint)
}

/** The bytes of the workbook with more cells in its rows, by their lines. Parts that do not change are copied packed as they are. */
export function* ownWorkbook(
  layout: SheetLayout,
  added: ReadonlyMap<number, readonly string[]>,
): Generator<Buffer> {
  const { archive, path: sheetPath, bookPath } = layout.sheet
  const zip = new ZipWriter()
  const book = layout.filter === undefined ? undefined : namedFilter(layout)
  for (const { path, entry, bytes } of archive.contents()) {
    const ofBook = path === bookPath ? book : undefined
    if (path !== sheetPath && ofBook === undefined) {
      yield zip.copy(entry, bytes)
      continue
    }
    yield zip.begin(entry.fileNameRaw)
    const pieces =
      ofBook === undefined ? new ChangedSheet(layout, added).pieces() : [ofBook]
    for (const piece of pieces) yield zip.add(piece)
    yield* zip.end('')
  }
  yield zip.directory()
}

/** The part of the workbook that names the cells of the filter, which LibreOffice uses; undefined without one. */
function namedFilter({ sheet, filter = '' }: SheetLayout): string | undefined {
  const { archive, bookPath } = sheet
  const text = archive.text(bookPath)
  // `A1` is `$A$1` there.
  const absolute = (range: string): string =>
    `!${range.replaceAll(/[A-Z]+(?=\d)/g, '$$$&$$')}`
  let out = ''
  let done = 0
  readXml(archive, bookPath, 'workbook', {
    onOpen: () => undefined,
    onSkipped(element, { name, localSheetId }, { position }) {
      const isFilter = element === 'definedName' && name === '_xlnm._FilterDatabase'
      if (!isFilter || localSheetId !== String(sheet.index)) return
      const end = text.indexOf('<', position)
      const named = text.slice(position, end)
      out += text.slice(done, position)
      out += named.replace(absolute(sheet.filter ?? ''), () => absolute(filter))
      done = end
    },
  })
  return done === 0 ? undefined : out + text.slice(done)
}

const pieceLength = 1 << 17
const tagName = /^<[^\s/>]+/

/** The text of a sheet with more cells in its rows. */
class ChangedSheet implements XmlHandlers {
  readonly #layout: SheetLayout
  readonly #added: ReadonlyMap<number, readonly string[]>
  readonly #text: string
  readonly #pieces: string[] = []
  #out = ''
  /** How much of the text was copied or left out. */
  #done = 0
  #hasWidths = false
  /** The prefix of the names of its elements with its colon, `x:`; empty without one. */
  #prefix = ''
  /** The row, the texts that it gets, and how many of them it has. */
  #line = 0
  #texts: readonly string[] | undefined
  #count = 0
  #column = -1
  #isReplaced = false
  /** The style of the last cell of the heading: the new ones look like it. */
  #style: string | undefined

  constructor(layout: SheetLayout, added: ReadonlyMap<number, readonly string[]>) {
    const { sheet } = layout
    this.#layout = layout
    this.#added = added
    this.#text = sheet.archive.text(sheet.path)
    this.#hasWidths = layout.widths.some(
      (_, n) => sheet.columns[layout.column + n] !== undefined,
    )
  }

  pieces(): readonly string[] {
    const { archive, path } = this.#layout.sheet
    readXml(archive, path, 'worksheet', this)
    this.#copy(this.#text.length)
    return [...this.#pieces, this.#out]
  }

  onOpen(name: string, attributes: Attributes, { position }: XmlPlace): void {
    if (name === 'c') return this.#beginCell(attributes, position)
    if (name === 'row') return this.#beginRow(attributes, position)
    if (name === 'worksheet') this.#prefix = this.#prefixAt(position)
    // The extent of the sheet only helps programs to be fast.
    else if (name === 'dimension') this.#copy(this.#startOf(position))
    else if (name === 'autoFilter') this.#widenFilter(position)
    else if (name === 'sheetData') this.#put(position, this.#widths(`${this.#prefix}cols`))
    else if (name === 'col' && Number(attributes['min']) > this.#layout.column) {
      this.#put(position, this.#widths())
    }
  }

  onClose(name: string, _text: string, { position }: XmlPlace): void {
    if (name === 'row') this.#addCells(Infinity, position)
    else if (name === 'cols') this.#put(position, this.#widths())
    else if (name === 'dimension' || (name === 'c' && this.#isReplaced))
      this.#done = position
  }

  /** The extension of a row comes after all of its cells. */
  onSkipped(name: string, _attributes: Attributes, { names, position }: XmlPlace): void {
    if (name === 'extLst' && names.at(-1) === 'row') this.#addCells(Infinity, position)
  }

  /** The start of the tag that ends at a place: a tag has no other `<`. */
  #startOf(end: number): number {
    return this.#text.lastIndexOf('<', end - 1)
  }

  #widenFilter(position: number): void {
    const { filter } = this.#layout
    if (filter === undefined) return
    const start = this.#startOf(position)
    const tag = this.#text.slice(start, position)
    this.#copy(start)
    this.#out += tag.replace(/(\sref\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"${filter}"`)
    this.#done = position
  }

  #copy(to: number): void {
    this.#out += this.#text.slice(this.#done, to)
    this.#done = to
    if (this.#out.length < pieceLength) return
    this.#pieces.push(this.#out)
    this.#out = ''
  }

  /** Puts a text in front of the tag that ends there. */
  #put(position: number, text: string): void {
    if (text === '') return
    this.#copy(this.#startOf(position))
    this.#out += text
  }

  #prefixAt(position: number): string {
    const tag = this.#text.slice(this.#startOf(position), position)
    return /^<([^\s:/>]+:)?/.exec(tag)?.[1] ?? ''
  }

  /** The widths of the columns, once. `around`: the element that they have to themselves. */
  #widths(around?: string): string {
    if (this.#hasWidths) return ''
    this.#hasWidths = true
    const { column, widths } = this.#layout
    const cols = widths.map((width, n) => {
      const place = column + n + 1
      return `<${this.#prefix}col min="${place}" max="${place}" width="${width}" customWidth="1"/>`
    })
    return around === undefined ? cols.join('') : `<${around}>${cols.join('')}</${around}>`
  }

  #beginRow({ r }: Attributes, position: number): void {
    this.#line = r === undefined ? this.#line + 1 : Number(r)
    this.#texts = this.#added.get(this.#line)
    this.#count = 0
    this.#column = -1
    this.#isReplaced = false
    this.#style = undefined
    if (this.#texts === undefined) return
    const start = this.#startOf(position)
    this.#copy(start)
    // The extent of a row also only helps programs to be fast.
    this.#out += this.#text
      .slice(start, position)
      .replace(/\s+spans\s*=\s*(?:"[^"]*"|'[^']*')/, '')
    this.#done = position
  }

  #beginCell({ r, s: style }: Attributes, position: number): void {
    if (this.#texts === undefined) return
    const { heading, column: first, widths, cleared } = this.#layout
    const column = r === undefined ? this.#column + 1 : (parseCell(r)?.column ?? 0)
    this.#column = column
    this.#addCells(column, position)
    const isAdded = column >= first && column < first + widths.length
    this.#isReplaced = isAdded || cleared.includes(column)
    if (this.#isReplaced) {
      this.#copy(this.#startOf(position))
      if (isAdded) this.#out += this.#cell(column, style)
    } else if (r === undefined && column > first) {
      // It does not follow the cell before it any more.
      const tag = this.#text.slice(this.#startOf(position), position)
      this.#put(position, tag.replace(tagName, `$& r="${columnName(column)}${this.#line}"`))
      this.#done = position
    }
    if (this.#line === heading && column < first) this.#style = style
  }

  /** Adds the cells that stand in front of a column. */
  #addCells(column: number, position: number): void {
    const { column: first, widths } = this.#layout
    if (this.#texts === undefined) return
    while (this.#count < widths.length && first + this.#count < column) {
      this.#put(position, this.#cell(first + this.#count, this.#style))
    }
  }

  /** The next cell, in the style of the one that was there, or of the heading. */
  #cell(column: number, style: string | undefined): string {
    const text = safe(this.#texts?.[this.#count] ?? '')
    this.#count += 1
    const place = `${columnName(column)}${this.#line}`
    const number = /^\d{1,6}$/.test(style ?? '') ? style : undefined
    if (text !== '') return textCell(place, text, number, this.#prefix)
    return number === undefined ? '' : `<${this.#prefix}c r="${place}" s="${number}"/>`
  }
}
