/** Writes the rows of an output as a workbook (`-o xlsx`). */
import { safe } from '../../safe-text.ts'
import { limits, workbook, type Cell } from '../../workbook/writer.ts'
import { cellText, type Column, type ColumnKind } from '../result.ts'
import { parseTime } from '../text.ts'

/** Yields the bytes of a workbook. Ids and phone numbers are text, so that none is rounded. Times are dates in UTC. */
export function workbookBytes<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
): AsyncGenerator<Buffer> {
  return workbook(linesOf(rows, columns))
}

/** Yields the cells of the heading, and then those of each row. */
async function* linesOf<T>(
  rows: AsyncIterable<T> | Iterable<T>,
  columns: readonly Column<T>[],
) {
  // A date in a workbook has no time zone, so the heading names it.
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
/** The start of day 0 in a workbook, 1899-12-30. */
const dayZero = Date.UTC(1899, 11, 30)
/** 1900-03-01. Spreadsheets disagree about earlier days. */
const firstSafeDay = Date.UTC(1900, 2, 1)
/** Spreadsheets drop digits of this number and of greater ones. */
const exactBelow = 1e15

/** Returns the cell of a value: a number, a date, or the text that csv would have. */
function cellOf(value: unknown, kind: ColumnKind): Cell {
  if (typeof value === 'number' && Math.abs(value) < exactBelow)
    return { raw: value, format: 'General' }
  const text = cellText(value)
  const time = kind === 'time' ? parseTime(text) : undefined
  if (time !== undefined && time >= firstSafeDay) {
    const days = (time - dayZero) / dayMs
    return { raw: days, format: 'yyyy-mm-dd hh:mm:ss' }
  }
  // The writer refuses a text that is too long for a cell. Making it safe would only take time.
  return text.length > limits.cell ? text : safe(text, { newlines: 'keep' })
}
