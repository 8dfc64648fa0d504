/**
 * Tables and stacked values: calm, without borders, in the width of the terminal. The only place of cli-table3, which is loaded where cells
 * are cut. A table that is too narrow is tried on two lines a row, then with short headings, then as lines of title and value.
 * `output/render.ts` calls it for `-o table`, and `bulk/telling/who.ts` for the rows above a question.
 */
import type Table from 'cli-table3'
import {
  cellOf,
  empty,
  fit,
  gap,
  isCut,
  isTight,
  largest,
  layOut,
  pickCells,
  shortenCells,
  stackedCell,
  titleCell,
  wrapCell,
  type Block,
  type Cell,
  type Layout,
} from '../text/cells.ts'
import { columnsOf, valueOf } from '../fields.ts'
import { loadPaints, type Paint, type Paints } from '../text/paint.ts'
import type { CellKind, Column, PrintOptions, View } from '../result.ts'
import { cells } from '../text/width.ts'

/** The rows that decide the widths, and that are drawn at once. */
const rowsPerBlock = 500
/** cli-table3 needs time that grows with the square of its rows: it is given this many at once. */
const rowsPerTable = 50

/**
 * A table in pieces: header and first rows, then rows of the same widths; none without rows. A `width` of the options cuts cells.
 * The first block decides the form of all: later rows are written while earlier ones are already on the screen.
 */
export async function* tableText<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  options: PrintOptions,
) {
  const columns = columnsOf(view, options.fields)
  const draw = await Drawing.load(
    options.isStacked === true ? { ...options, width: undefined } : options,
  )
  let layout: Layout | undefined
  let isStacked = options.isStacked === true
  let isShort = false
  let wrapped: WrappedLayout | undefined
  let block: Cell[][] = []
  let count = 0
  let last: T | undefined

  function text(): string {
    const isFirst = layout === undefined
    layout ??= layOut(options.header ? columns : withoutTitles(columns), block, options)
    if (isFirst && isCut(options) && isTight(layout, block)) {
      wrapped = wrapLayout(columns, block, options)
      const tighter = wrapped === undefined ? shortLayout(columns, block, options) : undefined
      isShort = tighter !== undefined
      layout = tighter ?? layout
    }
    isStacked ||= layout.widths.length === 0 && wrapped === undefined
    const drawn = drawBlock(layout, isFirst)
    block = []
    return drawn
  }

  function drawBlock(widths: Layout, isFirst: boolean): string {
    const hasHeader = isFirst && options.header
    if (isStacked) return draw.stack(columns, block, isFirst)
    if (wrapped !== undefined) return draw.wrap(wrapped, block, hasHeader)
    const shown = isShort ? shortenCells(columns, block) : block
    return draw.table(widths, shown, hasHeader)
  }

  try {
    for await (const row of rows) {
      count += 1
      last = row
      const rowCells = columns.map((column) => {
        const value = valueOf(row, column.field, view)
        return cellOf(value, column, options)
      })
      block.push(rowCells)
      if (block.length === rowsPerBlock) yield text()
    }
  } catch (error) {
    // The rows before the failure are shown.
    if (block.length > 0) yield text()
    throw error
  }
  const isAlone = count === 1 && view.isStackedAlone === true && isCut(options)
  const hasNoRoom = isAlone && isTight(layOut(columns, block, options), block)
  if (hasNoRoom && last !== undefined) {
    yield await stackedText(last, view, options)
  } else if (block.length > 0) {
    yield text()
  }
}

function withoutTitles(columns: readonly Column[]): Column[] {
  return columns.map((column) => ({ ...column, title: '' }))
}

/** The layout with the short form of headings and cells; undefined where even that has no room. */
function shortLayout(
  columns: readonly Column[],
  block: Block,
  options: PrintOptions,
): Layout | undefined {
  const titled = columns.map((column) => {
    const title = column.short?.title ?? column.title
    return { ...column, title }
  })
  const layout = layOut(titled, shortenCells(columns, block), options)
  return layout.widths.length === 0 ? undefined : layout
}

