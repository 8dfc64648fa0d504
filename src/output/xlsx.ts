/** Writes the rows of an output as a workbook (`-o xlsx`). */
import { safe } from '../safe-text.ts'
import { dayMs } from '../values.ts'
import { sheetLimits, workbook, type Cell } from '../workbook/writer.ts'
import { cellText, type Column } from './cells.ts'
import { isoTime } from './text.ts'

/** Yields the bytes of a workbook. Ids and phone numbers are text, so that none is rounded. Times are dates in UTC. */
export function workbookOf<T>(rows: Iterable<T>, columns: readonly Column<T>[]) {
  return workbook(linesOf(rows, columns))
}

/** Yields the cells of the heading, and then those of each row. */
function* linesOf<T>(rows: Iterable<T>, columns: readonly Column<T>[]) {
  // A date in a workbook has no time zone, so the heading names it.
  yield columns.map(({ heading, kind }) => (kind === 'time' ? `${heading} (UTC)` : heading))
  for (const row of rows) yield columns.map((column) => cellOf(column, row))
}

/** The start of day 0 in a workbook, 1899-12-30. */
const dayZero = Date.UTC(1899, 11, 30)
/** 1900-03-01. Spreadsheets disagree about earlier days. */
const firstSafeDay = Date.UTC(1900, 2, 1)
/** Spreadsheets drop digits of this number and of greater ones. */
const exactBelow = 1e15

/** Returns the cell of a value: a number, a date, or the text that csv would have. */
function cellOf<T>({ kind, valueOf }: Column<T>, row: T): Cell {
  const value = valueOf(row)
  if (typeof value === 'number' && Math.abs(value) < exactBelow)
    return { raw: value, format: 'General' }
  const text = cellText(value)
  const time = kind === 'time' ? isoTime(text) : undefined
  if (time !== undefined && time >= firstSafeDay)
    return { raw: (time - dayZero) / dayMs, format: 'yyyy-mm-dd hh:mm:ss' }
  // The writer refuses a text that is too long for a cell, so it is not made safe first.
  return text.length > sheetLimits.cell ? text : safe(text, 'lines')
}
