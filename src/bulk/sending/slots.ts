import type { Host } from '../../host.ts'

/** The places for requests in flight: when all are taken, the next one waits in line. */
export class Slots {
  #limit: number
  #used = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  set limit(limit: number) {
    this.#limit = limit
    this.#admit()
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
