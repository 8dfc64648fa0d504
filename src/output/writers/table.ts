/**
 * Tables without borders, and one thing as lines of heading and value. Each line is drawn by cli-table3 as a table with given
 * widths: with all rows in one, it takes the square of their number. Cells are made safe and cut before, because it lets
 * control characters through and cuts characters in two.
 */
import Table from 'cli-table3'
import { idPattern } from '../../ids.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import { cellText, type Column, type ColumnKind } from '../columns.ts'
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
  { isOne = false, details = {} }: Pick<Rows<T>, 'isOne' | 'details'>,
  options: PrintOptions,
): Generator<string> {
  const facts = Object.entries(details)
  if (facts.length > 0) {
    const names = facts.map(([title]) => titleOf(title))
    const values = facts.map(([, value]) => cellOf(value, 'text', options))
    yield* stackedText(names, values, options)
    yield '\n'
  }
  const titles = columns.map(({ heading }) => titleOf(heading))
  const lines: Cell[][] = []
  for (const row of rows) lines.push(lineOf(row, columns, options))
  const widths = isOne ? undefined : widthsOf(columns, lines, options)
  if (widths === undefined) {
    // Nothing is cut: a person who asks for one thing wants all of it.
    const whole = { ...options, width: undefined }
    for (const row of rows) {
      yield* stackedText(titles, lineOf(row, columns, whole), whole)
      if (rows.length > 1) yield '\n'
    }
    return
  }
  if (rows.length > 0) yield draw(titles, widths, options)
  for (const line of lines) yield draw(line, widths, options)
}

/** Lines of heading and value. */
function* stackedText(
  titles: readonly Cell[],
  values: readonly Cell[],
  { color }: PrintOptions,
) {
  const widest = Math.max(...titles.map(({ width }) => width))
  const whole = { color, width: undefined }
  for (const [place, title] of titles.entries()) {
    const value = values[place] ?? titleOf('')
    const cell = { ...value, isNumber: false }
    yield draw([title, cell], [widest, 0], whole)
  }
}

function titleOf(heading: string): Cell {
  const text = safe(heading)
  return { text, width: terminalCells(text), style: 'bold' }
}

function lineOf<T>(row: T, columns: readonly Column<T>[], options: PrintOptions) {
  return columns.map(({ valueOf, kind }) => {
    const value = valueOf(row)
    return cellOf(value, kind, options)
  })
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
  const shapes = columns.map(({ heading, kind }, place) => {
    const cells = lines.flatMap((line) => line[place] ?? [])
    const content = longest(cells.map((cell) => cell.width))
    // If an id, a number, a time or a state is cut, it is wrong or tells nothing.
    const isWhole = kind !== 'text' || cells.some((cell) => cell.isNumber)
    const leastOfText = leastWidths[heading] ?? leastText
    const natural = Math.max(content, titleOf(heading).width)
    return { natural, least: isWhole ? content : leastOfText }
  })
  let common = Math.min(room, longestCell)
  for (; common > 0; common -= 1) {
    const widths = shapes.map(({ least, natural }) => {
      const wanted = Math.max(common, least)
      return Math.min(natural, wanted)
    })
    const total = widths.reduce((sum, each) => sum + each, 0)
    if (total <= room) return widths
    if (lines.length === 1) return undefined
  }
  return undefined
}

/** The greatest of any number of widths. */
function longest(widths: readonly number[]) {
  return widths.reduce((most, width) => Math.max(most, width), 0)
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const names = borders.split(' ')
const chars = Object.fromEntries(names.map((name) => [name, '']))
const tableStyle = {
  'padding-left': 0,
  'padding-right': gap,
  head: [],
  border: [],
}

/** A line. Off a terminal, a cell that is wider than its column moves the rest of its line. */
function draw(
  cells: readonly Cell[],
  widths: readonly number[],
  { width: terminalWidth, color }: Pick<PrintOptions, 'width' | 'color'>,
) {
  const isCut = terminalWidth !== undefined
  const colWidths: number[] = []
  const line = cells.map(({ text, width, style, isNumber }, place) => {
    const given = widths[place] ?? 0
    const room = isCut ? given : Math.max(given, width)
    colWidths.push(room + gap)
    const shown = truncate(text, room)
    return {
      content: color ? paint(shown, style) : shown,
      hAlign: isNumber === true ? ('right' as const) : ('left' as const),
    }
  })
  const table = new Table({ chars, style: tableStyle, colWidths })
  table.push(line)
  return `${table.toString().trimEnd()}\n`
}

/** The cell of a value, safe to show. */
function cellOf(value: unknown, kind: ColumnKind, options: PrintOptions): Cell {
  const isTime = kind === 'time'
  const words = isTime ? timeWords(value, options) : cellWords(value, options)
  const text = safe(words)
  return {
    text,
    width: terminalCells(text),
    style: isTime ? 'dim' : undefined,
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
  const words = textOf(value)
  if (width === undefined) return words
  return words.replace(/\r?\n/g, ' ↵ ')
}

function textOf(value: unknown) {
  if (!Array.isArray(value)) return cellText(value)
  const texts = value.map(cellText)
  return texts.join(', ')
}

/** Ids take too much room: a table counts them, and csv and JSON have them. */
function isIds(value: unknown): value is readonly string[] {
  const isId = (item: unknown) => idPattern.test(String(item))
  return Array.isArray(value) && value.length > 0 && value.every(isId)
}
