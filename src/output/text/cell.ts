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

export function cellOf(value: unknown, column: Kind, options: PrintOptions): Cell {
  const { most } = column
  if (most !== undefined && Array.isArray(value) && value.length > most && isCut(options)) {
    const first = cellOf(value.slice(0, most), column, options)
    const text = `${first.text}, ${value.length - most} more`
    return { ...first, text, width: cells(text) }
  }
  const text = safe(cellWords(value, column, options))
  const cell = { text, width: cells(text) }
  if (!Array.isArray(value) || value.length === 0 || !isCut(options)) return cell
  return { ...cell, items: value.map((item) => safe(itemText(item).slice(0, mostOf(options)))) }
}

/** Where cells are cut, the rest of a long one is not looked at. */
function mostOf({ width = 0 }: PrintOptions): number {
  return (width + 1) * unitsPerCell
}

/** Whether cells are cut: on a terminal. */
export function isCut({ truncate: cuts, width }: PrintOptions): boolean {
  return cuts && width !== undefined
}

function inWords(value: unknown): unknown {
  return Array.isArray(value) ? value.map(itemText).join(', ') : value
}

/** Things that are known by id and name are called by their name. */
function itemText(item: unknown): string {
  const isNamed =
    isObject(item) &&
    'id' in item &&
    typeof item['name'] === 'string' &&
    Object.keys(item).length === 2
  return cellText(isNamed ? item['name'] : item)
}

/** As much of a cell as fits, and of an array as many whole items as fit: `+15551000025, 2 more`. */
export function fit({ text, width: whole, items }: Cell, width: number): string {
  if (whole <= width) return text
  const [first] = items ?? []
  if (items === undefined || first === undefined) return truncate(text, width)
  let best: string | undefined
  let shown = ''
  for (const [index, item] of items.slice(0, -1).entries()) {
    shown += `${index === 0 ? '' : ', '}${item}`
    const candidate = `${shown}, ${items.length - index - 1} more`
    if (cells(candidate) > width) break
    best = candidate
  }
  if (best !== undefined) return best
  // A cut id is worth less than their number.
  if (idPattern.test(first))
    return truncate(`${items.length} ${items.length === 1 ? 'id' : 'ids'}`, width)
  const others = `, ${items.length - 1} more`
  // A cut number is worth nothing, and a name needs a few letters.
  const isWhole = items.length === 1 || /^\+?\d/.test(first) || width < cells(others) + 4
  return isWhole ? truncate(text, width) : truncate(first, width - cells(others)) + others
}

/** A value on a line of its own has room for both: the exact time and, on a terminal, how long ago that was. */
export function stackedCell(value: unknown, column: Kind, options: PrintOptions): Cell {
  const exact = cellOf(value, column, { ...options, width: undefined })
  const time = column.kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
  if (time === undefined || options.width === undefined || options.utc || !options.truncate)
    return exact
  const text = `${exact.text} (${relativeTime(time, options.now)})`
  return { text, width: text.length }
}

function cellWords(value: unknown, { kind, dated }: Kind, options: PrintOptions): string {
  if (kind === 'time' && typeof value === 'string') {
    const time = parseTime(value)
    return time === undefined ? value : timeWords(time, dated, options)
  }
  const words = cellText(inWords(value))
  return isCut(options) ? words.slice(0, mostOf(options)).replace(/\r?\n/g, ' ↵ ') : words
}

function timeWords(time: number, dated: Kind['dated'], options: PrintOptions): string {
  const { now, utc, width, truncate } = options
  const future = dated === 'always' ? futureWord(time, now) : ''
  if (width === undefined || !truncate || utc) return exactTime(time, utc) + future
  switch (dated) {
    case 'always':
      return dateToMinute(time) + future
    case 'after-an-hour':
      return ageOrDate(time, now)
    case undefined:
      return relativeTime(time, now)
  }
}
