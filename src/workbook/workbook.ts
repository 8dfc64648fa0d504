/**
 * Reads a sheet of a workbook (.xlsx) with SheetJS. A cell counts when it shows what it stores: a text, or a whole number
 * with all its digits.
 */
import type { CellObject, Range, WorkSheet } from '@e965/xlsx'
import { SvcError, messageOf, usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { fold, shellWord } from '../words.ts'
import { partsOf } from './archive.ts'
import { parseZip, SSF } from './packages.js'
import type { Cell } from './writer.ts'

/**
 * Reads the rows of one sheet: the one that is named, else the only visible one with content. Throws exit 2 for a file that
 * is damaged or no workbook, and for several sheets; then it proposes the one whose first row `hasColumn` accepts.
 */
export async function readWorkbook(
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
  hasColumn: (cells: readonly string[]) => boolean,
) {
  const sheets = await openSheets(name, bytes)
  const names = quoteAll(sheets.map((sheet) => sheet.name))
  if (wanted !== undefined) {
    const sheet = sheets.find((each) => fold(each.name) === fold(wanted))
    if (sheet !== undefined) return sheet.rows
    throw usageError(`${name} has no sheet "${shorten(wanted)}"`, `its sheets are ${names}`)
  }
  const filled = sheets.filter(({ rows }) => rows.length > 0)
  const [sheet, other] = filled.filter(({ isHidden }) => !isHidden)
  if (filled.length === 0) return []
  if (sheet !== undefined && other === undefined) return sheet.rows
  const proposed = filled.find(({ rows: [first] }) => first && hasColumn(first.cells))
  throw usageError(
    `${name} has no single visible sheet with content; its sheets are ${names}`,
    `name one: --sheet ${shellWord((proposed ?? filled[0])?.name ?? '')}`,
  )
}

/** Styles are needed for hidden rows and columns. Texts are formatted here, where they are needed. */
const options = {
  cellNF: true,
  cellStyles: true,
  cellHTML: false,
  cellText: false,
  // Else a formula without its result is left out.
  sheetStubs: true,
  dense: true,
}

/** All sheets with their rows. */
async function openSheets(name: string, bytes: Buffer) {
  const { SheetNames, Sheets, Workbook } = await openBook(name, bytes)
  if (Workbook?.WBProps?.date1904 === true)
    throw usageError(`${name} counts its days from 1904`, 'save its table as csv')
  return SheetNames.map((title, n) => {
    const sheet = Sheets[title]
    // SheetJS leaves out a sheet that it cannot read.
    if (sheet == null) throw damage(name, `the sheet "${title}" cannot be read`)
    const isHidden = (Workbook?.Sheets?.[n]?.Hidden ?? 0) !== 0
    return { name: title, isHidden, rows: rowsOf(sheet) }
  })
}

async function openBook(name: string, bytes: Buffer) {
  // SheetJS throws and catches an error for each cell of a workbook without styles, which is quick only without their stacks.
  const { stackTraceLimit } = Error
  try {
    const files = await partsOf(name, bytes)
    Error.stackTraceLimit = 0
    return parseZip({ files }, options)
  } catch (error) {
    throw error instanceof SvcError ? error : damage(name, messageOf(error))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function damage(name: string, what: string) {
  return usageError(
    `${name} is damaged or no .xlsx workbook: ${what}`,
    'open it in a spreadsheet program and save it as .xlsx, or save its table as csv',
  )
}

type StoredCells = readonly (CellObject | undefined)[]

/** The rows with content. */
function rowsOf(sheet: WorkSheet): SheetRow[] {
  const lines: readonly StoredCells[] = sheet['!data'] ?? []
  const merges = new Map<number, Range[]>()
  for (const range of sheet['!merges'] ?? []) {
    const last = Math.min(range.e.r, lines.length)
    for (let row = range.s.r; row <= last; row += 1)
      merges.set(row, [...(merges.get(row) ?? []), range])
  }
  return lines.flatMap((stored, index) => {
    const row = new SheetRow(sheet, index, stored, merges.get(index))
    return row.isFilled ? [row] : []
  })
}

/** A number of Excel keeps 15 digits. */
const mostExact = 1e15

const isTime = ({ t, z }: CellObject) => t === 'n' && SSF.is_date(String(z))

/** A number as its format shows it. */
const formatted = ({ z, v }: CellObject) => SSF.format(String(z), v)

/** A whole number that is shown with all its digits, and nothing else. */
function isPlainNumber(cell: CellObject) {
  const { t, v, z } = cell
  const isExact = t === 'n' && Number.isInteger(v) && Math.abs(Number(v)) < mostExact
  return isExact && (z === 'General' || formatted(cell) === String(v))
}

/** What a cell shows. Programs show days in their own ways, so a day is written as ISO has it. */
function textOf(cell: CellObject) {
  const { t, v } = cell
  if (v === undefined || t === 'z') return ''
  if (t === 'e') return '#ERROR'
  if (t !== 'n' || isPlainNumber(cell)) return String(v)
  if (isTime(cell)) return SSF.format('yyyy-mm-dd hh:mm:ss', v).replace(' 00:00:00', '')
  return formatted(cell)
}

export class SheetRow {
  /** From 1. */
  readonly line: number
  /** What its cells show. There may be holes between them. */
  readonly cells: string[] = []
  /** Whether any cell has a text or a formula. */
  readonly isFilled: boolean = false
  readonly isHidden: boolean
  readonly #sheet: WorkSheet
  readonly #stored: StoredCells
  readonly #merges: readonly Range[]

  constructor(sheet: WorkSheet, index: number, stored: StoredCells, merges: Range[] = []) {
    this.line = index + 1
    this.isHidden = sheet['!rows']?.[index]?.hidden === true
    this.#sheet = sheet
    this.#stored = stored
    this.#merges = merges
    // Without holes: there can be thousands of them before the last cell.
    for (const [column, cell] of Object.entries(stored)) {
      if (cell === undefined) continue
      const text = textOf(cell)
      this.cells[Number(column)] = text
      this.isFilled ||= text !== '' || cell.f !== undefined
    }
  }

  /** The content that the cell shows, to be written again. */
  value(column: number): Cell {
    const cell = this.#stored[column]
    if (cell?.t !== 'n') return this.cells[column]
    const days = this.cells[column]?.length === 10 ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss'
    return { raw: Number(cell.v), format: isTime(cell) ? days : String(cell.z) }
  }

  /** Why the cell must not decide anything: a person may not see its text. Undefined for a plain or an empty cell. */
  unfit(column: number): string | undefined {
    const cell = this.#stored[column]
    if (this.#merges.some(({ s, e }) => column >= s.c && column <= e.c))
      return 'in merged cells; unmerge them'
    if (cell?.f !== undefined || cell?.F !== undefined)
      return 'a formula; paste the column as values'
    if (cell === undefined || textOf(cell) === '') return undefined
    if (this.isHidden) return 'in a hidden row; show the row (a filter may hide it)'
    if (this.#sheet['!cols']?.[column]?.hidden === true)
      return 'in a hidden column; show the column'
    return cell.t === 's' || isPlainNumber(cell) ? undefined : kindOf(cell)
  }
}

/** Why a cell with something else than a text does not show what it stores. */
function kindOf(cell: CellObject) {
  if (cell.t !== 'n') return 'true, false or an error, not a text'
  if (isTime(cell)) return 'a date, not a text'
  return 'a number that is not shown as it is: a spreadsheet drops all but 15 digits of an id; export the ids again, as text'
}
