/** When a request may leave: not while the service asked all of them to wait, and at most at the rate of SVC_RATE. */
import type { Host } from '../host.ts'

/** The pace of one process. Times are milliseconds of uptime, which no change of the clock moves. */
export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  /** Milliseconds between two requests. */
  #interval = 0
  #nextAt = 0

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /** At most `rate` requests per second. Undefined: as many as the service accepts. */
  limit(rate = Infinity) {
    this.#interval = 1000 / rate
  }

  /**
   * Resolves when the next request may leave, rejects when aborted. `onWait` is called before each wait; its throw ends it.
   */
  async turn(signal: AbortSignal, onWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      if (this.#nextAt <= now) {
        this.#nextAt = now + this.#interval
        return
      }
      onWait?.()
      await this.#host.sleep(Math.max(1, this.#nextAt - now), signal)
    }
  }

  /** Stops all requests for so many milliseconds. */
  hold(ms: number) {
    this.#nextAt = Math.max(this.#nextAt, this.#host.monotonic() + ms)
  }
}
