/**
 * How far a bulk run is: a bar on a terminal, a line now and then in a log, or JSON lines for a program. The
 * run passes a function that reads its state, and never waits for the drawing.
 */
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
  /** Writes the last line of JSON, or clears the bar. May be called again without effect. */
  stop(): void
}

export interface ProgressOptions {
  total: number
  label: string
  /** How far it is now; asked for a few times a second at most. */
  state: () => ProgressState
  host: Pick<Host, 'stderr' | 'now' | 'monotonic' | 'columns' | 'every' | 'after'>
  /** Takes the lines of JSON, and lines that are written while a bar is drawn. */
  messages: Pick<Messages, 'format' | 'progress' | 'divertTo'>
}

/** Cells of the bar. */
const barSize = 20

/** Milliseconds between two lines: for a program, and in a log. */
const intervals = { json: 250, plain: 30_000 }

/** A bar needs a terminal. */
export type ProgressMode = 'bar' | 'none' | keyof typeof intervals

export function createProgress(mode: ProgressMode, options: ProgressOptions): Progress {
  const { host, messages } = options
  const label = safe(options.label)
  const started = host.monotonic()
  const figures = (): Figures => figuresOf(options, host.monotonic() - started)
  if (mode === 'none') return { stop: () => undefined }
  if (mode === 'bar') {
    const line = new StatusLine(host, () => barLine(label, figures()), messages)
    line.start(0)
    return line
  }
  const isText = mode === 'plain' && messages.format === 'text'
  const write = () => {
    // Among messages in JSON a line now and then is JSON too.
    if (isText) host.stderr.write(`${plainLine(label, figures())}\n`)
    else messages.progress(jsonLine(figures()))
  }
  const timer = host.every(intervals[mode], write, 'weak')
  let isOver = false
  const stop = () => {
    timer.cancel()
    if (!isOver && !isText) write()
    isOver = true
  }
  return { stop }
}

type Figures = ReturnType<typeof figuresOf>

/** `elapsed`: milliseconds since the start. */
function figuresOf({ total, state, host }: ProgressOptions, elapsed: number) {
  const { done, failed = 0, retried = 0, counts = {}, waitingUntil = 0 } = state()
  /** Items per second since the start. */
  const rate = elapsed > 0 ? (done * 1000) / elapsed : 0
  return {
    done,
    total,
    failed,
    retried,
    rate: Math.round(rate * 10) / 10,
    /** Milliseconds that the rest takes at this rate; null while nothing is done. */
    etaMs: rate === 0 ? null : Math.round(((total - done) * 1000) / rate),
    waitingUntil,
    waitMs: waitingUntil - host.now(),
    counts,
  }
}

/** The line for programs; its members are in `docs/output.md`. `waitingUntil` is there only while everybody waits. */
function jsonLine({ waitMs, waitingUntil, ...figures }: Figures) {
  const time = waitMs > 0 ? { waitingUntil: new Date(waitingUntil).toISOString() } : {}
  return { type: 'progress', ...figures, ...time }
}

/** Rounded down: 100 % is only what is all done. */
function percentOf({ done, total }: Figures) {
  return total === 0 ? 100 : Math.floor((100 * Math.min(done, total)) / total)
}

/** `1,200 of 10,000`, `3 failed`, `8m left`, `20/s`: the most important one first, because a line is cut at its end. */
function wordsOf(figures: Figures) {
  const { done, total, rate, etaMs, waitMs, failed, retried, counts } = figures
  const words = [`${groupDigits(done)} of ${groupDigits(total)}`]
  if (failed > 0) words.push(`${groupDigits(failed)} failed`)
  if (waitMs > 0) words.unshift(`waiting ${duration(waitMs)}`)
  else if (etaMs !== null && done < total) words.push(`${duration(etaMs)} left`)
  if (rate > 0) words.push(`${groupDigits(Math.round(rate))}/s`)
  for (const [name, count] of Object.entries({ ...counts, retried })) {
    if (count > 0) words.push(`${groupDigits(count)} ${name}`)
  }
  return words
}

function plainLine(label: string, figures: Figures) {
  return `${label} ${percentOf(figures)}%: ${wordsOf(figures).join(', ')}`
}

function barLine(label: string, figures: Figures) {
  const percent = percentOf(figures)
  const full = Math.floor((barSize * percent) / 100)
  const bar = '━'.repeat(full) + '─'.repeat(barSize - full)
  return `${label} ${String(percent).padStart(3)}% ${bar} ${wordsOf(figures).join(' · ')}`
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
