/**
 * Unique ids in the order in which they were first seen, each with its first spelling and its line. `reader.ts` and `pairs.ts` fill one from an input, runs
 * and plans from their files, `directory` with the contacts that it reads; runs and verbs are handed theirs.
 */
import { usageError } from '../errors.ts'
import { groupDigits } from '../words.ts'
import { isId } from './id.ts'

/** An input has no more, whatever part of it is sent: a Map cannot have twice as many. */
const mostIds = 8_000_000
/** How many ids a piece of `encode` has. */
const encodeAtOnce = 4096

export class IdTable {
  /** Positions by id in lower case. */
  readonly #positions = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #lines: number[] = []

  get size(): number {
    return this.#ids.length
  }

  /** Adds an id, first seen on `line` (0: it has none). False when it is there already, in either letter case. Throws RangeError when it is no id. */
  addText(id: string, line: number): boolean {
    if (!isId(id)) throw new RangeError('not an id')
    const key = id.toLowerCase()
    if (this.#positions.has(key)) return false
    if (this.size === mostIds) {
      throw usageError(`there are more than ${groupDigits(mostIds)} ids`, 'split the input')
    }
    this.#positions.set(key, this.size)
    this.#ids.push(id)
    this.#lines.push(line)
    return true
  }

  has(id: string): boolean {
    return this.indexOf(id) >= 0
  }

  /** Position of an id, in either letter case; -1 when it is not there or is no id. */
  indexOf(id: string): number {
    return this.#positions.get(id.toLowerCase()) ?? -1
  }

  /** The id at a position (from 0), as it was first written. */
  id(index: number): string {
    return this.#at(this.#ids, index)
  }

  /** The line on which the id at this position was first seen; 0 for an argument. */
  line(index: number): number {
    return this.#at(this.#lines, index)
  }

  #at<T>(values: readonly T[], index: number): T {
    const value = values[index]
    if (value === undefined)
      throw new RangeError(`no id at position ${index} of ${this.size}`)
    return value
  }

  /** Ids from position `from` up to, not including, `to`, as first written. */
  slice(from: number, to: number): string[] {
    return this.#ids.slice(from, to)
  }

  /** The same as the text of a JSON array. */
  json(from: number, to: number): Buffer {
    return Buffer.from(JSON.stringify(this.slice(from, to)))
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#ids.values()
  }

  /** The ids as a file has them: one a line, each line ended. */
  encode(from = 0, to = this.size): Generator<Buffer> {
    return linesOf(this.#ids, from, to)
  }

  /** The same as a set: lower case and sorted. */
  encodeSet(): Generator<Buffer> {
    return linesOf([...this.#positions.keys()].sort(), 0, this.size)
  }
}

function* linesOf(ids: readonly string[], from: number, to: number): Generator<Buffer> {
  for (let start = from; start < to; start += encodeAtOnce) {
    const piece = ids.slice(start, Math.min(start + encodeAtOnce, to))
    yield Buffer.from(`${piece.join('\n')}\n`)
  }
}
