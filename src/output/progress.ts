/** The bar on a terminal that says how far a run is. */
import type { Host } from '../host.ts'
import { formatDuration } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { Messages } from './stderr.ts'
import { truncate } from './text/width.ts'

export interface Progress {
  /** Clears the bar. */
  stop(): void
}

export interface ProgressOptions {
  total: number
  label: string
  /** How many are done; asked for a few times a second at most. */
  done: () => number
  host: Pick<Host, 'stderr' | 'columns' | 'every' | 'monotonic'>
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
  const { stderr } = host
  const started = host.monotonic()
  const draw = () => {
    // The last column stays free: some terminals wrap a line that fills it.
    const width = Math.max(1, (host.columns() ?? 80) - 1)
    const text = truncate(barLine(options, host.monotonic() - started), width)
    // Back at its beginning, so that what a program behind a pipe writes to the terminal takes its place.
    stderr.write(`${erase}${text}\r`)
  }
  messages.divertTo((line) => stderr.write(`${erase}${line}\n`))
  draw()
  const timer = host.every(interval, draw)
  return {
    stop() {
      timer.cancel()
      stderr.write(erase)
      messages.divertTo(undefined)
    },
  }
}

/** `deleting  50% ━━━━━━━━━━────────── 617 of 1,234 · 62/s · 10s left`. `elapsed`: milliseconds since the start. */
function barLine({ label, total, done: countDone }: ProgressOptions, elapsed: number) {
  const done = countDone()
  // Rounded down: 100 % is only what is all done.
  const percent = Math.floor((100 * done) / Math.max(1, total))
  const full = Math.floor((barSize * percent) / 100)
  const bar = '━'.repeat(full) + '─'.repeat(barSize - full)
  const words = [`${groupDigits(done)} of ${groupDigits(total)}`]
  const rate = (done * 1000) / Math.max(1, elapsed)
  if (rate > 0) {
    const left = Math.ceil((total - done) / rate)
    // Minutes are enough for a long time.
    const shown = left > 60 ? Math.ceil(left / 60) * 60 : left
    words.push(`${groupDigits(Math.round(rate))}/s`)
    words.push(`${formatDuration(shown * 1000)} left`)
  }
  const number = String(percent).padStart(3)
  return `${label} ${number}% ${bar} ${words.join(' · ')}`
}
