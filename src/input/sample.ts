/** Rows of the one table that ids come from, with all their cells, by which a person sees whether the right ones are meant. */
import type { Row } from './row.ts'
import type { ReadTable } from './table.ts'

export interface SampleRow {
  /** Position of its id among the ids. */
  readonly position: number
  readonly cells: readonly string[]
}

/** How many of the first rows, ids or people are shown to know them by. */
export const fewShown = 5

/** The first rows whose ids are taken, and the last one. */
export class Sample {
  /** Undefined unless it is known: of several tables, or of none. */
  table: { readonly headings: readonly string[]; readonly idColumns: readonly number[] } | undefined
  readonly first: SampleRow[] = []
  last: SampleRow | undefined
  readonly #most: number
  #tables = 0
  /** The row that was taken last, and its position. */
  #row: Row | undefined
  #position = 0

  constructor(most = fewShown) {
    this.#most = most
  }

  /** A row that brought the id at this position. */
  take(position: number, row: Row): void {
    if (this.first.length < this.#most) this.first.push({ position, cells: row.cells })
    else {
      this.#row = row
      this.#position = position
    }
  }

  /** To be called before the bytes of the rows that were taken are gone. */
  keep(): void {
    if (this.#row !== undefined) this.last = { position: this.#position, cells: this.#row.cells }
    this.#row = undefined
  }

  end({ form, headings, places }: ReadTable): void {
    if (form.format === 'lines') return
    this.#tables += 1
    this.table = this.#tables === 1 ? { headings, idColumns: places } : undefined
  }
}
