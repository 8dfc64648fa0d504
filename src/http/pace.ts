/**
 * The pace of all requests of a process together: unhindered, or at most at the rate that was asked for,
 * until the service says 429; then at 0.7 of the rate that was measured, growing by a tenth per second. And
 * the pause that a `Retry-After` asks of everybody.
 */
import type { Host } from '../host.ts'

const slower = 0.7
const growth = 1.1
/** Requests per second below which the pace is not lowered. */
const floor = 0.2
/** Milliseconds over which the rate is measured. */
const window = 5_000
/** Milliseconds by which a timer may be late without making all that come after it late. */
const tolerance = 10

/** The pace of one process. Times are milliseconds of uptime, which no change of the clock moves. */
export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  /** Starts that are not older than the window. */
  readonly #starts: number[] = []
  #heldUntil = 0
  /** Requests per second, as of `#ratedAt`. */
  #rate: number | undefined
  #ratedAt = 0
  #limit = Infinity
  /** When the next request is due at this rate. */
  #nextSlot = 0

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /** At most `rate` requests per second, even if the service accepts more. Undefined: as many as it accepts. */
  limit(rate = Infinity) {
    this.#limit = rate
  }

  /**
   * Resolves when the next request may leave, rejects when aborted. `onWait` is called before each wait; its throw ends it.
   */
  async turn(signal: AbortSignal, onWait?: () => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      const free = this.#nextFree(now)
      if (free <= now) {
        this.#start(now)
        return
      }
      onWait?.()
      await this.#host.sleep(Math.max(1, free - now), signal)
    }
  }

  /** The service said 429. */
  slowDown() {
    const now = this.#host.monotonic()
    // Several requests in flight are refused together: that is one sign, not several.
    if (this.#rate !== undefined && now - this.#ratedAt < 1000) return
    this.#forget(now)
    const oldest = this.#starts[0] ?? now
    const measured = (this.#starts.length * 1000) / Math.max(1000, now - oldest)
    const current = Math.min(measured, this.#currentRate(now))
    this.#rate = Math.max(floor, slower * current)
    this.#ratedAt = now
    this.#nextSlot = now + 1000 / this.#rate
  }

  /** Stops all requests for so many milliseconds. */
  hold(ms: number) {
    this.#heldUntil = Math.max(this.#heldUntil, this.#host.monotonic() + ms)
  }

  /** Milliseconds that everybody still waits because the service asked for it; 0 otherwise. */
  holdLeft() {
    return Math.max(0, this.#heldUntil - this.#host.monotonic())
  }

  #nextFree(now: number) {
    if (this.#heldUntil > now) return this.#heldUntil
    // A late timer lets later slots catch up, but never above the limit in any one second.
    const isLimited = this.#limit !== Infinity
    const start = isLimited ? this.#starts.at(-Math.ceil(this.#limit)) : undefined
    return Math.max(this.#nextSlot, (start ?? -Infinity) + 1000)
  }

  #start(now: number) {
    this.#starts.push(now)
    this.#forget(now)
    const slot = now - this.#nextSlot > tolerance ? now : this.#nextSlot
    this.#nextSlot = slot + 1000 / this.#currentRate(now)
  }

  #currentRate(now: number) {
    if (this.#rate === undefined) return this.#limit
    // During a pause nothing is learned about the service, so nothing grows.
    const since = Math.max(this.#ratedAt, this.#heldUntil)
    const seconds = Math.max(0, now - since) / 1000
    return Math.min(this.#limit, this.#rate * growth ** seconds)
  }

  #forget(now: number) {
    while ((this.#starts[0] ?? now) < now - window) this.#starts.shift()
  }
}
