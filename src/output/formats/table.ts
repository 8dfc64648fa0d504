/**
 * Tables in two forms, calm and without borders: columns in the width of the terminal, or lines of title and value where that is too narrow.
 * The only place of cli-table3, which is loaded where cells are cut. `output/render.ts` calls it for `-o table`, and the rows above a
 * question are drawn with it too.
 */
import type Table from 'cli-table3'
import { cellOf, fit, isCut, stackedCell, type Cell } from '../text/cells.ts'
import { columnsOf, valueOf } from '../fields.ts'
import { loadPaints, type Paint } from '../text/paint.ts'
import type { Column, PrintOptions, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { cells } from '../text/width.ts'

/** The rows that decide the widths, and that are drawn at once. */
const rowsPerBlock = 500
/** cli-table3 needs time that grows with the square of its rows: it is given this many at once. */
const rowsPerTable = 50
/** Cells between two columns. */
const gap = 2

/** Rows of cells that are laid out together. */
type Block = readonly (readonly Cell[])[]

/**
 * A table in pieces: header and first rows, then rows of the same widths; none without rows. A `width` of the options cuts cells.
 * The first block decides the form of all: later rows are written while earlier ones are already on the screen.
 */
export async function* tableText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  { isStacked = false, ...given }: PrintOptions,
) {
  const options = isStacked ? { ...given, width: undefined } : given
  const columns = columnsOf(view, options.fields)
  const drawing = await drawingOf(columns, options)
  let layout: Layout | undefined
  let block: Cell[][] = []
  let first: T | undefined

  function flush(): string {
    const isFirst = layout === undefined
    layout ??= isStacked ? stacked : layOut(columns, block, options)
    const drawn = drawing.draw(layout, block, isFirst)
    block = []
    return drawn
  }

  try {
    for await (const row of rows) {
      first ??= row
      block.push(
        columns.map((column) => cellOf(valueOf(row, column.field, view), column, given)),
      )
      if (block.length === rowsPerBlock) yield flush()
    }
  } catch (error) {
    // The rows before the failure are shown.
    if (block.length > 0) yield flush()
    throw error
  }
  const isAlone = layout === undefined && block.length === 1 && view.isStackedAlone === true
  const hasNoRoom = isAlone && isCut(options) && layOut(columns, block, options).isTight
  if (hasNoRoom && first !== undefined) yield stackedText(first, view, options)
  else if (block.length > 0) yield flush()
}

/** One thing as lines of title and value. Nothing is cut: a value that was asked for by itself is shown whole. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const drawing = await drawingOf(columns, options)
  const row = columns.map((column) =>
    stackedCell(valueOf(value, column.field, view), column, options),
  )
  return drawing.stack(row)
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
/** Where nothing is cut, a cell that is wider shifts its own row instead of padding all the others. */
const alignedAtMost = 200

interface Layout {
  /** Undefined when the terminal is too narrow for columns. */
  readonly widths: readonly number[] | undefined
  /** Whether a cell or a heading has less room than it needs. */
  readonly isTight: boolean
}

const stacked: Layout = { widths: undefined, isTight: true }

