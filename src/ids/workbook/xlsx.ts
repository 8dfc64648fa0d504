/** The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. */
import { columnName, grouped } from '../../words.ts'
import { quoteAll } from '../columns.ts'
import { readWhole, type OpenInput } from '../input.ts'
import { padded, type Table } from '../table.ts'
import type { CellUse, Row } from '../row.ts'
import type { RowChunk } from '../text/rows.ts'
import type { Cover } from './cells.ts'
import type { SheetCell, SheetRow } from './rows.ts'
import type { Sheet } from './sheet.ts'
import { openWorkbook } from './workbook.ts'

/** A workbook's directory is at its end: what cannot be read twice is kept in memory. */
const whole = { bound: 64 << 20, what: 'workbook', hint: 'save it and name the file' } as const

/** Rows of the sheet that is meant; the table gets notes of what was left out. Throws exit 2 for a damaged workbook, and for several sheets. */
export async function* readSheet<C>(
  open: OpenInput,
  table: Table<C>,
  { sheet: wanted, signal }: { readonly sheet?: string | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<RowChunk> {
  const { name, path } = open
  const from = path === undefined ? { bytes: await readWhole(open, whole) } : { path }
  const workbook = await openWorkbook({ name, from, signal })
  try {
    const sheet = await workbook.sheet(wanted, (row) => table.isHeading(padded(textsOf(row))))
    table.sheet = sheet
    const prefix = workbook.sheets.length > 1 ? `${quotedSheet(sheet.name)}!` : ''
    for await (const rows of sheet.rows()) yield { rows: rows.map((row) => rowOf(row, sheet, prefix)) }
    const { hiddenRows } = table
    const unread = wanted === undefined ? await workbook.hiddenSheets() : []
    const rows = `${grouped(hiddenRows)} ${hiddenRows === 1 ? 'row is' : 'rows are'} hidden`
    if (hiddenRows > 0) table.notes.push(`${name}: ${rows}`)
    if (unread.length > 0) table.notes.push(`${name}: did not read what is hidden: ${quoteAll(unread, 3)}`)
  } finally {
    workbook.close()
  }
}

function rowOf(row: SheetRow, { frame }: Sheet, prefix: string): Row {
  const { cells, extent, isHidden, covers } = row
  return {
    line: row.row,
    kind: 'data',
    get cells() {
      return textsOf(row)
    },
    origin: {
      cell: (column) => `${prefix}${columnName(column)}${row.row}`,
      isMerged: (column) => covers?.[column] === 'merged',
      unfit: (column, use) =>
        frame.isColumnHidden(column) ? inHiddenColumn : unfit(row, cells.get(column), covers?.[column], use),
      isHidden,
      cells,
      extent,
    },
  }
}

/** With holes: there may be thousands of them before the last cell. */
function textsOf({ cells }: SheetRow): string[] {
  const texts: string[] = []
  for (const [column, { text }] of cells) texts[column] = text
  return texts
}

const inHiddenColumn = 'in a hidden column; show the column'

const coverReasons: Readonly<Record<Cover, string>> = {
  merged: 'in merged cells, which show the first one alone; unmerge them',
  formatted: 'under a conditional format that shows numbers in another way; remove it',
  pivot: 'where a pivot table is; copy the values to a sheet of their own',
  formula: 'a result of a formula for several cells; paste the column as values',
}

function unfit(
  { isHidden }: SheetRow,
  cell: SheetCell | undefined,
  cover: Cover | undefined,
  use: CellUse,
): string | undefined {
  if (isHidden) return 'in a hidden row; show the row (a filter may hide it)'
  if (cell?.isFormula === true) return 'a formula, whose result may be out of date; paste the column as values'
  if (cover !== undefined) return coverReasons[cover]
  if (cell === undefined) return undefined
  if (!taken[use].includes(cell.kind)) return otherKinds[cell.kind]
  return cell.problem
}

const taken: Readonly<Record<CellUse, readonly SheetCell['kind'][]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number', 'phone'],
  value: ['text', 'number', 'date', 'boolean'],
}

const otherKinds: Readonly<Record<SheetCell['kind'], string | undefined>> = {
  text: undefined,
  number: 'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  phone: 'a number in a format that is not plain; give the cell the format Text, and type it in again',
  date: 'a date, not a text',
  boolean: 'true or false, not a text',
  error: 'an error, or no plain value; type it in again as text',
}

/** As spreadsheets write it in front of a cell. */
function quotedSheet(name: string): string {
  return /^[\p{L}_][\p{L}\p{M}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`
}
