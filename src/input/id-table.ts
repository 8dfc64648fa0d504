/**
 * Unique ids in the order in which they were first seen, each with its first spelling and its line. `reader.ts` fills one from the inputs; runs and
 * verbs are handed theirs.
 */
import { isId } from './id.ts'

/** How many ids a piece of `encode` has. */
const encodeAtOnce = 4096

export class IdTable {
  readonly #keys = new Set<string>()
  readonly #ids: string[] = []
  readonly #lines: number[] = []

  get size(): number {
    return this.#ids.length
  }

  /** Adds an id, first seen on `line` (0: it has none). False when it is there already, in either letter case. Throws RangeError when it is no id. */
  add(id: string, line: number): boolean {
    if (!isId(id)) throw new RangeError('not an id')
    const { size } = this.#keys
    this.#keys.add(id.toLowerCase())
    if (this.#keys.size === size) return false
    this.#ids.push(id)
    this.#lines.push(line)
    return true
  }

  /** Whether an id is there, in either letter case. */
  has(id: string): boolean {
    return this.#keys.has(id.toLowerCase())
  }

  /** The id at a position (from 0), as it was first written; empty after the last one. */
  id(position: number): string {
    return this.#ids[position] ?? ''
  }

  /** The line on which the id at this position (from 0) was first seen; 0 for an argument. */
  line(position: number): number {
    return this.#lines[position] ?? 0
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#ids.values()
  }

  /** The ids as a file has them: one a line, each line ended. */
  *encode(): Generator<Buffer> {
    for (let from = 0; from < this.size; from += encodeAtOnce) {
      const piece = this.#ids.slice(from, from + encodeAtOnce)
      yield Buffer.from(`${piece.join('\n')}\n`)
    }
  }
}
