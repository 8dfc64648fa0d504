/**
 * Tables in two forms, calm and without borders: columns that fit into the terminal, or, if it is too narrow,
 * lines of title and value. cli-table3 draws the columns. Widths are counted in terminal cells.
 */
import { cellOf, fit, isCut, loadPaints, type TextCell } from '../text/cells.ts'
import { columnsOf, valueOf } from '../fields.ts'
import type { Column, PrintOptions, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { terminalCells } from '../text/width.ts'

/** cli-table3 needs time that grows with the square of its rows, so it gets at most this many at once. */
const rowsPerTable = 100
/** Terminal cells between two columns. */
const gap = 2
/** Fewer terminal cells of a text, and of a name, tell nothing. */
const leastText = 6
const leastName = 12
/** An id or a time that is wider than any real one need not be shown whole. */
const longestId = 40
/**
 * If nothing is cut, a row with a longer text is written without cli-table3, which would need time that grows with the
 * square of its length. The text moves the rest of its row, and does not pad the other rows.
 */
const longestCell = 200

/** The cells of a row. */
type TextLine = readonly TextCell[]

/**
 * The pieces of a table; none without rows. They come when all rows are read, so that a failed read prints nothing. If the
 * terminal is too narrow, a single row is shown as lines, and empty columns are left out.
 */
export async function* tableText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  options: PrintOptions,
): AsyncGenerator<string> {
  const columns = columnsOf(view, options.fields)
  const lines: TextLine[] = []
  let first: T | undefined
  for await (const row of rows) {
    first ??= row
    lines.push(lineOf(row, columns, view, options))
  }
  if (first === undefined) return
  if (options.isStacked === true) return yield* stacksOf(columns, lines, options)
  const needs = columns.map((column, place) => needsOf(column, place, lines, options))
  const isTight = sum(needs.map(({ natural }) => natural)) > roomFor(columns, options)
  if (isTight && lines.length === 1) return yield stackedText(first, view, options)
  const isShown = (_: unknown, place: number) => !isTight || needs[place]?.content !== 0
  const shown = columns.filter(isShown)
  const shownLines = lines.map((line) => line.filter(isShown))
  const widths = widthsIn(needs.filter(isShown), roomFor(shown, options))
  if (widths === undefined) yield* stacksOf(shown, shownLines, options)
  else yield* tablesOf(shown, widths, shownLines, options)
}

/** One thing as lines of title and value. Nothing is cut: a person who asks for one thing wants all of it. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const line = lineOf(value, columns, view, { ...options, width: undefined })
  return stack(line, titlesOf(columns), await painterOf(columns, options), Infinity)
}

function lineOf<T>(
  row: T,
  columns: readonly Column[],
  view: View<T>,
  options: PrintOptions,
): TextLine {
  return columns.map((column) => cellOf(valueOf(row, column.field, view), column, options))
}

/** The titles of columns, safe to show. */
function titlesOf(columns: readonly Column[]): TextLine {
  return columns.map(({ title }) => ({ text: safe(title), width: terminalCells(title) }))
}

/** Widths of a column, in terminal cells. */
interface Needs {
  /** The width of its widest value. */
  content: number
  /** The width in which nothing is cut, not even the title. */
  natural: number
  /** The least width. The title may be cut. */
  least: number
}

function needsOf(
  { title, kind = 'text', field, floor }: Column,
  place: number,
  lines: readonly TextLine[],
  { header }: PrintOptions,
): Needs {
  const content = lines.reduce((most, line) => Math.max(most, line[place]?.width ?? 0), 0)
  const natural = Math.max(header ? terminalCells(title) : 0, content)
  const leastOfText = floor ?? (/\bname$/.test(field) ? leastName : leastText)
  // If an id, a number, a time or a state is cut, it is wrong or tells nothing.
  const least = kind === 'text' ? leastOfText : Math.min(longestId, content)
  return { content, natural, least }
}

/** The terminal cells for all columns together; Infinity if nothing is cut. */
function roomFor({ length }: readonly Column[], options: PrintOptions) {
  const { width = Infinity } = options
  return isCut(options) ? width - gap * (length - 1) : Infinity
}