/** A table whose rows have two lines. */
interface WrappedLayout {
  readonly upper: Part
  readonly lower: Part
}

/** Some of the columns, by their places, and their widths. */
interface Part {
  readonly places: readonly number[]
  readonly layout: Layout
}

/** Undefined where no column may stand below the others, or not even then there is room. */
function wrapLayout(
  columns: readonly Column[],
  block: Block,
  options: PrintOptions,
): WrappedLayout | undefined {
  const partOf = (isBelow: boolean, width: number): Part => {
    const places = [...columns.keys()].filter(
      (place) => (columns[place]?.isBelow === true) === isBelow,
    )
    const chosen = places.flatMap((place) => columns[place] ?? [])
    const chosenCells = pickCells(block, places)
    const layout = layOut(chosen, chosenCells, { ...options, width })
    return { places, layout }
  }
  const width = options.width ?? 0
  const upper = partOf(false, width)
  const lower = partOf(true, width - belowIndent)
  const isTooNarrow = [upper, lower].some(({ layout }) => layout.widths.length === 0)
  return isTooNarrow ? undefined : { upper, lower }
}

/** Cells in front of the second line of a row. */
const belowIndent = 7

/** One thing as lines of title and value. Nothing is cut: a value that was asked for by itself is shown whole. */
export async function stackedText<T>(
  value: T,
  view: View<T>,
  options: PrintOptions,
): Promise<string> {
  const columns = columnsOf(view, options.fields)
  const draw = await Drawing.load({ ...options, width: undefined })
  const row = columns.map((column) => {
    const field = valueOf(value, column.field, view)
    return stackedCell(field, column, options)
  })
  const wrapAt = options.truncate ? options.width : undefined
  return draw.stack(columns, [row], true, wrapAt)
}

/** A private-use character that cli-table3 takes for one cell, and that no safe text contains. */
const standIn = '\ue000'

const borderNames =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'.split(
    ' ',
  )

/** A cell, and what colors its text once that is cut. */
interface Painted {
  readonly cell: Cell
  readonly paint: Paint
}

type Aligns = readonly ('left' | 'right')[]
type Lines = readonly (readonly Painted[])[]

/** Lays out cells whose texts are safe already; colors are added last, because they have no width. */
class Drawing {
  /** Undefined where no cell is cut: plain lines need no table, and there may be very many of them. */
  readonly #Table: typeof Table | undefined
  readonly #paints: Paints
  /** Width of the terminal, where cells are cut. */
  readonly #width: number | undefined

  private constructor(
    table: typeof Table | undefined,
    paints: Paints,
    { width, truncate }: PrintOptions,
  ) {
    this.#Table = table
    this.#paints = paints
    this.#width = truncate ? width : undefined
  }

  static async load(options: PrintOptions): Promise<Drawing> {
    const [table, paints] = await Promise.all([
      isCut(options) ? import('cli-table3') : undefined,
      loadPaints(options.color),
    ])
    return new Drawing(table?.default, paints, options)
  }

  /** A line for each row, below the titles if there is a header. */
  table({ columns, widths }: Layout, block: Block, header: boolean): string {
    const aligns = columns.map(({ kind }) => (kind === 'number' ? 'right' : 'left'))
    const lines = block.map((row) => {
      return row.map((cell, index) => this.paint(cell, columns[index]?.kind))
    })
    if (!header) return this.#arrange(widths, aligns, lines)
    const paint = this.#paints.heading
    const head = columns.map(({ title }) => ({ cell: titleCell(title), paint }))
    return this.#arrange(widths, aligns, [head, ...lines])
  }

  /** Each row on two lines, and so its headings. */
  wrap({ upper, lower }: WrappedLayout, block: Block, header: boolean): string {
    const linesOf = ({ places, layout }: Part): string[] => {
      const drawn = this.table(layout, pickCells(block, places), header)
      return drawn.split('\n').slice(0, -1)
    }
    const below = linesOf(lower)
    const margin = ' '.repeat(belowIndent)
    const rows = linesOf(upper).map((line, index) => `${line}\n${margin}${below[index] ?? ''}\n`)
    return rows.join('')
  }

