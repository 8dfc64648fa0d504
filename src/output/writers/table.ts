/**
 * Writes tables without borders, and one thing as lines of heading and value. cli-table3 draws each line as a table of its own: its
 * time grows with the square of the rows. Cells are made safe and cut before, because cli-table3 prints control characters and
 * cuts characters in two.
 */
import Table from 'cli-table3'
import { safe } from '../../safe-text.ts'
import { idPattern } from '../../values.ts'
import { groupDigits } from '../../words.ts'
import {
  cellText,
  type Column,
  type ColumnKind,
  type PrintOptions,
  type Rows,
} from '../result.ts'
import {
  exactTime,
  parseTime,
  relativeTime,
  paint,
  terminalCells,
  truncate,
  type Style,
} from '../text.ts'

/** The terminal cells between two columns. */
const gap = 2
/** A text in fewer terminal cells tells nothing. */
const minTextWidth = 6
/** The minimum widths of some columns, by heading. */
const minWidths: Readonly<Record<string, number>> = {
  NAME: 12,
  NAMES: 12,
  SHARED: 12,
  OPERATION: 12,
  PHONE: 16,
}
/** Without a terminal, a longer text does not widen its column. */
const maxPaddedWidth = 200

interface Cell {
  text: string
  width: number
  style?: Style | undefined
  isNumber?: boolean
}

/**
 * Yields the lines of a table. Without rows, there are none. One thing is shown as lines of heading and value, and so are rows if
 * the terminal is too narrow.
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

/** Yields lines of heading and value. */
function* stackedText(
  titles: readonly Cell[],
  values: readonly Cell[],
  { color }: PrintOptions,
) {
  const widest = Math.max(...titles.map(({ width }) => width))
  const whole = { color, width: undefined }
  for (const [index, title] of titles.entries()) {
    const value = values[index] ?? titleOf('')
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
 * Returns the widths of columns; undefined if a terminal is too narrow for them, or if a single row would be cut. The widest columns
 * are cut first, to a common width, but not below their minimum.
 */
function widthsOf<T>(
  columns: readonly Column<T>[],
  lines: readonly Cell[][],
  { width = Infinity }: PrintOptions,
) {
  const room = width - gap * (columns.length - 1)
  const shapes = columns.map(({ heading, kind }, index) => {
    const cells = lines.flatMap((line) => line[index] ?? [])
    const content = maxOf(cells.map((cell) => cell.width))
    // If an id, a number, a time or a state is cut, it is wrong or tells nothing.
    const isWhole = kind !== 'text' || cells.some((cell) => cell.isNumber)
    const minOfText = minWidths[heading] ?? minTextWidth
    const natural = Math.max(content, titleOf(heading).width)
    return { natural, min: isWhole ? content : minOfText }
  })
  let common = Math.min(room, maxPaddedWidth)
  for (; common > 0; common -= 1) {
    const widths = shapes.map(({ min, natural }) => {
      const wanted = Math.max(common, min)
      return Math.min(natural, wanted)
    })
    const total = widths.reduce((sum, each) => sum + each, 0)
    if (total <= room) return widths
    if (lines.length === 1) return undefined
  }
  return undefined
}

/** Returns the greatest of any number of widths. */
function maxOf(widths: readonly number[]) {
  return widths.reduce((max, width) => Math.max(max, width), 0)
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

/** Returns a line. Without a terminal, nothing is cut, and a cell that is wider than its column moves the rest of its line. */
function draw(
  cells: readonly Cell[],
  widths: readonly number[],
  { width: terminalWidth, color }: Pick<PrintOptions, 'width' | 'color'>,
) {
  const isCut = terminalWidth !== undefined
  const colWidths: number[] = []
  const line = cells.map(({ text, width, style, isNumber }, index) => {
    const given = widths[index] ?? 0
    const room = isCut ? given : Math.max(given, width)
    colWidths.push(room + gap)
    const shown = truncate(text, room)
    return {
      content: color ? paint(shown, style) : shown,
      hAlign: isNumber === true ? ('right' as const) : ('left' as const),
    }
  })
  const isLong = !isCut && cells.some(({ text }) => text.length > maxPaddedWidth)
  if (isLong) return longLine(line, cells, colWidths)
  const table = new Table({ chars, style: tableStyle, colWidths })
  table.push(line)
  return `${table.toString().trimEnd()}\n`
}

/** Returns a line with a long text, for which cli-table3 takes time by the square of its length. */
function longLine(
  line: readonly { content: string }[],
  cells: readonly Cell[],
  colWidths: readonly number[],
) {
  const padded = line.map(({ content }, index) => {
    const { width = 0, isNumber } = cells[index] ?? {}
    const blanks = ' '.repeat((colWidths[index] ?? 0) - gap - width)
    return isNumber === true ? `${blanks}${content}` : `${content}${blanks}`
  })
  return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
}

/** Returns the cell of a value, safe to show. */
function cellOf(value: unknown, kind: ColumnKind, options: PrintOptions): Cell {
  const isTime = kind === 'time'
  const words = isTime ? timeText(value, options) : shownText(value, options)
  const text = safe(words)
  return {
    text,
    width: terminalCells(text),
    style: isTime ? 'dim' : undefined,
    isNumber: typeof value === 'number' || isIds(value),
  }
}

/** Returns a time: relative on a terminal, exact elsewhere. Returns any other text as it is. */
function timeText(value: unknown, { width, now }: PrintOptions) {
  const text = cellText(value)
  const time = parseTime(text)
  if (time === undefined) return text
  return width === undefined ? exactTime(time) : relativeTime(time, now)
}

/** Returns a value as text that is not yet safe. On a terminal, `↵` replaces a line break, because a row is one line. */
function shownText(value: unknown, { width }: PrintOptions) {
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

/** Whether a value is a list of ids. A table only counts them, because they take too much room. csv and JSON have them. */
function isIds(value: unknown): value is readonly string[] {
  const isId = (item: unknown) => idPattern.test(String(item))
  return Array.isArray(value) && value.length > 0 && value.every(isId)
}
