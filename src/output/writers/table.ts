/**
 * Tables without borders, drawn by cli-table3, and rows as lines of heading and value where a terminal is too narrow. Cells
 * are made safe and cut before: cli-table3 lets control characters through and cuts characters in two.
 */
import { cellOf, fit, isCut, loadPaints, type TextCell } from '../text/cells.ts'
import type { Column } from '../columns.ts'
import type { PrintOptions } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { terminalCells } from '../text/width.ts'

/** cli-table3 needs time that grows with the square of its rows, so it gets at most this many at once. */
const rowsPerTable = 100
/** Terminal cells between two columns. */
const gap = 2
/** Fewer terminal cells of a text tell nothing; of a number nearly all of them are needed. */
const leastText = 6
const leastWidths: Readonly<Record<string, number>> = {
  NAME: 12,
  NAMES: 12,
  SHARED: 12,
  OPERATION: 12,
  PHONE: 16,
}
/** An id or a time that is wider than any real one need not be shown whole. */
const longestId = 40
/** If nothing is cut, a longer text does not pad the other rows. */
const longestCell = 200

/** The cells of a row. */
type CellRow = readonly TextCell[]

/** A column as it is drawn. */
interface DrawnColumn<T> extends Column<T> {
  /** The heading, safe to show. */
  title: TextCell
  isNumber: boolean
  /** The width of its widest value; that in which nothing is cut; the least, in which the heading may be cut. */
  content: number
  natural: number
  least: number
}

/**
 * The pieces of a table; none without rows. If the terminal is too narrow, a single row is shown as lines, and empty columns
 * are left out.
 */
export async function* tableText<T>(
  source: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
  options: PrintOptions,
): AsyncGenerator<string> {
  const rows: CellRow[] = []
  for await (const row of source)
    rows.push(columns.map(({ valueOf, kind }) => cellOf(valueOf(row), kind, options)))
  if (rows.length === 0) return
  const drawn = columns.map((column, place) => drawnColumn(column, place, rows))
  const isTight = sum(drawn.map(({ natural }) => natural)) > roomFor(drawn, options)
  const isShown = (_: unknown, place: number) => !(isTight && drawn[place]?.content === 0)
  const shown = drawn.filter(isShown)
  const shownRows = rows.map((row) => row.filter(isShown))
  const widths = widthsIn(shown, roomFor(shown, options))
  const isNarrow = widths === undefined || (isTight && rows.length === 1)
  if (isNarrow) yield* stacksOf(shown, shownRows, options)
  else yield* tablesOf(shown, widths, shownRows, options)
}

/** One thing as lines of heading and value. Nothing is cut: a person who asks for one thing wants all of it. */
export async function stackedText<T>(
  value: T,
  columns: readonly Column<T>[],
  options: PrintOptions,
): Promise<string> {
  const whole = { ...options, width: undefined }
  const row = columns.map(({ valueOf, kind }) => cellOf(valueOf(value), kind, whole))
  const drawn = columns.map((column, place) => drawnColumn(column, place, [row]))
  return stack(row, drawn, await painterOf(drawn, options), Infinity)
}

function drawnColumn<T>(
  column: Column<T>,
  place: number,
  rows: readonly CellRow[],
): DrawnColumn<T> {
  const { heading, kind } = column
  const cells = rows.flatMap((row) => row[place] ?? [])
  const title = { text: safe(heading), width: terminalCells(heading), isNumber: false }
  const content = cells.reduce((most, { width }) => Math.max(most, width), 0)
  const filled = cells.filter(({ width }) => width > 0)
  const isNumber = filled.length > 0 && filled.every((cell) => cell.isNumber)
  // If an id, a number, a time or a state is cut, it is wrong or tells nothing.
  const isWhole = kind !== 'text' || isNumber
  const least = isWhole ? Math.min(longestId, content) : (leastWidths[heading] ?? leastText)
  const natural = Math.max(title.width, content)
  return { ...column, title, isNumber, content, natural, least }
}

/** The terminal cells for all columns together; Infinity if nothing is cut. */
function roomFor({ length }: readonly unknown[], options: PrintOptions) {
  const { width = Infinity } = options
  return isCut(options) ? width - gap * (length - 1) : Infinity
}

