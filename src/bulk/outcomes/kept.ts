/** What a policy keeps out of the batches of a run, and the batches that are not sent again because of it. Pure. */
import { batchRange, type Batches } from '../record/batches.ts'
import type { KeptEvent } from '../record/events.ts'
import type { Items } from '../record/items.ts'

/** What a batch is before a session: done with, perhaps applied, or certainly not. */
export type Progress = 'over' | 'perhaps' | 'open'

export class KeptIds {
  readonly #items: Items
  readonly #batches: Batches
  /** By batch: positions, each with the list that it is on, in words. */
  readonly #kept = new Map<number, Map<number, string>>()
  readonly #barred = new Map<number, string>()

  constructor(items: Items, batches: Batches) {
    this.#items = items
    this.#batches = batches
  }

  /** Before anything is sent in a session. What may have been sent stays what it was, and is not sent again if it has one of them. */
  take({ first, list, i: places }: KeptEvent, progress: (batch: number) => Progress): void {
    if (first === true) for (const batch of this.batches()) this.renew(batch, progress(batch))
    for (const place of places) {
      const batch = 1 + Math.floor(place / this.#batches.size)
      const position = this.#batches.from + place
      const kept = this.#kept.get(batch)
      const before = progress(batch)
      if (before === 'over' || kept?.has(position) === true) continue
      if (before === 'perhaps')
        this.#barred.set(batch, `not sent again: ${this.#items.id(position)} is on the list ${list}`)
      else if (kept === undefined) this.#kept.set(batch, new Map([[position, list]]))
      else kept.set(position, list)
    }
  }

  /** What was read before counts no more of a batch that is opened again. */
  renew(batch: number, progress: Progress): void {
    if (progress !== 'over') this.#barred.delete(batch)
    if (progress === 'open') this.#kept.delete(batch)
  }

  /** Positions of a batch that are not sent with it; undefined: none. */
  of(batch: number): ReadonlyMap<number, string> | undefined {
    return this.#kept.get(batch)
  }

  barred(batch: number): string | undefined {
    return this.#barred.get(batch)
  }

  batches(): number[] {
    return [...this.#kept.keys(), ...this.#barred.keys()]
  }

  size(batch: number): number {
    const { from, to } = batchRange(this.#batches, batch)
    return to - from - (this.#kept.get(batch)?.size ?? 0)
  }

  ids(batch: number): string[] {
    const { from, to } = batchRange(this.#batches, batch)
    const kept = this.#kept.get(batch)
    const ids = this.#items.ids(from, to)
    return kept === undefined ? ids : ids.filter((_, i) => !kept.has(from + i))
  }

  /** The same as the text of a JSON array. */
  json(batch: number): Buffer {
    const { from, to } = batchRange(this.#batches, batch)
    return this.#kept.has(batch) ? Buffer.from(JSON.stringify(this.ids(batch))) : this.#items.json(from, to)
  }
}
