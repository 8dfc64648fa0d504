/** Rows as a workbook. */
import { safe } from '../../safe-text.ts'
import { serialOf, type Cell } from '../../workbook/cells.ts'
import { limits, workbook } from '../../workbook/writer.ts'
import { cellText, type Column, type ColumnKind } from '../columns.ts'
import { parseTime } from '../text/time.ts'

/**
 * The bytes of a workbook: ids and phone numbers as text, so that none is rounded, times as dates in UTC, numbers as numbers.
 */
export function workbookOf<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): AsyncGenerator<Buffer> {
  return workbook(cellRows(rows, columns), 1)
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

/** The cell of a value: a number, a date, or the text that a table would show. */
function cellOf(value: unknown, kind: ColumnKind): Cell {
  // A longer number would lose digits in a spreadsheet.
  const isExactNumber = typeof value === 'number' && Math.abs(value) < 1e15
  if (isExactNumber) return { kind: 'number', raw: value }
  if (kind === 'time' && typeof value === 'string') {
    const time = parseTime(value)
    const serial = time === undefined ? undefined : serialOf(time)
    if (serial !== undefined) return { kind: 'time', raw: serial }
  }
  const text = cellText(value)
  // A text that is too long for a cell is refused as it is.
  return text.length > limits.cell ? text : safe(text, { newlines: 'keep' })
}
