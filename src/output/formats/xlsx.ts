/**
 * A table as a workbook (`-o xlsx`), loaded by `render.ts` for that format alone: ids and phone numbers as text, so that none is rounded,
 * times as dates in UTC, numbers as numbers.
 */
import { cellText, columnsOf, valueOf } from '../fields.ts'
import type { CellKind, Column, PrintOptions, View } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { parseTime } from '../text/time.ts'
import {
  longestCell,
  serialOf,
  workbook,
  type Cell,
} from '../../features/workbook/writer.ts'

/** Characters that a column has at first: what its kind needs, and what a screen has room for. */
const widthOf: Readonly<Record<CellKind, number>> = {
  id: 27,
  text: 24,
  number: 12,
  time: 20,
  state: 14,
}

/** The bytes of a workbook with these rows. */
export function tableWorkbook<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  { fields, header }: Pick<PrintOptions, 'fields' | 'header'>,
): AsyncGenerator<Buffer> {
  const columns = columnsOf(view, fields)
  const widths = columns.map(({ kind = 'text' }) => widthOf[kind])
  const heading = header ? columns.map(headingOf) : undefined
  return workbook({ widths, heading }, cellRows(rows, columns, view))
}

/** A date of a workbook has no time zone: the heading says which one it is. */
function headingOf({ title, kind }: Column): string {
  return kind === 'time' ? `${title} (UTC)` : title
}

async function* cellRows<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column[],
  view: View<T>,
) {
  for await (const row of rows) {
    yield columns.map(({ field, kind }) => {
      const value = valueOf(row, field, view)
      return cellOf(value, kind)
    })
  }
}

/** The cell of a value: a number, a date, or the text that a table would show. */
function cellOf(value: unknown, kind: CellKind | undefined): Cell {
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
  return text.length > longestCell ? text : safe(text, { newlines: 'keep' })
}
