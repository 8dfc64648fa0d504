/** Tables and key-and-value records: calm, without borders, in the width of the terminal. The only place of cli-table3. */
import { cellText, columnsOf, valueOf } from '../fields.ts'
import type { CellKind, Column, PrintOptions, View } from '../result.ts'
import { idPattern } from '../../values.ts'
import { loadPaints, type Paint, type Paints } from '../paint.ts'
import { safe } from '../safe.ts'
import { humanSize } from '../size.ts'
import { exactTime, parseTime, relativeTime } from '../time.ts'
import { cells, truncate, wrap } from '../width.ts'

/** cli-table3 needs time that grows with the square of its rows: it is given this many at once. */
const rowsPerTable = 500
const gap = 2
/** What a text column is not narrowed below; when even that does not fit, each row becomes a record. */
const textFloor = 6
/** Names and messages are what people look for: they keep more, and a message grows faster than its neighbours. */
const claims: Readonly<Record<string, { floor: number; weight: number }>> = {
  name: { floor: 12, weight: 1 },
  text: { floor: 16, weight: 2 },
}
/** A state is one of a few short words, and says nothing when it is cut. */
const stateAtMost = 10
/** Of ten cells one may be cut so that the others are whole. */
const usualShare = 0.9
/** An id or a time that is wider than any real one has no claim to be shown whole. */
const wholeAtMost = 40
/** Where nothing is cut, a cell that is wider shifts its own row instead of padding all the others. */
const alignedAtMost = 200

interface Cell {
  readonly text: string
  readonly width: number
  /** What an array holds, for where the whole of it does not fit. */
  readonly items?: readonly string[]
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
  return draw.records(columns, [row], true, options.truncate ? options.width : undefined)
}

function cellOf(value: unknown, kind: CellKind | undefined, options: PrintOptions): Cell {
  const text = safe(cellWords(value, kind, options))
  const cell = { text, width: cells(text) }
  return Array.isArray(value) && value.length > 0 ? { ...cell, items: value.map((item) => safe(cellText(item))) } : cell
}

/** As much of a cell as fits, and of an array as many whole items as fit: `+15551000025, 2 more`. */
function fit({ text, width: whole, items }: Cell, width: number): string {
  if (whole <= width) return text
  const [first] = items ?? []
  if (items === undefined || first === undefined) return truncate(text, width)
  let best: string | undefined
  let shown = ''
  for (const [index, item] of items.slice(0, -1).entries()) {
    shown += `${index === 0 ? '' : ', '}${item}`
    const candidate = `${shown}, ${items.length - index - 1} more`
    if (cells(candidate) > width) break
    best = candidate
  }
  if (best !== undefined) return best
  // A cut id is worth less than their number.
  return truncate(idPattern.test(first) ? countOfIds(items) : text, width)
}

function countOfIds(items: readonly string[]): string {
  return `${items.length} ${items.length === 1 ? 'id' : 'ids'}`
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
  const words = Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value)
  return options.width !== undefined && options.truncate ? words.replace(/\r?\n/g, ' ↵ ') : words
}

/** Widths from the first rows. No widths at all means that the terminal is too narrow for a table. */
function layOut(columns: readonly Column[], block: readonly (readonly Cell[])[], options: PrintOptions): Layout {
  const content = columns.map((_, index) => largest(block.map((row) => row[index]?.width ?? 0)))
  const natural = columns.map((column, index) => Math.max(cells(column.title), content[index] ?? 0))
  if (options.width === undefined || !options.truncate) {
    return { columns, widths: natural.map((width) => Math.min(width, alignedAtMost)) }
  }
  const room = options.width - gap * (columns.length - 1)
  const wanted = columns.map((column, index) => {
    const cellsOfColumn = block.flatMap((row) => row[index] ?? [])
    return wish(column, cellsOfColumn, natural[index] ?? 0, content[index] ?? 0)
  })
  const floors = wanted.map(({ floor }) => floor)
  if (sum(floors) > room) return { columns, widths: [] }
  const weights = columns.map(({ field }) => claims[field]?.weight ?? 1)
  let usual = wanted.map((wish) => wish.usual)
  let widths = shrink(usual, floors, weights, room)
  // Ids are shown whole or counted; what half an id would take is better given to the others.
  const counted = wanted.map(({ whole }, index) => whole > 0 && (widths[index] ?? 0) < whole)
  if (counted.includes(true)) {
    usual = usual.map((width, index) => (counted[index] === true ? (floors[index] ?? 0) : width))
    widths = shrink(usual, floors, weights, room)
  }
  const most = columns.map(({ title }, index) =>
    counted[index] === true ? Math.max(cells(title), floors[index] ?? 0) : (natural[index] ?? 0),
  )
  return { columns, widths: shrink(most, widths, weights, room) }
}

