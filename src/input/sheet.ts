/**
 * The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. Called by `rows.ts` alone, which loads it for
 * the inputs that are workbooks; `workbook/` reads them and knows nothing of ids.
 */
import type { SheetRow } from '../workbook/rows.ts'
import { mostTitleRows } from './columns.ts'
import type { Table } from './table.ts'
import { fillHoles, rowOf } from './row.ts'
import { SvcError } from '../errors.ts'
import { join } from '../message.ts'
import type { Sheet } from '../workbook/sheet.ts'
import { openWorkbook, type Workbook } from '../workbook/workbook.ts'
import { hintOnPeople } from './id.ts'
import { quoteAll } from '../safe-text.ts'

/** Hands the rows of the sheet that is meant to the table, which gets notes of what was left out. Throws exit 2 for a damaged workbook, and for several sheets. */
export async function readSheet<C>(
  bytes: Buffer,
  table: Table<C>,
  wanted: string | undefined,
): Promise<void> {
  const name = table.form.input
  const workbook = await openWorkbook(name, bytes)
  const sheet = chooseSheet(workbook, table, wanted)
  table.sheet = sheet
  const shown = workbook.sheets.filter(({ isHidden }) => !isHidden)
  if (wanted === undefined && shown.length > 1) {
    table.notes.push(`${name}: read the sheet ${quoteAll([sheet.name])}`)
  }
  for (const row of sheet.rows) table.take(rowOf(row.line, row.cells, row))
  const unread = wanted === undefined ? workbook.hiddenSheets() : []
  if (unread.length > 0) {
    table.notes.push(`${name}: did not read what is hidden: ${quoteAll(unread, 3)}`)
  }
}

/** Throws exit 2 for several sheets of which none, or more than one, has such a table; sheets of people lead to the command that finds them. */
function chooseSheet<C>(
  workbook: Workbook,
  table: Table<C>,
  wanted: string | undefined,
): Sheet {
  const cells: string[] = []
  const isMeant = (row: SheetRow): boolean => {
    const filled = fillHoles(row.cells)
    cells.push(...filled)
    return table.isHeading(filled)
  }
  try {
    return workbook.sheet(wanted, { most: mostTitleRows + 1, isMeant })
  } catch (error) {
    if (!(error instanceof SvcError) || table.takesUnmatched) throw error
    const hint = join([error.details.hint, hintOnPeople(cells)], '')
    throw error.withHint(hint)
  }
}
