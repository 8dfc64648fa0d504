/**
 * The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. Called by `rows.ts` alone, which loads it for
 * the inputs that are workbooks; `workbook/` reads them and knows nothing of ids.
 */
import { mostTitleRows, type Columns } from './columns.ts'
import type { Table } from './table.ts'
import { fillHoles, rowOf } from './row.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { openWorkbook } from '../workbook/workbook.ts'
import { quoteAll } from '../safe-text.ts'

/** Hands the rows of the sheet that is meant to the table, which gets notes of what was left out. Throws exit 2 for a damaged workbook, and for several sheets. */
export async function readSheet<C extends Columns>(
  bytes: Buffer,
  table: Table<C>,
  wanted: string | undefined,
): Promise<void> {
  const name = table.form.input
  const workbook = await openWorkbook(name, bytes)
  const isMeant = ({ rows }: Sheet): boolean =>
    rows.slice(0, mostTitleRows + 1).some(({ cells }) => table.isHeading(fillHoles(cells)))
  const sheet = workbook.sheet(wanted, isMeant)
  table.sheet = sheet
  const shown = workbook.sheets.filter(({ isHidden }) => !isHidden)
  if (wanted === undefined && shown.length > 1) {
    table.notes.push(`${name}: read the sheet ${quoteAll([sheet.name])}`)
  }
  for (const row of sheet.rows) table.take(rowOf(row.line, row.cells, row))
  const unread = wanted === undefined ? workbook.hiddenSheets() : []
  if (unread.length > 0) {
    table.notes.push(`${name}: did not read hidden sheets: ${quoteAll(unread, 3)}`)
  }
}
