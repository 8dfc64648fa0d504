/** The rows of a table as they stand there, each with the id that was read from it or with what is wrong with it. */
import type { BadLine } from '../../ids/bad-lines.ts'
import type { Row } from '../../ids/columns.ts'
import type { Merged } from '../../ids/workbook/sheet.ts'
import type { ReadTable, RowListener } from '../../ids/rows.ts'

export interface SortedRow {
  readonly row: Row
  /** `other`: a title, a blank line, a comment, a row that is left out. */
  readonly kind: 'data' | 'invalid' | 'heading' | 'other'
  /** Of data the id, of what is invalid the reason. */
  readonly text: string
  readonly isMade?: boolean
  readonly isChanged?: boolean
}

export interface AnnotatedRow extends SortedRow {
  readonly added: readonly string[] | undefined
}

export interface Addition {
  readonly widths: readonly number[]
  /** The columns that an earlier one added, by the heading: they are replaced. */
  readonly ownOf: (heading: readonly string[]) => readonly number[]
}

export interface Listening {
  readonly listener: RowListener
  readonly skipInvalid: true
  readonly onReject: (bad: BadLine) => void
}

const blank: Row = { cells: [], line: 0, span: { from: 0, to: 0 } }

/** A table that can be read again and again. `names`: the heading that it gets when it has none. */
export class InputRows {
  readonly #steps: (how: Listening) => AsyncGenerator<void>
  readonly #names: readonly string[]
  #table: ReadTable | undefined
  /** Of a workbook: what was read, and the cells that are shown as one. */
  sheet: Parameters<RowListener['onSheet']>[0] | undefined
  merged: Merged[] = []
  #rows: Row[] = []
  readonly #ids = new Map<number, string>()
  readonly #bad = new Map<number, string>()
  #hasHeading = false
  /** Of a text: bytes that were read, and not yet taken; where they begin. */
  #chunks: Buffer[] = []
  #at = 0

  constructor(steps: (how: Listening) => AsyncGenerator<void>, names: readonly string[]) {
    this.#steps = steps
    this.#names = names
  }

  /** How it is written. Known when it has been read. */
  get table(): ReadTable {
    if (this.#table === undefined) throw new TypeError('the input was not read')
    return this.#table
  }

  /** All rows, many at once, in the order of the file. Throws exit 2 for what has no rows, as JSON. */
  async *all(): AsyncGenerator<SortedRow[]> {
    this.#hasHeading = false
    const listener: RowListener = {
      begin: (table) => this.#begin(table),
      onChunk: (chunk) => void this.#chunks.push(Buffer.from(chunk)),
      onRow: (row) => void this.#rows.push(row),
      onId: (line, id) => void this.#ids.set(line, id),
      onSheet: (sheet) => void (this.sheet = sheet),
      onMerged: (merged) => void this.merged.push(merged),
    }
    const onReject = ({ line, reason }: BadLine): void => void this.#bad.set(line, reason)
    for await (const _ of this.#steps({ listener, skipInvalid: true, onReject })) {
      if (this.#table?.column() !== undefined) yield this.#take()
    }
    yield this.#take()
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

  #begin(table: ReadTable): void {
    const { format, skip, note } = table
    this.#table = table
    this.merged = []
    this.#chunks = []
    this.#at = table.offset
    // Excel's sep= line is no row.
    const above = format === 'lines' ? 0 : skip.lines - (note === undefined ? 0 : 1)
    this.#rows = Array.from({ length: above }, () => blank)
  }

  #take(): SortedRow[] {
    const rows = this.#rows
    this.#rows = []
    const sorted = rows.flatMap((row) => this.#sorted(row))
    this.#ids.clear()
    this.#bad.clear()
    return sorted
  }

  #sorted(row: Row): SortedRow[] {
    if (row.line > 0 && row.line === this.#table?.head.heading) {
      this.#hasHeading = true
      return [{ row, kind: 'heading', text: '' }]
    }
    const [id, reason] = [this.#ids.get(row.line), this.#bad.get(row.line)]
    if (id === undefined && reason === undefined) return [{ row, kind: 'other', text: '' }]
    const own =
      reason === undefined ? ({ kind: 'data', text: id ?? '' } as const) : ({ kind: 'invalid', text: reason } as const)
    const made = this.#hasHeading ? [] : [this.#madeHeading(row)]
    this.#hasHeading = true
    return [...made, { row, ...own }]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading({ span }: Row): SortedRow {
    const before = Array.from({ length: this.#table?.column() ?? 0 }, () => '')
    const row: Row = {
      cells: [...before, ...this.#names],
      line: 0,
      span: { from: span?.from ?? 0, to: span?.from ?? 0 },
    }
    return { row, kind: 'heading', text: '', isMade: true }
  }
}
