/** Shows the progress of a run: as a bar on a terminal, and elsewhere as a note every minute. */
import type { Host } from '../host.ts'
import { formatDuration } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { Messages } from './stderr.ts'
import { truncate } from './text.ts'

export interface Progress {
  /** Ends it, and clears the bar. */
  stop(): void
}

export interface ProgressOptions {
  total: number
  label: string
  /** Returns how many items are done. Called a few times a second for a bar. */
  done: () => number
  host: Host
  /** Writes other lines to stderr, which must not mix with the bar. */
  messages: Pick<Messages, 'divertTo'>
}

/** The width of the bar in terminal cells. */
const barCells = 20

/** How often the bar is drawn. */
const intervalMs = 250
const minuteMs = 60_000

/** Goes to the beginning of the line and clears the line. */
const erase = '\r\u001b[K'

/** Draws the bar repeatedly until `stop`. Another line replaces the bar, which is then drawn again below the line. */
export function startBar(options: ProgressOptions): Progress {
  const { host, messages } = options
  const { stderr } = host
  const started = host.monotonic()
  const draw = () => {
    // The last column stays free: some terminals wrap a line that fills it.
    const width = Math.max(1, (host.columns() ?? 80) - 1)
    const text = truncate(barLine(options, host.monotonic() - started), width)
    // At the end, the cursor returns to the beginning of the line. So the output of another program overwrites the bar.
    stderr.write(`${erase}${text}\r`)
  }
  messages.divertTo((line) => stderr.write(`${erase}${line}\n`))
  draw()
  const timer = host.every(intervalMs, draw)
  return {
    stop() {
      timer.cancel()
      stderr.write(erase)
      messages.divertTo(undefined)
    },
  }
}

/** Says once a minute how far a run is, where no bar can be drawn. */
export function startNotes({
  label,
  total,
  done,
  host,
  messages,
}: Omit<ProgressOptions, 'messages'> & { messages: Pick<Messages, 'note'> }): Progress {
  const timer = host.every(minuteMs, () =>
    messages.note(`${label}: ${groupDigits(done())} of ${groupDigits(total)}`),
  )
  return { stop: () => timer.cancel() }
}

/** Returns `deleting  50% ━━━━━━━━━━────────── 617 of 1,234 · 62/s · 10s left`. `elapsedMs` is the time since the start. */
function barLine({ label, total, done: countDone }: ProgressOptions, elapsedMs: number) {
  const done = countDone()
  // Rounded down, so that 100% means that everything is done.
  const percent = Math.floor((100 * done) / Math.max(1, total))
  const full = Math.floor((barCells * percent) / 100)
  const bar = '━'.repeat(full) + '─'.repeat(barCells - full)
  const words = [`${groupDigits(done)} of ${groupDigits(total)}`]
  const rate = (done * 1000) / Math.max(1, elapsedMs)
  if (rate > 0) {
    const left = Math.ceil((total - done) / rate)
    // More than a minute is rounded up to whole minutes.
    const shown = left > 60 ? Math.ceil(left / 60) * 60 : left
    words.push(`${groupDigits(Math.round(rate))}/s`, `${formatDuration(shown * 1000)} left`)
  }
  return `${label} ${String(percent).padStart(3)}% ${bar} ${words.join(' · ')}`
}
