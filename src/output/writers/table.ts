/**
 * Writes tables without borders, and one thing as lines of heading and value. cli-table3 draws each line as a table of its own,
 * because its time grows with the square of the number of rows. Cells are made safe and cut before: cli-table3 prints control
 * characters, and cuts between the parts of a character.
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

/** The width between two columns. All widths are in terminal cells. */
const gap = 2
/** The minimum width of a column of texts. A shorter text tells nothing. */
const minTextWidth = 6
/** The minimum widths of some columns of texts, by heading. */
const minWidths: Readonly<Record<string, number>> = {
  NAME: 12,
  NAMES: 12,
  SHARED: 12,
  OPERATION: 12,
  PHONE: 16,
}
/** The maximum width of a column without a terminal. A longer text stands out of its column. */
const maxPaddedWidth = 200

/** A cell whose text is safe. */
interface TableCell {
  text: string
  width: number
  style: Style | undefined
  /** Whether it is aligned to the right. */
  isNumber: boolean
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
    const pairs = facts.map(([title, value]) => {
      const cell = cellOf(value, 'text', options)
      return [titleOf(title), cell] as const
    })
    yield* stackedText(pairs, options)
    yield '\n'
  }
  const lines = rows.map((row) => columns.map((column) => cellAt(row, column, options)))
  const widths = isOne ? undefined : widthsOf(columns, lines, options)
  if (widths === undefined) {
    // Nothing is cut: a person who asks for one thing wants all of it.
    const whole = { ...options, width: undefined }
    for (const row of rows) {
      const pairs = columns.map((column) => {
        const cell = cellAt(row, column, whole)
        return [titleOf(column.heading), cell] as const
      })
      yield* stackedText(pairs, whole)
      if (rows.length > 1) yield '\n'
    }
    return
  }
  const titles = columns.map(({ heading }) => titleOf(heading))
  if (rows.length > 0) yield draw(titles, widths, options)
  for (const line of lines) yield draw(line, widths, options)
}

/** Yields a line for each pair of a title and a value. */
function* stackedText(
  pairs: readonly (readonly [title: TableCell, value: TableCell])[],
  { color }: PrintOptions,
) {
  const widest = maxOf(pairs.map(([title]) => title.width))
  for (const [title, value] of pairs) {
    const cell = { ...value, isNumber: false }
    yield draw([title, cell], [widest, 0], { color, width: undefined })
  }
}

function titleOf(heading: string): TableCell {
  const text = safe(heading)
  return { text, width: terminalCells(text), style: 'bold', isNumber: false }
}

function cellAt<T>(row: T, { valueOf, kind }: Column<T>, options: PrintOptions) {
  return cellOf(valueOf(row), kind, options)
}

/**
 * Returns the widths of columns; undefined if the terminal is too narrow, or if a single row would be cut. The widest columns are
 * cut first, to a common width, but not below their minimum.
 */
function widthsOf<T>(
  columns: readonly Column<T>[],
  lines: readonly TableCell[][],
  { width = Infinity }: PrintOptions,
) {
  const room = width - gap * (columns.length - 1)
  const shapes = columns.map(({ heading, kind }, index) => {
    const cells = lines.flatMap((line) => line[index] ?? [])
    const content = maxOf(cells.map((cell) => cell.width))
    // Only texts are cut. A part of an id, a number, a time or a state would be wrong or tell nothing.
    const isWhole = kind !== 'text' || cells.some((cell) => cell.isNumber)
    const minOfText = minWidths[heading] ?? minTextWidth
    const natural = Math.max(content, titleOf(heading).width)
    return { natural, min: isWhole ? content : minOfText }
  })
  // Shrinks the common width until all columns fit.
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

/** cli-table3's names of the parts of borders. */
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const noBorders = Object.fromEntries(borders.split(' ').map((name) => [name, '']))
const tableStyle = {
  'padding-left': 0,
  'padding-right': gap,
  head: [],
  border: [],
}

/** Returns a line of a table. Without a terminal, nothing is cut: a cell that is too wide moves the rest of its line. */
function draw(
  cells: readonly TableCell[],
  widths: readonly number[],
  { width: terminalWidth, color }: Pick<PrintOptions, 'width' | 'color'>,
) {
  const isCut = terminalWidth !== undefined
  const fitted = cells.map(({ text, width, style, isNumber }, index) => {
    const columnWidth = widths[index] ?? 0
    const room = isCut ? columnWidth : Math.max(columnWidth, width)
    const shown = truncate(text, room)
    const content = color ? paint(shown, style) : shown
    return { content, isNumber, room, spaces: room - width }
  })
  const isLong = !isCut && cells.some(({ text }) => text.length > maxPaddedWidth)
  if (isLong) {
    // Not by cli-table3, whose time grows with the square of the length of a text.
    const padded = fitted.map(({ content, isNumber, spaces }) => {
      const padding = ' '.repeat(spaces)
      return isNumber ? `${padding}${content}` : `${content}${padding}`
    })
    return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }
  const colWidths = fitted.map(({ room }) => room + gap)
  const table = new Table({ chars: noBorders, style: tableStyle, colWidths })
  const line = fitted.map(({ content, isNumber }) => {
    const hAlign: 'right' | 'left' = isNumber ? 'right' : 'left'
    return { content, hAlign }
  })
  table.push(line)
  return `${table.toString().trimEnd()}\n`
}

/** Returns the cell of a value, safe to show. */
function cellOf(value: unknown, kind: ColumnKind, options: PrintOptions): TableCell {
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

/** Returns a time in words: relative on a terminal, exact elsewhere. Returns any other text as it is. */
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

/** Whether a value is a list of ids. A table shows only their number, because they take too much room. */
function isIds(value: unknown): value is readonly string[] {
  const isId = (item: unknown) => idPattern.test(String(item))
  return Array.isArray(value) && value.length > 0 && value.every(isId)
}
