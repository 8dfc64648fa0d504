/**
 * When a request may be sent: not while the service has asked for a wait, and no faster than SVC_RATE. All times are in
 * milliseconds of uptime, which no change of the clock moves.
 */
import type { Host } from '../host.ts'

/** The pace of all requests of one process. */
export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  /** The time between two requests. */
  #interval = 0
  /** When the next request may be sent. */
  #nextAt = 0

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /** From now on allows `rate` requests per second; without a rate, as many as the service accepts. */
  limit(rate = Infinity) {
    this.#interval = 1000 / rate
  }

  /**
   * Resolves when the next request may be sent. Rejects when `signal` is aborted, or with the error of `beforeWait`, which is
   * called before each wait.
   */
  async waitForTurn(signal: AbortSignal, beforeWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      if (this.#nextAt <= now) {
        this.#nextAt = now + this.#interval
        return
      }
      beforeWait?.()
      await this.#host.sleep(Math.max(1, this.#nextAt - now), signal)
    }
  }

  /** Delays all requests by at least `ms` milliseconds. */
  hold(ms: number) {
    this.#nextAt = Math.max(this.#nextAt, this.#host.monotonic() + ms)
  }
}
