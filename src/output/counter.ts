/**
 * A line on a terminal that counts what a command reads, while it reads: `12 of 300 lists…`. `cli/context.ts` makes it for a person
 * who waits at a terminal; `api/reads.ts` starts it before pages are read and stops it after them. It is gone before anything else is written.
 */
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import { truncate } from './text/width.ts'

/** Milliseconds before it is shown: a shorter wait needs no counter. */
const delay = 1000
/** Milliseconds between two drawings. */
const interval = 250
/** Goes to the beginning of the line and clears it to its end. */
const erase = '\r\u001b[K'

/** Sets where lines for stderr go, while the counter is there. */
type Through = (write: ((line: string) => void) | undefined) => void

/** The counter of one command. It is drawn at most every 250 ms, and never once rows are written to the same terminal. */
export class Counter {
  readonly #host: Pick<Host, 'stderr' | 'columns' | 'after' | 'every'>
  readonly #text: () => string
  readonly #through: Through
  #timer: Timer | undefined
  /** Lines for stderr come through here: each must clear the counter before it is written. */
  #isOpen = false
  #isShown = false
  #isOver = false

  constructor(
    host: Pick<Host, 'stderr' | 'columns' | 'after' | 'every'>,
    text: () => string,
    through: Through,
  ) {
    this.#host = host
    this.#text = text
    this.#through = through
  }

  start(): void {
    if (!this.#isOver) this.#timer = this.#host.after(delay, this.#open, 'weak')
  }

  stop(): void {
    this.#timer?.cancel()
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#clear()
    this.#through(undefined)
  }

  /** It is not shown again: rows are being written to the same terminal, or the command has ended. */
  end(): void {
    this.#isOver = true
    this.stop()
  }

  readonly #open = (): void => {
    this.#isOpen = true
    this.#through((line) => {
      this.#clear()
      this.#host.stderr.write(`${line}\n`)
    })
    this.#timer = this.#host.every(interval, this.#draw, 'weak')
    this.#draw()
  }

  readonly #draw = (): void => {
    this.#isShown = true
    // The last column stays free: some terminals wrap a line that fills it.
    const width = (this.#host.columns() ?? 80) - 1
    const text = truncate(this.#text(), Math.max(1, width))
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    this.#host.stderr.write(`${erase}${text}\r`)
  }

  #clear(): void {
    if (this.#isShown) this.#host.stderr.write(erase)
    this.#isShown = false
  }
}
