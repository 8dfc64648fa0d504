/** How wide the columns of a table are: each has its constraints, and the terminal has one width. */
import type { Block, Cell } from './cell.ts'
import type { Column, PrintOptions } from '../result.ts'
import { cells } from './width.ts'

/** Cells between two columns. */
export const gap = 2
/** Cells that a text column keeps at least; when even that does not fit, rows are stacked. */
const textFloor = 6
/** Names, messages and lists are what people look for: they keep more, and the latter two grow faster than their neighbors. */
const special: Readonly<Record<string, { floor: number; weight: number }>> = {
  name: { floor: 12, weight: 1 },
  text: { floor: 16, weight: 2 },
  'lists.name': { floor: 12, weight: 2 },
}
/** A state is one of a few short words, and says nothing when it is cut. */
const stateAtMost = 10
/** One of ten cells may be cut so that the others are whole. */
const usualShare = 0.9
/** An id or a time that is wider than any real one need not be shown whole. */
const wholeAtMost = 40
/** Where nothing is cut, a cell that is wider shifts its own row instead of padding all the others. */
const alignedAtMost = 200

export interface Layout {
  readonly columns: readonly Column[]
  readonly widths: readonly number[]
}

/** Widths from the first rows. No widths at all means that the terminal is too narrow for a table. */
export function layOut(
  columns: readonly Column[],
  block: Block,
  { width, truncate }: PrintOptions,
): Layout {
  const constraints = columns.map((column, index) => {
    const columnCells = block.flatMap((row) => row[index] ?? [])
    return constraintOf(column, columnCells)
  })
  const natural = constraints.map((constraint) => constraint.natural)
  if (width === undefined || !truncate) {
    return { columns, widths: natural.map((cellWidth) => Math.min(cellWidth, alignedAtMost)) }
  }
  const room = width - gap * (columns.length - 1)
  const floors = constraints.map(({ floor }) => floor)
  if (sum(floors) > room) return { columns, widths: [] }
  const weights = columns.map(({ field }) => special[field]?.weight ?? 1)
  const usual = constraints.map((constraint) => constraint.usual)
  const least = shrink(usual, floors, weights, room)
  return { columns, widths: shrink(natural, least, weights, room) }
}

/** Whether a layout has less room for a cell or a heading than it needs. */
export function isTight({ columns, widths }: Layout, block: Block): boolean {
  return columns.some(({ title }, index) => {
    const width = widths[index] ?? 0
    return cells(title) > width || block.some((row) => (row[index]?.width ?? 0) > width)
  })
}

/** How wide a column must be (`floor`), should be (`usual`), and is with nothing cut (`natural`). */
function constraintOf({ kind, field, title, floor }: Column, columnCells: readonly Cell[]) {
  const content = largest(columnCells.map(({ width }) => width))
  const natural = Math.max(cells(title), content)
  // An id, a number and a time say something else, or nothing, when they are cut.
  if (kind === 'id' || kind === 'number' || kind === 'time') {
    const whole = Math.max(floor ?? 1, content)
    return { floor: Math.min(natural, wholeAtMost, whole), usual: natural, natural }
  }
  if (kind === 'state') {
    return { floor: Math.min(natural, floor ?? stateAtMost), usual: natural, natural }
  }
  const usual = Math.max(cells(title), usualWidth(columnCells))
  const least = floor ?? special[field]?.floor ?? textFloor
  return { floor: Math.min(usual, least), usual, natural }
}

/** The width that is enough for nine of ten cells; an array needs its first item and the number of the others. */
function usualWidth(columnCells: readonly Cell[]): number {
  const widths = columnCells.map(({ width, items = [] }) => {
    const [first] = items
    if (first === undefined || items.length === 1) return width
    return Math.min(width, cells(`${first}, ${items.length - 1} more`))
  })
  widths.sort((a, b) => a - b)
  const position = Math.ceil(usualShare * widths.length) - 1
  return widths[position] ?? 0
}

/** The widest columns give first, down to a common width times their weight, none below its floor. */
function shrink(
  natural: readonly number[],
  floors: readonly number[],
  weights: readonly number[],
  room: number,
) {
  const cap = (limit: number): number[] =>
    natural.map((width, index) => {
      const weighted = limit * (weights[index] ?? 1)
      return Math.max(floors[index] ?? 0, Math.min(width, weighted))
    })
  let low = 0
  let high = largest(natural)
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

export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
