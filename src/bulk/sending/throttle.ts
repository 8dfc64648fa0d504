/** How many requests are in flight: half as many when the service has too many, one more after some that succeed. It begins with `--concurrency`. */
import type { Slots } from './slots.ts'

/** Successes after which one more request may be in flight again. */
const successesToRaise = 10
/** Milliseconds within which several refusals for pace are one sign: what is in flight is refused together. */
const oneSign = 1000

export class Throttle {
  readonly #slots: Slots
  readonly #most: number
  #successesSinceThrottle = 0
  #loweredAt = Number.NEGATIVE_INFINITY

  constructor(slots: Slots) {
    this.#slots = slots
    this.#most = slots.limit
  }

  /** An attempt ended without an accepted answer at this time, in milliseconds. */
  failed(status: number | undefined, now: number): void {
    if (status !== 429 && status !== 503) return
    this.#successesSinceThrottle = 0
    if (now - this.#loweredAt < oneSign) return
    this.#loweredAt = now
    this.#slots.limit = Math.max(1, this.#slots.limit >> 1)
  }

  succeeded(): void {
    this.#successesSinceThrottle += 1
    if (this.#successesSinceThrottle < successesToRaise || this.#slots.limit >= this.#most) return
    this.#slots.limit += 1
    this.#successesSinceThrottle = 0
  }
}
