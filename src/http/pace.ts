/**
 * How fast all requests of a process go together: unhindered until the service says 429, then at 0.7 of the rate that
 * was measured, growing by a tenth per second; and the pause that a `Retry-After` asks of everybody.
 */
import type { Host } from '../host.ts'

const slower = 0.7
const growth = 1.1
/** Requests per second below which the pace is not lowered. */
const floor = 0.2
/** Milliseconds over which the rate is measured. */
const window = 5_000

export class Pace {
  readonly #host: Pick<Host, 'monotonic' | 'sleep'>
  /** When requests left. */
  #starts: number[] = []
  /** Of those, the first that is not older than the window. */
  #first = 0
  #heldUntil = 0
  /** Requests per second, as of `#ratedAt`. */
  #rate: number | undefined
  #ratedAt = 0
  #nextSlot = 0

  constructor(host: Pick<Host, 'monotonic' | 'sleep'>) {
    this.#host = host
  }

  /**
   * Resolves when the next request may leave; rejects when the signal is aborted. `told` is called before each wait with its
   * milliseconds, and whether the service asked for it.
   */
  async turn(signal: AbortSignal, told?: (wait: number, isAskedFor: boolean) => void): Promise<void> {
    for (;;) {
      const now = this.#host.monotonic()
      const free = this.#nextFree(now)
      if (free <= now) {
        this.#start(now)
        return
      }
      told?.(free - now, this.#heldUntil > now)
      await this.#host.sleep(Math.max(1, free - now), signal)
    }
  }

  /** The service said 429. */
  throttled(): void {
    const now = this.#host.monotonic()
    // Several requests in flight are refused together: that is one sign, not several.
    if (this.#rate !== undefined && now - this.#ratedAt < 1000) return
    this.#forget(now)
    const since = now - (this.#starts[this.#first] ?? now)
    const measured = ((this.#starts.length - this.#first) * 1000) / Math.max(1000, since)
    this.#rate = Math.max(floor, slower * Math.min(measured, this.#currentRate(now) ?? measured))
    this.#ratedAt = now
    this.#nextSlot = now + 1000 / this.#rate
  }

  /** Nobody sends for this many milliseconds. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#host.monotonic() + ms)
  }

  /** Milliseconds that everybody still waits because the service asked for it; 0 otherwise. */
  held(): number {
    return Math.max(0, this.#heldUntil - this.#host.monotonic())
  }

  #nextFree(now: number): number {
    if (this.#heldUntil > now) return this.#heldUntil
    return this.#rate === undefined ? now : this.#nextSlot
  }

  #start(now: number): void {
    this.#starts.push(now)
    this.#forget(now)
    const allowed = this.#currentRate(now)
    if (allowed !== undefined) this.#nextSlot = Math.max(now, this.#nextSlot) + 1000 / allowed
  }

  #currentRate(now: number): number | undefined {
    // During a pause nothing is learned about the service, so nothing grows.
    const since = Math.max(this.#ratedAt, this.#heldUntil)
    return this.#rate === undefined ? undefined : this.#rate * growth ** (Math.max(0, now - since) / 1000)
  }

  #forget(now: number): void {
    while ((this.#starts[this.#first] ?? now) < now - window) this.#first += 1
    if (this.#first < 1000 || this.#first * 2 < this.#starts.length) return
    this.#starts = this.#starts.slice(this.#first)
    this.#first = 0
  }
}
