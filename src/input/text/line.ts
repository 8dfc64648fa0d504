/** A line of a text as a row, cut into cells when somebody asks for them. */
import { cutCells, endOfCell, quote } from './csv.ts'
import { idLength } from '../id.ts'
import type { Problem, Row, RowKind } from '../row.ts'

/** Valid until the next chunk is asked for: the scanner uses the object again, as a million of them take time and memory. */
export class Line implements Row {
  kind: RowKind = 'data'
  problem: Problem | undefined
  finding: string | undefined
  /** From 1. */
  line = 0
  /** Place of its first byte in the stream. */
  offset = 0
  /** Length in bytes; more than there are bytes when the line is too long to be kept. */
  length = 0
  bytes: Buffer = Buffer.alloc(0)
  from = 0
  to = 0
  /** A line of a list has none: it is one cell. */
  readonly delimiter: string | undefined
  #cells: readonly string[] | undefined

  constructor(delimiter?: string) {
    this.delimiter = delimiter
  }

  /** Begins the line again, with these bytes. */
  set(bytes: Buffer, from: number, to: number): void {
    this.bytes = bytes
    this.from = from
    this.to = to
    this.length = to - from
    this.kind = 'data'
    this.problem = undefined
    this.#cells = undefined
  }

  get text(): string {
    return this.bytes.toString('utf8', this.from, this.to)
  }

  get cells(): readonly string[] {
    return (this.#cells ??=
      this.delimiter === undefined ? [this.text] : cutCells(this.text, this.delimiter))
  }

  /** Text of one cell, without cutting the others: a slice would keep all of the line. */
  cellAt(column: number): string | undefined {
    const { bytes, to, delimiter } = this
    if (delimiter === undefined) return this.cells[column]
    const code = delimiter.charCodeAt(0)
    let at = this.from
    for (let cell = 0; at <= to; cell += 1) {
      const end = endOfCell(bytes, at, to, code)
      if (cell === column && bytes[at] === quote) return this.cells[column]
      if (cell === column) return bytes.toString('utf8', at, end)
      at = end + 1
    }
    return undefined
  }

  /** Whether a letter or a digit begins it: then it is not blank, no comment, and no mark of an incomplete output. */
  get isPlain(): boolean {
    const first = this.bytes[this.from] ?? 0
    const byte =
      this.from === this.to ? 0 : first === quote ? (this.bytes[this.from + 1] ?? 0) : first
    return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)
  }

  /** Where a cell begins that has as many bytes as an id; -1 for any other. */
  idAt(column: number): number {
    const { bytes, to, delimiter } = this
    if (delimiter === undefined) return column === 0 && to - this.from === idLength ? this.from : -1
    const code = delimiter.charCodeAt(0)
    let at = this.from
    for (let cell = 0; ; cell += 1) {
      const end = endOfCell(bytes, at, to, code)
      if (cell < column && end >= to) return -1
      if (cell === column) {
        if (end - at === idLength) return at
        return bytes[at] === quote && bytes[end - 1] === quote && end - at === idLength + 2
          ? at + 1
          : -1
      }
      at = end + 1
    }
  }
}
