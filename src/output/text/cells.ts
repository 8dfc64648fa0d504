/**
 * Cells of a table (`formats/table.ts`), and the widths of its columns. A value becomes text once, safe to show, with times and arrays
 * in words; then each column has its constraints, the terminal has one width, and a cell shows as much as fits.
 */
import { idPattern, isObject } from '../../values.ts'
import { cellText } from '../fields.ts'
import type { Column, PrintOptions } from '../result.ts'
import { safe } from '../../safe-text.ts'
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
  const isNamed = isObject(item) && 'id' in item && typeof item['name'] === 'string'
  if (!isNamed || Object.keys(item).length !== 2) return cellText(item)
  return String(item['name'])
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
  const room = width - cells(others)
  // A cut number is worth nothing, and a name needs a few letters.
  const isNumber = /^\+?\d/.test(first)
  if (items.length === 1 || isNumber || room < 4) return truncate(text, width)
  return truncate(first, room) + others
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
  const isTime = column.kind === 'time' && typeof value === 'string'
  const time = isTime ? parseTime(value) : undefined
  if (time === undefined) return exact
  const text = `${exact.text} (${relativeTime(time, options.now)})`
  return { text, width: text.length }
}

/** The words of a value, not safe yet. On a terminal a line break is a sign, because a row is one line. */
function cellWords(value: unknown, { kind, dated }: Kind, options: PrintOptions): string {
  if (kind === 'time' && typeof value === 'string') {
    const time = parseTime(value)
    return time === undefined ? value : timeWords(time, dated, options)
  }
  const words = Array.isArray(value) ? value.map(itemText).join(', ') : cellText(value)
  if (!isCut(options)) return words
  return words.slice(0, mostOf(options)).replace(/\r?\n/g, ' ↵ ')
}

/** The words of a time: exact for programs and with `--utc`, else as people say it. */
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

/** Cells between two columns. */
export const gap = 2
/** Cells that a text column keeps at least; when even that does not fit, rows are stacked. */
const textFloor = 6
/** Names, messages and lists are what people look for: they keep more, and the latter two grow faster than their neighbors. */
const special: Readonly<Record<string, { floor: number; weight: number }>> = {
  name: { floor: 12, weight: 1 },
  text: { floor: 16, weight: 2 },
  'lists.name': { floor: 12, weight: 2 },
}
/** A state is one of a few short words, and says nothing when it is cut. */
const stateAtMost = 10
/** One of ten cells may be cut so that the others are whole. */
const usualShare = 0.9
/** An id or a time that is wider than any real one need not be shown whole. */
const wholeAtMost = 40
/** Where nothing is cut, a cell that is wider shifts its own row instead of padding all the others. */
const alignedAtMost = 200

/** Columns and the cells that each of them gets, in the same order. */
export interface Layout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
}

/** Widths from the first rows. No widths at all means that the terminal is too narrow for a table. */
export function layOut(
  columns: readonly Column[],
  block: Block,
  { width, truncate }: PrintOptions,
): Layout {
  const constraints = columns.map((column, index) => {
    const columnCells = block.flatMap((row) => row[index] ?? [])
    return constraintOf(column, columnCells)
  })
  const natural = constraints.map((constraint) => constraint.natural)
  if (width === undefined || !truncate) {
    const widths = natural.map((cellWidth) => Math.min(cellWidth, alignedAtMost))
    return { columns, widths }
  }
  const room = width - gap * (columns.length - 1)
  const floors = constraints.map(({ floor }) => floor)
  if (sum(floors) > room) return { columns, widths: [] }
  const weights = columns.map(({ field }) => special[field]?.weight ?? 1)
  const usual = constraints.map((constraint) => constraint.usual)
  // First what is usual shares the room; a column that got all of that gives none of it away to the one long cell of another.
  const least = shrink(usual, floors, weights, room)
  const widths = shrink(natural, least, weights, room)
  return { columns, widths }
}

/** Whether a layout has less room for a cell or a heading than it needs. */
export function isTight({ columns, widths }: Layout, block: Block): boolean {
  return columns.some(({ title }, index) => {
    const width = widths[index] ?? 0
    const content = largest(block.map((row) => row[index]?.width ?? 0))
    return cells(title) > width || content > width
  })
}

