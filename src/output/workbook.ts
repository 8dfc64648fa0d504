/** A workbook as the core asks its writer for one: cells, columns, and where the heading is. */

import { usageError } from '../errors.ts'
import type { PrintOptions, View } from './result.ts'

/** A text, nothing, a number, or a day or time as its serial number: days since 1899-12-30. */
export type Cell = string | undefined | { kind: 'number' | 'day' | 'time'; raw: number }

type Many<T> = AsyncIterable<T> | Iterable<T>

export interface WorkbookWriter {
  /** The most columns of a sheet, and UTF-16 units of a cell. */
  limits: { columns: number; cell: number }
  /**
   * The bytes of a workbook with these rows. `heading`: the row of the heading, from 1, which stays in sight above the rows
   * that can be filtered; 0 without one. Throws exit 10 for a cell or file that is too large.
   */
  workbook: (rows: Many<readonly Cell[]>, heading: number) => AsyncGenerator<Buffer>
  /** The same for rows in a view. */
  tableWorkbook: <T>(
    rows: Many<T>,
    view: View<T>,
    options: Pick<PrintOptions, 'fields' | 'header'>,
  ) => AsyncGenerator<Buffer>
}

/** Writers of files that are no text, by format. */
export interface Writers {
  xlsx?: () => Promise<WorkbookWriter>
}

/** Loads the writer of workbooks. Throws exit 2 where there is none. */
export function writerOf({ xlsx }: Writers): Promise<WorkbookWriter> {
  if (xlsx !== undefined) return xlsx()
  throw usageError('this svc cannot write workbooks (.xlsx)', 'write csv instead')
}
