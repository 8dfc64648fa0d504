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
  yield columns.map(({ heading, kind }) => (kind === 'time' ? `${heading} (UTC)` : heading))
  for await (const row of rows)
    yield columns.map(({ valueOf, kind }) => cellOf(valueOf(row), kind))
}

const dayMs = 86_400_000
const dayZero = Date.UTC(1899, 11, 30)

/** The cell of a value: a number, a date, or the text that a table would show. */
function cellOf(value: unknown, kind: ColumnKind): Cell {
  // A longer number would lose digits in a spreadsheet.
  const isExactNumber = typeof value === 'number' && Math.abs(value) < 1e15
  if (isExactNumber) return { raw: value, format: 'General' }
  const time = kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
  // Spreadsheets disagree on days before March 1900.
  if (time !== undefined && time > dayZero + 60 * dayMs)
    return { raw: (time - dayZero) / dayMs, format: 'yyyy-mm-dd hh:mm:ss' }
  const text = cellText(value)
  // A text that is too long for a cell is refused as it is.
  return text.length > limits.cell ? text : safe(text, { newlines: 'keep' })
}
