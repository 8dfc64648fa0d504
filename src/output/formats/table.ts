/**
 * Tables in two forms, calm and without borders: columns in the width of the terminal, or lines of title and
 * value where that is too narrow. cli-table3 draws the columns.
 */
import { cellOf, fit, isCut, stackedCell, type TextCell } from '../text/cells.ts'
import { columnsOf, valueOf } from '../fields.ts'
import { loadPaints } from '../text/paint.ts'
import type { Column, PrintOptions, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { cells } from '../text/width.ts'

/** cli-table3 needs time that grows with the square of its rows: it is given this many at once. */
const rowsPerTable = 100
/** Cells between two columns. */
const gap = 2

/** Rows of cells. */
type Lines = readonly (readonly TextCell[])[]

/**
 * A table in pieces, when all its rows are there: a read that fails leaves nothing. None without rows. A `width` of the options cuts
 * cells.
 */
export async function* tableText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  options: PrintOptions,
): AsyncGenerator<string> {
  const columns = columnsOf(view, options.fields)
  const lines: (readonly TextCell[])[] = []
  let first: T | undefined
  for await (const row of rows) {
    first ??= row
    lines.push(
      columns.map((column) => cellOf(valueOf(row, column.field, view), column, options)),
    )
  }
  if (first === undefined) return
  const { isStacked = false } = options
  const { widths, isTight } = layOut(columns, lines, options)
  const isAlone = lines.length === 1 && view.isStackedAlone === true
  if (isAlone && isTight && isCut(options) && !isStacked)
    yield stackedText(first, view, options)
  else if (isStacked || widths === undefined) yield* stacksOf(columns, lines, options)
  else yield* tablesOf(columns, widths, lines, options)
}

/** One thing as lines of title and value. Nothing is cut: a value that was asked for by itself is shown whole. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const row = columns.map((column) =>
    stackedCell(valueOf(value, column.field, view), column, options),
  )
  return stack(row, titlesOf(columns), await painterOf(columns, options), Infinity)
}

/** Fewer cells say nothing: names and messages are what people look for, and a state is one of a few short words. */
const leastWidths: Readonly<Record<string, number>> = {
  name: 12,
  text: 16,
  'lists.name': 12,
}
const leastText = 6
const leastState = 10
/** An id or a time that is wider than any real one need not be shown whole. */
const longestId = 40
/**
 * Where nothing is cut, a row with a longer cell is written without cli-table3, which would need time that grows with the square of its length.
 * The cell moves the rest of its row and does not pad all the others.
 */
const longestCell = 200

interface Layout {
  /** Undefined when the terminal is too narrow for columns. */
  readonly widths: readonly number[] | undefined
  /** Whether a cell or a heading has less room than it needs. */
  readonly isTight: boolean
}

/** Widths from all rows. The widest columns give first, down to a common width, none below its floor. */
function layOut(
  columns: readonly Column[],
  lines: Lines,
  { width, truncate, header }: PrintOptions,
): Layout {
  const needs = columns.map((column, index) => {
    const content = lines.reduce((most, row) => Math.max(most, row[index]?.width ?? 0), 0)
    const natural = Math.max(header ? cells(column.title) : 0, content)
    return { natural, floor: Math.min(natural, leastWidth(column, content)) }
  })
  const widthsAt = (limit: number): number[] => {
    return needs.map(({ natural, floor }) => Math.max(1, floor, Math.min(natural, limit)))
  }
  if (width === undefined || !truncate)
    return { widths: widthsAt(longestCell), isTight: false }
  const room = width - gap * (columns.length - 1)
  const isTight = sum(widthsAt(Infinity)) > room
  let limit = isTight ? room : Infinity
  while (limit > 0 && sum(widthsAt(limit)) > room) limit -= 1
  return { widths: limit > 0 ? widthsAt(limit) : undefined, isTight }
}

