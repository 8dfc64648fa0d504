/**
 * Cuts a stream of bytes into lines, or into rows of a delimited text, without making a text of each. Line ends may be LF, CRLF,
 * CR, and mixed. Memory is bounded whatever the lines' lengths.
 */
import { usageError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { carriageReturn, endOfRow, lineFeed } from './csv.ts'
import { Line } from './line.ts'
import { lineAt, refuseNul } from './encoding.ts'

/** A longer line is counted, not kept. */
export const longestLine = 1 << 20
const keptOfLong = 200

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
    const [rest, before] = [this.#rest, this.#length]
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
