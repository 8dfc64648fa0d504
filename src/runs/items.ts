/** The items of a run, ids or pairs, by position: each with its line in the input. */
import type { Head, ItemTuple, NewLine } from './lines.ts'

/** The most ids or pairs that a command sends. */
export const mostSent = 1_000_000

/** Items in an `ids` line. */
const itemsPerLine = 1000

export class Items {
  readonly ids: string[] = []
  readonly #lines: number[] = []
  /** The other party of each pair, and for an undo the assignee that its ticket must have. Empty if the items are no pairs. */
  readonly #others: (readonly [other?: string, expected?: string])[] = []

  static of(tuples: Iterable<ItemTuple>): Items {
    const items = new Items()
    items.add(tuples)
    return items
  }

  add(tuples: Iterable<ItemTuple>) {
    for (const [id, line, ...others] of tuples) {
      if (others.length > 0) this.#others[this.size] = others
      this.ids.push(id)
      this.#lines.push(line)
    }
  }

  get size() {
    return this.ids.length
  }

  get arePairs() {
    return this.#others.length > 0
  }

  at(position: number) {
    const id = this.ids[position]
    if (id === undefined) throw new RangeError(`no item at ${position}`)
    const [other, expected] = this.#others[position] ?? []
    return { id, line: this.#lines[position] ?? 0, other, expected }
  }

  #tuple(position: number): ItemTuple {
    const { id, line } = this.at(position)
    return [id, line, ...(this.#others[position] ?? [])]
  }

  /** The head of a run as lines. */
  *headLines(head: Head): Generator<NewLine> {
    yield head
    for (let from = 0; from < this.size; from += itemsPerLine) {
      const to = Math.min(from + itemsPerLine, this.size)
      yield {
        t: 'ids',
        ids: Array.from({ length: to - from }, (_, i) => this.#tuple(from + i)),
      }
    }
  }

  /** The items as texts that are the same in any order and letter case. */
  keys(): string[] {
    const keyAt = (id: string, at: number) => {
      const others = this.#others[at]
      return (others === undefined ? id : [id, ...others].join(' ')).toLowerCase()
    }
    return this.ids.map(keyAt).sort()
  }
}
