/**
 * Tables in two forms, calm and without borders: columns in the width of the terminal, or lines of title and
 * value where that is too narrow. cli-table3 draws the columns.
 */
import { cellOf, fit, isCut, type TextCell, loadPaints } from '../text/cells.ts'
import { columnsOf, valueOf } from '../fields.ts'
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
 * A table in pieces, when all its rows are there: a read that fails leaves nothing. None without rows. Where the terminal has no room for all of
 * it, a row that is alone is shown as lines, and columns without a text are left out.
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
  const needs = needsOf(columns, lines, options)
  const isTight = sum(needs.map(({ natural }) => natural)) > roomFor(columns, options)
  const isShown = (_: unknown, place: number): boolean =>
    !isTight || needs[place]?.content !== 0
  const shown = columns.filter(isShown)
  const widths = widthsIn(needs.filter(isShown), roomFor(shown, options))
  const cut = lines.map((row) => row.filter(isShown))
  if (options.isStacked === true) yield* stacksOf(columns, lines, options)
  else if (isTight && lines.length === 1) yield stackedText(first, view, options)
  else if (widths === undefined) yield* stacksOf(shown, cut, options)
  else yield* tablesOf(shown, widths, cut, options)
}

/** One thing as lines of title and value. Nothing is cut: a value that was asked for by itself is shown whole. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const whole = { ...options, width: undefined }
  const row = columns.map((column) =>
    cellOf(valueOf(value, column.field, view), column, whole),
  )
  return stack(row, titlesOf(columns), await painterOf(columns, options), Infinity)
}

/** Fewer cells of a text, and of a name, say nothing. */
const leastText = 6
const leastName = 12
/** An id or a time that is wider than any real one need not be shown whole. */
const longestId = 40
/**
 * Where nothing is cut, a row with a longer cell is written without cli-table3, which would need time that grows with the square of its length.
 * The cell moves the rest of its row and does not pad all the others.
 */
const longestCell = 200

/** The cells that a column needs: for its cells alone, with its heading, and at least, as long as headings are whole and then. */
interface Needs {
  readonly content: number
  readonly natural: number
  readonly floors: readonly [number, number]
}

function needsOf(
  columns: readonly Column[],
  lines: Lines,
  { header }: PrintOptions,
): Needs[] {
  return columns.map(({ title, kind = 'text', field, floor }, place) => {
    const content = lines.reduce((most, row) => Math.max(most, row[place]?.width ?? 0), 0)
    const natural = Math.max(header ? cells(title) : 0, content)
    const least = floor ?? (/\bname$/.test(field) ? leastName : leastText)
    if (kind === 'text') return { content, natural, floors: [least, least] }
    // An id, a number, a time and a state say something else, or nothing, when they are cut.
    return { content, natural, floors: [natural, Math.min(longestId, content)] }
  })
}

/** The cells for all columns together; any number where nothing is cut. */
function roomFor({ length }: readonly Column[], options: PrintOptions): number {
  const { width = Infinity } = options
  return isCut(options) ? width - gap * (length - 1) : Infinity
}

/** Widths in the room that is there; undefined when it is too narrow. The widest texts give first, down to a common width, and then headings. */
function widthsIn(needs: readonly Needs[], room: number): number[] | undefined {
  const widest = room === Infinity ? longestCell : room
  for (const phase of [0, 1] as const) {
    for (let limit = widest; limit > 0; limit -= 1) {
      const widths = needs.map(({ natural, floors }) =>
        Math.max(1, Math.min(natural, Math.max(limit, floors[phase]))),
      )
      if (sum(widths) <= room) return widths
    }
  }
  return undefined
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
async function* stacksOf(columns: readonly Column[], lines: Lines, options: PrintOptions) {
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
) {
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
    if (!isLong) continue
    const padded = texts.map((text, place) => {
      const blanks = ' '.repeat(
        Math.max(0, (widths[place] ?? 0) - (row[place]?.width ?? 0)),
      )
      return columns[place]?.kind === 'number' ? blanks + text : text + blanks
    })
    yield `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  }
  if (block.length > 0) yield draw(block)
}
