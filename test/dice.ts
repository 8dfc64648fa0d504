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

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }
}

/** Whole numbers from 0 on, the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  const dice = new Dice(seed)
  return (below) => dice.whole(0, below - 1)
}
