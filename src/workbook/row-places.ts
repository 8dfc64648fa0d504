/**
 * Places of the rows of a sheet that was read, so that it can be given back without being read again: a few numbers for each row.
 * `input/annotated.ts` fills them while it reads a user's own workbook, `own-workbook.ts` writes by them.
 */
import { mostColumns } from './cells.ts'
import type { RowExtent, SheetRow } from './rows.ts'

/** A row of a table in a sheet. `mark`: the number that the reader gave it, by which it knows the row again. */
export interface PlacedRow extends RowExtent {
  /** From 1. */
  readonly line: number
  readonly mark: number
  readonly isHeading: boolean
}

/** How many numbers a row takes. */
const numbersOfRow = 5

export class RowPlaces {
  /** By column: whether it has a cell with a value, and whether the table has one there. */
  readonly used = new Uint8Array(mostColumns)
  readonly inTable = new Uint8Array(mostColumns)
  /** The columns that are replaced, the row of the heading, and the last other column that it names. */
  replaced: readonly number[] = []
  heading = 0
  last = -1
  /** Name of a cell that would be replaced. */
  formula: string | undefined
  /** Line, from, to, width and mark of each row, one after the other. */
  readonly #numbers: number[] = []

  /** The heading of the table, with the columns that are replaced; to be taken before the rows below it. */
  takeHeading(row: SheetRow, replaced: readonly number[], mark: number): void {
    this.heading = row.line
    this.replaced = replaced
    const last = row.stored.findLast(
      ({ column, text }) => text.trim() !== '' && !replaced.includes(column),
    )
    this.last = last?.column ?? -1
    this.take(row, mark)
  }

  /** A row of the sheet; one without a mark is none of the table. */
  take(row: SheetRow, mark?: number): void {
    const isOfTable = this.heading > 0 || mark !== undefined
    const isInTable = isOfTable ? 1 : 0
    for (const { column, isFormula } of row.stored) {
      this.used[column] = 1
      this.inTable[column] ||= isInTable
      if (isFormula && mark !== undefined && this.replaced.includes(column)) {
        this.formula ??= row.cell(column)
      }
    }
    if (mark === undefined) return
    this.#numbers.push(row.line, row.from, row.to, row.width, mark)
  }

  /** The rows of the table, in their order. */
  *[Symbol.iterator](): Generator<PlacedRow> {
    const numbers = this.#numbers
    for (let at = 0; at < numbers.length; at += numbersOfRow) {
      const line = numbers[at] ?? 0
      yield {
        line,
        from: numbers[at + 1] ?? 0,
        to: numbers[at + 2] ?? 0,
        width: numbers[at + 3] ?? 0,
        mark: numbers[at + 4] ?? 0,
        isHeading: line === this.heading,
      }
    }
  }
}
