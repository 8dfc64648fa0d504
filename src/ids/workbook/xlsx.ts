/** The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. */
import { usageError } from '../../errors.ts'
import { columnName, grouped } from '../../words.ts'
import { quoteAll, type TableHead } from '../columns.ts'
import { readWhole, type OpenInput } from '../input.ts'
import type { CellUse, Row, RowOrigin } from '../row.ts'
import type { Cover } from './cells.ts'
import type { SheetCell, SheetRow } from './rows.ts'
import type { Sheet } from './sheet.ts'
import { openWorkbook } from './workbook.ts'

/** A workbook's directory is at its end: what cannot be read twice is kept in memory. */
const whole = { bound: 64 << 20, what: 'workbook', hint: 'save it and name the file' } as const

export interface SheetListener {
  onRow(row: Row): void
  /** Before the first row. */
  onSheet(sheet: Sheet): void
}

interface SheetOptions {
  readonly sheet?: string | undefined
  /** The columns that are read; none until they are known. */
  readonly columns: () => readonly number[]
  readonly listener?: SheetListener | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Hands the rows of a sheet to `head`, yields now and then, and returns what was left out. Throws exit 2 for what is no workbook
 * or a damaged one, and for several sheets.
 */
export async function* readXlsx<T>(
  open: OpenInput,
  head: TableHead<T>,
  { sheet: wanted, columns, listener, signal }: SheetOptions,
): AsyncGenerator<void, string[]> {
  const { name, path } = open
  const from = path === undefined ? { bytes: await readWhole(open, whole) } : { path }
  const workbook = await openWorkbook({ name, from, signal })
  try {
    const sheet = await workbook.sheet(wanted, (row) => head.isHeading(textsOf(row)))
    listener?.onSheet(sheet)
    const prefix = workbook.sheets.length > 1 ? `${quotedSheet(sheet.name)}!` : ''
    let hiddenRows = 0
    const take = (row: SheetRow): void => {
      const isHead = head.columns === undefined
      const looked = isHead ? undefined : listener ? [...row.cells.keys()] : columns()
      const cells = isHead ? textsOf(row) : []
      for (const column of looked ?? []) cells[column] = row.cells.get(column)?.text ?? ''
      const taken = { cells, line: row.row, origin: originOf(row, sheet, prefix) }
      listener?.onRow(taken)
      head.take(taken)
      if (isHead && head.heading === row.row) checkHeading(name, taken, columns())
      else if (row.isHidden && head.columns !== undefined) hiddenRows += 1
    }
    yield* sheet.rows(take)
    head.end()
    const unread = wanted === undefined ? await workbook.hiddenSheets() : []
    const rows = `${grouped(hiddenRows)} ${hiddenRows === 1 ? 'row is' : 'rows are'} hidden`
    return [
      ...(hiddenRows > 0 ? [`${name}: ${rows}`] : []),
      ...(unread.length > 0 ? [`${name}: did not read what is hidden: ${quoteAll(unread, 3)}`] : []),
    ]
  } finally {
    workbook.close()
  }
}

function checkHeading(name: string, { origin }: Row, columns: readonly number[]): void {
  for (const column of columns) {
    const reason = origin?.unfit(column, 'word')
    if (reason !== undefined) throw usageError(`${name} cell ${origin?.cell(column) ?? ''}: the heading is ${reason}`)
  }
}

function textsOf({ cells }: SheetRow): string[] {
  const texts: string[] = []
  for (const [column, { text }] of cells) {
    while (texts.length < column) texts.push('')
    texts.push(text)
  }
  return texts
}

function originOf(row: SheetRow, { frame }: Sheet, prefix: string): RowOrigin {
  const { cells, extent } = row
  return {
    cell: (column) => `${prefix}${columnName(column)}${row.row}`,
    isMerged: (column) => row.coverOf(column) === 'merged',
    unfit: (column, use) =>
      frame.isColumnHidden(column) ? inHiddenColumn : unfit(row, cells.get(column), row.coverOf(column), use),
    cells,
    extent,
  }
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