  /** Each row as lines of title and value. `wrapAt`: the width at which long values go on below their beginning. */
  stack(columns: readonly Column[], block: Block, first: boolean, wrapAt?: number): string {
    const titles = columns.map(({ title }) => titleCell(title))
    const titleWidth = largest(titles.map(({ width }) => width))
    const rest = this.#width === undefined ? 0 : Math.max(10, this.#width - titleWidth - gap)
    const { heading } = this.#paints
    const linesOf = (value: Painted, title: Cell): Painted[][] => {
      const { cell, paint } = value
      const pieces = wrapAt === undefined ? [cell] : wrapCell(cell, wrapAt - titleWidth - gap)
      return pieces.map((piece, nth) => {
        const label = nth === 0 ? title : empty
        return [
          { cell: label, paint: heading },
          { cell: piece, paint },
        ]
      })
    }
    const stacks = block.map((row) => {
      const lines = titles.flatMap((title, index) => {
        const value = this.paint(row[index] ?? empty, columns[index]?.kind)
        return linesOf(value, title)
      })
      return this.#arrange([titleWidth, rest], ['left', 'left'], lines)
    })
    const before = first ? '' : '\n'
    return before + stacks.join('\n')
  }

  paint(cell: Cell, kind: CellKind | undefined): Painted {
    if (kind === 'state') return { cell, paint: this.#paints.state(cell.text) }
    return { cell, paint: kind === 'time' ? this.#paints.dim : (same) => same }
  }

  #arrange(widths: readonly number[], aligns: Aligns, lines: Lines): string {
    if (this.#Table === undefined) return alignLines(widths, aligns, lines)
    let drawn = ''
    for (let at = 0; at < lines.length; at += rowsPerTable) {
      const some = lines.slice(at, at + rowsPerTable)
      drawn += this.#arrangeFew(this.#Table, widths, aligns, some)
    }
    return drawn
  }

  /** cli-table3 measures by an old table of widths: it arranges stand-ins, which the cut and colored text replaces. */
  #arrangeFew(
    Arranged: typeof Table,
    widths: readonly number[],
    aligns: Aligns,
    lines: Lines,
  ): string {
    const table = new Arranged({
      chars: Object.fromEntries(borderNames.map((name) => [name, ''])),
      style: {
        'padding-left': 0,
        'padding-right': gap,
        head: [],
        border: [],
      },
      colWidths: widths.map((width) => Math.max(1, width) + gap),
      colAligns: [...aligns],
    })
    const texts: string[] = []
    for (const line of lines) {
      const standIns = line.map(({ cell, paint }, index) => {
        if (cell.text === '') return ''
        const width = widths[index] ?? 0
        const isTooWide = this.#width !== undefined && cell.width > width
        const text = isTooWide ? fit(cell, width) : cell.text
        texts.push(paint(text))
        const textWidth = text === cell.text ? cell.width : cells(text)
        return standIn.repeat(Math.max(1, Math.min(width, textWidth)))
      })
      table.push(standIns)
    }
    let next = 0
    const drawn = table
      .toString()
      .replace(/ +$/gm, '')
      .replace(/\ue000+/g, () => texts[next++] ?? '')
    return `${drawn}\n`
  }
}

/** Lines in columns; a wide cell moves the rest of its line. cli-table3 would have to know the widest cell of all rows. */
function alignLines(widths: readonly number[], aligns: Aligns, lines: Lines): string {
  let drawn = ''
  for (const line of lines) {
    let blanks = 0
    for (const [index, { cell, paint }] of line.entries()) {
      const width = Math.max(1, widths[index] ?? 0)
      const pad = Math.max(0, width - cell.width)
      const isRight = aligns[index] === 'right'
      // Blanks wait for a text behind them, so that no line ends with any.
      if (cell.text === '' || isRight) blanks += pad
      if (cell.text !== '') {
        drawn += ' '.repeat(blanks) + paint(cell.text)
        blanks = isRight ? 0 : pad
      }
      blanks += gap
    }
    drawn += '\n'
  }
  return drawn
}
