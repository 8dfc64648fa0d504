/** A row of a table, and what is known of its cells. */
import type { RowExtent } from './workbook/rows.ts'

export interface Row {
  readonly cells: readonly string[]
  /** Physical line on which it begins, or row of a sheet. */
  readonly line: number
  /** What is known of the cells of a sheet. */
  readonly origin?: RowOrigin
  /** Of a text: where its bytes stand in the input, without its line end. */
  readonly span?: { readonly from: number; readonly to: number }
}

/** What a cell of a sheet decides: an id, a word (a name, an address, MATCH, DECISION), a phone number, or a value of `--where`. */
export type CellUse = 'id' | 'word' | 'phone' | 'value'

/** A row of a sheet, where a cell is more than its text. */
export interface RowOrigin {
  /** `A2`, with its sheet in front where there are several. */
  readonly cell: (column: number) => string
  /** Why nothing may be decided by the cell, whatever its text is: a person may not see it so. Undefined for one that is plain. */
  readonly unfit: (column: number, use: CellUse) => string | undefined
  /** Whether another cell is shown in its place. */
  readonly isMerged: (column: number) => boolean
  /** Those with a value or a formula. */
  readonly cells: ReadonlyMap<number, { readonly text: string; readonly isFormula: boolean }>
  readonly extent: RowExtent
}
