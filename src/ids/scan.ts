/**
 * Cuts a stream of bytes into lines without making a string of each: a line that is nothing but an id is recognised in
 * place. Line ends may be LF, CRLF, CR, and mixed. Memory is bounded whatever the lines' lengths.
 */
import { idLength } from './id.ts'

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
  /** A NUL byte; throws. */
  readonly onNul: (offset: number, line: number) => never
}

export interface LineScanner {
  feed(chunk: Buffer): void
  /** The last line, when no line end follows it. */
  finish(): void
}

/** `offset`, `line`: where the stream begins when something was taken off its front. */
export function scanLines(events: LineEvents, offset = 0, line = 0): LineScanner {
  let base = offset
  let lines = line
  let afterReturn = false
  // The beginning of a line whose end has not come yet.
  let carry: Buffer = Buffer.alloc(256)
  let carried = 0
  let carriedLength = 0
  let carriedOffset = 0

  function keep(chunk: Buffer, from: number, to: number): void {
    if (carriedLength === 0) carriedOffset = base + from
    carriedLength += to - from
    const room = (carriedLength > longestLine ? keptOfLong : longestLine) - carried
    const count = Math.max(0, Math.min(to - from, room))
    if (carried + count > carry.length) {
      const larger = Buffer.allocUnsafe(Math.min(longestLine, Math.max(carry.length * 2, carried + count)))
      carry.copy(larger, 0, 0, carried)
      carry = larger
    }
    chunk.copy(carry, carried, from, from + count)
    carried += count
  }

  function endCarried(): void {
    lines += 1
    const long = carriedLength > longestLine
    const bytes = carry.subarray(0, long ? Math.min(carried, keptOfLong) : carried)
    const { onLine } = events
    const ended = { bytes, number: lines, length: carriedLength, offset: carriedOffset }
    carried = 0
    carriedLength = 0
    onLine(ended)
  }

  /** Where the line that begins at `from` ends; the chunk's length when it goes on. */
  function endOf(chunk: Buffer, from: number): number {
    let to = from
    for (; to < chunk.length; to += 1) {
      const byte = chunk[to]
      if (byte === lineFeed || byte === carriageReturn) break
      if (byte === 0) events.onNul(base + to, lines + 1)
    }
    return to
  }

  /** The place after a line end. */
  function skipEnd(chunk: Buffer, at: number): number {
    if (chunk[at] !== carriageReturn) return at + 1
    if (at + 1 === chunk.length) afterReturn = true
    return chunk[at + 1] === lineFeed ? at + 2 : at + 1
  }

  function feed(chunk: Buffer): void {
    if (chunk.length === 0) return
    let at = 0
    if (afterReturn) {
      afterReturn = false
      if (chunk[0] === lineFeed) at = 1
    }
    if (carriedLength > 0 && at < chunk.length) {
      const to = endOf(chunk, at)
      keep(chunk, at, to)
      if (to === chunk.length) {
        base += chunk.length
        return
      }
      endCarried()
      at = skipEnd(chunk, to)
    }
    const { onId } = events
    while (at < chunk.length) {
      const end = at + idLength
      if (onId !== undefined && end < chunk.length) {
        const after = chunk[end]
        if ((after === lineFeed || after === carriageReturn) && onId(chunk, at, lines + 1)) {
          lines += 1
          at = skipEnd(chunk, end)
          continue
        }
      }
      const to = endOf(chunk, at)
      if (to === chunk.length) {
        keep(chunk, at, to)
        break
      }
      lines += 1
      const length = to - at
      const bytes = chunk.subarray(at, length > longestLine ? at + keptOfLong : to)
      events.onLine({ bytes, number: lines, length, offset: base + at })
      at = skipEnd(chunk, to)
    }
    base += chunk.length
  }

  return {
    feed,
    finish() {
      if (carriedLength > 0) endCarried()
    },
  }
}
