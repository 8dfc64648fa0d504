/** The rows of a table as they are there, each with the id that was read from it or with what is wrong with it. */
import { withCells, type Row, type RowFinding } from '../row.ts'
import type { FoundRows } from '../search.ts'
import type { TableForm } from '../table.ts'

/** Texts that are added to a row; undefined: it stays as it is. */
export type AddedTo = (row: RowFinding) => readonly string[] | undefined

const blank: Row = { cells: [], line: 0, kind: 'other' }

/** A line of a list that is a cell of csv. */
const quotedLine = /^\s*"([^"]*)"\s*$/

/** A table that can be read again and again. `names`: the heading that it gets when it has none. */
export class InputRows {
  readonly #read: () => AsyncIterable<FoundRows>
  readonly #names: readonly string[]
  #table: FoundRows['table'] | undefined
  #hasHeading = false

  constructor(read: () => AsyncIterable<FoundRows>, names: readonly string[]) {
    this.#read = read
    this.#names = names
  }

  get #known(): FoundRows['table'] {
    if (this.#table === undefined) throw new TypeError('the input was not read')
    return this.#table
  }

  /** How it is written. Known when it has been read. */
  get table(): TableForm {
    return this.#known.form
  }

  /** The sheet that was read, until it is dropped: its texts take memory. */
  get sheet(): FoundRows['table']['sheet'] {
    return this.#known.sheet
  }

  dropSheet(): void {
    this.#known.sheet = undefined
  }

  /** Takes rows as they were read, and returns them with those that were skipped or are made. */
  take({ table, rows }: FoundRows): Row[] {
    const above = table === this.#table ? [] : this.#begin(table)
    return [...above, ...rows.flatMap((found) => this.sort(found))]
  }

  /** All rows, read again, many at once. Throws exit 2 for what has no rows, as JSON. */
  async *all(): AsyncGenerator<readonly Row[]> {
    for await (const found of this.#read()) yield this.take(found)
  }

  #begin(table: FoundRows['table']): Row[] {
    const { format, skip, isSeparatorSkipped } = table.form
    this.#table = table
    this.#hasHeading = false
    // Excel's sep= line is no row.
    const above = format === 'lines' ? 0 : skip.lines - (isSeparatorSkipped ? 1 : 0)
    return Array.from({ length: above }, () => blank)
  }

  sort(row: Row): Row[] {
    const isLine = this.table.format === 'lines'
    const unquoted = isLine ? withCells(row, [(row.cells[0] ?? '').replace(quotedLine, '$1')]) : row
    const isMade = !this.#hasHeading && (row.kind === 'data' || row.kind === 'invalid')
    this.#hasHeading ||= row.kind === 'heading' || isMade
    return isMade ? [this.#madeHeading(), unquoted] : [unquoted]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading(): Row {
    const before = Array.from({ length: this.#known.places[0] ?? 0 }, () => '')
    return { cells: [...before, ...this.#names], line: 0, kind: 'heading' }
  }
}
