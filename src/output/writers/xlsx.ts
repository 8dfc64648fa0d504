/** Rows as a workbook. */
import { safe } from '../../safe-text.ts'
import { limits, workbook, type Cell } from '../../workbook/writer.ts'
import { cellText, type Column, type ColumnKind } from '../columns.ts'
import { parseTime } from '../text/time.ts'

/**
 * The bytes of a workbook: ids and phone numbers as text, so that none is rounded, times as dates in UTC, numbers as numbers.
 */
export function workbookOf<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): AsyncGenerator<Buffer> {
  return workbook(cellRows(rows, columns))
}

async function* cellRows<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
) {
  // A date of a workbook has no time zone: the heading says which one it is.
  yield columns.map(({ heading, kind }) => {
    const zone = kind === 'time' ? ' (UTC)' : ''
    return heading + zone
  })
  for await (const row of rows) {
    yield columns.map(({ valueOf, kind }) => {
      const value = valueOf(row)
      return cellOf(value, kind)
    })
  }
}

const dayMs = 86_400_000
const dayZero = Date.UTC(1899, 11, 30)
/** Spreadsheets disagree on days before March 1900. */
const firstDay = dayZero + 60 * dayMs
/** A longer number would lose digits in a spreadsheet. */
const greatestNumber = 1e15

/** The cell of a value: a number, a date, or the text that a table would show. */
function cellOf(value: unknown, kind: ColumnKind): Cell {
  if (typeof value === 'number' && Math.abs(value) < greatestNumber)
    return { raw: value, format: 'General' }
  const text = cellText(value)
  const time = kind === 'time' ? parseTime(text) : undefined
  if (time !== undefined && time > firstDay) {
    const days = (time - dayZero) / dayMs
    return { raw: days, format: 'yyyy-mm-dd hh:mm:ss' }
  }
  // A text that is too long for a cell is refused as it is.
  return text.length > limits.cell ? text : safe(text, { newlines: 'keep' })
}
