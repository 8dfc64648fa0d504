/**
 * The reads of a command in progress: how many rows each walk over pages or chunks has read, for the counter
 * on the terminal.
 */
import { groupDigits } from '../words.ts'

export type Countable = 'lists' | 'members' | 'messages'

/** The counts that all walks over one kind of rows share. Each walk adds to `read`, and calls `end` once. */
export interface WalkCount {
  read: number
  /** The total number of rows, if it is known. */
  total: number | undefined
  end: () => void
}

/** For a walk that nobody watches. */
export function newCount(): WalkCount {
  return {
    read: 0,
    total: undefined,
    end: () => undefined,
  }
}

/** The display of the counts while anything is read. */
export interface Watcher {
  start(): void
  stop(): void
}

export type Watch = (text: () => string) => Watcher

interface CountedKind extends WalkCount {
  /** How many walks have begun. */
  walks: number
}

/** The counts of all reads of a command, for the counter that a person sees while they last. */
export class Reads {
  readonly #kinds = new Map<Countable, CountedKind>()
  readonly #watcher: Watcher | undefined
  /** Walks that have not ended. */
  #active = 0

  /** Calls `watch` with the counts in words. */
  constructor(watch: Watch | undefined) {
    this.#watcher = watch?.(() => this.#text())
  }

  /** A walk begins; `end` must follow. */
  begin(what: Countable): WalkCount {
    // An earlier read (for a name, for example) has ended, and is not part of this one.
    if (this.#active === 0) this.#forgetOthers(what)
    const kind = this.#kinds.get(what) ?? {
      read: 0,
      total: undefined,
      walks: 0,
      end: this.#end,
    }
    this.#kinds.set(what, kind)
    kind.walks += 1
    this.#active += 1
    if (this.#active === 1) this.#watcher?.start()
    return kind
  }

  #forgetOthers(what: Countable): void {
    for (const other of this.#kinds.keys()) {
      if (other !== what) this.#kinds.delete(other)
    }
  }

  /** `12 of 300 lists, 4,100 members…` */
  #text(): string {
    const counts = [...this.#kinds].map(([what, { read, total, walks }]) => {
      // The total of several walks together is not known.
      const isTotalKnown = walks === 1 && total !== undefined
      const ofTotal = isTotalKnown ? ` of ${groupDigits(total)}` : ''
      return `${groupDigits(read)}${ofTotal} ${what}`
    })
    return `${counts.join(', ')}…`
  }

  readonly #end = (): void => {
    this.#active -= 1
    if (this.#active === 0) this.#watcher?.stop()
  }
}
