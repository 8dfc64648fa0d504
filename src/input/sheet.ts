/**
 * The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. Called by `rows.ts` alone, which loads it for
 * the inputs that are workbooks; `workbook/` reads them and knows nothing of ids.
 */
import { mostTitleRows, type Columns } from './columns.ts'
import type { Table } from './table.ts'
import { fillHoles, rowOf } from './row.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { readWorkbook } from '../workbook/workbook.ts'

/** Hands the rows of the sheet that is meant to the table, which gets notes of what was left out. Throws exit 2 for a damaged workbook, and for several sheets. */
export async function readSheet<C extends Columns>(
  bytes: Buffer,
  table: Table<C>,
  wanted: string | undefined,
): Promise<void> {
  const name = table.form.input
  const isMeant = ({ rows }: Sheet): boolean =>
    rows.slice(0, mostTitleRows + 1).some(({ cells }) => table.isHeading(fillHoles(cells)))
  const { sheet, notes } = await readWorkbook(name, bytes, wanted, isMeant)
  table.sheet = sheet
  table.notes.push(...notes)
  for (const row of sheet.rows) table.take(rowOf(row.line, row.cells, row))
}
