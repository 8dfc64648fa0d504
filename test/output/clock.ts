/**
 * Virtual time. What is to happen stands in one queue, in the order of its time and, at the same time, of the seed. Time moves only
 * when nothing is ready: all promises and ticks are done before the next event.
 */
import type { Timer } from '../../src/world.ts'
import type { Dice } from '../dice.ts'

interface Event {
  at: number
  readonly order: number
  readonly owner: object | undefined
  readonly callback: () => void
}

export class Clock {
  readonly #dice: Dice
  /** The next one comes last. */
  #events: Event[] = []
  #now: number
  /** Those to whom nothing happens any more, whatever their code still asks for. */
  readonly #dropped = new WeakSet()
  /** Events of those that stand still. */
  readonly #held = new Map<object, Event[]>()

  /** `start`: milliseconds since 1970. */
  constructor(start: number, dice: Dice) {
    this.#now = start
    this.#dice = dice
  }

  readonly now = (): number => this.#now

  /** Calls back once after `ms`. `owner`: of whose events all can be dropped together. */
  after(ms: number, callback: () => void, owner?: object): Timer {
    const event = { at: this.#now + Math.max(0, ms), order: this.#dice.random(), owner, callback }
    if (owner !== undefined && this.#dropped.has(owner)) return { cancel: () => undefined }
    const held = owner === undefined ? undefined : this.#held.get(owner)
    if (held === undefined) this.#insert(event)
    else held.push(event)
    return {
      cancel: () => {
        for (const events of [this.#events, this.#held.get(event.owner ?? event) ?? []]) {
          const place = events.indexOf(event)
          if (place >= 0) events.splice(place, 1)
        }
      },
    }
  }

  #insert(event: Event): void {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#events[middle]
      if (
        other !== undefined &&
        (other.at > event.at || (other.at === event.at && other.order > event.order))
      )
        low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
  }

  /** Nothing happens to this owner until it is let go; then what is late happens at once. */
  hold(owner: object): void {
    this.#held.set(
      owner,
      this.#held.get(owner) ?? this.#events.filter((event) => event.owner === owner),
    )
    this.#events = this.#events.filter((event) => event.owner !== owner)
  }

  letGo(owner: object): void {
    const held = this.#held.get(owner) ?? []
    this.#held.delete(owner)
    for (const event of held) {
      event.at = Math.max(event.at, this.#now)
      this.#insert(event)
    }
  }

  /** The same again and again. */
  every(ms: number, callback: () => void, owner?: object): Timer {
    let timer: Timer
    const again = (): void => {
      timer = this.after(ms, again, owner)
      callback()
    }
    timer = this.after(ms, again, owner)
    return { cancel: () => timer.cancel() }
  }

  sleep(ms: number, owner?: object): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve, owner))
  }

  /** Nothing happens to this owner any more. */
  drop(owner: object): void {
    this.#dropped.add(owner)
    this.#held.delete(owner)
    this.#events = this.#events.filter((event) => event.owner !== owner)
  }

  /** Lets time pass until this is done; undefined when it waits for nothing that is left to happen. */
  async until<T>(work: Promise<T>): Promise<T | undefined> {
    let isOver = false
    const ended = work.finally(() => (isOver = true))
    await this.run(() => isOver)
    return isOver ? ended : undefined
  }

  /** Lets time pass until something is so, or nothing is left to happen. */
  async run(isOver: () => boolean): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isOver()) return
      const event = this.#events.pop()
      if (event === undefined) return
      this.#now = event.at
      event.callback()
    }
  }
}
