/**
 * Cuts a stream of bytes into lines without making a text of each. Line ends may be LF, CRLF, CR, and mixed. Memory is bounded
 * whatever the lines' lengths.
 */
import { Line } from './line.ts'
import { lineAt, refuseNul } from './encoding.ts'

/** A longer line is counted, not kept. */
export const longestLine = 1 << 20
const keptOfLong = 200

const lineFeed = 0x0a
const carriageReturn = 0x0d

export class LineScanner {
  readonly #name: string
  readonly #delimiter: string | undefined
  /** Bytes and lines before the chunk that is looked at. */
  #base: number
  #lines: number
  /** The last chunk ended in a CR: a line feed at the beginning of the next one belongs to it. */
  #isAfterReturn = false
  /** Lines that are used again for each chunk. */
  readonly #pool: Line[] = []
  #used = 0
  /** The beginning of a line whose end has not come yet, or its first bytes when it is too long, and its length so far. */
  #pieces: Buffer[] = []
  #length = 0

  /** `offset`, `lines`: bytes and lines that were taken off the front of the stream. */
  constructor(name: string, delimiter?: string, offset = 0, lines = 0) {
    this.#name = name
    this.#delimiter = delimiter
    this.#base = offset
    this.#lines = lines
  }

  /** The lines that end in this chunk. Throws exit 2 at a NUL byte. */
  feed(chunk: Buffer): Line[] {
    this.#used = 0
    if (chunk.length === 0) return []
    let at = this.#isAfterReturn && chunk[0] === lineFeed ? 1 : 0
    this.#isAfterReturn = false
    const nul = chunk.indexOf(0)
    if (nul >= 0) refuseNul(this.#name, this.#base + nul, this.#lines + lineAt(chunk.subarray(at), nul - at))
    while (at < chunk.length) {
      let to = at
      while (to < chunk.length && chunk[to] !== lineFeed && chunk[to] !== carriageReturn) to += 1
      if (to === chunk.length) {
        this.#keep(Buffer.from(chunk.subarray(at)))
        break
      }
      if (this.#length === 0) this.#lineOf(chunk, at, to, this.#base + at)
      else {
        this.#keep(chunk.subarray(at, to))
        this.#end(this.#base + to)
      }
      if (chunk[to] === carriageReturn) {
        this.#isAfterReturn = to + 1 === chunk.length
        if (chunk[to + 1] === lineFeed) to += 1
      }
      at = to + 1
    }
    this.#base += chunk.length
    return this.#pool.slice(0, this.#used)
  }

  /** The last line, when no line end follows it. */
  finish(): Line[] {
    this.#used = 0
    return this.#length === 0 ? [] : [this.#end(this.#base)]
  }

  #keep(piece: Buffer): void {
    if (this.#length <= longestLine) this.#pieces.push(piece)
    this.#length += piece.length
  }

  #end(end: number): Line {
    const [bytes, length] = [Buffer.concat(this.#pieces), this.#length]
    this.#pieces = []
    this.#length = 0
    return this.#lineOf(bytes, 0, length, end - length)
  }

  #lineOf(bytes: Buffer, from: number, to: number, offset: number): Line {
    this.#lines += 1
    const line = (this.#pool[this.#used] ??= new Line(this.#delimiter))
    this.#used += 1
    line.set(bytes, from, to)
    line.line = this.#lines
    line.offset = offset
    if (line.length > longestLine) line.to = from + keptOfLong
    return line
  }
}