/** An id, a number and a time say something else, or nothing, when they are cut. */
function leastWidth({ kind = 'text', field, floor }: Column, content: number): number {
  if (kind === 'text') return floor ?? leastWidths[field] ?? leastText
  if (kind === 'state') return floor ?? leastState
  return Math.min(longestId, Math.max(floor ?? 1, content))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The titles of columns, safe to show. */
function titlesOf(columns: readonly Column[]): TextCell[] {
  return columns.map(({ title }) => ({ text: safe(title), width: cells(title) }))
}

/** Colors the titles, and cells by the kind of their columns. */
async function painterOf(columns: readonly Column[], { color }: PrintOptions) {
  const paints = await loadPaints(color)
  return {
    heading: paints.heading,
    cell(text: string, place: number): string {
      const kind = columns[place]?.kind
      if (text === '' || (kind !== 'state' && kind !== 'time')) return text
      return kind === 'state' ? paints.state(text)(text) : paints.dim(text)
    },
  }
}

type Painter = Awaited<ReturnType<typeof painterOf>>

/** A row as lines of title and value, in as much room as there is beside the titles. */
function stack(
  row: readonly TextCell[],
  titles: readonly TextCell[],
  painter: Painter,
  room: number,
): string {
  const titleWidth = widestOf(titles)
  const lines = titles.map(({ text: title, width }, place) => {
    const { text } = fit(row[place] ?? { text: '', width: 0 }, room)
    const blanks = text === '' ? '' : ' '.repeat(titleWidth + gap - width)
    return `${painter.heading(title)}${blanks}${painter.cell(text, place)}\n`
  })
  return lines.join('')
}

function widestOf(row: readonly TextCell[]): number {
  return Math.max(...row.map(({ width }) => width))
}

/** Rows one below the other, each as lines of title and value, with an empty line between two. */
async function* stacksOf(
  columns: readonly Column[],
  lines: Lines,
  options: PrintOptions,
): AsyncGenerator<string> {
  const { width = Infinity, truncate, isStacked = false } = options
  const titles = titlesOf(columns)
  const painter = await painterOf(columns, options)
  const isWhole = isStacked || !truncate
  const room = isWhole ? Infinity : Math.max(10, width - widestOf(titles) - gap)
  let before = ''
  for (const line of lines) {
    yield before + stack(line, titles, painter, room)
    before = '\n'
  }
}

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'

/** Rows in columns of these widths, and above them the titles. */
async function* tablesOf(
  columns: readonly Column[],
  widths: readonly number[],
  lines: Lines,
  options: PrintOptions,
): AsyncGenerator<string> {
  const { default: Table } = await import('cli-table3')
  const painter = await painterOf(columns, options)
  const fitted = (row: readonly TextCell[]): readonly TextCell[] =>
    isCut(options) ? row.map((cell, place) => fit(cell, widths[place] ?? 0)) : row

  function draw(block: readonly (readonly string[])[]): string {
    const table = new Table({
      chars: Object.fromEntries(borders.split(' ').map((name) => [name, ''])),
      style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
      colWidths: widths.map((width) => width + gap),
      colAligns: columns.map(({ kind }) => (kind === 'number' ? 'right' : 'left')),
    })
    table.push(...block.map((row) => [...row]))
    return `${table.toString().replace(/ +$/gm, '')}\n`
  }

  const headings = fitted(titlesOf(columns)).map(({ text }) => painter.heading(text))
  let block = options.header ? [headings] : []
  for (const line of lines) {
    const row = fitted(line)
    const texts = row.map(({ text }, place) => painter.cell(text, place))
    const isLong = !isCut(options) && row.some(({ text }) => text.length > longestCell)
    if (!isLong) block.push(texts)
    if (block.length === rowsPerTable || (isLong && block.length > 0)) {
      yield draw(block)
      block = []
    }
    if (isLong) {
      const padded = texts.map((text, place) => {
        const blanks = ' '.repeat(
          Math.max(0, (widths[place] ?? 0) - (row[place]?.width ?? 0)),
        )
        return columns[place]?.kind === 'number' ? blanks + text : text + blanks
      })
      yield `${padded.join(' '.repeat(gap)).trimEnd()}\n`
    }
  }
  if (block.length > 0) yield draw(block)
}
