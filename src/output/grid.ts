/**
 * Writes rows as a table without borders, and one thing as lines of heading and value, with cli-table3. Cells are made safe and cut
 * before: cli-table3 prints control characters, and cuts between the parts of a character. All widths are in terminal cells.
 */
import Table from 'cli-table3'
import { safe } from '../safe-text.ts'
import { groupDigits, paint } from '../words.ts'
import { cellText, type Column } from './cells.ts'
import type { PrintOptions, Rows } from './result.ts'
import { dateToMinute, isoTime, terminalCells, truncate } from './text.ts'

/** The width between two columns. */
const gap = 2
/** No text is cut below this width. */
const minTextWidth = 8
/** The widest column without a terminal. A longer text moves the rest of its row. */
const maxPaddedWidth = 200
/** How many lines cli-table3 draws at once. Its time grows with the square of their number. */
const blockSize = 100

/** Yields the text of a table, with its `details` above it. */
export function* tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { isOne = false, details = {} }: Pick<Rows<T>, 'isOne' | 'details'>,
  print: PrintOptions,
) {
  const titleOf = (heading: string) =>
    print.color === true ? paint(safe(heading), 'bold') : safe(heading)
  const facts = Object.entries(details)
  yield* draw(facts.map(([title, value]) => [titleOf(title), safe(value ?? '')]))
  if (facts.length > 0) yield '\n'
  if (isOne) {
    // Nothing is cut: a person who asks for one thing wants all of it.
    const whole = { ...print, width: undefined }
    for (const row of rows)
      yield* draw(
        columns.map((each) => [titleOf(each.heading), shownText(each, row, whole)]),
      )
  } else if (rows.length > 0) {
    const shown = fittedColumns(rows, columns, print)
    const headings = shown.map(({ heading }) => titleOf(heading))
    const lines = rows.map((_, at) =>
      shown.map(({ texts, width }) => truncate(texts[at] ?? '', width)),
    )
    const aligns = shown.map(({ kind }) => (kind === 'number' ? 'right' : 'left'))
    yield* draw([headings, ...lines], aligns)
  }
}

/**
 * Returns the columns that fit the terminal, with their texts. Wide columns are left out first, the last one before the others.
 * Then the widest texts are cut to a common width. An id, a number and a time are never cut.
 */
function fittedColumns<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  print: PrintOptions,
) {
  const fitted = columns.map((column) => {
    const { heading, kind, isWide } = column
    const texts = rows.map((row) => shownText(column, row, print))
    return { heading, kind, isWide, texts, width: widest([heading, ...texts]) }
  })
  const { width: room = Infinity } = print
  const isTooWide = () => fitted.reduce((sum, { width }) => sum + width + gap, -gap) > room
  for (let at = fitted.length - 1; at >= 0 && isTooWide(); at -= 1)
    if (fitted[at]?.isWide === true) fitted.splice(at, 1)
  const textColumns = fitted.filter(({ kind }) => kind === 'text')
  let common = Math.max(0, ...textColumns.map(({ width }) => width))
  for (; common >= minTextWidth && isTooWide(); common -= 1)
    for (const column of textColumns) column.width = Math.min(column.width, common)
  return fitted
}

/** Returns the text of a cell, safe to show. On a terminal, `↵` replaces a line break, because a row is one line. */
function shownText<T>({ kind, valueOf }: Column<T>, row: T, { width }: PrintOptions) {
  const value = valueOf(row)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return safe(kind === 'id' ? groupDigits(value.length) : value.map(cellText).join(', '))
  const text = cellText(value)
  const time = kind === 'time' ? isoTime(text) : undefined
  if (time !== undefined) return dateToMinute(time)
  return safe(width === undefined ? text : text.replace(/\r?\n/g, ' ↵ '))
}

const widest = (texts: readonly string[]) =>
  texts.reduce((width, text) => Math.max(width, terminalCells(text)), 0)

/** cli-table3's names of the parts of borders. */
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const chars = Object.fromEntries(borders.split(' ').map((name) => [name, '']))
const style = { 'padding-left': 0, 'padding-right': gap, head: [], border: [] }

/** Yields lines of cells whose columns have the same widths in all of them. */
function* draw(lines: readonly string[][], aligns: ('left' | 'right')[] = []) {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.min(maxPaddedWidth, widest(lines.map((line) => line[column] ?? ''))),
  )
  let block: string[][] = []
  for (const line of lines) {
    const isLong = line.some(
      (text, at) => text.length > maxPaddedWidth || terminalCells(text) > (widths[at] ?? 0),
    )
    if (isLong || block.length === blockSize) {
      yield drawBlock(block, widths, aligns)
      block = []
    }
    if (isLong) yield drawLong(line, widths)
    else block.push(line)
  }
  yield drawBlock(block, widths, aligns)
}

function drawBlock(
  block: string[][],
  widths: readonly number[],
  colAligns: ('left' | 'right')[],
) {
  if (block.length === 0) return ''
  const colWidths = widths.map((width) => width + gap)
  const table = new Table({ chars, style, colWidths, colAligns })
  table.push(...block)
  const drawn = table.toString().split('\n')
  return drawn.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Draws a line with a cell that is too long for its column. cli-table3's time grows with the square of the length of a text. */
function drawLong(line: readonly string[], widths: readonly number[]) {
  const padded = line.map((text, at) => {
    const missing = Math.max(0, (widths[at] ?? 0) - terminalCells(text))
    return text + ' '.repeat(missing + gap)
  })
  return `${padded.join('').trimEnd()}\n`
}
