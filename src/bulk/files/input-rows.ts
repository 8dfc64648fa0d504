/** The rows of a table as they are there, each with the id that was read from it or with what is wrong with it. */
import type { Row } from '../../ids/row.ts'
import type { Listening, ReadTable, RowListener } from '../../ids/rows.ts'

/** What was found in a row when the ids were read. */
export interface RowFinding {
  readonly line: number
  /** `other`: a title, a blank line, a comment. */
  readonly kind: 'data' | 'invalid' | 'left-out' | 'heading' | 'other'
  /** Of data the id, of what is invalid or left out the reason. */
  readonly text: string
}

/** What is added to a row; undefined: it stays as it is. */
export type AddedTo = (row: RowFinding) => readonly string[] | undefined

export interface SortedRow extends RowFinding {
  readonly row: Row
  readonly isMade?: boolean
  readonly isChanged?: boolean
  readonly added?: ReturnType<AddedTo>
}

const blank: Row = { cells: [], line: 0, span: { from: 0, to: 0 } }

/** A table that can be read again and again. `names`: the heading that it gets when it has none. */
export class InputRows {
  readonly #steps: (how: Listening) => AsyncGenerator<void>
  readonly #names: readonly string[]
  #table: ReadTable | undefined
  /** The sheet that was read. */
  sheet: Parameters<RowListener['onSheet']>[0] | undefined
  #rows: Row[] = []
  readonly #findings = new Map<number, RowFinding>()
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

  /**
   * Hears of all rows, and hands them on, many at once, in the order of the file.
   * @param keepsText Of a text, the bytes until they are taken.
   */
  listener(take: (rows: readonly SortedRow[]) => void, keepsText: boolean): RowListener {
    const find = (found: RowFinding): void => void this.#findings.set(found.line, found)
    return {
      begin: (table) => this.#begin(table),
      onChunk: (chunk) => void (keepsText && this.#chunks.push(Buffer.from(chunk))),
      onRow: (row) => void this.#rows.push(row),
      onId: (line, text) => find({ line, kind: 'data', text }),
      onBad: (line, text) => find({ line, kind: 'invalid', text }),
      onLeftOut: (line, text) => find({ line, kind: 'left-out', text }),
      onSheet: (sheet) => void (this.sheet = sheet),
      onStep: (isEnd) => {
        if (isEnd || this.#table?.column() !== undefined) take(this.#take())
      },
    }
  }

  /** All rows, read again. Throws exit 2 for what has no rows, as JSON. */
  async *all(keepsText: boolean): AsyncGenerator<readonly SortedRow[]> {
    let ready: readonly SortedRow[] = []
    const listener = this.listener((rows) => (ready = rows), keepsText)
    for await (const _ of this.#steps({ listener, skipInvalid: true, isAgain: true })) {
      yield ready
      ready = []
    }
    yield ready
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
    this.#hasHeading = false
    this.#chunks = []
    this.#at = table.offset
    // Excel's sep= line is no row.
    const above = format === 'lines' ? 0 : skip.lines - (note === undefined ? 0 : 1)
    this.#rows = Array.from({ length: above }, () => blank)
  }

  #take(): SortedRow[] {
    const sorted = this.#rows.flatMap((row) => this.#sorted(row))
    this.#rows = []
    this.#findings.clear()
    return sorted
  }

  #sorted(row: Row): SortedRow[] {
    const { line } = row
    const isHeading = line > 0 && line === this.#table?.head.heading
    const kind = isHeading ? 'heading' : 'other'
    const found = { kind, text: '', ...(isHeading ? undefined : this.#findings.get(line)), line, row } as const
    const isMade = !this.#hasHeading && (found.kind === 'data' || found.kind === 'invalid')
    this.#hasHeading ||= isHeading || isMade
    return isMade ? [this.#madeHeading(row), found] : [found]
  }

  /** So that what is added has a name, and the ids are found by theirs. */
  #madeHeading({ span }: Row): SortedRow {
    const before = Array.from({ length: this.#table?.column() ?? 0 }, () => '')
    const [from, to] = [span?.from ?? 0, span?.from ?? 0]
    const row = { cells: [...before, ...this.#names], line: 0, span: { from, to } }
    return { row, line: 0, kind: 'heading', text: '', isMade: true }
  }
}
