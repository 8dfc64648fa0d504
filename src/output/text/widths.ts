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
  const content = columns.map((_, index) => largest(block.map((row) => row[index]?.width ?? 0)))
  const natural = columns.map((column, index) => Math.max(cells(column.title), content[index] ?? 0))
  if (width === undefined || !truncate) {
    return { columns, widths: natural.map((each) => Math.min(each, alignedAtMost)) }
  }
  const room = width - gap * (columns.length - 1)
  const constraints = columns.map((column, index) =>
    constraintOf(
      column,
      block.flatMap((row) => row[index] ?? []),
      natural[index] ?? 0,
      content[index] ?? 0,
    ),
  )
  const floors = constraints.map(({ floor }) => floor)
  if (sum(floors) > room) return { columns, widths: [] }
  const weights = columns.map(({ field }) => special[field]?.weight ?? 1)
  const usual = constraints.map((each) => each.usual)
  return { columns, widths: shrink(natural, shrink(usual, floors, weights, room), weights, room) }
}

/** Whether a layout has less room for a cell or a heading than it needs. */
export function isTight({ columns, widths }: Layout, block: Block): boolean {
  return columns.some(({ title }, index) => {
    const width = widths[index] ?? 0
    return cells(title) > width || block.some((row) => (row[index]?.width ?? 0) > width)
  })
}

/** How wide a column must be, and should be. */
function constraintOf(column: Column, block: readonly Cell[], natural: number, content: number) {
  const { kind, field, title, floor } = column
  // An id, a number and a time say something else, or nothing, when they are cut.
  if (kind === 'id' || kind === 'number' || kind === 'time') {
    return { floor: Math.min(natural, wholeAtMost, Math.max(floor ?? 1, content)), usual: natural }
  }
  if (kind === 'state') return { floor: Math.min(natural, floor ?? stateAtMost), usual: natural }
  const usual = Math.max(cells(title), usualWidth(block))
  return { floor: Math.min(usual, floor ?? special[field]?.floor ?? textFloor), usual }
}

/** The width that is enough for nine of ten cells; an array needs its first item and the number of the others. */
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
) {
  const cap = (limit: number): number[] =>
    natural.map((width, index) =>
      Math.max(floors[index] ?? 0, Math.min(width, limit * (weights[index] ?? 1))),
    )
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

export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
