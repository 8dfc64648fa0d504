/** The bar on a terminal that says how far a run is. */
import type { Host } from '../host.ts'
import { safe } from '../safe-text.ts'
import type { Messages } from './stderr.ts'
import { formatDuration } from '../values.ts'
import { groupDigits } from '../words.ts'
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
  host: Pick<Host, 'stderr' | 'columns' | 'every' | 'now' | 'monotonic'>
  /** Takes lines that are written while the bar is drawn. */
  messages: Pick<Messages, 'divertTo'>
}

/** Cells of the bar. */
const barSize = 20

/** Milliseconds between two drawings. */
const interval = 250

/** Goes to the beginning of the line and clears it to its end. */
const erase = '\r\u001b[K'

/**
 * Draws the bar of a run again and again until it is stopped. It clears itself before anything else is written, and is drawn
 * again below it.
 */
export function startBar(options: ProgressOptions): Progress {
  const { host, messages } = options
  const started = host.monotonic()
  let isShown = false
  const draw = () => {
    isShown = true
    // The last column stays free: some terminals wrap a line that fills it.
    const width = Math.max(1, (host.columns() ?? 80) - 1)
    const text = truncate(barLine(options, host.monotonic() - started), width)
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    host.stderr.write(`${erase}${text}\r`)
  }
  const clear = () => {
    if (isShown) host.stderr.write(erase)
    isShown = false
  }
  messages.divertTo((line) => {
    clear()
    host.stderr.write(`${line}\n`)
  })
  draw()
  const timer = host.every(interval, draw)
  return {
    stop() {
      timer.cancel()
      clear()
      messages.divertTo(undefined)
    },
  }
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
