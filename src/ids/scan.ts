/**
 * Cuts a stream of bytes into lines without making a string of each: a line that is nothing but an id is recognized in
 * place. Line ends may be LF, CRLF, CR, and mixed. Memory is bounded whatever the lines' lengths.
 */
import { refuseNul } from './text/encoding.ts'
import { idLength } from './id.ts'
import type { OpenInput } from './input.ts'

/** A longer line is counted, not kept. */
export const longestLine = 1 << 20
const keptOfLong = 200

const lineFeed = 0x0a
const carriageReturn = 0x0d

export interface Line {
  /** The bytes of the line, or its first ones when it is too long. Valid only during the call. */
  readonly bytes: Buffer
  /** From 1. */
  readonly number: number
  /** Length in bytes, more than `bytes` when the line is too long to be kept. */
  readonly length: number
  /** Of the line's first byte in the stream. */
  readonly offset: number
}

export interface LineEvents {
  /** Tried first at a place where 24 bytes and a line end stand; false when they are no id. */
  readonly onId?: (bytes: Buffer, at: number, line: number) => boolean
  readonly onLine: (line: Line) => void
  readonly onNul: (offset: number, line: number) => never
}

export class LineScanner {
  readonly #events: LineEvents
  /** Bytes and lines before the chunk, or the line, that is looked at. */
  #base: number
  #lines: number
  /** The last chunk ended in a CR: a line feed at the beginning of the next one belongs to it. */
  #afterReturn = false
  /** The beginning of a line whose end has not come yet, or its first bytes when it is too long. */
  #carry: Buffer = Buffer.alloc(256)
  #carried = 0
  #carriedLength = 0
  #carriedOffset = 0

  /** `offset`, `lines`: bytes and lines that were taken off the front of the stream. */
  constructor(events: LineEvents, offset = 0, lines = 0) {
    this.#events = events
    this.#base = offset
    this.#lines = lines
  }

  feed(chunk: Buffer): void {
    if (chunk.length === 0) return
    let at = this.#afterReturn && chunk[0] === lineFeed ? 1 : 0
    this.#afterReturn = false
    if (this.#carriedLength > 0) at = this.#endCarriedLine(chunk, at)
    const { onId } = this.#events
    while (at < chunk.length) {
      const end = at + idLength
      if (onId !== undefined && end < chunk.length) {
        const after = chunk[end]
        if ((after === lineFeed || after === carriageReturn) && onId(chunk, at, this.#lines + 1)) {
          this.#lines += 1
          at = this.#skipEnd(chunk, end)
          continue
        }
      }
      at = this.#readLine(chunk, at)
    }
    this.#base += chunk.length
  }

  /** The last line, when no line end follows it. */
  finish(): void {
    if (this.#carriedLength > 0) this.#handOnCarried()
  }

  /** Hands on the line that begins at `from`, or keeps it when it goes on; the place where the next one begins. */
  #readLine(chunk: Buffer, from: number): number {
    const to = this.#endOf(chunk, from)
    if (to === chunk.length) {
      this.#keep(chunk, from, to)
      return to
    }
    this.#lines += 1
    const length = to - from
    const bytes = chunk.subarray(from, length > longestLine ? from + keptOfLong : to)
    this.#events.onLine({ bytes, number: this.#lines, length, offset: this.#base + from })
    return this.#skipEnd(chunk, to)
  }

  /** The same for a line that began in a chunk before. */
  #endCarriedLine(chunk: Buffer, from: number): number {
    const to = this.#endOf(chunk, from)
    this.#keep(chunk, from, to)
    if (to === chunk.length) return to
    this.#handOnCarried()
    return this.#skipEnd(chunk, to)
  }

  #handOnCarried(): void {
    this.#lines += 1
    const length = this.#carriedLength
    const bytes = this.#carry.subarray(0, length > longestLine ? Math.min(this.#carried, keptOfLong) : this.#carried)
    this.#carried = 0
    this.#carriedLength = 0
    this.#events.onLine({ bytes, number: this.#lines, length, offset: this.#carriedOffset })
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#carriedLength === 0) this.#carriedOffset = this.#base + from
    this.#carriedLength += to - from
    const room = (this.#carriedLength > longestLine ? keptOfLong : longestLine) - this.#carried
    const count = Math.max(0, Math.min(to - from, room))
    if (this.#carried + count > this.#carry.length) {
      const larger = Buffer.allocUnsafe(Math.min(longestLine, Math.max(this.#carry.length * 2, this.#carried + count)))
      this.#carry.copy(larger, 0, 0, this.#carried)
      this.#carry = larger
    }
    chunk.copy(this.#carry, this.#carried, from, from + count)
    this.#carried += count
  }

  /** Where the line that begins at `from` ends; the chunk's length when it goes on. */
  #endOf(chunk: Buffer, from: number): number {
    let to = from
    for (; to < chunk.length; to += 1) {
      const byte = chunk[to]
      if (byte === lineFeed || byte === carriageReturn) break
      if (byte === 0) this.#events.onNul(this.#base + to, this.#lines + 1)
    }
    return to
  }

  #skipEnd(chunk: Buffer, at: number): number {
    if (chunk[at] !== carriageReturn) return at + 1
    if (at + 1 === chunk.length) this.#afterReturn = true
    return chunk[at + 1] === lineFeed ? at + 2 : at + 1
  }
}

/** Hands on the lines behind what is skipped at the beginning, yielding after every chunk. Throws exit 2 at a NUL. */
export async function* scanLines(
  open: OpenInput,
  events: Omit<LineEvents, 'onNul'>,
  skip: { readonly bytes: number; readonly lines: number } = { bytes: 0, lines: 0 },
): AsyncGenerator<void> {
  const onNul = (offset: number, line: number): never => refuseNul(open.name, offset, line)
  const scanner = new LineScanner({ ...events, onNul }, open.offset + skip.bytes, skip.lines)
  let skipped = 0
  for await (const chunk of open.chunks) {
    const start = Math.min(chunk.length, skip.bytes - skipped)
    skipped += start
    scanner.feed(chunk.subarray(start))
    yield
  }
  scanner.finish()
}
