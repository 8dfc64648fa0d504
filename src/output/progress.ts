/** The line on a terminal that says how far a command is: the bar of a run, or the count of rows that were read so far. */
import type { Host } from '../host.ts'
import { safe } from '../safe-text.ts'
import type { Messages } from './stderr.ts'
import { formatDuration } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { Timer } from '../world.ts'
import { truncate } from './text/width.ts'

/** The progress of a run at the moment. */
export interface ProgressState {
  done: number
  failed?: number
  retried?: number
  /** Further counts by outcome, shown when they are not zero. */
  counts?: Record<string, number>
  /** Milliseconds since 1970 until which everybody waits, for example after a `Retry-After`. */
  waitingUntil?: number | undefined
}

export interface Progress {
  /** Clears the bar. May be called again without effect. */
  stop(): void
}

export interface ProgressOptions {
  total: number
  label: string
  /** How far it is now; asked for a few times a second at most. */
  state: () => ProgressState
  host: StatusHost & Pick<Host, 'now' | 'monotonic'>
  /** Takes lines that are written while the bar is drawn. */
  messages: Pick<Messages, 'divertTo'>
}

/** Cells of the bar. */
const barSize = 20

/** Draws the bar of a run until it is stopped. */
export function startBar(options: ProgressOptions): Progress {
  const { host, messages } = options
  const started = host.monotonic()
  const text = () => barLine(options, host.monotonic() - started)
  const line = new StatusLine(host, text, messages)
  line.start(0)
  return line
}

/** `elapsed`: milliseconds since the start. */
function barLine({ label, total, state, host }: ProgressOptions, elapsed: number) {
  const { done, failed = 0, retried = 0, counts = {}, waitingUntil = 0 } = state()
  // Rounded down: 100 % is only what is all done.
  const percent = total === 0 ? 100 : Math.floor((100 * Math.min(done, total)) / total)
  const full = Math.floor((barSize * percent) / 100)
  const bar = '━'.repeat(full) + '─'.repeat(barSize - full)
  const rate = elapsed > 0 ? (done * 1000) / elapsed : 0
  const waitMs = waitingUntil - host.now()
  // The most important one first, because a line is cut at its end.
  const words = [`${groupDigits(done)} of ${groupDigits(total)}`]
  if (failed > 0) words.push(`${groupDigits(failed)} failed`)
  if (waitMs > 0) words.unshift(`waiting ${duration(waitMs)}`)
  else if (rate > 0 && done < total)
    words.push(`${duration(((total - done) * 1000) / rate)} left`)
  if (rate > 0) words.push(`${groupDigits(Math.round(rate))}/s`)
  for (const [name, count] of Object.entries({ ...counts, retried })) {
    if (count > 0) words.push(`${groupDigits(count)} ${name}`)
  }
  return `${safe(label)} ${String(percent).padStart(3)}% ${bar} ${words.join(' · ')}`
}

/** `45s`, `8m`, `2h`: rounded up to seconds, or above a minute to minutes; never zero. */
function duration(ms: number) {
  const unit = ms > 60_000 ? 60_000 : 1000
  return formatDuration(Math.max(1, Math.ceil(ms / unit)) * unit)
}

/** Milliseconds between two drawings. */
const interval = 250
/** Goes to the beginning of the line and clears it to its end. */
const erase = '\r\u001b[K'

type StatusHost = Pick<Host, 'stderr' | 'columns' | 'after' | 'every'>

/**
 * The one line on a terminal that is drawn again and again while a command works: the bar of a run, or the count of rows
 * that a person waits for. It clears itself before anything else is written, and is drawn again below it.
 */
class StatusLine {
  readonly #host: StatusHost
  readonly #text: () => string
  /** Its lines go through this one while it is there. */
  readonly #messages: Pick<Messages, 'divertTo'>
  #timer: Timer | undefined
  #isOpen = false
  #isShown = false
  #isOver = false

  constructor(host: StatusHost, text: () => string, messages: Pick<Messages, 'divertTo'>) {
    this.#host = host
    this.#text = text
    this.#messages = messages
  }

  /** `delay`: milliseconds before it is shown; a shorter wait needs no line. */
  start(delay = 1000) {
    if (!this.#isOver) this.#timer = this.#host.after(delay, this.#open, 'weak')
  }

  stop() {
    this.#timer?.cancel()
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#clear()
    this.#messages.divertTo(undefined)
  }

  /** It is not shown again: rows are written to the same terminal, or the command has ended. */
  end() {
    this.#isOver = true
    this.stop()
  }

  readonly #open = () => {
    this.#isOpen = true
    this.#messages.divertTo((line) => {
      this.#clear()
      this.#host.stderr.write(`${line}\n`)
    })
    this.#timer = this.#host.every(interval, this.#draw, 'weak')
    this.#draw()
  }

  readonly #draw = () => {
    this.#isShown = true
    // The last column stays free: some terminals wrap a line that fills it.
    const width = Math.max(1, (this.#host.columns() ?? 80) - 1)
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    this.#host.stderr.write(`${erase}${truncate(this.#text(), width)}\r`)
  }

  #clear() {
    if (this.#isShown) this.#host.stderr.write(erase)
    this.#isShown = false
  }
}
