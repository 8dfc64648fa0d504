/**
 * Lines of a text: cut from its bytes by a scanner that `rows.ts` feeds, and cut into cells when somebody asks for them: `reader.ts` for the bytes
 * of an id, `detect.ts` for the first lines, `table.ts` for a heading. A quote opens a quoted cell only at the cell's beginning, for
 * `ObjectId("…")` and `="…"` have quotes of their own inside. Pure.
 *
 * These loops look at every byte of an input, some of which have 250 MB: they allocate nothing for a line, and make no closure. Places
 * are those of a buffer, from 0; the end of a line or a cell is the place behind its last byte.
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
  /** The bytes of its chunk, and where it begins and ends in them. */
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
    if (this.#cells === undefined) {
      const { text, delimiter } = this
      this.#cells = delimiter === undefined ? [text] : cutCells(text, delimiter)
    }
    return this.#cells
  }

  /** Text of one cell, without cutting the others: a slice would keep all of the line. */
  cellAt(column: number): string | undefined {
    const { bytes, to, delimiter } = this
    if (delimiter === undefined) return this.cells[column]
    const code = delimiter.charCodeAt(0)
    let at = this.from
    for (let cell = 0; at <= to; cell += 1) {
      const end = endOfCell(bytes, at, to, code)
      if (cell === column) {
        // Cutting takes the quotes off.
        if (bytes[at] === quote) return this.cells[column]
        return bytes.toString('utf8', at, end)
      }
      at = end + 1
    }
    return undefined
  }

  /** Whether a digit begins it, or a letter but the `i` of "incomplete": then it is not blank, no comment, and no mark of an incomplete output. */
  get isPlain(): boolean {
    const { bytes, from, to } = this
    if (from === to) return false
    const first = bytes[from] ?? 0
    const byte = first === quote ? (bytes[from + 1] ?? 0) : first
    const isDigit = byte >= 0x30 && byte <= 0x39
    // With this bit a capital letter of ASCII is the small one.
    const small = byte | 0x20
    return isDigit || (small >= 0x61 && small <= 0x7a && small !== 0x69)
  }

  /** Where a cell begins that has as many bytes as an id; -1 for any other. */
  idAt(column: number): number {
    const { bytes, from, to, delimiter } = this
    if (delimiter === undefined) {
      const isAsLong = column === 0 && to - from === idLength
      return isAsLong ? from : -1
    }
    const code = delimiter.charCodeAt(0)
    let at = from
    for (let cell = 0; ; cell += 1) {
      const end = endOfCell(bytes, at, to, code)
      if (cell < column && end >= to) return -1
      if (cell === column) {
        const length = end - at
        if (length === idLength) return at
        const isInQuotes = bytes[at] === quote && bytes[end - 1] === quote
        return isInQuotes && length === idLength + 2 ? at + 1 : -1
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
  while (end < to) {
    const isQuote = bytes[end] === quote
    if (isQuote && bytes[end + 1] !== quote) return end
    end += isQuote ? 2 : 1
  }
  return to
}

/** Where the cell that begins at `at` ends. */
function endOfCell(bytes: Buffer, at: number, to: number, delimiter: number): number {
  const isQuoted = at < to && bytes[at] === quote
  let end = isQuoted ? endOfQuotes(bytes, at, to) : at
  while (end < to && bytes[end] !== delimiter) end += 1
  return end
}

/** Where the row that begins at `at` ends; the length of the bytes when they have no end of it. Without a delimiter it is a line. */
function endOfRow(bytes: Buffer, from: number, delimiter: number | undefined): number {
  /** Whether a cell begins here, so that a quote opens it. */
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
      const end = closingQuote(text, at)
      const inside = text.slice(at + 1, end)
      quoted = inside.replaceAll('""', '"').replace(/\r\n?/g, '\n')
      at = Math.min(end + 1, text.length)
    }
    // Whatever follows the closing quote belongs to the cell.
    const end = text.indexOf(delimiter, at)
    if (end < 0) {
      cells.push(quoted + text.slice(at))
      break
    }
    cells.push(quoted + text.slice(at, end))
    at = end + 1
  }
  return cells
}

/** Where the quotes that open at `at` are closed; the length of the text when they stay open. */
function closingQuote(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return end < 0 ? text.length : end
}

/** In bytes. A longer line is counted, not kept; a longer record of a table is refused. */
export const longestLine = 1 << 20
/** How many bytes of a longer one are shown. */
const shownOfLong = 200

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
    if (nul >= 0) {
      const line = this.#lines + lineAt(chunk, nul, at)
      refuseNul(this.#name, this.#base + nul, line)
    }
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
    // The line feed is found unless it stands between quotes that stay open.
    const hasEnd = endOfRow(bytes, 0, this.#code) < bytes.length
    if (hasEnd) {
      const offset = this.#base - this.#length
      return [this.#lineOf(bytes, { from: 0, to: this.#length, offset })]
    }
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
    const isRow = endOfRow(bytes, 0, this.#code) === bytes.length - 1
    if (isRow) {
      this.#lineOf(bytes, { from: 0, to: before + to, offset: this.#base - before })
      this.#cut(chunk, this.#behind(chunk, to))
    } else {
      // A quoted cell goes on behind this line end: its row is cut from all that is there of it.
      const all = Buffer.concat([...rest, chunk])
      this.#cut(all, 0, before)
    }
  }

  /** The place behind a line end. */
  #behind(bytes: Buffer, end: number): number {
    const next = end + 1
    if (bytes[end] !== carriageReturn) return next
    this.#isAfterReturn = next === bytes.length
    return bytes[next] === lineFeed ? next + 1 : next
  }

  /** Keeps the beginning of a line whose end comes in another chunk. */
  #keep(piece: Buffer): void {
    // Copied, because the reader uses its buffer again.
    if (this.#length <= longestLine) this.#rest.push(Buffer.from(piece))
    this.#length += piece.length
    this.#checkLength(this.#length)
  }

  /** Throws exit 2 for a row of a table that is too long: a quote that is never closed would take all of the file. */
  #checkLength(length: number): void {
    if (this.#code === undefined || length < longestLine) return
    const line = groupDigits(this.#lines + 1)
    throw usageError(
      `${this.#name} line ${line}: a record of more than 1 MB`,
      'is a quote missing?',
    )
  }

  /** The next line of the chunk, with a number and its place in the stream. */
  #lineOf(
    bytes: Buffer,
    {
      from,
      to,
      offset,
    }: {
      from: number
      to: number
      offset: number
    },
  ): Line {
    this.#checkLength(to - from)
    const line = (this.#pool[this.#used] ??= new Line(this.#delimiter))
    this.#used += 1
    line.set(bytes, from, to)
    line.line = this.#lines + 1
    line.offset = offset
    if (line.length > longestLine) line.to = from + shownOfLong
    // Quoted cells of a row may have line ends.
    this.#lines += this.#code === undefined ? 1 : lineAt(bytes, to, from)
    return line
  }
}
