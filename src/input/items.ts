/** The items of an input in their order: ids, or pairs of an id with another id or the name of an employee. */

export interface Item {
  id: string
  /** The line in a text, the row in a sheet or the item in a JSON document. Counts from 1; 0 for an argument. */
  line: number
  /** The target of a merge, or the new assignee of a ticket. */
  other?: string | undefined
  /** Set in an undo, beside `other`: the assignee that the ticket must still have. */
  expected?: string | undefined
}

/** A list of items, kept as an array for each property: a million objects would take 50 MB more. */
export class Items {
  readonly ids: string[] = []
  readonly #lines: number[] = []
  /** Stays empty unless the items are pairs. */
  readonly #others: (string | undefined)[] = []
  /** Stays empty except in an undo. */
  readonly #expected: (string | undefined)[] = []

  static of(all: Iterable<Item>): Items {
    const items = new Items()
    for (const item of all) items.add(item)
    return items
  }

  add({ id, line, other, expected }: Item) {
    if (other !== undefined) this.#others[this.size] = other
    if (expected !== undefined) this.#expected[this.size] = expected
    this.ids.push(id)
    this.#lines.push(line)
  }

  get size() {
    return this.ids.length
  }

  get arePairs() {
    return this.#others.length > 0
  }

  at(index: number): Item {
    const id = this.ids[index]
    const line = this.#lines[index]
    if (id === undefined || line === undefined) throw new RangeError(`no item at ${index}`)
    return { id, line, other: this.#others[index], expected: this.#expected[index] }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const index of this.ids.keys()) yield this.at(index)
  }

  /** Returns a text for each item, sorted and in lower case: equal for inputs that differ only in order or letter case. */
  sortedKeys(): string[] {
    if (!this.arePairs) return this.ids.map((id) => id.toLowerCase()).sort()
    const keys = Array.from(this, ({ id, other, expected }) => {
      const parts = [id, other, expected].filter((part) => part !== undefined)
      return parts.join(' ').toLowerCase()
    })
    return keys.sort()
  }
}
