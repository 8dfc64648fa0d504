/**
 * Lines of a text: cut from its bytes by a scanner that `rows.ts` feeds, and cut into cells when somebody asks for them. A quote opens a
 * quoted cell only at the cell's beginning, for `ObjectId("…")` and `="…"` have quotes of their own inside. Pure.
 */
import { idLength } from '../id.ts'
import type { Problem, Row, RowKind } from '../row.ts'
import { usageError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { lineAt, refuseNul } from './encoding.ts'

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

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Where the quoted part of a cell that begins at `at` ends; `to` when its quotes stay open. Two quotes in it stand for one. */
function endOfQuotes(bytes: Buffer, at: number, to: number): number {
  let end = at + 1
  while (end < to && (bytes[end] !== quote || bytes[end + 1] === quote))
    end += bytes[end] === quote ? 2 : 1
  return Math.min(end, to)
}

/** Where the cell that begins at `at` ends. */
function endOfCell(bytes: Buffer, at: number, to: number, delimiter: number): number {
  let end = at < to && bytes[at] === quote ? endOfQuotes(bytes, at, to) : at
  while (end < to && bytes[end] !== delimiter) end += 1
  return end
}

/** Where the row that begins at `at` ends; the length of the bytes when they have no end of it. Without a delimiter it is a line. */
function endOfRow(bytes: Buffer, from: number, delimiter: number | undefined): number {
  let isBegin = delimiter !== undefined
  let at = from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === lineFeed || byte === carriageReturn) return at
    if (isBegin && byte === quote) at = endOfQuotes(bytes, at, bytes.length)
    isBegin = byte === delimiter
  }
  return bytes.length
}

/** The cells of a row. Line ends in them become line feeds. */
export function cutCells(text: string, delimiter: string): readonly string[] {
  const cells: string[] = []
  for (let at = 0; at <= text.length;) {
    let quoted = ''
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1)
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
      quoted = text.slice(at + 1, end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
    }
    const end = text.indexOf(delimiter, at)
    const cell =
      quoted.replaceAll('""', '"').replace(/\r\n?/g, '\n') +
      text.slice(at, end < 0 ? text.length : end)
    cells.push(cell)
    if (end < 0) break
    at = end + 1
  }
  return cells
}

/** A longer line is counted, not kept. */
export const longestLine = 1 << 20
const keptOfLong = 200

/**
 * Cuts a stream of bytes into lines, or into rows of a delimited text, without making a text of each. Line ends may be LF, CRLF,
 * CR, and mixed. Memory is bounded whatever the lines' lengths.
 */
export class LineScanner {
  readonly #name: string
  readonly #delimiter: string | undefined
  readonly #code: number | undefined
  /** Bytes and lines before the chunk that is looked at. */
  #base: number
  #lines: number
  /** The last chunk ended in a CR: a line feed at the beginning of the next one belongs to it. */
  #isAfterReturn = false
  /** Lines that are used again for each chunk. */
  readonly #pool: Line[] = []
  #used = 0
  /** The beginning of a line whose end has not come yet, and its length so far: more when it is too long. */
  #rest: Buffer[] = []
  #length = 0

  /** `delimiter`: of rows, whose quoted cells may have line ends; `offset`, `lines`: bytes and lines that were taken off the front of the stream. */
  constructor(name: string, delimiter?: string, offset = 0, lines = 0) {
    this.#name = name
    this.#delimiter = delimiter
    this.#code = delimiter?.charCodeAt(0)
    this.#base = offset
    this.#lines = lines
  }

  /** The lines that end in this chunk. Throws exit 2 at a NUL byte, and for a row that is too long. */
  feed(chunk: Buffer): Line[] {
    this.#used = 0
    if (chunk.length === 0) return []
    const at = this.#isAfterReturn && chunk[0] === lineFeed ? 1 : 0
    this.#isAfterReturn = false
    const nul = chunk.indexOf(0)
    if (nul >= 0) refuseNul(this.#name, this.#base + nul, this.#lines + lineAt(chunk, nul, at))
    if (this.#length === 0) this.#cut(chunk, at)
    else this.#cutRest(chunk)
    this.#base += chunk.length
    return this.#pool.slice(0, this.#used)
  }

  /** The last line, when no line end follows it. Throws exit 2, with the line, for a quote that is still open. */
  finish(): Line[] {
    this.#used = 0
    if (this.#length === 0) return []
    const bytes = Buffer.concat([...this.#rest, Buffer.of(lineFeed)])
    if (endOfRow(bytes, 0, this.#code) < bytes.length)
      return [this.#lineOf(bytes, { from: 0, to: this.#length, offset: this.#base - this.#length })]
    const line = groupDigits(this.#lines + 1)
    throw usageError(
      `${this.#name} line ${line}: a quote is opened and never closed`,
      'add or remove the quote',
    )
  }

  /** `before`: how many bytes come from the chunks before. */
  #cut(bytes: Buffer, from: number, before = 0): void {
    let at = from
    while (at < bytes.length) {
      const to = endOfRow(bytes, at, this.#code)
      if (to === bytes.length) return this.#keep(bytes.subarray(at))
      this.#lineOf(bytes, { from: at, to, offset: this.#base - before + at })
      at = this.#behind(bytes, to)
    }
  }

  /** The end of a line that began in the chunks before, and what follows it. */
  #cutRest(chunk: Buffer): void {
    const to = endOfRow(chunk, 0, undefined)
    if (to === chunk.length) return this.#keep(chunk)
    const rest = this.#rest
    const before = this.#length
    const bytes = Buffer.concat([...rest, chunk.subarray(0, to + 1)])
    this.#rest = []
    this.#length = 0
    if (endOfRow(bytes, 0, this.#code) === bytes.length - 1) {
      this.#lineOf(bytes, { from: 0, to: before + to, offset: this.#base - before })
      this.#cut(chunk, this.#behind(chunk, to))
    } else this.#cut(Buffer.concat([...rest, chunk]), 0, before)
  }

  /** The place behind a line end. */
  #behind(bytes: Buffer, end: number): number {
    if (bytes[end] !== carriageReturn) return end + 1
    this.#isAfterReturn = end + 1 === bytes.length
    return bytes[end + 1] === lineFeed ? end + 2 : end + 1
  }

  #keep(piece: Buffer): void {
    // Copied, because the reader uses its buffer again.
    if (this.#length <= longestLine) this.#rest.push(Buffer.from(piece))
    this.#length += piece.length
    this.#checkLength(this.#length)
  }

  #checkLength(length: number): void {
    if (this.#code === undefined || length < longestLine) return
    const line = groupDigits(this.#lines + 1)
    throw usageError(
      `${this.#name} line ${line}: a record of more than 1 MB`,
      'is a quote missing?',
    )
  }

  #lineOf(bytes: Buffer, { from, to, offset }: { from: number; to: number; offset: number }): Line {
    this.#checkLength(to - from)
    const line = (this.#pool[this.#used] ??= new Line(this.#delimiter))
    this.#used += 1
    line.set(bytes, from, to)
    line.line = this.#lines + 1
    line.offset = offset
    if (line.length > longestLine) line.to = from + keptOfLong
    this.#lines += this.#code === undefined ? 1 : lineAt(bytes, to, from)
    return line
  }
}
