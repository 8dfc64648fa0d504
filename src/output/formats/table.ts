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
type CellRow = readonly TextCell[]

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
  const cellRows: CellRow[] = []
  let first: T | undefined
  for await (const row of rows) {
    first ??= row
    cellRows.push(cellRowOf(row, columns, view, options))
  }
  if (first === undefined) return
  if (options.isStacked === true) return yield* stacksOf(columns, cellRows, options)
  const needs = columns.map((column, place) => needsOf(column, place, cellRows))
  const isTight = sum(needs.map(({ natural }) => natural)) > roomFor(columns, options)
  if (isTight && cellRows.length === 1) return yield stackedText(first, view, options)
  const isShown = (_: unknown, place: number) => !(isTight && needs[place]?.content === 0)
  const shown = columns.filter(isShown)
  const shownRows = cellRows.map((row) => row.filter(isShown))
  const widths = widthsIn(needs.filter(isShown), roomFor(shown, options))
  if (widths === undefined) yield* stacksOf(shown, shownRows, options)
  else yield* tablesOf(shown, widths, shownRows, options)
}

/** One thing as lines of title and value. Nothing is cut: a person who asks for one thing wants all of it. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const row = cellRowOf(value, columns, view, { ...options, width: undefined })
  return stack(row, titlesOf(columns), await painterOf(columns, options), Infinity)
}

function cellRowOf<T>(
  row: T,
  columns: readonly Column[],
  view: View<T>,
  options: PrintOptions,
): CellRow {
  return columns.map((column) => cellOf(valueOf(row, column.field, view), column, options))
}

/** The titles of columns, safe to show. */
function titlesOf(columns: readonly Column[]): CellRow {
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
  rows: readonly CellRow[],
): Needs {
  const content = rows.reduce((most, row) => Math.max(most, row[place]?.width ?? 0), 0)
  const natural = Math.max(terminalCells(title), content)
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
function widthsIn(needs: readonly Needs[], room: number) {
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
  rows: readonly CellRow[],
  { isStacked = false, ...options }: PrintOptions,
) {
  const { width = Infinity } = options
  const titles = titlesOf(columns)
  const painter = await painterOf(columns, options)
  const room = isStacked ? Infinity : Math.max(10, width - widestOf(titles) - gap)
  let separator = ''
  for (const row of rows) {
    yield separator + stack(row, titles, painter, room)
    separator = '\n'
  }
}

/** A row as lines of title and value. `room`: the terminal cells for a value beside the titles. */
function stack(
  row: CellRow,
  titles: CellRow,
  painter: Awaited<ReturnType<typeof painterOf>>,
  room: number,
) {
  const titleWidth = widestOf(titles)
  const texts = titles.map(({ text: title, width }, place) => {
    const { text } = fit(row[place] ?? { text: '', width: 0 }, room)
    const blanks = text === '' ? '' : ' '.repeat(titleWidth + gap - width)
    return `${painter.heading(title)}${blanks}${painter.cell(text, place)}\n`
  })
  return texts.join('')
}

function widestOf(row: CellRow) {
  return Math.max(...row.map(({ width }) => width))
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'

/** Rows in columns of these widths, below their titles. */
async function* tablesOf(
  columns: readonly Column[],
  widths: readonly number[],
  rows: readonly CellRow[],
  options: PrintOptions,
) {
  const { default: Table } = await import('cli-table3')
  const painter = await painterOf(columns, options)
  const cutCells = (row: CellRow): CellRow =>
    isCut(options) ? row.map((cell, place) => fit(cell, widths[place] ?? 0)) : row
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

  function longRow(cells: CellRow, texts: readonly string[]) {
    const padded = cells.map(({ width }, place) => {
      const text = texts[place] ?? ''
      const blanks = ' '.repeat(Math.max(0, (widths[place] ?? 0) - width))
      return isRight(place) ? blanks + text : text + blanks
    })
    return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }

  const titles = cutCells(titlesOf(columns)).map(({ text }) => painter.heading(text))
  let block = [titles]
  for (const row of rows) {
    const cells = cutCells(row)
    const texts = cells.map(({ text }, place) => painter.cell(text, place))
    const isLong = !isCut(options) && cells.some(({ text }) => text.length > longestCell)
    if (isLong) {
      if (block.length > 0) yield draw(block)
      block = []
      yield longRow(cells, texts)
      continue
    }
    block.push(texts)
    if (block.length < rowsPerTable) continue
    yield draw(block)
    block = []
  }
  if (block.length > 0) yield draw(block)
}