/**
 * Widths that fit into `room`; undefined if it is too narrow. The widest columns are cut first, to a common width, which
 * shrinks until all columns fit. No column gets less than its least width.
 */
function widthsIn(needs: readonly Needs[], room: number): number[] | undefined {
  const widest = room === Infinity ? longestCell : room
  for (let common = widest; common > 0; common -= 1) {
    const widths = needs.map(({ natural, least }) =>
      Math.max(1, Math.min(natural, Math.max(common, least))),
    )
    if (sum(widths) <= room) return widths
  }
  return undefined
}

function sum(values: readonly number[]) {
  return values.reduce((total, value) => total + value, 0)
}

/** Colors the titles, and cells by the kind of their columns. */
async function painterOf(columns: readonly Column[], { color }: PrintOptions) {
  const paints = await loadPaints(color)
  return {
    heading: paints.heading,
    cell(text: string, place: number) {
      const kind = columns[place]?.kind
      if (text === '' || (kind !== 'state' && kind !== 'time')) return text
      return kind === 'state' ? paints.state(text)(text) : paints.dim(text)
    },
  }
}

/** Rows below each other, each as lines of title and value, with an empty line between two rows. */
async function* stacksOf(
  columns: readonly Column[],
  lines: readonly TextLine[],
  { isStacked = false, ...options }: PrintOptions,
) {
  const { width = Infinity, truncate } = options
  const titles = titlesOf(columns)
  const painter = await painterOf(columns, options)
  const isWhole = isStacked || !truncate
  const room = isWhole ? Infinity : Math.max(10, width - widestOf(titles) - gap)
  let separator = ''
  for (const line of lines) {
    yield separator + stack(line, titles, painter, room)
    separator = '\n'
  }
}

/** A row as lines of title and value. `room`: the terminal cells for a value beside the titles. */
function stack(
  line: TextLine,
  titles: TextLine,
  painter: Awaited<ReturnType<typeof painterOf>>,
  room: number,
) {
  const titleWidth = widestOf(titles)
  const texts = titles.map(({ text: title, width }, place) => {
    const { text } = fit(line[place] ?? { text: '', width: 0 }, room)
    const blanks = text === '' ? '' : ' '.repeat(titleWidth + gap - width)
    return `${painter.heading(title)}${blanks}${painter.cell(text, place)}\n`
  })
  return texts.join('')
}

function widestOf(line: TextLine) {
  return Math.max(...line.map(({ width }) => width))
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'

/** Rows in columns of these widths, below their titles. */
async function* tablesOf(
  columns: readonly Column[],
  widths: readonly number[],
  lines: readonly TextLine[],
  options: PrintOptions,
) {
  const { default: Table } = await import('cli-table3')
  const painter = await painterOf(columns, options)
  const cutCells = (line: TextLine): TextLine =>
    isCut(options) ? line.map((cell, place) => fit(cell, widths[place] ?? 0)) : line
  const isRight = (place: number) => columns[place]?.kind === 'number'

  function draw(block: readonly string[][]) {
    const table = new Table({
      chars: Object.fromEntries(borders.split(' ').map((name) => [name, ''])),
      style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
      colWidths: widths.map((width) => width + gap),
      colAligns: columns.map((_, place) => (isRight(place) ? 'right' : 'left')),
    })
    table.push(...block)
    return `${table.toString().replace(/ +$/gm, '')}\n`
  }

  const titles = cutCells(titlesOf(columns)).map(({ text }) => painter.heading(text))
  let block = options.header ? [titles] : []
  for (const line of lines) {
    const row = cutCells(line)
    const texts = row.map(({ text }, place) => painter.cell(text, place))
    const isLong = !isCut(options) && row.some(({ text }) => text.length > longestCell)
    if (!isLong) block.push(texts)
    if (block.length === rowsPerTable || (isLong && block.length > 0)) {
      yield draw(block)
      block = []
    }
    if (!isLong) continue
    const padded = row.map(({ width }, place) => {
      const text = texts[place] ?? ''
      const blanks = ' '.repeat(Math.max(0, (widths[place] ?? 0) - width))
      return isRight(place) ? blanks + text : text + blanks
    })
    yield `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }
  if (block.length > 0) yield draw(block)
}
