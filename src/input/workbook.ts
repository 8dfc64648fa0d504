/** The interface of a reader of workbooks for the loop over inputs: one sheet, its rows, and what may be read of each cell. */
import type { Cell } from '../output/workbook.ts'

/** What a cell decides: an id, a word (a name, an address, MATCH, DECISION), a phone number, or whether `--where` takes its row. */
export type CellUse = 'id' | 'word' | 'phone' | 'value'

/** A row of a sheet. */
export interface WorkbookRow {
  line: number
  /** Its texts, with holes: there may be thousands of them before the last cell. */
  cells: readonly string[]
  /** Name of a cell: `A2`. */
  cell(column: number): string
  /** The content that the cell shows, to be written again. */
  value(column: number): Cell
  /** Whether the cell is in the total row of a table. */
  isTotal(column: number): boolean
  /** Whether the cell shows something that is not in its text: it is merged, or a formula without its result. */
  showsMoreThanText(column: number): boolean
  /** Why the cell must not decide anything: a person may not see its text. Undefined for a plain cell. */
  unfit(column: number, use: CellUse): string | undefined
}

export interface WorkbookSheet {
  rows: readonly WorkbookRow[]
  /** Why nobody sees the column; undefined for one that is shown. */
  hiddenColumn(column: number): string | undefined
}

/** Reads one sheet of a workbook: that of the name `wanted`, else the only one with content, else the one that is meant. Throws exit 2. */
type ReadWorkbook = (
  name: string,
  bytes: Buffer,
  wanted: string | undefined,
  isMeant: (sheet: WorkbookSheet) => boolean,
) => Promise<{ sheet: WorkbookSheet; notes: readonly string[] }>

/** Readers of inputs that are no text, by format. */
export interface Readers {
  xlsx?: () => Promise<ReadWorkbook>
}
