/**
 * Writes a workbook (.xlsx) with write-excel-file: a bold heading that stays in sight, columns as wide as their content, ids
 * and phone numbers as text, days and times as numbers in their format.
 */
import type { CellObject, SheetData } from 'write-excel-file/node'
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'

/** A text, nothing, or a number and how it is shown. Days and times are numbers too: days since 1899-12-30. */
export type Cell = string | undefined | { raw: number; format: string }

/** The most that a sheet can have, and UTF-16 units of a cell. */
export const limits = { columns: 1 << 14, rows: 1 << 20, cell: 32_767 }

/** Widths of columns, in characters. */
const widths = { least: 8, ofNumber: 20, most: 60 }

/** The bytes of a workbook. Its first row is the heading. Throws exit 1 for a cell or table that is too large. */
export async function* workbook(
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
): AsyncGenerator<Buffer> {
  const data: SheetData = []
  const columns: { width: number }[] = []
  for await (const row of rows) {
    const isHeading = data.length === 0
    row.forEach((cell, column) => {
      const length = typeof cell === 'object' ? widths.ofNumber : (cell?.length ?? 0) + 2
      const width = Math.max(columns[column]?.width ?? widths.least, length)
      columns[column] = { width: Math.min(widths.most, width) }
    })
    data.push(row.map((cell) => cellOf(cell, isHeading)))
  }
  if (data.length > limits.rows) throw tooLarge(`${groupDigits(data.length)} rows`)
  const { default: writeExcelFile } = await import('write-excel-file/node')
  yield await writeExcelFile(data, { columns, stickyRowsCount: 1 }).toBuffer()
}

function cellOf(cell: Cell, isHeading: boolean): CellObject | null {
  if (cell === undefined || cell === '') return null
  if (typeof cell !== 'string')
    return { value: cell.raw, type: Number, format: cell.format }
  if (cell.length > limits.cell)
    throw tooLarge(`a cell of ${groupDigits(cell.length)} characters`)
  // Such a text would be read as the character that it names.
  const value = cell.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  const text = { value, type: String, format: '@' }
  return isHeading ? { ...text, fontWeight: 'bold' } : text
}

function tooLarge(what: string) {
  return new SvcError('local', `the workbook would have ${what}, more than one takes`, {
    hint: 'write csv instead, which has no such limit',
  })
}
