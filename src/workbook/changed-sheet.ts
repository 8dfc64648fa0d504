/**
 * The XML of a sheet with more cells in its rows: every character that need not change stays. Called by `own-workbook.ts`. Pure.
 *
 * The sheet was read, and its rows and tags have their places in the text of its part. An edit replaces what is between two places; edits come in
 * the order of the text, and each is made from the tag in front of it. A row is parsed only when it changes.
 */
import { parseCell, parseRange, type Range } from './cells.ts'
import { SaxesParser } from './packages.js'
import type { SheetRow } from './rows.ts'
import type { Sheet, SheetTag } from './sheet.ts'
import { safe } from '../safe-text.ts'
import { textCell } from './writer.ts'
import { columnName } from '../words.ts'

export interface SheetLayout {
  readonly sheet: Sheet
  /** The row of the heading; 0 without one. */
  readonly heading: number
  /** Whether a filter or a table of the sheet does not take in the columns that are added. */
  readonly isFiltered: boolean
  /** From 0. */
  readonly column: number
  readonly widths: readonly number[]
  /** Columns that an earlier one added somewhere else. */
  readonly cleared: readonly number[]
}

/** A tag that ends at `from`, and what follows it up to `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly change: (tag: string, content: string) => string
}

const pieceLength = 1 << 17

/** The text with these edits, which are in their order, piece by piece. */
export function* applyEdits(text: string, edits: Iterable<Edit>): Generator<Buffer> {
  let out = ''
  let done = 0
  for (const { from, to, change } of edits) {
    const start = startOf(text, from)
    out += text.slice(done, start) + change(text.slice(start, from), text.slice(from, to))
    done = to
    if (out.length < pieceLength) continue
    yield Buffer.from(out)
    out = ''
  }
  yield Buffer.from(out + text.slice(done))
}

/** Where the last tag before a place begins: a `<` stands nowhere in a tag but there. */
function startOf(text: string, end: number): number {
  return text.lastIndexOf('<', end - 1)
}

/** The columns that are added are part of a filter whose heading is that of the table: else sorting by it would tear rows apart. */
export function widenFilter(
  ref: string | undefined,
  { heading, column, widths }: Pick<SheetLayout, 'heading' | 'column' | 'widths'>,
): Range | undefined {
  const range = parseRange(ref ?? '')
  if (range?.from.row !== heading || range.from.column > column) return undefined
  const lastAdded = column + widths.length - 1
  const end = Math.max(range.to.column, lastAdded)
  return { from: range.from, to: { ...range.to, column: end } }
}

/** The filter of the sheet, behind its rows. */
export function* tailEdits(layout: SheetLayout): Generator<Edit> {
  const { tags } = layout.sheet
  const rows = tags.findIndex(({ name }) => name === 'sheetData')
  for (const { name, attributes, at } of tags.slice(rows + 1)) {
    const range = name === 'autoFilter' ? widenFilter(attributes?.['ref'], layout) : undefined
    if (range === undefined) continue
    yield {
      from: at,
      to: at,
      change: (tag) => changeRange(tag, () => range),
    }
  }
}

/** The name that programs give to the cells of the filter, in the part of the workbook. */
export function* nameEdits(layout: SheetLayout): Generator<Edit> {
  const { tags, filterName } = layout.sheet
  const filter = tags.find(({ name }) => name === 'autoFilter')
  const ref = filter?.attributes?.['ref'] ?? ''
  const range = widenFilter(ref, layout)
  if (filterName === undefined || range === undefined) return
  const { from, to } = filterName
  // `A1` becomes `$A$1`.
  const letters = /[A-Z]+(?=\d)/g
  const absolute = (text: string): string => text.replace(letters, '$$$&$$')
  const before = `!${absolute(ref)}`
  const after = `!${absolute(nameOf(range))}`
  // A function, because a text would have its dollar signs replaced.
  const change = (tag: string, content: string): string =>
    tag + content.replace(before, () => after)
  yield { from, to, change }
}

