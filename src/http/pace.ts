/**
 * How fast all requests of a process go together: unhindered until the service says 429, then at 0.7 of the rate that
 * was measured, growing by a tenth a second; and the pause that a `Retry-After` asks of everybody. Reliability, section 4.
 */
import type { Host } from '../host.ts'

const slower = 0.7
const growth = 1.1
/** Requests a second below which the pace is not lowered. */
const floor = 0.2
/** Milliseconds over which the rate is measured. */
const window = 5_000

export interface Pace {
  /** Resolves when the next request may leave; rejects when the signal is aborted. */
  turn(signal: AbortSignal): Promise<void>
  /** The service said 429. */
  throttled(): void
  /** Nobody sends for this many milliseconds. */
  hold(ms: number): void
  /** Milliseconds that everybody still waits because the service asked for it; 0 otherwise. */
  held(): number
}

export function createPace(host: Pick<Host, 'monotonic' | 'sleep'>): Pace {
  let starts: number[] = []
  /** Those before are older than the window. */
  let first = 0
  let heldUntil = 0
  let rate: number | undefined
  let ratedAt = 0
  let nextSlot = 0

  function currentRate(now: number): number | undefined {
    // During a pause nothing is learnt about the service, so nothing grows.
    const since = Math.max(ratedAt, heldUntil)
    return rate === undefined ? undefined : rate * growth ** (Math.max(0, now - since) / 1000)
  }

  function forget(now: number): void {
    while ((starts[first] ?? now) < now - window) first += 1
    if (first < 1000 || first * 2 < starts.length) return
    starts = starts.slice(first)
    first = 0
  }

  return {
    async turn(signal) {
      for (;;) {
        const now = host.monotonic()
        let wait = heldUntil - now
        if (wait <= 0) {
          const allowed = currentRate(now)
          if (allowed === undefined || nextSlot <= now) {
            starts.push(now)
            forget(now)
            if (allowed !== undefined) nextSlot = Math.max(now, nextSlot) + 1000 / allowed
            return
          }
          wait = nextSlot - now
        }
        await host.sleep(Math.max(1, wait), signal)
      }
    },
    throttled() {
      const now = host.monotonic()
      // Several requests in flight are refused together: that is one sign, not several.
      if (rate !== undefined && now - ratedAt < 1000) return
      forget(now)
      const measured = ((starts.length - first) * 1000) / Math.max(1000, now - (starts[first] ?? now))
      rate = Math.max(floor, slower * Math.min(measured, currentRate(now) ?? measured))
      ratedAt = now
      nextSlot = now + 1000 / rate
    },
    hold(ms) {
      heldUntil = Math.max(heldUntil, host.monotonic() + ms)
    },
    held() {
      return Math.max(0, heldUntil - host.monotonic())
    },
  }
}
