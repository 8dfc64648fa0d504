/**
 * Tables without borders, and one thing as lines of heading and value. Each line is drawn by cli-table3 as a table with given
 * widths: with all rows in one, it takes the square of their number. Cells are made safe and cut before, because it lets
 * control characters through and cuts characters in two.
 */
import Table from 'cli-table3'
import { idPattern } from '../../ids.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import { cellText, columnsOf, type Column } from '../columns.ts'
import type { PrintOptions, Rows } from '../result.ts'
import { exactTime, parseTime, relativeTime } from '../text/time.ts'
import { paint, terminalCells, truncate, type Style } from '../text/width.ts'

/** Terminal cells between two columns. */
const gap = 2
/** Fewer terminal cells of a text tell nothing. */
const leastText = 6
const leastWidths: Readonly<Record<string, number>> = {
  NAME: 12,
  NAMES: 12,
  SHARED: 12,
  OPERATION: 12,
  PHONE: 16,
}
/** If nothing is cut, a longer text does not pad the other rows. */
const longestCell = 200

interface Cell {
  text: string
  width: number
  style?: Style | undefined
  isNumber?: boolean
}

/**
 * The lines of a table; none without rows. One thing, and rows for which a terminal is too narrow, are lines of heading and
 * value.
 */
export function* tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { isOne, details }: Pick<Rows<T>, 'isOne' | 'details'>,
  options: PrintOptions,
): Generator<string> {
  if (details !== undefined) {
    const titles = Object.fromEntries(Object.keys(details).map((title) => [title, title]))
    yield* stackedText(details, columnsOf<typeof details>(titles, undefined), options)
    yield '\n'
  }
  const lines = rows.map((row) => columns.map((column) => cellOf(row, column, options)))
  const widths = isOne === true ? undefined : widthsOf(columns, lines, options)
  if (widths === undefined) {
    for (const row of rows) {
      yield* stackedText(row, columns, options)
      if (isOne !== true) yield '\n'
    }
  } else if (rows.length > 0) {
    for (const line of [columns.map(titleOf), ...lines]) yield draw(line, widths, options)
  }
}

/** Nothing is cut: a person who asks for one thing wants all of it. */
function* stackedText<T>(value: T, columns: readonly Column<T>[], options: PrintOptions) {
  const whole = { ...options, width: undefined }
  const titles = columns.map(titleOf)
  const widest = Math.max(...titles.map(({ width }) => width))
  for (const column of columns) {
    const line = [titleOf(column), cellOf(value, column, whole)]
    yield draw(line, [widest, 0], whole)
  }
}

function titleOf({ heading }: Pick<Column<never>, 'heading'>): Cell {
  const text = safe(heading)
  return { text, width: terminalCells(text), style: 'bold' }
}

/**
 * The widths of columns; undefined if a terminal is too narrow for them, or for all of a single row. The widest columns are
 * cut first, to a common width, but none below its least width.
 */
function widthsOf<T>(
  columns: readonly Column<T>[],
  lines: readonly Cell[][],
  { width = Infinity }: PrintOptions,
) {
  const room = width - gap * (columns.length - 1)
  const shapes = columns.map((column, place) => {
    const cells = lines.flatMap((line) => line[place] ?? [])
    const content = cells.reduce((most, cell) => Math.max(most, cell.width), 0)
    // If an id, a number, a time or a state is cut, it is wrong or tells nothing.
    const isWhole = column.kind !== 'text' || cells.some((cell) => cell.isNumber)
    return {
      least: isWhole ? content : (leastWidths[column.heading] ?? leastText),
      natural: Math.max(content, titleOf(column).width),
    }
  })
  for (let common = Math.min(room, longestCell); common > 0; common -= 1) {
    const widths = shapes.map(({ least, natural }) =>
      Math.min(natural, Math.max(common, least)),
    )
    const total = widths.reduce((sum, each) => sum + each, 0)
    if (total <= room) return widths
    if (lines.length === 1) return undefined
  }
  return undefined
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const chars = Object.fromEntries(borders.split(' ').map((name) => [name, '']))
const style = { 'padding-left': 0, 'padding-right': gap, head: [], border: [] }

/** A line. Off a terminal, a cell that is wider than its column moves the rest of its line. */
function draw(
  cells: readonly Cell[],
  widths: readonly number[],
  { width: terminalWidth, color }: PrintOptions,
) {
  const rooms = cells.map(({ width }, place) => {
    const least = widths[place] ?? 0
    return terminalWidth === undefined ? Math.max(least, width) : least
  })
  const table = new Table({ chars, style, colWidths: rooms.map((room) => room + gap) })
  const line = cells.map(({ text, style, isNumber }, place) => ({
    content: paint(truncate(text, rooms[place] ?? 0), color ? style : undefined),
    hAlign: isNumber === true ? ('right' as const) : ('left' as const),
  }))
  table.push(line)
  return `${table.toString().trimEnd()}\n`
}

/** The cell of a row, safe to show. */
function cellOf<T>(row: T, { valueOf, kind }: Column<T>, options: PrintOptions): Cell {
  const value = valueOf(row)
  const text = safe(kind === 'time' ? timeWords(value, options) : cellWords(value, options))
  return {
    text,
    width: terminalCells(text),
    style: kind === 'time' ? 'dim' : undefined,
    isNumber: typeof value === 'number' || isIds(value),
  }
}

/** Exact for programs, else as people say it. */
function timeWords(value: unknown, { width, now }: PrintOptions) {
  const text = cellText(value)
  const time = parseTime(text)
  if (time === undefined) return text
  return width === undefined ? exactTime(time) : relativeTime(time, now)
}

/** The words of a value, not yet safe. On a terminal a line break becomes a sign, because a row is one line. */
function cellWords(value: unknown, { width }: PrintOptions) {
  if (isIds(value)) return groupDigits(value.length)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const words = Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value)
  return width === undefined ? words : words.replace(/\r?\n/g, ' ↵ ')
}

/** Ids take too much room: a table counts them, and csv and JSON have them. */
function isIds(value: unknown): value is readonly string[] {
  const isId = (item: unknown) => idPattern.test(String(item))
  return Array.isArray(value) && value.length > 0 && value.every(isId)
}
