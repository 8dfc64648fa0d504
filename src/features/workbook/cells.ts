/**
 * Places in a sheet: cells by their names, and ranges of them. Columns count from 0, rows from 1, as
 * programs number them. Pure.
 */

/** The most that a sheet can have. */
export const mostRows = 1 << 20
export const mostColumns = 1 << 14

/** Columns from 0, rows from 1. */
export interface ReadCell {
  readonly column: number
  readonly row: number
}

export interface CellRange {
  readonly from: ReadCell
  readonly to: ReadCell
}

const cellName = /^([A-Z]{1,3})([1-9]\d{0,6})$/

/** The place of `A1`; undefined for anything else, and for a place that no sheet has. */
export function parseCell(text: string): ReadCell | undefined {
  const [, letters = '', digits] = cellName.exec(text) ?? []
  // Letters are digits from 1 to 26: after Z comes AA.
  let column = 0
  for (const letter of letters) {
    const digit = letter.charCodeAt(0) - 64
    column = column * 26 + digit
  }
  if (column === 0 || column > mostColumns) return undefined
  const row = Number(digits)
  if (row > mostRows) return undefined
  return { column: column - 1, row }
}

/** `A1:B2`, or one cell. */
export function parseRange(text: string): CellRange | undefined {
  const cells = text.split(':').map(parseCell)
  const [from, to = from, more] = cells
  if (from === undefined || to === undefined || more !== undefined) return undefined
  const isReversed = to.row < from.row || to.column < from.column
  return isReversed ? undefined : { from, to }
}
