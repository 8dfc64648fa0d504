/**
 * Writes tables without borders, and one thing as lines of heading and value. Cells are made safe and cut before cli-table3 pads
 * them: it prints control characters, and cuts between the parts of a character. A table of cli-table3 has at most 100 rows,
 * because its time grows with the square of their number.
 */
import Table from 'cli-table3'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import {
  cellText,
  type Column,
  type ColumnKind,
  type PrintOptions,
  type Rows,
} from '../result.ts'
import { dateToMinute, parseTime, paint, terminalCells, truncate } from '../text.ts'

/** The width between two columns. All widths are in terminal cells. */
const gap = 2
/** The width to which a text is cut at most. */
const minTextWidth = 8
/** The widest column without a terminal. A longer text moves the rest of its row. */
const maxPaddedWidth = 200
const maxRows = 100

/** Yields the lines of a table. Without rows, there are none. */
export function* tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { isOne = false, details = {} }: Pick<Rows<T>, 'isOne' | 'details'>,
  options: PrintOptions,
): Generator<string> {
  const titleOf = (heading: string) => {
    const title = safe(heading)
    return options.color ? paint(title, 'bold') : title
  }
  // Nothing is cut: a person who asks for one thing wants all of it.
  const whole = { ...options, width: undefined }
  const facts = Object.entries(details).map(([title, value]) => [
    titleOf(title),
    shownText(value, 'text', whole),
  ])
  yield* draw(facts, widthsOf(facts))
  if (facts.length > 0) yield '\n'
  if (isOne) {
    for (const row of rows) {
      const lines = columns.map(({ heading, kind, valueOf }) => [
        titleOf(heading),
        shownText(valueOf(row), kind, whole),
      ])
      yield* draw(lines, widthsOf(lines))
    }
    return
  }
  if (rows.length === 0) return
  const shown = fittedColumns(rows, columns, options)
  const headings = shown.map(({ heading }) => titleOf(heading))
  const lines = rows.map((_, index) => shown.map(({ texts }) => texts[index] ?? ''))
  const aligns = shown.map(({ kind }) => (kind === 'number' ? 'right' : 'left'))
  const widths = shown.map(({ width }) => width)
  yield* draw([headings, ...lines], widths, aligns)
}

interface FittedColumn {
  heading: string
  kind: ColumnKind
  width: number
  texts: readonly string[]
}

/**
 * Returns the columns that fit the terminal, with their texts. Wide columns are left out first, the last one before the others.
 * Then the widest texts are cut to a common width. An id, a number and a time are never cut.
 */
function fittedColumns<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: PrintOptions,
): FittedColumn[] {
  let fitted = columns.map(({ heading, kind, isWide, valueOf }) => {
    const texts = rows.map((row) => shownText(valueOf(row), kind, options))
    const most = options.width === undefined ? maxPaddedWidth : Infinity
    const width = texts.reduce(
      (widest, text) => Math.max(widest, Math.min(terminalCells(text), most)),
      terminalCells(heading),
    )
    return { heading, kind, isWide, width, texts }
  })
  const { width: room } = options
  if (room === undefined) return fitted
  const total = () => fitted.reduce((sum, { width }) => sum + width + gap, -gap)
  while (total() > room) {
    const last = fitted.findLastIndex(({ isWide }) => isWide)
    if (last < 0) break
    fitted = fitted.toSpliced(last, 1)
  }
  const texts = fitted.filter(({ kind }) => kind === 'text')
  const widest = texts.reduce((most, { width }) => Math.max(most, width), 0)
  for (let common = widest; common >= minTextWidth && total() > room; common -= 1)
    for (const column of texts) column.width = Math.min(column.width, common)
  return fitted.map((column) => ({
    ...column,
    texts: column.texts.map((text) => truncate(text, column.width)),
  }))
}

/** cli-table3's names of the parts of borders. */
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const noBorders = Object.fromEntries(borders.split(' ').map((name) => [name, '']))
const style = { 'padding-left': 0, 'padding-right': gap, head: [], border: [] }

/** Returns the width of each column of lines, of which none is cut. */
function widthsOf(lines: readonly (readonly string[])[]) {
  const widths: number[] = []
  for (const line of lines)
    for (const [column, text] of line.entries()) {
      const width = Math.min(terminalCells(text), maxPaddedWidth)
      widths[column] = Math.max(widths[column] ?? 0, width)
    }
  return widths
}

/** Yields lines of cells, in blocks. A line with a long cell, or one that is wider than its column, is drawn alone. */
function* draw(
  lines: readonly string[][],
  widths: readonly number[],
  aligns: ('left' | 'right')[] = [],
) {
  let block: string[][] = []
  for (const line of lines) {
    const isLong = line.some(
      (text, column) =>
        text.length > maxPaddedWidth || terminalCells(text) > (widths[column] ?? 0),
    )
    if (isLong || block.length === maxRows) {
      yield drawBlock(block, widths, aligns)
      block = []
    }
    // Not by cli-table3, whose time grows with the square of the length of a text.
    if (isLong)
      yield `${line
        .map((text, column) => padded(text, widths[column]))
        .join('')
        .trimEnd()}\n`
    else block.push(line)
  }
  yield drawBlock(block, widths, aligns)
}

function padded(text: string, width = 0) {
  return text + ' '.repeat(Math.max(0, width - terminalCells(text)) + gap)
}

function drawBlock(
  lines: readonly string[][],
  widths: readonly number[],
  colAligns: ('left' | 'right')[],
) {
  if (lines.length === 0) return ''
  const colWidths = widths.map((width) => width + gap)
  const table = new Table({ chars: noBorders, style, colWidths, colAligns })
  table.push(...lines)
  const drawn = table.toString().split('\n')
  return drawn.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Returns the text of a cell, safe to show. On a terminal, `↵` replaces a line break, because a row is one line. */
function shownText(value: unknown, kind: ColumnKind, { width }: PrintOptions) {
  const text = plainText(value, kind)
  const time = kind === 'time' ? parseTime(text) : undefined
  if (time !== undefined) return dateToMinute(time)
  return safe(width === undefined ? text : text.replace(/\r?\n/g, ' ↵ '))
}

function plainText(value: unknown, kind: ColumnKind) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return cellText(value)
  return kind === 'id' ? groupDigits(value.length) : value.map(cellText).join(', ')
}
