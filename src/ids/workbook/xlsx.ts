/** The rows of one sheet of a workbook as rows of a table, with what a person would not see in them. */
import { usageError } from '../../errors.ts'
import { columnName, grouped } from '../../words.ts'
import { quoteAll, type TableHead } from '../columns.ts'
import type { CellUse, Row, RowOrigin } from '../row.ts'
import { readWhole, type OpenInput } from '../input.ts'
import type { SheetCell, SheetRow } from './row-reader.ts'
import type { Merged, Sheet } from './sheet.ts'
import { openWorkbook } from './workbook.ts'

/** A workbook's directory is at its end: what cannot be read twice is held. */
const held = { bound: 64 << 20, what: 'workbook', hint: 'save it and name the file' } as const

export interface SheetListener {
  onRow(row: Row): void
  /** Before the first row. Which columns are hidden it knows with that row, which cells are merged behind the last one. */
  onSheet(sheet: Pick<Sheet, 'path' | 'isColumnHidden' | 'isFiltered' | 'tags'>): void
  onMerged(merged: Merged): void
}

interface SheetOptions {
  readonly sheet?: string | undefined
  readonly isColumnNamed: boolean
  /** The columns that are read; none until they are known. */
  readonly columns: () => readonly number[]
  readonly listener?: SheetListener | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Hands the rows of a sheet to `head`, yields now and then, and returns what was left out. Throws exit 2 for what is no workbook
 * or a damaged one, for several sheets, and for ids in a hidden column or behind merged cells, where a person cannot see them.
 */
export async function* readXlsx<T>(
  open: OpenInput,
  head: TableHead<T>,
  { sheet: wanted, isColumnNamed, columns, listener, signal }: SheetOptions,
): AsyncGenerator<void, string[]> {
  const { name, path } = open
  const from = path === undefined ? { bytes: await readWhole(open, held) } : { path }
  const workbook = await openWorkbook({ name, from, signal })
  try {
    const sheet = await workbook.sheet(wanted)
    const prefix = workbook.sheets.length > 1 ? `${quotedSheet(sheet.name)}!` : ''
    listener?.onSheet(sheet)
    const onMerged = (merged: Merged): void => {
      listener?.onMerged(merged)
      if (merged.to.row <= head.heading || !columns().some((column) => covers(merged, column))) return
      throw usageError(
        `${name}: the cells ${merged.text} among the ids are merged`,
        'unmerge them, so that each row has its own id',
      )
    }
    let hiddenRows = 0
    const take = (row: SheetRow): void => {
      const isHead = head.columns === undefined
      const taken = tableRow(row, prefix, isHead ? undefined : listener ? [...row.cells.keys()] : columns())
      listener?.onRow(taken)
      head.take(taken)
      if (isHead && head.heading === row.row) checkHeading(name, taken, columns())
      else if (row.isHidden && head.columns !== undefined) hiddenRows += 1
    }
    for await (const rows of sheet.rows(onMerged)) {
      rows.forEach(take)
      yield
    }
    head.end()
    const hidden = columns().find((column) => sheet.isColumnHidden(column))
    if (hidden !== undefined && !isColumnNamed)
      throw usageError(
        `${name}: column ${columnName(hidden)} with the ids is hidden`,
        `show the column, or, if it is the one you mean, name it: --column ${hidden + 1}`,
      )
    const unread = wanted === undefined ? await workbook.hiddenSheets() : []
    const rows = `${grouped(hiddenRows)} ${hiddenRows === 1 ? 'row is' : 'rows are'} hidden`
    return [
      ...(hiddenRows > 0 ? [`${name}: ${rows}`] : []),
      ...(unread.length > 0 ? [`${name}: did not read what is hidden: ${quoteAll(unread, 3)}`] : []),
    ]
  } finally {
    await workbook.close()
  }
}

function checkHeading(name: string, { origin }: Row, columns: readonly number[]): void {
  for (const column of columns) {
    const reason = origin?.unfit(column, 'word')
    if (reason !== undefined) throw usageError(`${name} cell ${origin?.cell(column) ?? ''}: the heading is ${reason}`)
  }
}

/** `wanted`: the only columns that are looked at; all of them until the columns are known. */
function tableRow(row: SheetRow, prefix: string, wanted?: readonly number[]): Row {
  const cells: string[] = []
  if (wanted === undefined) {
    for (const [column, { text }] of row.cells) {
      while (cells.length < column) cells.push('')
      cells.push(text)
    }
  } else for (const column of wanted) cells[column] = row.cells.get(column)?.text ?? ''
  const origin: RowOrigin = {
    cell: (column) => `${prefix}${columnName(column)}${row.row}`,
    unfit: (column, use) => unfit(row, row.cells.get(column), use),
    cells: row.cells,
    extent: row.extent,
  }
  return { cells, line: row.row, origin }
}

function unfit({ isHidden }: SheetRow, cell: SheetCell | undefined, use: CellUse): string | undefined {
  if (isHidden) return 'in a hidden row; show the row (a filter may hide it), or skip hidden rows with --skip-invalid'
  if (cell === undefined) return undefined
  if (cell.unseen !== undefined) return cell.unseen
  if (cell.isFormula) return 'a formula, whose result may be out of date; paste the column as values'
  return taken[use].includes(cell.kind) ? undefined : notText[cell.kind]
}

const taken: Readonly<Record<CellUse, readonly SheetCell['kind'][]>> = {
  id: ['text'],
  word: ['text', 'number'],
  phone: ['text', 'number'],
  value: ['text', 'number', 'date', 'boolean'],
}

const notText: Readonly<Record<SheetCell['kind'], string | undefined>> = {
  text: undefined,
  number: 'a number: a spreadsheet drops all but 15 digits of an id; export the ids again, as text',
  date: 'a date, not an id',
  boolean: 'true or false, not an id',
  error: 'an error, not an id',
}

/** As spreadsheets write it in front of a cell. */
function quotedSheet(name: string): string {
  return /^[\p{L}_][\p{L}\p{M}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`
}

/** Whether a column has cells behind the first one, which alone is shown. */
function covers({ from, to }: Merged, column: number): boolean {
  return column >= from.column && column <= to.column && (to.row > from.row || column > from.column)
}
