/**
 * How far a bulk run is: a bar on a terminal, a line now and then in a log, or JSON lines for a program. `cli/progress.ts` chooses among
 * them; the run hands over a function that reads its state, and never waits for what is drawn.
 */
import type { Writable } from 'node:stream'
import type { Host } from '../host.ts'
import type { Timer } from '../world.ts'
import { loadPaints } from './text/paint.ts'
import { safe } from './text/safe.ts'
import { cells, truncate } from './text/width.ts'
import { groupDigits } from '../words.ts'

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

const interval = 250
const smallestBar = 5
/** The terminal remembers where the bar begins. */
const savePlace = '\u001b7'
const returnToPlace = '\u001b8'
/** Milliseconds between two lines: for a person without a bar, for a program, in a log. */
const intervals = { lines: 10_000, json: interval, plain: 30_000, 'json-lines': 30_000 }

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

/** `rate`: done per second since the start; `etaMs`: how long the rest takes at this rate. */
function speedOf(
  done: number,
  total: number,
  elapsed: number,
): { rate: number; etaMs: number | null } {
  const rate = elapsed > 0 ? (done * 1000) / elapsed : 0
  if (rate === 0) return { rate, etaMs: null }
  const left = total - done
  return { rate, etaMs: Math.round((left * 1000) / rate) }
}

function jsonLineOf({ total, host, state }: ProgressOptions, started: number): ProgressLine {
  const { done, failed = 0, retried = 0, counts = {}, waitingUntil } = state()
  const { rate, etaMs } = speedOf(done, total, host.monotonic() - started)
  const waiting =
    waitingUntil === undefined ? {} : { waitingUntil: new Date(waitingUntil).toISOString() }
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
    const start = `${safe(label)} ${String(percent).padStart(3)}% `
    const room = width - 1 - cells(start)
    const end = fitting(figures(state, total, started, host), room - smallestBar)
    const size = Math.min(30, room - cells(end))
    if (size < smallestBar) return truncate(start.trimEnd(), Math.max(1, width - 1))
    const full = Math.floor((size * percent) / 100)
    const done = paints.state('active')('━'.repeat(full))
    const left = paints.dim('─'.repeat(size - full))
    return start + done + left + end
  }

  /** The bar, instead of what its line held. It is cut to one line, and must not wrap. */
  function draw(before = ''): void {
    if (onTerminal) stderr.write(`\r\u001b[K${before}\u001b[?25l\u001b[?7l${line()}\u001b[?7h`)
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
      if (onTerminal) stderr.write(`${returnToPlace}\r\u001b[K\u001b[?25h\u001b[J`)
    },
  }
}

function lineOf({ total, label, host, state: read }: ProgressOptions, started: number): string {
  const state = read()
  const texts = figures(state, total, started, host).map(({ text }) => text)
  return `${safe(label)} ${percentOf(state, total)}%: ${texts.join(', ')}\n`
}

function percentOf({ done }: ProgressState, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * Math.min(done, total)) / total)
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
  const { rate, etaMs } = speedOf(state.done, total, host.monotonic() - started)
  const wait = state.waitingUntil === undefined ? 0 : state.waitingUntil - host.now()
  const all: Figure[] = []
  const add = (rank: number, text: string): void => void all.push({ text, rank })
  add(1, `${groupDigits(state.done)} of ${groupDigits(total)}`)
  if (rate > 0) add(5, `${groupDigits(Math.round(rate))}/s`)
  if (wait > 0) add(0, `waiting ${duration(wait)}`)
  else if (etaMs !== null && state.done < total) add(3, `${duration(etaMs)} left`)
  const counts = { ...state.counts, failed: state.failed ?? 0, retried: state.retried ?? 0 }
  for (const [name, count] of Object.entries(counts)) {
    const rank = name === 'failed' ? 2 : 4
    if (count > 0) add(rank, `${groupDigits(count)} ${name}`)
  }
  return all
}

/** As many figures as fit into `room` cells, whole. */
function fitting(all: readonly Figure[], room: number): string {
  if (all.length === 0) return ''
  const end = ` ${all.map(({ text }) => text).join(' · ')}`
  if (cells(end) <= room) return end
  const least = all.reduce((worst, figure) => (figure.rank >= worst.rank ? figure : worst))
  const others = all.filter((figure) => figure !== least)
  return fitting(others, room)
}

function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  return `${hours}h ${twoDigits(minutes % 60)}m`
}
