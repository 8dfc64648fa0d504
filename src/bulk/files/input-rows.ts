/** The rows of a table as they are there, each with the id that was read from it or with what is wrong with it. */
import type { Row } from '../../ids/row.ts'
import type { FoundRow, FoundRows } from '../../ids/search.ts'
import type { TableForm } from '../../ids/table.ts'

/** A row of which is said only what was found in it: the id of data, the reason of what is invalid or left out. */
export interface RowFinding extends Pick<FoundRow, 'kind' | 'text'> {
  readonly line: number
}

/** Texts that are added to a row; undefined: it stays as it is. */
export type AddedTo = (row: RowFinding) => readonly string[] | undefined

export interface SortedRow extends RowFinding {
  readonly row: Row
  readonly isMade?: boolean
  readonly isChanged?: boolean
  readonly added?: ReturnType<AddedTo>
}

const blank: SortedRow = {
  row: { cells: [], line: 0, span: { from: 0, to: 0 }, kind: 'other' },
  line: 0,
  kind: 'other',
  text: '',
}

/** A table that can be read again and again. `names`: the heading that it gets when it has none. */
export class InputRows {
  readonly #read: () => AsyncIterable<FoundRows>
  readonly #names: readonly string[]
  #table: FoundRows['table'] | undefined
  #hasHeading = false
  /** Bytes of a text that were read, and not yet taken; where they begin. */
  #chunks: Buffer[] = []
  #at = 0

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

  /**
   * Takes rows as they were read, and returns them with those that were skipped or are made.
   * @param keepsText Whether the bytes of a text are kept until they are taken.
   */
  take({ table, rows, bytes }: FoundRows, keepsText: boolean): SortedRow[] {
    const above = table === this.#table ? [] : this.#begin(table)
    if (keepsText && bytes !== undefined) this.#chunks.push(Buffer.from(bytes))
    return [...above, ...rows.flatMap((found) => this.#sorted(found))]
  }

  /** All rows, read again, many at once. Throws exit 2 for what has no rows, as JSON. */
  async *all(keepsText: boolean): AsyncGenerator<readonly SortedRow[]> {
    for await (const found of this.#read()) yield this.take(found, keepsText)
  }

  /** The bytes of a text up to a place, each as a character; all that is left without one. */
  textTo(to = Infinity): string {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    const [bytes = Buffer.alloc(0)] = this.#chunks
    const length = Math.min(Math.max(0, to - this.#at), bytes.length)
    this.#chunks = [bytes.subarray(length)]
    this.#at += length
    return bytes.toString('latin1', 0, length)
  }

  #begin(table: FoundRows['table']): SortedRow[] {
    const { format, skip, isSeparatorSkipped, offset } = table.form
    this.#table = table
    this.#hasHeading = false
    this.#chunks = []
    this.#at = offset
    // Excel's sep= line is no row.
    const above = format === 'lines' ? 0 : skip.lines - (isSeparatorSkipped ? 1 : 0)
    return Array.from({ length: above }, () => blank)
  }

  #sorted({ row, kind, text }: FoundRow): SortedRow[] {
    const found = { kind, text, line: row.line, row }
    const isMade = !this.#hasHeading && (kind === 'data' || kind === 'invalid')
    this.#hasHeading ||= kind === 'heading' || isMade
    return isMade ? [this.#madeHeading(row), found] : [found]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading({ span }: Row): SortedRow {
    const before = Array.from({ length: this.#known.places[0] ?? 0 }, () => '')
    const [from, to] = [span?.from ?? 0, span?.from ?? 0]
    const row: Row = { cells: [...before, ...this.#names], line: 0, span: { from, to }, kind: 'heading' }
    return { row, line: 0, kind: 'heading', text: '', isMade: true }
  }
}
