/**
 * The one line on a terminal that is drawn again and again while a command works: the bar of a run, or the
 * count of rows that a person waits for. It clears itself before anything else is written, and is drawn
 * again below it.
 */
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import { truncate } from './text/width.ts'

/** Milliseconds between two drawings. */
const interval = 250
/** Goes to the beginning of the line and clears it to its end. */
const erase = '\r\u001b[K'

export type StatusHost = Pick<Host, 'stderr' | 'columns' | 'after' | 'every'>

/** Sets where lines for stderr go while the status line is there. */
export type Through = (write: ((line: string) => void) | undefined) => void

export class StatusLine {
  readonly #host: StatusHost
  readonly #text: () => string
  readonly #through: Through
  #timer: Timer | undefined
  #isOpen = false
  #isShown = false
  #isOver = false

  constructor(host: StatusHost, text: () => string, through: Through) {
    this.#host = host
    this.#text = text
    this.#through = through
  }

  /** `delay`: milliseconds before it is shown; a shorter wait needs no line. */
  start(delay = 1000): void {
    if (!this.#isOver) this.#timer = this.#host.after(delay, this.#open, 'weak')
  }

  stop(): void {
    this.#timer?.cancel()
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#clear()
    this.#through(undefined)
  }

  /** It is not shown again: rows are written to the same terminal, or the command has ended. */
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
    const width = Math.max(1, (this.#host.columns() ?? 80) - 1)
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    this.#host.stderr.write(`${erase}${truncate(this.#text(), width)}\r`)
  }

  #clear(): void {
    if (this.#isShown) this.#host.stderr.write(erase)
    this.#isShown = false
  }
}
