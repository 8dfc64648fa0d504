/** When a request may leave: not while the service asked all of them to wait, and at most at the rate of SVC_RATE. */
import type { Host } from '../host.ts'

/** Milliseconds by which a timer may be late without making all that come after it late. */
const tolerance = 10

/** The pace of one process. Times are milliseconds of uptime, which no change of the clock moves. */
export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  #heldUntil = 0
  /** Requests per second. */
  #rate = Infinity
  /** When the next request is due, and the last ones that began. */
  #nextSlot = 0
  #starts: number[] = []

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /** At most `rate` requests per second. Undefined: as many as the service accepts. */
  limit(rate = Infinity) {
    this.#rate = rate
  }

  /**
   * Resolves when the next request may leave, rejects when aborted. `onWait` is called before each wait; its throw ends it.
   */
  async turn(signal: AbortSignal, onWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      const free = Math.max(this.#heldUntil, this.#nextFree())
      if (free <= now) return this.#start(now)
      onWait?.()
      await this.#host.sleep(Math.max(1, free - now), signal)
    }
  }

  /** Stops all requests for so many milliseconds. */
  hold(ms: number) {
    this.#heldUntil = Math.max(this.#heldUntil, this.#host.monotonic() + ms)
  }

  #nextFree() {
    // A late timer lets later requests catch up, but never above the rate in any one second.
    const start = this.#starts.at(-Math.ceil(this.#rate)) ?? -Infinity
    return Math.max(this.#nextSlot, start + 1000)
  }

  #start(now: number) {
    if (this.#rate === Infinity) return
    this.#starts = [...this.#starts.slice(1 - Math.ceil(this.#rate)), now]
    const slot = now - this.#nextSlot > tolerance ? now : this.#nextSlot
    this.#nextSlot = slot + 1000 / this.#rate
  }
}
