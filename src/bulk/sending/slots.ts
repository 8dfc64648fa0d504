/**
 * Places for requests in flight, of which `scheduler.ts` has one number for a session, and `send.ts` takes one for each request. As with
 * the pace of the client, a service that has too much is given less; but this limits what is under way, and the pace how often.
 */
import type { Host } from '../../host.ts'

/** Successes after which one more request may be in flight again. */
const successesToRaise = 10
/** Milliseconds within which several refusals for pace are one sign: what is in flight is refused together. */
const oneSign = 1000

/**
 * The places for requests in flight: when all are taken, the next one waits in line. There are as many as `--concurrency` says; half as
 * many when the service has too many, one more after some that succeed.
 */
export class Slots {
  readonly #most: number
  #limit: number
  #used = 0
  readonly #waiting: (() => void)[] = []
  #successesSinceThrottle = 0
  #loweredAt = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.#most = most
    this.#limit = most
  }

  /** Resolves when a request may be in flight; `release` must follow. */
  acquire(): Promise<void> | void {
    if (this.#used < this.#limit && this.#waiting.length === 0) {
      this.#used += 1
      return
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  release(): void {
    this.#used -= 1
    this.#admit()
  }

  /** An attempt ended without an accepted answer at this time, in milliseconds. */
  noteFailure(status: number | undefined, now: number): void {
    if (status !== 429 && status !== 503) return
    this.#successesSinceThrottle = 0
    if (now - this.#loweredAt < oneSign) return
    this.#loweredAt = now
    this.#limit = Math.max(1, this.#limit >> 1)
  }

  noteSuccess(): void {
    this.#successesSinceThrottle += 1
    if (this.#successesSinceThrottle < successesToRaise || this.#limit >= this.#most) return
    this.#limit += 1
    this.#successesSinceThrottle = 0
    this.#admit()
  }

  #admit(): void {
    while (this.#used < this.#limit) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#used += 1
      next()
    }
  }
}

/** The place of one batch among those in flight: it has at most one, and may take and give it back any number of times. */
export class Slot {
  readonly #slots: Slots
  #isTaken = false

  constructor(slots: Slots) {
    this.#slots = slots
  }

  acquire(): Promise<void> | void {
    if (this.#isTaken) return
    this.#isTaken = true
    return this.#slots.acquire()
  }

  release(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    this.#slots.release()
  }
}

/** One waiter after the other, one a turn of the event loop, so that whatever arrives meanwhile comes first. */
export class Turns {
  readonly #host: Pick<Host, 'turn'>
  #last = Promise.resolve()

  constructor(host: Pick<Host, 'turn'>) {
    this.#host = host
  }

  take(): Promise<void> {
    return (this.#last = this.#last.then(() => this.#host.turn()))
  }
}
