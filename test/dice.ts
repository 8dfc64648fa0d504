/** Chance that a seed decides: the same seed gives the same throws. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1. (Mulberry32.) */
  readonly random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.random() < probability
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1))
  }

  /** Mostly near `least`, seldom near `most`. */
  skewed(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.random())
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** One of the keys, each as often as its number is large. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const rows = Object.entries(weights) as [K, number][]
    let rest = this.random() * rows.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of rows) if ((rest -= weight) < 0) return name
    return this.pick(rows)[0]
  }

  /** So many of the items, in any order. */
  some<T>(items: readonly T[], count: number): T[] {
    const all = [...items]
    const taken: T[] = []
    while (taken.length < count && all.length > 0)
      taken.push(...all.splice(this.whole(0, all.length - 1), 1))
    return taken
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.whole(0, 15).toString(16)).join('')
  }

  /** Other dice, whose throws do not depend on how often these are thrown later. */
  fork(): Dice {
    return new Dice(Math.floor(this.random() * 2 ** 32))
  }
}

/** Whole numbers from 0 on, the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  const dice = new Dice(seed)
  return (below) => dice.whole(0, below - 1)
}
