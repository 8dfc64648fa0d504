/** The XML of a sheet with more cells in its rows: every character that need not change stays. Pure. */
import { parseCell, parseCells } from '../../ids/workbook/row-reader.ts'
import type { Attributes } from '../../ids/workbook/xml.ts'
import { safe } from '../../output/text/safe.ts'
import { textCell } from '../../output/workbook/workbook.ts'
import { columnName } from '../../words.ts'
import type { AnnotatedRow } from './input-rows.ts'

export interface SheetPlan {
  /** Of the workbook, and of the sheet in it. */
  readonly path: string
  readonly part: string
  /** From 0. */
  readonly column: number
  readonly widths: readonly number[]
  /** Columns that an earlier one added somewhere else. */
  readonly cleared: ReadonlySet<number>
}

export interface SheetTag {
  readonly name: string
  /** Undefined at the end of an element. */
  readonly attributes: Attributes | undefined
  readonly at: number
}

export class ChangedSheet {
  readonly #plan: SheetPlan
  /** What was read, where it begins, and up to where it is written. */
  #text = ''
  #base = 0
  #done = 0
  #out = ''
  #hasWidths = false
  #row = 0
  #column = -1
  /** Of the row that is read: what is added, how much of it is written, and the style of the cell before. */
  #added: readonly string[] = []
  #count = 0
  #isHeading = false
  #style: string | undefined
  #prefix = ''
  #isCut = false

  constructor(plan: SheetPlan) {
    this.#plan = plan
  }

  /** Takes the next text and the tags that end in it, and gives what is ready. `added` is asked for each row. */
  async change(
    text: string,
    tags: readonly SheetTag[],
    added: (row: number) => Promise<AnnotatedRow | undefined>,
  ): Promise<Buffer> {
    this.#text = this.#text.slice(this.#done - this.#base) + text
    this.#base = this.#done
    for (const tag of tags) {
      if (tag.name !== 'row' || tag.attributes === undefined) this.#change(tag)
      else {
        const { r } = tag.attributes
        this.#row = r === undefined ? this.#row + 1 : Number(r)
        this.#beginRow(tag, await added(this.#row))
      }
    }
    return this.ready(tags.at(-1)?.at ?? this.#done)
  }

  /** What is done up to a place, all of it without one. */
  ready(to = Infinity): Buffer {
    if (!this.#isCut) this.#copyTo(to)
    const out = Buffer.from(this.#out)
    this.#out = ''
    return out
  }

  #beginRow(tag: SheetTag, row: AnnotatedRow | undefined): void {
    this.#column = -1
    this.#added = row?.added ?? []
    this.#count = 0
    this.#isHeading = row?.kind === 'heading'
    this.#style = undefined
    if (this.#added.length === 0) return
    const text = this.#take(tag)
    this.#prefix = prefixOf(text)
    // How far the cells of a row reach is said to programs for speed.
    this.#write(attributesOf(text, (name, all) => (name === 'spans' ? '' : all)))
  }

  #change(tag: SheetTag): void {
    const { name, attributes } = tag
    if (name === 'dimension' && attributes !== undefined) this.#write(this.#widened(this.#take(tag)))
    else if (name === 'col' && attributes !== undefined) this.#takeColumn(tag, attributes)
    else if (name === 'cols' ? attributes === undefined : name === 'sheetData') this.#endColumns(tag)
    else if (this.#added.length === 0) return
    else if (name === 'row') this.#endRow(tag)
    else if (name === 'c' && attributes !== undefined) this.#beginCell(tag, attributes)
    else if (name === 'c' && this.#isCut) {
      this.#done = tag.at
      this.#isCut = false
    }
  }

  #beginCell(tag: SheetTag, { r, s }: Attributes): void {
    const column = (r === undefined ? undefined : parseCell(r)?.column) ?? this.#column + 1
    const { column: first, cleared, widths } = this.#plan
    this.#column = column
    if (column < first && !cleared.has(column)) {
      this.#style = s
      return
    }
    this.#copyTo(this.#startOf(tag))
    this.#addCells(column)
    this.#isCut = (column >= first && column < first + widths.length) || cleared.has(column)
    if (this.#isCut) this.#write(this.#cell(column, s))
    // It does not follow the cell before it any more.
    else if (r === undefined)
      this.#write(this.#take(tag).replace(/^<[^\s/>]+/, `$& r="${columnName(column)}${this.#row}"`))
  }

  #endRow(tag: SheetTag): void {
    this.#copyTo(this.#startOf(tag))
    this.#addCells(Infinity)
    this.#added = []
  }

  #addCells(before: number): void {
    const { column: first, widths } = this.#plan
    while (this.#count < widths.length && first + this.#count < before) {
      this.#write(this.#cell(first + this.#count, this.#isHeading ? this.#style : undefined))
    }
  }

  /** In the style of the cell that is there. One that is only cleared is empty. */
  #cell(column: number, style: string | undefined): string {
    const { column: first, widths } = this.#plan
    const n = column - first
    const isAdded = n >= 0 && n < widths.length
    if (isAdded) this.#count = n + 1
    const text = isAdded ? safe(this.#added[n] ?? '') : ''
    const place = `${columnName(column)}${this.#row}`
    const known = style !== undefined && /^\d{1,6}$/.test(style) ? style : undefined
    if (text !== '') return textCell(place, text, known, this.#prefix)
    return known === undefined ? '' : `<${this.#prefix}c r="${place}" s="${known}"/>`
  }

  /** Widths stand in the order of their columns; one that is there stays. */
  #takeColumn(tag: SheetTag, { min, max }: Attributes): void {
    const { column: first, widths } = this.#plan
    if (this.#hasWidths || Number(max) <= first) return
    this.#hasWidths = true
    if (Number(min) > first + widths.length) this.#addWidths(tag)
  }

  #endColumns(tag: SheetTag): void {
    if (this.#hasWidths) return
    this.#hasWidths = true
    const isInside = this.#text.startsWith('</', this.#startOf(tag) - this.#base)
    if (tag.name === 'sheetData') this.#addWidths(tag, 'cols')
    else if (isInside) this.#addWidths(tag)
  }

  #addWidths(tag: SheetTag, around?: string): void {
    const start = this.#startOf(tag)
    const prefix = prefixOf(this.#text.slice(start - this.#base, tag.at - this.#base))
    const cols = this.#plan.widths.map((width, n) => {
      const place = this.#plan.column + n + 1
      return `<${prefix}col min="${place}" max="${place}" width="${width}" customWidth="1"/>`
    })
    this.#copyTo(start)
    this.#write(around === undefined ? cols.join('') : `<${prefix}${around}>${cols.join('')}</${prefix}${around}>`)
  }