/** How far the sheet reaches, and the widths of the columns: in their order, and those that are there stay. */
export function* headEdits({ sheet: { tags }, column, widths }: SheetLayout): Generator<Edit> {
  let hasWidths = false
  const rows = tags.findIndex(({ name }) => name === 'sheetData')
  const head = tags.slice(0, rows + 1)
  const behind = column + widths.length
  const widen = ({ from, to }: Range): Range => {
    const last = Math.max(to.column, behind - 1)
    return { from, to: { ...to, column: last } }
  }
  const cols = (prefix: string): string => {
    const elements = widths.map((width, n) => col(prefix, column + n + 1, width))
    return elements.join('')
  }
  for (const { name, attributes, at } of head) {
    const edit = (change: (tag: string) => string): Edit => ({
      from: at,
      to: at,
      change,
    })
    if (name === 'autoFilter') continue
    if (name === 'dimension') {
      yield edit((tag) => changeRange(tag, widen))
      continue
    }
    if (hasWidths) continue
    const { min, max } = attributes ?? {}
    const isBegin = name === 'cols' && attributes !== undefined
    const isBefore = name === 'col' && Number(max) <= column
    if (isBegin || isBefore) continue
    hasWidths = true
    if (name === 'sheetData') {
      // There were no widths before the rows.
      yield edit((tag) => {
        const prefix = prefixOf(tag)
        return `<${prefix}cols>${cols(prefix)}</${prefix}cols>${tag}`
      })
    } else if (name === 'cols' || Number(min) > behind) {
      yield edit((tag) => {
        const isEmpty = name === 'cols' && tag.endsWith('/>')
        return isEmpty ? tag : cols(prefixOf(tag)) + tag
      })
    }
  }
}

/** The width of one column. Columns count from 1 there. */
function col(prefix: string, place: number, width: number): string {
  return `<${prefix}col min="${place}" max="${place}" width="${width}" customWidth="1"/>`
}

/** `A1:B2`. */
function nameOf({ from, to }: Range): string {
  const first = columnName(from.column)
  const last = columnName(to.column)
  return `${first}${from.row}:${last}${to.row}`
}

/** A tag with another range of cells in its `ref`. */
function changeRange(tag: string, change: (range: Range) => Range): string {
  return attributesOf(tag, (name, all, ref) => {
    const range = name === 'ref' ? parseRange(ref) : undefined
    if (range === undefined) return all
    return ` ref="${nameOf(change(range))}"`
  })
}

/** A cell, or what extends the row behind all of them. */
interface CellTag extends SheetTag {
  readonly column: number
  /** Behind its element. */
  end: number
}

/** Changes the rows of a sheet, one after the other. */
export class ChangedRows {
  readonly #layout: SheetLayout
  readonly #parser = new SaxesParser({ position: false, fragment: true })
  /** Cells of the row that is changed, and where it begins in all that was parsed. */
  #cells: CellTag[] = []
  #base = 0
  #depth = 0

