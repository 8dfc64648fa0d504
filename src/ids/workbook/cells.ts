/** Places in a sheet: cells by their names, and ranges in which nothing is plain. Pure. */

export const mostRows = 1 << 20
export const mostColumns = 1 << 14

/** Columns from 0, rows from 1. */
export interface Cell {
  readonly column: number
  readonly row: number
}

export interface Range {
  readonly from: Cell
  readonly to: Cell
}

export const allCells: Range = { from: { column: 0, row: 1 }, to: { column: mostColumns - 1, row: mostRows } }

/** A number without zeros before it; infinite for another text. */
function parseRow(text: string, from: number): number {
  let row = 0
  for (let at = from; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48
    row = digit >= (at === from ? 1 : 0) && digit <= 9 ? row * 10 + digit : Infinity
  }
  return row
}

export function parseCell(text: string): Cell | undefined {
  let [column, at] = [0, 0]
  for (; at < 3; at += 1) {
    const letter = text.charCodeAt(at) - 64
    if (!(letter >= 1 && letter <= 26)) break
    column = column * 26 + letter
  }
  const row = parseRow(text, at)
  return column === 0 || column > mostColumns || row === 0 || row > mostRows ? undefined : { column: column - 1, row }
}

/** `A1:B2`, or one cell. */
export function parseRange(text: string): Range | undefined {
  const [from, to = from, more] = text.split(':').map(parseCell)
  if (from === undefined || to === undefined || more !== undefined) return undefined
  return to.row < from.row || to.column < from.column ? undefined : { from, to }
}

/** Reasons why cells are not plain, whatever is in them. */
export type Cover = 'merged' | 'formatted' | 'pivot' | 'formula'

/** Ranges of cells that are not plain. Rows are asked for from the first to the last. */
export class CoveredCells {
  readonly #waiting: (Range & { readonly cover: Cover })[] = []
  #isSorted = true
  /** The last row of all ranges that have begun. */
  #end = 0
  /** By column: the last row of a range that has begun, and what it is. */
  readonly #last = new Uint32Array(mostColumns)
  readonly #covers: Cover[] = []
  readonly #work: (units: number) => void

  /** `work` hears how much there is to do. */
  constructor(work: (units: number) => void) {
    this.#work = work
  }

  add(range: Range, cover: Cover): void {
    this.#work(32 + range.to.column - range.from.column)
    this.#waiting.push({ ...range, cover })
    this.#isSorted = false
  }

  /** Merged cells show the first one alone. */
  addMerged({ from, to }: Range): void {
    if (to.row > from.row) this.add({ from: { ...from, row: from.row + 1 }, to: { ...from, row: to.row } }, 'merged')
    if (to.column > from.column) this.add({ from: { ...from, column: from.column + 1 }, to }, 'merged')
  }

  /** To be called for each row. */
  begin(row: number): void {
    if (!this.#isSorted) this.#waiting.sort((one, other) => other.from.row - one.from.row)
    this.#isSorted = true
    for (let next = this.#waiting.at(-1); next !== undefined && next.from.row <= row; next = this.#waiting.at(-1)) {
      this.#waiting.pop()
      this.beginRange(next, next.cover)
    }
  }

  /** A range that begins in the present row. */
  beginRange({ from, to }: Range, cover: Cover): void {
    this.#end = Math.max(this.#end, to.row)
    for (let { column } = from; column <= to.column; column += 1) {
      if (to.row < (this.#last[column] ?? 0)) continue
      this.#last[column] = to.row
      this.#covers[column] = cover
    }
  }

  /** The present row's first columns, each with its cover; undefined when there is none in the row. */
  inRow(row: number, width: number): (Cover | undefined)[] | undefined {
    if (row > this.#end) return undefined
    this.#work(width)
    return Array.from({ length: width }, (_, column) =>
      row <= (this.#last[column] ?? 0) ? this.#covers[column] : undefined,
    )
  }
}