  #widened(tag: string): string {
    const end = this.#plan.column + this.#plan.widths.length - 1
    return attributesOf(tag, (name, all, ref) => {
      const [from, to] = name === 'ref' ? (parseCells(ref) ?? []) : []
      if (from === undefined || to === undefined) return all
      return ` ref="${columnName(from.column)}${from.row}:${columnName(Math.max(to.column, end))}${to.row}"`
    })
  }

  /** A `<` stands nowhere in a tag but at its beginning. */
  #startOf({ at }: SheetTag): number {
    return this.#base + this.#text.lastIndexOf('<', at - this.#base - 1)
  }

  #take(tag: SheetTag): string {
    const start = this.#startOf(tag)
    this.#copyTo(start)
    this.#done = tag.at
    return this.#text.slice(start - this.#base, tag.at - this.#base)
  }

  #copyTo(at: number): void {
    const to = Math.min(at, this.#base + this.#text.length)
    if (to <= this.#done) return
    this.#write(this.#text.slice(this.#done - this.#base, to - this.#base))
    this.#done = to
  }

  #write(text: string): void {
    this.#out += text
  }
}

function prefixOf(tag: string): string {
  return /^<\/?([^\s:/>]+:)?/.exec(tag)?.[1] ?? ''
}

/** A tag with other attributes, each by its name, the whole of it and its value. */
function attributesOf(tag: string, change: (name: string, all: string, value: string) => string): string {
  return tag.replace(/\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g, (all, name: string, value: string) =>
    change(name, all, value.slice(1, -1)),
  )
}
