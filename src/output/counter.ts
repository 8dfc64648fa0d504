/** A line on a terminal that counts what is read, while it is read. It is gone before anything else is written. */
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import { truncate } from './text/width.ts'

/** Milliseconds before it is shown, and between two drawings. A shorter wait needs no counter. */
const [delay, interval] = [1000, 250]
const erase = '\r\u001b[K'

/** Sets where lines for stderr go, while the counter is there. */
type Through = (write: ((line: string) => void) | undefined) => void

export class Counter {
  readonly #host: Pick<Host, 'stderr' | 'columns' | 'after' | 'every'>
  readonly #text: () => string
  readonly #through: Through
  #timer: Timer | undefined
  /** Lines for stderr come through here. */
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
    const text = truncate(this.#text(), Math.max(1, (this.#host.columns() ?? 80) - 1))
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    this.#host.stderr.write(`${erase}${text}\r`)
  }

  #clear(): void {
    if (this.#isShown) this.#host.stderr.write(erase)
    this.#isShown = false
  }
}
