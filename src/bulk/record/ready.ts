/**
 * Batches that were recorded ahead (`ready`), while they waited for a place in flight. One that is not sent is withdrawn; of one that a
 * process left behind nothing tells whether it was sent, unless all that the process wrote is there to be read. `outcomes/state.ts` alone
 * keeps them, of a run at work and of a journal that is read back.
 */
import type { ReadyEvent } from './events.ts'

export class ReadyBatches {
  readonly #waiting = new Map<number, ReadyEvent>()
  readonly #left = new Set<number>()

  /** Each waits until its `try` is written. */
  add(event: ReadyEvent): void {
    this.#waiting.set(event.b, event)
  }

  has(batch: number): boolean {
    return this.#waiting.has(batch)
  }

  /** Nothing of these was sent, or their `try` tells more. */
  remove(...batches: readonly number[]): void {
    for (const batch of batches) this.#waiting.delete(batch)
  }

  /** Those that were written under a lock with one of these tokens. */
  writtenBy(tokens: ReadonlySet<string>): number[] {
    return this.all().flatMap(({ b, by }) => (tokens.has(by) ? [b] : []))
  }

  all(): readonly ReadyEvent[] {
    return [...this.#waiting.values()]
  }

  /** Their process is gone, and each was perhaps sent. Returns them. */
  leave(): readonly ReadyEvent[] {
    const left = this.all()
    for (const { b } of left) this.#left.add(b)
    this.#waiting.clear()
    return left
  }

  /** Whether it was ever left behind. */
  wasLeft(batch: number): boolean {
    return this.#left.has(batch)
  }
}
