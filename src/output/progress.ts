/**
 * How far a bulk run is: a bar on a terminal, a line now and then in a log, or JSON lines for a program. `cli/progress.ts` chooses among
 * them; the run hands over a function that reads its state, and never waits for what is drawn.
 */
import type { Writable } from 'node:stream'
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import { loadPaints } from './text/paint.ts'
import { safe } from '../safe-text.ts'
import { cells, truncate } from './text/width.ts'
import { groupDigits } from '../words.ts'

/** How far a run is, as it tells when it is asked. */
export interface ProgressState {
  readonly done: number
  readonly failed?: number
  readonly retried?: number
  /** Further counts by outcome, shown when they are not zero. */
  readonly counts?: Readonly<Record<string, number>>
  /** Milliseconds since 1970 until which everybody waits, for example after a `Retry-After`. */
  readonly waitingUntil?: number | undefined
}

export interface Progress {
  /** A line of stderr as it is, JSON or text; it stays, above the bar. */
  log(line: string): void
  /** Draws or writes the last state and gives the line back. May be called again without effect. */
  stop(): void
}

/** How far it is, as data. */
export type ProgressLine = Readonly<Record<string, unknown>> & { readonly type: 'progress' }

export interface ProgressOptions {
  readonly stderr: Writable
  readonly total: number
  readonly label: string
  /** How far it is now; asked for a few times a second at most. */
  readonly state: () => ProgressState
  readonly host: Pick<Host, 'now' | 'monotonic' | 'columns' | 'every'>
  readonly color: 0 | 1 | 2 | 3
  /** Takes the lines of `json` and `json-lines`. */
  readonly take: (line: ProgressLine) => void
}

/** Milliseconds between two drawings of the bar. */
const interval = 250
/** Cells: with fewer, a bar shows less than its percentage says. */
const smallestBar = 5
/** The terminal remembers where the bar begins. */
const savePlace = '\u001b7'
const returnToPlace = '\u001b8'
const clearLine = '\r\u001b[K'
const clearBelow = '\u001b[J'
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
const wrapOff = '\u001b[?7l'
const wrapOn = '\u001b[?7h'
/** Milliseconds between two lines: for a person without a bar, for a program, in a log. */
const intervals = {
  lines: 10_000,
  json: interval,
  plain: 30_000,
  'json-lines': 30_000,
}

/** `lines`: on a terminal that cannot draw; `plain`: in a log; `json-lines`: in a log of JSON, as often as `plain`. */
export type ProgressMode = 'bar' | 'lines' | 'plain' | 'json' | 'json-lines' | 'none'

/** Nothing, a bar, a line now and then, or JSON lines. A bar needs a terminal: that is for the caller to decide. */
export async function createProgress(
  mode: ProgressMode,
  options: ProgressOptions,
): Promise<Progress> {
  if (mode === 'bar') return bar(options)
  const { stderr, host } = options
  const started = host.monotonic()
  const isJson = mode === 'json' || mode === 'json-lines'
  const write = (): void => {
    if (isJson) options.take(jsonLineOf(options, started))
    else stderr.write(lineOf(options, started))
  }
  let timer = mode === 'none' ? undefined : host.every(intervals[mode], write, 'weak')
  return {
    log(line) {
      stderr.write(`${safe(line, { newlines: 'keep' })}\n`)
    },
    stop() {
      if (timer === undefined) return
      timer.cancel()
      timer = undefined
      if (isJson) write()
    },
  }
}

interface Speed {
  /** Items per second since the start. */
  readonly rate: number
  /** Milliseconds that the rest takes at this rate; null while nothing is done. */
  readonly etaMs: number | null
}

/** `elapsed`: milliseconds since the start. */
function speedOf(done: number, total: number, elapsed: number): Speed {
  const rate = elapsed > 0 ? (done * 1000) / elapsed : 0
  if (rate === 0) return { rate, etaMs: null }
  const left = total - done
  const etaMs = Math.round((left * 1000) / rate)
  return { rate, etaMs }
}

/** The line for programs; its members are in `docs/output.md`. `waitingUntil` is there only while everybody waits. */
function jsonLineOf({ total, host, state }: ProgressOptions, started: number): ProgressLine {
  const { done, failed = 0, retried = 0, counts = {}, waitingUntil } = state()
  const elapsed = host.monotonic() - started
  const { rate, etaMs } = speedOf(done, total, elapsed)
  const time = waitingUntil === undefined ? undefined : new Date(waitingUntil).toISOString()
  const waiting = time === undefined ? {} : { waitingUntil: time }
  const figures = {
    done,
    total,
    failed,
    retried,
    rate: Math.round(rate * 10) / 10,
    etaMs,
    ...waiting,
    counts,
  }
  return { type: 'progress', ...figures }
}

