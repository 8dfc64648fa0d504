/**
 * Writes a workbook (.xlsx) with write-excel-file. The heading is bold and stays in sight. Columns are as wide as their content.
 */
import type { CellObject, SheetData } from 'write-excel-file/node'
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'

/** A text, nothing, or a number with the format that shows it. Days and times are the number of days since 1899-12-30. */
export type Cell = string | undefined | { raw: number; format: string }

/** The maximum numbers of columns and rows in a sheet, and of UTF-16 units in a cell. */
export const sheetLimits = { columns: 1 << 14, rows: 1 << 20, cell: 32_767 }

/** The widths of columns in characters. */
const minWidth = 8
const numberWidth = 20
const maxWidth = 60

/**
 * Yields the bytes of a workbook, whose heading is the first row. Throws an error (exit code 1) if a cell or the table is too
 * large.
 */
export async function* workbook(
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
): AsyncGenerator<Buffer> {
  const data: SheetData = []
  const widths: number[] = []
  for await (const row of rows) {
    const isHeading = data.length === 0
    for (const [column, cell] of row.entries()) {
      const width = typeof cell === 'object' ? numberWidth : (cell?.length ?? 0) + 2
      widths[column] = Math.max(widths[column] ?? minWidth, width)
    }
    data.push(row.map((cell) => cellOf(cell, isHeading)))
  }
  if (data.length > sheetLimits.rows)
    throw tooLargeError(`${groupDigits(data.length)} rows`)
  if (widths.length > sheetLimits.columns)
    throw tooLargeError(`${groupDigits(widths.length)} columns`)
  const columns = widths.map((width) => ({ width: Math.min(maxWidth, width) }))
  const { default: writeExcelFile } = await import('write-excel-file/node')
  yield await writeExcelFile(data, { columns, stickyRowsCount: 1 }).toBuffer()
}

function cellOf(cell: Cell, isHeading: boolean): CellObject | null {
  if (cell === undefined || cell === '') return null
  if (typeof cell !== 'string')
    return { value: cell.raw, type: Number, format: cell.format }
  if (cell.length > sheetLimits.cell)
    throw tooLargeError(`a cell of ${groupDigits(cell.length)} characters`)
  // Excel reads `_x0041_` as the letter A. Escaping the underscore keeps the text as it is.
  const value = cell.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  const text = { value, type: String, format: '@' }
  return isHeading ? { ...text, fontWeight: 'bold' } : text
}

function tooLargeError(content: string) {
  return new SvcError(
    'local',
    `the workbook would have ${content}, more than a workbook can hold`,
    {
      hint: 'write csv instead, which has no such limit',
    },
  )
}
