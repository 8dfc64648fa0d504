/**
 * Cells of a table: a value becomes text once, safe to show, with times and arrays in words; and a cell is
 * cut to the width of its column.
 */
import { isObject } from '../../values.ts'
import { cellText } from '../fields.ts'
import type { Column, PrintOptions } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import { cells, truncate, unitsPerCell } from './width.ts'
import { ageOrDate, exactTime, parseTime, relativeTime } from './time.ts'

export interface TextCell {
  readonly text: string
  readonly width: number
  /** The items of an array, for where the whole of it does not fit. */
  readonly items?: readonly string[]
}

type CellColumn = Pick<Column, 'kind' | 'isDated' | 'short'>

/** The cell of a value, safe to show. */
export function cellOf(
  value: unknown,
  column: CellColumn,
  options: PrintOptions,
): TextCell {
  const text = safe(cellWords(value, column, options))
  const items = Array.isArray(value) && isCut(options) ? value : []
  return {
    text,
    width: cells(text),
    items: items.map((item) => safe(itemText(item).slice(0, longestCell(options)))),
  }
}

/** How many units of a cell are read if cells are cut. */
function longestCell({ width = 0 }: PrintOptions): number {
  return (width + 1) * unitsPerCell
}

/** Whether cells are cut: on a terminal. */
export function isCut({ truncate: cuts, width }: PrintOptions): boolean {
  return cuts && width !== undefined
}

/** Things with a name are called by it. */
function itemText(item: unknown): string {
  const name = isObject(item) ? item['name'] : undefined
  return cellText(typeof name === 'string' ? name : item)
}

/** As much of a cell as fits, and of an array as many whole items as fit: `+15551000025, 2 more`. */
export function fit(cell: TextCell, room: number): TextCell {
  if (cell.width <= room) return cell
  const text = someItems(cell.items ?? [], room) ?? truncate(cell.text, room)
  return { text, width: cells(text) }
}

/** As many whole items as fit, and the number of the others; undefined when not even the first one fits. */
function someItems(items: readonly string[], room: number): string | undefined {
  let best: string | undefined
  let shown = ''
  for (const [index, item] of items.slice(0, -1).entries()) {
    shown += index === 0 ? item : `, ${item}`
    const candidate = `${shown}, ${items.length - index - 1} more`
    if (cells(candidate) > room) break
    best = candidate
  }
  return best
}

/** A value on a line of its own has room for both: the exact time and, on a terminal, how long ago that was. */
export function stackedCell(
  value: unknown,
  column: CellColumn,
  options: PrintOptions,
): TextCell {
  const { text } = cellOf(value, column, { ...options, width: undefined })
  const time = isCut(options) && !options.utc ? timeOf(value, column) : undefined
  const age = time === undefined ? '' : ` (${relativeTime(time, options.now)})`
  return { text: text + age, width: cells(text) + age.length }
}

function timeOf(value: unknown, { kind }: CellColumn): number | undefined {
  return kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
}

/** The words of a value, not safe yet. On a terminal a line break is a sign, because a row is one line. */
function cellWords(value: unknown, column: CellColumn, options: PrintOptions): string {
  const time = timeOf(value, column)
  if (time !== undefined) return timeWords(time, column, options)
  // Ids take too much room: a table counts them, and csv and JSON have them.
  if (Array.isArray(value) && column.kind === 'number') return groupDigits(value.length)
  if (typeof value === 'boolean' && column.kind === 'state') return value ? 'yes' : 'no'
  const words = Array.isArray(value) ? value.map(itemText).join(', ') : cellText(value)
  if (!isCut(options)) return words
  if (column.short !== undefined) return column.short(words)
  return words.slice(0, longestCell(options)).replace(/\r?\n/g, ' ↵ ')
}

/** The words of a time: exact for programs and with `--utc`, else as people say it. */
function timeWords(time: number, { isDated }: CellColumn, options: PrintOptions): string {
  const { now, utc } = options
  if (!isCut(options) || utc) return exactTime(time, utc)
  return isDated === true ? ageOrDate(time, now) : relativeTime(time, now)
}
