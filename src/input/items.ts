/** The items of an input, in its order: ids, or pairs with a target or an employee. Every item has its line. */

export interface Item {
  id: string
  /** Line of a text, row of a sheet, or item of JSON; 0 for an argument. */
  line: number
  /** The other party of a pair. */
  other?: string | undefined
  /** The assignee that the ticket of an undo must have. */
  expected?: string | undefined
}

/** Items by position. They are kept as columns: a million objects would take 50 MB more. */
export class Items {
  readonly ids: string[] = []
  readonly #lines: number[] = []
  /** Empty if the items are no pairs. */
  readonly #others: (string | undefined)[] = []
  /** Empty but for an undo. */
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

  at(position: number): Item {
    const id = this.ids[position]
    const line = this.#lines[position]
    if (id === undefined || line === undefined)
      throw new RangeError(`no item at ${position}`)
    return { id, line, other: this.#others[position], expected: this.#expected[position] }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const position of this.ids.keys()) yield this.at(position)
  }

  /** The items as texts that are the same in any order and letter case. */
  keys(): string[] {
    if (!this.arePairs) return this.ids.map((id) => id.toLowerCase()).sort()
    const keyOf = ({ id, other, expected }: Item) =>
      [id, other, expected].filter((part) => part !== undefined).join(' ')
    return Array.from(this, (item) => keyOf(item).toLowerCase()).sort()
  }
}
