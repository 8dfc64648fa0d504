/** The pace of all requests of one process. Times are in milliseconds. */
import type { Host } from '../host.ts'

export class Pace {
  readonly #host: Host
  /** The time between two requests. */
  #interval = 0
  /** When the next request may be sent. */
  #nextAt = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Allows `rate` requests per second from now on. Without a rate, there is no limit. */
  limit(rate = Infinity) {
    this.#interval = 1000 / rate
  }

  /**
   * Resolves when the next request may be sent. Calls `beforeWait` before each wait. Rejects if `signal` is aborted during a wait,
   * or with the error of `beforeWait`.
   */
  async waitForTurn(signal: AbortSignal, beforeWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      if (this.#nextAt <= now) {
        this.#nextAt = now + this.#interval
        return
      }
      beforeWait?.()
      // A timer takes at least 1 ms.
      await this.#host.sleep(Math.max(1, this.#nextAt - now), signal)
    }
  }

  /** Delays all requests by at least `ms` milliseconds. */
  hold(ms: number) {
    this.#nextAt = Math.max(this.#nextAt, this.#host.monotonic() + ms)
  }
}
