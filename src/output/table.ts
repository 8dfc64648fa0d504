/** Tables and key-and-value records: calm, without borders, in the width of the terminal. The only place of cli-table3. */
import { cellText, columnsOf, valueOf } from './fields.ts'
import type { CellKind, Column, PrintOptions, View } from './output.ts'
import { loadPaints, type Paint, type Paints } from './paint.ts'
import { safe } from './safe.ts'
import { humanSize } from './size.ts'
import { exactTime, parseTime, relativeTime } from './time.ts'
import { cells, truncate } from './width.ts'

/** cli-table3 needs time that grows with the square of its rows: it is given this many at once. */
const rowsPerTable = 500
const gap = 2
/** What a text column is not narrowed below; when even that does not fit, each row becomes a record. */
const textFloor = 6
/** An id or a time that is wider than any real one has no claim to be shown whole. */
const wholeAtMost = 40
/** Where nothing is cut, a cell that is wider shifts its own row instead of padding all the others. */
const alignedAtMost = 200

interface Cell {
  readonly text: string
  readonly width: number
}

interface Layout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
}

/**
 * Text pieces of a table: the header with the first rows, then more rows with the same widths. Nothing when there are no
 * rows. Only a terminal (a `width`) has cut cells.
 */
export async function* tableText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  options: PrintOptions,
): AsyncGenerator<string> {
  const columns = columnsOf(view, options.fields)
  const draw = await loadDrawing(options)
  let layout: Layout | undefined
  let records = false
  let block: Cell[][] = []

  function text(): string {
    const first = layout === undefined
    layout ??= layOut(columns, block, options)
    records ||= first && layout.widths.length === 0
    const drawn = records ? draw.records(columns, block, first) : draw.table(layout, block, first)
    block = []
    return drawn
  }

  try {
    for await (const row of rows) {
      block.push(columns.map((column) => cellOf(valueOf(row, column.field, view), column.kind, options)))
      if (block.length === rowsPerTable) yield text()
    }
  } catch (error) {
    // What came before the failure is shown.
    if (block.length > 0) yield text()
    throw error
  }
  if (block.length > 0) yield text()
}

/** One thing as lines of title and value. Nothing is cut: a value that was asked for by itself is shown whole. */
export async function recordText<T>(value: T, view: View<T>, options: PrintOptions): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const draw = await loadDrawing({ ...options, width: undefined })
  const row = columns.map((column) => recordCell(valueOf(value, column.field, view), column.kind, options))
  return draw.records(columns, [row], true)
}

function cellOf(value: unknown, kind: CellKind | undefined, options: PrintOptions): Cell {
  const text = safe(cellWords(value, kind, options))
  return { text, width: cells(text) }
}

/** A record has room for both: the exact time and, on a terminal, how long ago that was. */
function recordCell(value: unknown, kind: CellKind | undefined, options: PrintOptions): Cell {
  const exact = cellOf(value, kind, { ...options, width: undefined })
  const time = kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
  if (time === undefined || options.width === undefined || options.utc || !options.truncate) return exact
  const text = `${exact.text} (${relativeTime(time, options.now)})`
  return { text, width: text.length }
}

function cellWords(value: unknown, kind: CellKind | undefined, options: PrintOptions): string {
  if (kind === 'time' && typeof value === 'string') {
    const time = parseTime(value)
    if (time === undefined) return value
    const relative = options.width !== undefined && options.truncate && !options.utc
    return relative ? relativeTime(time, options.now) : exactTime(time, options.utc)
  }
  if (kind === 'bytes' && typeof value === 'number') return humanSize(value)
  return Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value)
}

/** Widths from the first rows. No widths at all means that the terminal is too narrow for a table. */
function layOut(columns: readonly Column[], block: readonly (readonly Cell[])[], options: PrintOptions): Layout {
  const content = columns.map((_, index) => largest(block.map((row) => row[index]?.width ?? 0)))
  const natural = columns.map((column, index) => Math.max(cells(column.title), content[index] ?? 0))
  if (options.width === undefined || !options.truncate) {
    return { columns, widths: natural.map((width) => Math.min(width, alignedAtMost)) }
  }
  const room = options.width - gap * (columns.length - 1)
  const floors = columns.map((column, index) => {
    // An id, a number and a time say something else, or nothing, when they are cut.
    const whole = column.kind === 'id' || column.kind === 'number' || column.kind === 'time'
    const floor = whole ? Math.min(wholeAtMost, Math.max(1, content[index] ?? 0)) : textFloor
    return Math.min(natural[index] ?? 0, floor)
  })
  if (sum(floors) > room) return { columns, widths: [] }
  return { columns, widths: shrink(natural, floors, room) }
}