/**
 * A bar on one line, drawn a few times a second. The cursor is hidden until it stops. Lines do not wrap while it is drawn: in a window
 * that was made narrower, a bar that wraps would scroll the terminal with each drawing.
 */
async function bar({
  stderr,
  total,
  label,
  host,
  color,
  state: read,
}: ProgressOptions): Promise<Progress> {
  const paints = await loadPaints(color)
  const started = host.monotonic()
  const onTerminal = 'isTTY' in stderr && stderr.isTTY === true

  function line(): string {
    const width = host.columns() ?? 80
    const state = read()
    const percent = percentOf(state, total)
    const number = String(percent).padStart(3)
    const start = `${safe(label)} ${number}% `
    const room = width - 1 - cells(start)
    const behind = figures(state, total, started, host)
    const end = fitting(behind, room - smallestBar)
    const size = Math.min(30, room - cells(end))
    if (size < smallestBar) return truncate(start.trimEnd(), Math.max(1, width - 1))
    const full = Math.floor((size * percent) / 100)
    const done = paints.state('active')('━'.repeat(full))
    const left = paints.dim('─'.repeat(size - full))
    return start + done + left + end
  }

  /** The bar, instead of what its line held. It is cut to one line, and must not wrap. */
  function draw(before = ''): void {
    if (!onTerminal) return
    const drawing = `${hideCursor}${wrapOff}${line()}${wrapOn}`
    stderr.write(`${clearLine}${before}${drawing}`)
  }

  let timer: Timer | undefined = host.every(interval, draw)
  draw(savePlace)
  return {
    log(text) {
      const shown = `${safe(text, { newlines: 'keep' })}\n`
      if (timer === undefined || !onTerminal) stderr.write(shown)
      else draw(shown + savePlace)
    },
    stop() {
      if (timer === undefined) return
      timer.cancel()
      timer = undefined
      // Enter, pressed meanwhile, moved the line on; what is below the place of the bar belongs to it.
      if (onTerminal) stderr.write(`${returnToPlace}${clearLine}${showCursor}${clearBelow}`)
    },
  }
}

/** The line for a log, or for a person without a bar. */
function lineOf({ total, label, host, state: read }: ProgressOptions, started: number): string {
  const state = read()
  const percent = percentOf(state, total)
  const texts = figures(state, total, started, host).map(({ text }) => text)
  return `${safe(label)} ${percent}%: ${texts.join(', ')}\n`
}

/** Rounded down: 100 % is only what is all done. */
function percentOf({ done }: ProgressState, total: number): number {
  if (total === 0) return 100
  return Math.floor((100 * Math.min(done, total)) / total)
}

/** One of the figures behind the bar. Where there is no room for all, those of the highest rank go first. */
interface Figure {
  readonly text: string
  readonly rank: number
}

/** `1,200 of 10,000`, `20/s`, `7m 20s left`, `3 failed`. */
function figures(
  state: ProgressState,
  total: number,
  started: number,
  host: ProgressOptions['host'],
): Figure[] {
  const elapsed = host.monotonic() - started
  const { rate, etaMs } = speedOf(state.done, total, elapsed)
  const wait = state.waitingUntil === undefined ? 0 : state.waitingUntil - host.now()
  const all: Figure[] = []
  const add = (rank: number, text: string): void => {
    all.push({ text, rank })
  }
  add(1, `${groupDigits(state.done)} of ${groupDigits(total)}`)
  if (rate > 0) add(5, `${groupDigits(Math.round(rate))}/s`)
  if (wait > 0) add(0, `waiting ${duration(wait)}`)
  else if (etaMs !== null && state.done < total) add(3, `${duration(etaMs)} left`)
  const counts = {
    ...state.counts,
    failed: state.failed ?? 0,
    retried: state.retried ?? 0,
  }
  for (const [name, count] of Object.entries(counts)) {
    const rank = name === 'failed' ? 2 : 4
    if (count > 0) add(rank, `${groupDigits(count)} ${name}`)
  }
  return all
}

/** As many figures as fit into `room` cells, whole. */
function fitting(all: readonly Figure[], room: number): string {
  if (all.length === 0) return ''
  const texts = all.map(({ text }) => text)
  const end = ` ${texts.join(' · ')}`
  if (cells(end) <= room) return end
  // The last one of equals goes first.
  const least = all.reduce((worst, figure) => {
    return figure.rank >= worst.rank ? figure : worst
  })
  const others = all.filter((figure) => figure !== least)
  return fitting(others, room)
}

/** `45s`, `7m 20s`, `2h 05m`; never zero. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  return `${hours}h ${twoDigits(minutes % 60)}m`
}
