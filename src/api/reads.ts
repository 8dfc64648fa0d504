/** The reads of a command in progress, for the line that a person sees on the terminal while they last. */
import { groupDigits } from '../words.ts'

/** The display of the counts while anything is read. */
interface Watcher {
  start(): void
  stop(): void
}

export type Watch = (text: () => string) => Watcher

/** How many rows all walks of a command have read, by their name in the plural. */
export class Reads {
  readonly #read = new Map<string, number>()
  readonly #watcher: Watcher | undefined
  /** Walks that have not ended. */
  #active = 0

  /** Calls `watch` with the counts in words: `300 lists, 4,100 members…`. */
  constructor(watch?: Watch) {
    this.#watcher = watch?.(() => {
      const counts = [...this.#read].map(([what, read]) => `${groupDigits(read)} ${what}`)
      return `${counts.join(', ')}…`
    })
  }

  /** A walk begins. */
  begin(what: string) {
    this.count(what, 0)
    if (this.#active === 0) this.#watcher?.start()
    this.#active += 1
  }

  count(what: string, rows: number) {
    this.#read.set(what, (this.#read.get(what) ?? 0) + rows)
  }

  /** A walk ends. */
  end() {
    this.#active -= 1
    if (this.#active === 0) this.#watcher?.stop()
  }
}