/** Widths from the first rows. The widest columns give first, down to a common width, none below its floor. */
function layOut(
  columns: readonly Column[],
  block: Block,
  { width, truncate, header }: PrintOptions,
): Layout {
  const needs = columns.map((column, index) => {
    const content = block.reduce((most, row) => Math.max(most, row[index]?.width ?? 0), 0)
    const natural = Math.max(header ? cells(column.title) : 0, content)
    return { natural, floor: Math.min(natural, leastWidth(column, content)) }
  })
  const widthsAt = (limit: number): number[] => {
    return needs.map(({ natural, floor }) => Math.max(floor, Math.min(natural, limit)))
  }
  if (width === undefined || !truncate)
    return { widths: widthsAt(alignedAtMost), isTight: false }
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

/** A cell with its color, which has no width. */
interface Painted extends Cell {
  readonly paint: Paint
}

/** Draws cells whose texts are safe already. */
async function drawingOf(columns: readonly Column[], options: PrintOptions) {
  const paints = await loadPaints(options.color)
  // Where no cell is cut, plain lines need no table, and there may be very many of them.
  const table = isCut(options) ? (await import('cli-table3')).default : undefined
  const titles = columns.map(({ title }): Painted => {
    return { text: safe(title), width: cells(title), paint: paints.heading }
  })
  const titleWidth = Math.max(...titles.map(({ width }) => width)) + gap

  /** The color of a cell, by the kind of its column. */
  function paintOf({ text }: Cell, place: number): Paint {
    const kind = columns[place]?.kind
    if (kind === 'state') return paints.state(text)
    return kind === 'time' ? paints.dim : (same) => same
  }

  /** A row as lines of title and value. */
  function stack(row: readonly Cell[], room = Infinity): string {
    const lines = titles.map((title, place) => {
      const cell = fit(row[place] ?? { text: '', width: 0 }, room)
      const start = title.paint(title.text)
      if (cell.text === '') return `${start}\n`
      const blanks = ' '.repeat(titleWidth - title.width)
      return `${start}${blanks}${paintOf(cell, place)(cell.text)}\n`
    })
    return lines.join('')
  }

  /** Rows in the form of a layout. `isFirst`: nothing was drawn before them. */
  function draw({ widths }: Layout, block: Block, isFirst: boolean): string {
    if (widths === undefined) {
      const { width = Infinity, truncate } = options
      const room = truncate ? Math.max(10, width - titleWidth) : Infinity
      const stacks = block.map((row) => stack(row, room))
      return (isFirst ? '' : '\n') + stacks.join('\n')
    }
    const lines = block.map((row) => {
      return row.map((cell, place): Painted => ({ ...cell, paint: paintOf(cell, place) }))
    })
    if (isFirst && options.header) lines.unshift(titles)
    if (table === undefined) return alignLines(columns, widths, lines)
    const fitted = lines.map((line) => {
      return line.map((cell, place) => {
        return { ...cell, ...fit(cell, Math.max(1, widths[place] ?? 0)) }
      })
    })
    let drawn = ''
    for (let at = 0; at < fitted.length; at += rowsPerTable) {
      drawn += tableOf(table, columns, widths, fitted.slice(at, at + rowsPerTable))
    }
    return drawn
  }

  return { draw, stack }
}

/** A private-use character that cli-table3 takes for one cell, and that no safe text contains. */
const standIn = '\ue000'
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'

/** cli-table3 measures by an old table of widths: it arranges stand-ins, which the cut and colored text replaces. */
function tableOf(
  Arranged: typeof Table,
  columns: readonly Column[],
  widths: readonly number[],
  lines: Painted[][],
): string {
  const table = new Arranged({
    chars: Object.fromEntries(borders.split(' ').map((name) => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
    colWidths: widths.map((width) => Math.max(1, width) + gap),
    colAligns: columns.map(({ kind }) => (kind === 'number' ? 'right' : 'left')),
  })
  for (const line of lines) {
    table.push(
      line.map(({ text, width }) =>
        text === '' ? '' : standIn.repeat(Math.max(1, width)),
      ),
    )
  }
  const texts = lines.flatMap((line) => {
    return line.flatMap(({ text, paint }) => (text === '' ? [] : [paint(text)]))
  })
  let next = 0
  const drawn = table.toString().replace(/ +$/gm, '')
  return `${drawn.replace(/\ue000+/g, () => texts[next++] ?? '')}\n`
}

/** Lines in columns; a wide cell moves the rest of its line. cli-table3 would have to know the widest cell of all rows. */
function alignLines(
  columns: readonly Column[],
  widths: readonly number[],
  lines: Painted[][],
): string {
  const aligned = lines.map((line) => {
    const padded = line.map(({ text, width, paint }, index) => {
      const blanks = ' '.repeat(Math.max(0, Math.max(1, widths[index] ?? 0) - width))
      const painted = text === '' ? '' : paint(text)
      return columns[index]?.kind === 'number' ? blanks + painted : painted + blanks
    })
    return `${padded.join(' '.repeat(gap)).trimEnd()}\n`
  })
  return aligned.join('')
}
