/** A value as the text of a table's cell: times, sizes and arrays in words, and as much of it as fits. */
import { idPattern, isObject } from '../../values.ts'
import { cellText } from '../fields.ts'
import type { Column, PrintOptions } from '../result.ts'
import { safe } from './safe.ts'
import { cells, truncate, unitsPerCell } from './width.ts'
import { ageOrDate, dateToMinute, exactTime, futureWord, parseTime, relativeTime } from './time.ts'

export interface Cell {
  readonly text: string
  readonly width: number
  /** The items of an array, for where the whole of it does not fit. */
  readonly items?: readonly string[]
}

/** Rows of cells that are laid out together. */
export type Block = readonly (readonly Cell[])[]

type Kind = Pick<Column, 'kind' | 'dated' | 'most'>

/** The cell of a value, safe to show. `most` of a column: items of an array that it shows on a terminal. */
export function cellOf(value: unknown, column: Kind, options: PrintOptions): Cell {
  const { most = Infinity } = column
  if (Array.isArray(value) && value.length > most && isCut(options)) {
    const first = cellOf(value.slice(0, most), column, options)
    const text = `${first.text}, ${value.length - most} more`
    return { ...first, text, width: cells(text) }
  }
  const text = safe(cellWords(value, column, options))
  const cell = { text, width: cells(text) }
  if (!Array.isArray(value) || value.length === 0 || !isCut(options)) return cell
  const items = value.map((item) => safe(itemText(item).slice(0, mostOf(options))))
  return { ...cell, items }
}

/** Where cells are cut, the rest of a long one is not looked at. */
function mostOf({ width = 0 }: PrintOptions): number {
  return (width + 1) * unitsPerCell
}

/** Whether cells are cut: on a terminal. */
export function isCut({ truncate: cuts, width }: PrintOptions): boolean {
  return cuts && width !== undefined
}

/** Things that are known by id and name are called by their name. */
function itemText(item: unknown): string {
  if (!isObject(item) || !('id' in item) || Object.keys(item).length !== 2) return cellText(item)
  const { name } = item
  return typeof name === 'string' ? name : cellText(item)
}

/** As much of a cell as fits, and of an array as many whole items as fit: `+15551000025, 2 more`. */
export function fit({ text, width: whole, items }: Cell, width: number): string {
  if (whole <= width) return text
  const [first] = items ?? []
  if (items === undefined || first === undefined) return truncate(text, width)
  const best = mostItems(items, width)
  if (best !== undefined) return best
  // A cut id is worth less than their number.
  if (idPattern.test(first)) {
    const ids = items.length === 1 ? 'id' : 'ids'
    return truncate(`${items.length} ${ids}`, width)
  }
  const others = `, ${items.length - 1} more`
  // A cut number is worth nothing, and a name needs a few letters.
  const isWhole = items.length === 1 || /^\+?\d/.test(first) || width < cells(others) + 4
  return isWhole ? truncate(text, width) : truncate(first, width - cells(others)) + others
}

/** As many whole items as fit, and the number of the others; undefined when not even the first one fits. */
function mostItems(items: readonly string[], width: number): string | undefined {
  let best: string | undefined
  let shown = ''
  for (const [index, item] of items.slice(0, -1).entries()) {
    shown += index === 0 ? item : `, ${item}`
    const candidate = `${shown}, ${items.length - index - 1} more`
    if (cells(candidate) > width) break
    best = candidate
  }
  return best
}

/** A value on a line of its own has room for both: the exact time and, on a terminal, how long ago that was. */
export function stackedCell(value: unknown, column: Kind, options: PrintOptions): Cell {
  const exact = cellOf(value, column, { ...options, width: undefined })
  if (!isCut(options) || options.utc) return exact
  const time = column.kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
  if (time === undefined) return exact
  const text = `${exact.text} (${relativeTime(time, options.now)})`
  return { text, width: text.length }
}

function cellWords(value: unknown, { kind, dated }: Kind, options: PrintOptions): string {
  if (kind === 'time' && typeof value === 'string') {
    const time = parseTime(value)
    return time === undefined ? value : timeWords(time, dated, options)
  }
  const words = Array.isArray(value) ? value.map(itemText).join(', ') : cellText(value)
  if (!isCut(options)) return words
  return words.slice(0, mostOf(options)).replace(/\r?\n/g, ' ↵ ')
}

function timeWords(time: number, dated: Kind['dated'], options: PrintOptions): string {
  const { now, utc } = options
  const future = dated === 'always' ? futureWord(time, now) : ''
  if (!isCut(options) || utc) return exactTime(time, utc) + future
  switch (dated) {
    case 'always':
      return dateToMinute(time) + future
    case 'after-an-hour':
      return ageOrDate(time, now)
    case undefined:
      return relativeTime(time, now)
  }
}
