/**
 * How long a request whose answer was lost can still land. Counted by uptime alone: clocks can be set, and a `Date` may be a gateway's.
 * Uptimes compare on one clock (a boot, and a time namespace of it); on another one the time begins anew with the first look from there,
 * which the journal records. `sending/scheduler.ts` waits by it, `outcomes/state.ts` counts by it, and `telling/teller.ts` says until when
 * it is not known.
 */
import { lostRequestLands } from '../../api/operations.ts'
import { isSamePlace, readUptimeClock, type PlaceHost } from '../../disk/place.ts'
import type { Host } from '../../host.ts'

/** A moment by a clock that nobody can set. */
export interface Moment {
  /** The clock: two moments compare when theirs is the same. */
  readonly on: string
  /** Milliseconds of uptime. */
  readonly up: number
}

/** Until when lost attempts of a batch can land. */
export interface Landing {
  /** Milliseconds from the attempt, or from the first look at it on another clock. */
  readonly lasts: number
  /** The end of that time, by each clock on which it was looked at. */
  readonly ends: readonly Moment[]
}

export type UptimeHost = PlaceHost & Pick<Host, 'monotonic'>

/** Reads the present moment; the clock is looked up once. */
export function momentReader(host: UptimeHost): () => Moment {
  const on = readUptimeClock(host)
  return () => ({ on, up: Math.floor(host.monotonic()) })
}

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

/**
 * Landing of an attempt at this moment. `isEarly`: nothing has been accepted in its session, so that nothing says yet that this
 * machine's clock, and so the time in the signature, is near the service's.
 */
export function landingFrom({ on, up }: Moment, isEarly: boolean): Landing {
  const lasts = isEarly ? lostRequestLands.early : lostRequestLands.usual
  return { lasts, ends: [{ on, up: up + lasts }] }
}

function endOn({ ends, lasts }: Landing, { on, up }: Moment): Moment | undefined {
  return ends.find((end) => {
    const began = end.up - lasts
    // An uptime before it began is that of another boot.
    return isSamePlace(end.on, on) && up >= began
  })
}

/** The same when it was looked at then. */
export function lookAt(landing: Landing, moment: Moment): Landing {
  if (endOn(landing, moment) !== undefined) return landing
  const end = { on: moment.on, up: moment.up + landing.lasts }
  return { ...landing, ends: [...landing.ends, end] }
}

/** Landing of two attempts, the later one second. */
export function addLanding(earlier: Landing | undefined, later: Landing): Landing {
  if (earlier === undefined) return later
  const lasts = Math.max(earlier.lasts, later.lasts)
  const ends = later.ends.map(({ on, up }) => {
    const begin = { on, up: up - later.lasts }
    const before = endOn(lookAt(earlier, begin), begin)
    const latest = Math.max(up, before?.up ?? up)
    return { on, up: latest }
  })
  return { lasts, ends }
}

/** Milliseconds for which it can still land; 0 when it cannot any more, or there is nothing to land. */
export function timeToLand(landing: Landing | undefined, moment: Moment): number {
  if (landing === undefined) return 0
  const end = endOn(landing, moment)
  return end === undefined ? landing.lasts : Math.max(0, end.up - moment.up)
}