/** How wide a column must be, should be, and, when it holds arrays of ids, must be to show the first of them. */
interface Wish {
  readonly floor: number
  readonly usual: number
  readonly whole: number
}

function wish(column: Column, block: readonly Cell[], natural: number, content: number): Wish {
  const { kind, field, title } = column
  // An id, a number and a time say something else, or nothing, when they are cut.
  if (kind === 'id' || kind === 'number' || kind === 'time') {
    return { floor: Math.min(natural, wholeAtMost, Math.max(1, content)), usual: natural, whole: 0 }
  }
  if (kind === 'state') return { floor: Math.min(natural, stateAtMost), usual: natural, whole: 0 }
  const usual = Math.max(cells(title), usualWidth(block))
  const ids = block.find(({ items }) => items?.[0] !== undefined && idPattern.test(items[0]))
  if (ids !== undefined) {
    const counts = block.map(({ items }) => (items === undefined ? 0 : countOfIds(items).length))
    return { floor: Math.min(natural, largest(counts)), usual, whole: (ids.items?.[0] ?? '').length }
  }
  return { floor: Math.min(usual, claims[field]?.floor ?? textFloor), usual, whole: 0 }
}

/** What nine of ten cells need; an array needs its first item and the number of the others. */
function usualWidth(block: readonly Cell[]): number {
  const widths = block.map(({ width, items }) => {
    const [first] = items ?? []
    return items === undefined || first === undefined || items.length === 1
      ? width
      : Math.min(width, cells(`${first}, ${items.length - 1} more`))
  })
  return widths.sort((a, b) => a - b)[Math.ceil(usualShare * widths.length) - 1] ?? 0
}

/** The widest columns give first, down to a common width times their weight, none below its floor. */
function shrink(
  natural: readonly number[],
  floors: readonly number[],
  weights: readonly number[],
  room: number,
): number[] {
  const cap = (limit: number): number[] =>
    natural.map((width, index) => Math.max(floors[index] ?? 0, Math.min(width, limit * (weights[index] ?? 1))))
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
  /** `width`: of the terminal, when long values are to be wrapped below their beginning. */
  records(columns: readonly Column[], block: readonly (readonly Cell[])[], first: boolean, width?: number): string
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
          const text = cut && tooWide ? fit(cell, width) : cell.text
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
    records(columns, block, first, width) {
      const titles = columns.map(({ title }) => ({ text: safe(title), width: cells(title) }))
      const titleWidth = largest(titles.map(({ width }) => width))
      const rest = cut ? Math.max(10, (options.width ?? 0) - titleWidth - gap) : 0
      return block
        .map((row, position) => {
          const lines = titles.flatMap((title, index) => {
            const cell = row[index] ?? { text: '', width: 0 }
            const pieces = width === undefined ? [cell] : wrapped(cell, width - titleWidth - gap)
            return pieces.map((piece, nth) => [
              { cell: nth === 0 ? title : { text: '', width: 0 }, paint: paints.heading },
              { cell: piece, paint: paintOf(paints, columns[index]?.kind, cell.text) },
            ])
          })
          return (first && position === 0 ? '' : '\n') + arrange([titleWidth, rest], ['left', 'left'], lines)
        })
        .join('')
    },
  }
}

/** A long text at its blanks. A command is left to the terminal, so that it can be copied; so is a word that has no room. */
function wrapped(cell: Cell, room: number): Cell[] {
  const isWhole = cell.width <= room || /^svc |^https?:/.test(cell.text)
  if (isWhole || cell.text.split(' ').some((word) => cells(word) > room)) return [cell]
  return wrap(cell.text, room).map((text) => ({ text, width: cells(text) }))
}

const borderNames =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'.split(
    ' ',
  )

function paintOf(paints: Paints, kind: CellKind | undefined, text: string): Paint {
  if (kind === 'state') return paints.state(text)
  return kind === 'time' ? paints.dim : (same) => same
}
