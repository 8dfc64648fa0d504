/** The clocks of this machine, by which sessions stamp what they record and say. */
import type { Host } from '../../host.ts'
import { momentReader, type Moment, type UptimeHost } from '../record/landing.ts'

export class Clock {
  readonly #host: UptimeHost & Pick<Host, 'now'>
  #readMoment: (() => Moment) | undefined

  constructor(host: UptimeHost & Pick<Host, 'now'>) {
    this.#host = host
  }

  /** Milliseconds since 1970: for people, and wrong where the machine's clock is. */
  now(): number {
    return this.#host.now()
  }

  /** Milliseconds since some moment, on a clock that never jumps. */
  monotonic(): number {
    return this.#host.monotonic()
  }

  /** The present moment by uptime, which nobody can set: it decides for how long a lost request can still land. */
  moment(): Moment {
    this.#readMoment ??= momentReader(this.#host)
    return this.#readMoment()
  }
}