/**
 * Widths that fit into `room`; undefined if it is too narrow. The widest columns are cut first, to a common width, which
 * shrinks until all columns fit. No column gets less than its least width.
 */
function widthsIn(
  columns: readonly { natural: number; least: number }[],
  room: number,
): number[] | undefined {
  const widest = room === Infinity ? longestCell : room
  for (let common = widest; common > 0; common -= 1) {
    const widths = columns.map(({ natural, least }) =>
      Math.max(1, Math.min(natural, Math.max(common, least))),
    )
    if (sum(widths) <= room) return widths
  }
  return undefined
}

function sum(values: readonly number[]) {
  return values.reduce((total, value) => total + value, 0)
}

/** Colors the headings, and cells by the kind of their columns. */
async function painterOf<T>(
  columns: readonly DrawnColumn<T>[],
  { color }: Pick<PrintOptions, 'color'>,
) {
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

/** Rows below each other, each as lines of heading and value, with an empty line between two rows. */
async function* stacksOf<T>(
  columns: readonly DrawnColumn<T>[],
  rows: readonly CellRow[],
  { width = Infinity, color }: PrintOptions,
) {
  const painter = await painterOf(columns, { color })
  const room = Math.max(10, width - headingWidth(columns) - gap)
  let separator = ''
  for (const row of rows) {
    yield separator + stack(row, columns, painter, room)
    separator = '\n'
  }
}

/** A row as lines of heading and value. `room`: the terminal cells for a value beside the headings. */
function stack<T>(
  row: CellRow,
  columns: readonly DrawnColumn<T>[],
  painter: Awaited<ReturnType<typeof painterOf>>,
  room: number,
) {
  const width = headingWidth(columns)
  const texts = columns.map(({ title }, place) => {
    const { text } = fit(row[place] ?? { text: '', width: 0, isNumber: false }, room)
    const blanks = text === '' ? '' : ' '.repeat(width + gap - title.width)
    return `${painter.heading(title.text)}${blanks}${painter.cell(text, place)}\n`
  })
  return texts.join('')
}

function headingWidth<T>(columns: readonly DrawnColumn<T>[]) {
  return Math.max(...columns.map(({ title }) => title.width))
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'

/** Rows in columns of these widths, below their headings. */
async function* tablesOf<T>(
  columns: readonly DrawnColumn<T>[],
  widths: readonly number[],
  rows: readonly CellRow[],
  options: PrintOptions,
) {
  const { default: Table } = await import('cli-table3')
  const painter = await painterOf(columns, options)
  const cutCells = (row: CellRow): CellRow =>
    isCut(options) ? row.map((cell, place) => fit(cell, widths[place] ?? 0)) : row

  function draw(block: readonly string[][]) {
    const table = new Table({
      chars: Object.fromEntries(borders.split(' ').map((name) => [name, ''])),
      style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
      colWidths: widths.map((width) => width + gap),
      colAligns: columns.map(({ isNumber }) => (isNumber ? 'right' : 'left')),
    })
    table.push(...block)
    return `${table.toString().replace(/ +$/gm, '')}\n`
  }

  /** A row with a text that is wider than its column: cli-table3 takes the square of its length. */
  function longRow(cells: CellRow, texts: readonly string[]) {
    const padded = cells.map(({ width }, place) => {
      const blanks = ' '.repeat(Math.max(0, (widths[place] ?? 0) - width))
      const text = texts[place] ?? ''
      return columns[place]?.isNumber === true ? blanks + text : text + blanks
    })
    return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }

  const titles = cutCells(columns.map(({ title }) => title))
  let block = [titles.map(({ text }) => painter.heading(text))]
  for (const row of rows) {
    const cells = cutCells(row)
    const texts = cells.map(({ text }, place) => painter.cell(text, place))
    const isLong = cells.some(
      ({ width, text }, place) => width > (widths[place] ?? 0) || text.length > longestCell,
    )
    if (!isLong) block.push(texts)
    if (block.length === rowsPerTable || (isLong && block.length > 0)) {
      yield draw(block)
      block = []
    }
    if (isLong) yield longRow(cells, texts)
  }
  if (block.length > 0) yield draw(block)
}