/** Widths of one column in cells. */
interface Constraint {
  /** It must have so many: with fewer it says nothing. */
  readonly floor: number
  /** It should have so many: enough for most of its cells. */
  readonly usual: number
  /** It has so many when nothing is cut. */
  readonly natural: number
}

function constraintOf(
  { kind, field, title, floor }: Column,
  columnCells: readonly Cell[],
): Constraint {
  const content = largest(columnCells.map(({ width }) => width))
  const natural = Math.max(cells(title), content)
  // An id, a number and a time say something else, or nothing, when they are cut.
  if (kind === 'id' || kind === 'number' || kind === 'time') {
    const whole = Math.max(floor ?? 1, content)
    return {
      floor: Math.min(natural, wholeAtMost, whole),
      usual: natural,
      natural,
    }
  }
  if (kind === 'state') {
    return {
      floor: Math.min(natural, floor ?? stateAtMost),
      usual: natural,
      natural,
    }
  }
  const usual = Math.max(cells(title), usualWidth(columnCells))
  const least = floor ?? special[field]?.floor ?? textFloor
  return {
    floor: Math.min(usual, least),
    usual,
    natural,
  }
}

/** The width that is enough for nine of ten cells; an array needs its first item and the number of the others. */
function usualWidth(columnCells: readonly Cell[]): number {
  const widths = columnCells.map(({ width, items = [] }) => {
    const [first] = items
    if (first === undefined || items.length === 1) return width
    const shortForm = `${first}, ${items.length - 1} more`
    return Math.min(width, cells(shortForm))
  })
  widths.sort((a, b) => a - b)
  const position = Math.ceil(usualShare * widths.length) - 1
  return widths[position] ?? 0
}

/** The widest columns give first, down to a common width times their weight, none below its floor. */
function shrink(
  natural: readonly number[],
  floors: readonly number[],
  weights: readonly number[],
  room: number,
) {
  const cap = (limit: number): number[] => {
    return natural.map((width, index) => {
      const weighted = limit * (weights[index] ?? 1)
      const floor = floors[index] ?? 0
      return Math.max(floor, Math.min(width, weighted))
    })
  }
  // The largest limit at which all columns together fit.
  let low = 0
  let high = largest(natural)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sum(cap(middle)) <= room) low = middle
    else high = middle - 1
  }
  const widths = cap(low)
  // A rest that the common limit could not divide goes to the first columns that are cut, a cell each.
  let left = room - sum(widths)
  for (const [index, width] of widths.entries()) {
    if (left <= 0) break
    if (width < (natural[index] ?? 0)) {
      widths[index] = width + 1
      left -= 1
    }
  }
  return widths
}

/** The largest of the values; 0 of none. Not by spreading: there may be more values than a call takes arguments. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Instead of a cell that a row does not have. */
export const empty: Cell = { text: '', width: 0 }

/** The heading of a column, which may be a user's own. */
export function titleCell(title: string): Cell {
  return { text: safe(title), width: cells(title) }
}

/** Some of the cells of each row, by their places. */
export function pickCells(block: Block, places: readonly number[]): Cell[][] {
  return block.map((row) => {
    return places.map((place) => row[place] ?? empty)
  })
}

/** The cells with the short words of their columns; those of a column without any stay. */
export function shortenCells(columns: readonly Column[], rows: Block): Cell[][] {
  const shortenCell = (cell: Cell, index: number): Cell => {
    const text = columns[index]?.short?.word(cell.text)
    return text === undefined ? cell : { text, width: cells(text) }
  }
  return rows.map((row) => row.map(shortenCell))
}

/** A long text at its blanks. A command is left to the terminal, so that it can be copied; so is a word that has no room. */
export function wrapCell(cell: Cell, room: number): Cell[] {
  const isToBeCopied = /^svc |^https?:/.test(cell.text)
  if (cell.width <= room || isToBeCopied) return [cell]
  const lines: Cell[] = []
  let line: Cell | undefined
  for (const word of cell.text.split(' ')) {
    const width = cells(word)
    if (line !== undefined && line.width + 1 + width <= room) {
      line = {
        text: `${line.text} ${word}`,
        width: line.width + 1 + width,
      }
      continue
    }
    if (line !== undefined) lines.push(line)
    line = { text: word, width }
  }
  return [...lines, line ?? cell]
}