  constructor(layout: SheetLayout) {
    this.#layout = layout
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#depth += 1
      if (this.#depth > 1) return
      const before = this.#cells.at(-1)?.column ?? -1
      const next = name.endsWith('extLst') ? Infinity : before + 1
      const place = parseCell(attributes.r ?? '')
      const at = this.#parser.position - this.#base
      this.#cells.push({
        name,
        attributes,
        at,
        column: place?.column ?? next,
        end: at,
      })
    })
    this.#parser.on('closetag', ({ name }) => {
      this.#depth -= 1
      if (this.#depth > 0) return
      const cell = this.#cells.at(-1)
      if (cell?.name === name) cell.end = this.#parser.position - this.#base
    })
  }

  /** The edit that gives a row these texts. */
  edit(row: SheetRow, added: readonly string[]): Edit {
    const { column, cleared, heading } = this.#layout
    const { from, to, width } = row.extent
    const isHeading = row.line === heading
    const isCleared = cleared.some((place) => place < width)
    const isLast = !isHeading && width <= column && !isCleared
    const change = (tag: string, content: string): string => {
      const end = startOf(content, content.length)
      const cells = addedCells(this.#layout, row, added, prefixOf(tag))
      const before = content.slice(0, end)
      // How far the cells of a row reach is said to programs for speed.
      const bare = attributesOf(tag, (name, all) => (name === 'spans' ? '' : all))
      // Behind all cells of a row nothing has to be parsed: the case of nearly all rows.
      const isBehind = isLast && !before.includes('extLst')
      const changed = isBehind
        ? before + cells.before(Infinity)
        : this.#changeCells(before, row, cells)
      return bare + changed + content.slice(end)
    }
    return { from, to, change }
  }

  /** The cells of a row with those that are added, in the order of columns. */
  #changeCells(content: string, { line }: SheetRow, added: ReturnType<typeof addedCells>): string {
    const { column: first, widths, cleared, heading } = this.#layout
    const isHeading = line === heading
    this.#cells = []
    this.#parser.write(content)
    this.#base += content.length
    let out = ''
    let done = 0
    let isMoved = false
    // A heading looks like the others.
    let style: string | undefined
    for (const { attributes, at, column, end } of this.#cells) {
      const { r, s } = attributes ?? {}
      const start = startOf(content, at)
      out += content.slice(done, start)
      out += added.before(column, style)
      done = start
      const isAdded = column >= first && column < first + widths.length
      const isCleared = cleared.includes(column)
      // It does not follow the cell before it any more.
      const isNameless = r === undefined && column < Infinity && (isMoved || column > first)
      if (isAdded || isCleared) {
        out += added.at(column, s)
        done = end
        isMoved = true
      } else if (isNameless) {
        const tag = content.slice(start, at)
        out += tag.replace(tagName, `$& r="${columnName(column)}${line}"`)
        done = at
      }
      if (isHeading && column < first && !isCleared) style = s
    }
    out += content.slice(done)
    return out + added.before(Infinity, style)
  }
}

const tagName = /^<[^\s/>]+/

/** The cells that are added to a row, from left to right. */
function addedCells(
  { column: first, widths }: SheetLayout,
  { line }: SheetRow,
  added: readonly string[],
  prefix: string,
) {
  let count = 0
  /** In the style of the cell that is there. One that is only cleared is empty. */
  const at = (column: number, style: string | undefined): string => {
    const n = column - first
    const isAdded = n >= 0 && n < widths.length
    if (isAdded) count = n + 1
    const text = isAdded ? safe(added[n] ?? '') : ''
    const place = `${columnName(column)}${line}`
    const isNumber = style !== undefined && /^\d{1,6}$/.test(style)
    const number = isNumber ? style : undefined
    if (text !== '') return textCell(place, text, number, prefix)
    if (number === undefined) return ''
    return `<${prefix}c r="${place}" s="${number}"/>`
  }
  /** Those that stand in front of a column. */
  const before = (column: number, style?: string): string => {
    let cells = ''
    while (count < widths.length && first + count < column) cells += at(first + count, style)
    return cells
  }
  return { at, before }
}

/** The prefix of a tag's name with its colon, `x:`; empty without one. */
function prefixOf(tag: string): string {
  const [, prefix = ''] = /^<\/?([^\s:/>]+:)?/.exec(tag) ?? []
  return prefix
}

/** A tag with other attributes, each by its name, the whole of it and its value. */
function attributesOf(
  tag: string,
  change: (name: string, all: string, value: string) => string,
): string {
  const attribute = /\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g
  return tag.replace(attribute, (all, name: string, quoted: string) => {
    const value = quoted.slice(1, -1)
    return change(name, all, value)
  })
}