/** The widest columns give first, down to a common width, none below its floor. */
function shrink(natural: readonly number[], floors: readonly number[], room: number): number[] {
  const cap = (limit: number): number[] =>
    natural.map((width, index) => Math.max(floors[index] ?? 0, Math.min(width, limit)))
  let [low, high] = [0, largest(natural)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sum(cap(middle)) <= room) low = middle
    else high = middle - 1
  }
  const widths = cap(low)
  let left = room - sum(widths)
  for (const [index, width] of widths.entries()) {
    if (left <= 0) break
    if (width < (natural[index] ?? 0)) {
      widths[index] = width + 1
      left -= 1
    }
  }
  return widths
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

interface Drawing {
  table(layout: Layout, block: readonly (readonly Cell[])[], header: boolean): string
  records(columns: readonly Column[], block: readonly (readonly Cell[])[], first: boolean): string
}

/** A private-use character that cli-table3 takes for one cell, and that no safe text contains. */
const standIn = '\ue000'

async function loadDrawing(options: PrintOptions): Promise<Drawing> {
  const { default: Table } = await import('cli-table3')
  const paints = await loadPaints(options.color)
  const cut = options.width !== undefined && options.truncate

  /**
   * cli-table3 measures text by an older table of widths than terminals do. It arranges stand-ins of the right width, and
   * the text, cut and coloured, takes their place.
   */
  function arrange(
    widths: readonly number[],
    aligns: readonly ('left' | 'right')[],
    lines: readonly (readonly { cell: Cell; paint: Paint }[])[],
  ): string {
    const table = new Table({
      chars: Object.fromEntries(borderNames.map((name) => [name, ''])),
      style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
      colWidths: widths.map((width) => Math.max(1, width) + gap),
      colAligns: [...aligns],
    })
    const texts: string[] = []
    for (const line of lines) {
      table.push(
        line.map(({ cell, paint }, index) => {
          if (cell.text === '') return ''
          const width = widths[index] ?? 0
          const tooWide = cell.width > width
          const text = cut && tooWide ? truncate(cell.text, width) : cell.text
          texts.push(paint(text))
          return standIn.repeat(Math.max(1, Math.min(width, text === cell.text ? cell.width : cells(text))))
        }),
      )
    }
    let next = 0
    const drawn = table
      .toString()
      .replace(/ +$/gm, '')
      .replace(/\ue000+/g, () => texts[next++] ?? '')
    return `${drawn}\n`
  }

  return {
    table({ columns, widths }, block, header) {
      const aligns = columns.map(({ kind }) => (kind === 'number' || kind === 'bytes' ? 'right' : 'left'))
      const lines = block.map((row) =>
        row.map((cell, index) => ({ cell, paint: paintOf(paints, columns[index]?.kind, cell.text) })),
      )
      const head = columns.map(({ title }) => ({
        cell: { text: safe(title), width: cells(title) },
        paint: paints.heading,
      }))
      return arrange(widths, aligns, header ? [head, ...lines] : lines)
    },
    records(columns, block, first) {
      const titles = columns.map(({ title }) => ({ text: safe(title), width: cells(title) }))
      const titleWidth = largest(titles.map(({ width }) => width))
      const rest = cut ? Math.max(10, (options.width ?? 0) - titleWidth - gap) : 0
      return block
        .map((row, position) => {
          const lines = titles.map((title, index) => {
            const cell = row[index] ?? { text: '', width: 0 }
            return [
              { cell: title, paint: paints.heading },
              { cell, paint: paintOf(paints, columns[index]?.kind, cell.text) },
            ]
          })
          return (first && position === 0 ? '' : '\n') + arrange([titleWidth, rest], ['left', 'left'], lines)
        })
        .join('')
    },
  }
}

const borderNames =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'.split(
    ' ',
  )

function paintOf(paints: Paints, kind: CellKind | undefined, text: string): Paint {
  if (kind === 'state') return paints.state(text)
  return kind === 'time' ? paints.dim : (same) => same
}
