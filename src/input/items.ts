/** The items of an input in their order: ids, or pairs of an id with another id or the name of an employee. */
import { isId } from '../identifiers.ts'

export interface Item {
  id: string
  /** The line in a text, the row in a sheet or the item in a JSON document. Counts from 1; 0 for an argument. */
  line: number
  /** The target of a merge, or the new assignee of a ticket. */
  target?: string | undefined
  /** Set in an undo, beside `target`: the assignee that the ticket must still have. */
  expected?: string | undefined
}

/** A list of items, kept as an array for each property: a million objects would take 50 MB more. */
export class Items {
  readonly ids: string[] = []
  readonly #lines: number[] = []
  /** Stays empty unless the items are pairs. */
  readonly #targets: (string | undefined)[] = []
  /** Stays empty except in an undo. */
  readonly #expected: (string | undefined)[] = []

  static of(all: Iterable<Item>): Items {
    const items = new Items()
    for (const item of all) items.add(item)
    return items
  }

  add({ id, line, target, expected }: Item) {
    if (target !== undefined) this.#targets[this.size] = target
    if (expected !== undefined) this.#expected[this.size] = expected
    this.ids.push(id)
    this.#lines.push(line)
  }

  get size() {
    return this.ids.length
  }

  get arePairs() {
    return this.#targets.length > 0
  }

  at(index: number): Item {
    const id = this.ids[index]
    const line = this.#lines[index]
    if (id === undefined || line === undefined) throw new RangeError(`no item at ${index}`)
    return { id, line, target: this.#targets[index], expected: this.#expected[index] }
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const index of this.ids.keys()) yield this.at(index)
  }

  /** Returns each item once, in the place where it came first. */
  unique(): Items {
    const repeated = repeatedEndings(this.ids)
    if (repeated.size === 0) return this
    const items = new Items()
    const seen = new Set<string>()
    for (const item of this) {
      if (repeated.has(endingOf(item.id))) {
        const key = keyOf(item)
        if (seen.has(key)) continue
        seen.add(key)
      }
      items.add(item)
    }
    return items
  }

  /** Returns a text for each item, sorted: equal for inputs that differ only in order or letter case. */
  sortedKeys(): string[] {
    return Array.from(this, keyOf).sort()
  }
}

/**
 * Returns a text that only duplicates of an item share. Two pairs with the same first id and another second side are no
 * duplicates; they are refused later. `target` can be the name of an employee, and two names can differ in letter case alone.
 */
function keyOf({ id, target, expected }: Item) {
  const rest = [target, expected].map((each = '') =>
    isId(each) ? each.toLowerCase() : each,
  )
  return [id.toLowerCase(), ...rest].join(' ')
}

/**
 * Returns the endings that several ids share: only these ids can repeat. Sorting a million numbers is much quicker than adding as
 * many keys to a Set.
 */
function repeatedEndings(ids: readonly string[]): ReadonlySet<number> {
  const endings = new Float64Array(ids.length)
  ids.forEach((id, index) => {
    endings[index] = endingOf(id)
  })
  endings.sort()
  return new Set(endings.filter((ending, index) => ending === endings[index - 1]))
}

/** Returns the last 13 digits of an id, which fit into a number. */
function endingOf(id: string) {
  return Number.parseInt(id.slice(-13), 16)
}
