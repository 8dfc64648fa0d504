/**
 * A table of the core as a workbook (`-o xlsx`): ids and phone numbers as text, so that none is rounded, times as dates in UTC, numbers as numbers.
 */
import { cellText, columnsOf, valueOf } from '../../output/fields.ts'
import type { CellKind, Column, PrintOptions, View } from '../../output/result.ts'
import type { Cell, WorkbookWriter } from '../../output/workbook.ts'
import { safe } from '../../safe-text.ts'
import { parseTime } from '../../output/text/time.ts'
import { limits, serialOf, workbook } from './writer.ts'

export const writer: WorkbookWriter = { limits, workbook, tableWorkbook }

function tableWorkbook<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  view: View<T>,
  { fields, header }: Pick<PrintOptions, 'fields' | 'header'>,
): AsyncGenerator<Buffer> {
  const columns = columnsOf(view, fields)
  const heading = header ? columns.map(headingOf) : undefined
  return workbook(cellRows(rows, columns, view, heading), header ? 1 : 0)
}

/** A date of a workbook has no time zone: the heading says which one it is. */
function headingOf({ title, kind }: Column): string {
  return kind === 'time' ? `${title} (UTC)` : title
}

async function* cellRows<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column[],
  view: View<T>,
  heading: readonly string[] | undefined,
) {
  if (heading !== undefined) yield heading
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
  return text.length > limits.cell ? text : safe(text, { newlines: 'keep' })
}
