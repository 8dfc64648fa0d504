/**
 * How many attempts a command may have in flight, and when the next one may begin. The service
 * decides by its answers: a 429 or 503 holds all requests and halves their number, and each 100
 * answers add one.
 */

/** How many readings of a command are in flight at the same time, over all lists and pages. */
const maxReadings = 16

/** So many answers allow one more attempt at the same time. */
const answersPerStep = 100

export class Throttle {
  /** When the next attempt may begin, by the monotonic clock. */
  heldUntil = 0
  /** How many holds there were since the last answer. */
  holdsInARow = 0
  #allowed = Infinity
  #underWay = 0
  #answers = 0
  /** When the last hold began, by the monotonic clock. */
  #holdBegan = -Infinity
  #waiting: (() => void)[] = []
  /** The one who keeps everybody else out until it leaves. */
  #alone: object | undefined

  /** Whether an attempt may begin now. If it may, it counts as in flight until it leaves. */
  tryEnter(isRead: boolean) {
    const limit = Math.min(this.#allowed, isRead ? maxReadings : Infinity)
    if (this.#underWay >= limit || this.#alone !== undefined) return false
    this.#underWay += 1
    return true
  }

  /**
   * Lets nobody else enter until `who`, who has entered, leaves. Returns false while someone else
   * does so.
   */
  keepOut(who: object) {
    this.#alone ??= who
    return this.#alone === who
  }

  /** Resolves when an attempt has left. */
  afterNextLeave() {
    return new Promise<void>((resolve) => void this.#waiting.push(resolve))
  }

  /** Ends what `tryEnter` began. Everybody who waits looks again, in the same order. */
  leave(who: object) {
    this.#underWay -= 1
    if (this.#alone === who) this.#alone = undefined
    for (const look of this.#waiting.splice(0)) look()
  }

  /** Counts an answer that asks for nothing. */
  answered() {
    this.holdsInARow = 0
    this.#answers += 1
    if (this.#answers % answersPerStep === 0) this.#allowed += 1
  }

  /** Whether a hold began after an attempt did. */
  hasHeldSince(begun: number) {
    return begun <= this.#holdBegan
  }

  /**
   * Holds all attempts until a time, after a 429 or 503. Halves what is allowed, once for all
   * attempts that began before the hold.
   */
  hold(begun: number, now: number, until: number) {
    this.heldUntil = Math.max(this.heldUntil, until)
    if (this.hasHeldSince(begun)) return
    const possible = Math.min(this.#allowed, this.#underWay)
    // Rounded up: a service that takes four refuses the fifth, and two would be half of its speed.
    this.#allowed = Math.ceil(possible / 2)
    this.#answers = 0
    this.holdsInARow += 1
    this.#holdBegan = now
  }
}
