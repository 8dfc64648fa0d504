/**
 * How far a bulk run is: a bar on a terminal, a line now and then in a log, or JSON lines for a program. `cli/context.ts` chooses among
 * them; the run hands over a function that reads its state, and never waits for what is drawn.
 */
import type { Host } from '../host.ts'
import { loadPaints } from './text/paint.ts'
import { safe } from '../safe-text.ts'
import { StatusLine, type Through } from './status-line.ts'
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
  /** Writes the last line of JSON, or clears the bar. May be called again without effect. */
  stop(): void
}

/** How far a run is, as data. */
export type ProgressLine = Readonly<Record<string, unknown>> & { readonly type: 'progress' }

export interface ProgressOptions {
  readonly total: number
  readonly label: string
  /** How far it is now; asked for a few times a second at most. */
  readonly state: () => ProgressState
  readonly host: Pick<Host, 'stderr' | 'now' | 'monotonic' | 'columns' | 'every' | 'after'>
  readonly color: boolean
  /** Takes the lines of JSON. */
  readonly take: (line: ProgressLine) => void
  readonly through: Through
}

/** Cells: with fewer, a bar shows less than its percentage says. */
const smallestBar = 5
const largestBar = 30

/** Milliseconds between two lines: for a program, and in a log. */
const intervals = { json: 250, plain: 30_000, 'json-lines': 30_000 }

/** `json-lines`: in a log of JSON, as often as `plain`. A bar needs a terminal. */
export type ProgressMode = 'bar' | 'none' | keyof typeof intervals

export async function createProgress(
  mode: ProgressMode,
  options: ProgressOptions,
): Promise<Progress> {
  const { host, take } = options
  const started = host.monotonic()
  const figures = (): Figures => figuresOf(options, host.monotonic() - started)
  if (mode === 'none') return { stop: () => undefined }
  if (mode === 'bar') {
    const draw = await barOf(options)
    const line = new StatusLine(host, (width) => draw(figures(), width), options.through)
    line.start(0)
    return line
  }
  const write = (): void => {
    if (mode === 'plain') host.stderr.write(`${plainLine(options.label, figures())}\n`)
    else take(jsonLine(figures()))
  }
  const timer = host.every(intervals[mode], write, 'weak')
  let isOver = false
  const stop = (): void => {
    timer.cancel()
    if (!isOver && mode !== 'plain') write()
    isOver = true
  }
  return { stop }
}

type Figures = ReturnType<typeof figuresOf>

/** `elapsed`: milliseconds since the start. */
function figuresOf({ total, state, host }: ProgressOptions, elapsed: number) {
  const { done, failed = 0, retried = 0, counts = {}, waitingUntil } = state()
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
    waitMs: waitingUntil === undefined ? 0 : waitingUntil - host.now(),
    counts,
  }
}

/** The line for programs; its members are in `docs/output.md`. `waitingUntil` is there only while everybody waits. */
function jsonLine({ waitMs, waitingUntil, ...figures }: Figures): ProgressLine {
  const time = waitMs > 0 ? { waitingUntil: new Date(waitingUntil ?? 0).toISOString() } : {}
  return { type: 'progress', ...figures, ...time }
}

/** Rounded down: 100 % is only what is all done. */
function percentOf({ done, total }: Figures): number {
  return total === 0 ? 100 : Math.floor((100 * Math.min(done, total)) / total)
}

/** `1,200 of 10,000`, `3 failed`, `7m 20s left`, `20/s`: the most important one first. */
function wordsOf({ done, total, rate, etaMs, waitMs, failed, retried, counts }: Figures): string[] {
  const words: string[] = []
  if (waitMs > 0) words.push(`waiting ${duration(waitMs)}`)
  words.push(`${groupDigits(done)} of ${groupDigits(total)}`)
  if (failed > 0) words.push(`${groupDigits(failed)} failed`)
  if (waitMs <= 0 && etaMs !== null && done < total) words.push(`${duration(etaMs)} left`)
  if (rate > 0) words.push(`${groupDigits(Math.round(rate))}/s`)
  for (const [name, count] of Object.entries({ ...counts, retried })) {
    if (count > 0) words.push(`${groupDigits(count)} ${name}`)
  }
  return words
}

function plainLine(label: string, figures: Figures): string {
  return `${safe(label)} ${percentOf(figures)}%: ${wordsOf(figures).join(', ')}`
}

/** Draws a bar with as many figures behind it as there is room for. */
async function barOf({ label, color }: ProgressOptions) {
  const paints = await loadPaints(color)
  return (figures: Figures, width: number): string => {
    const percent = percentOf(figures)
    const start = `${safe(label)} ${String(percent).padStart(3)}% `
    const room = width - cells(start) - smallestBar
    if (room < 0) return truncate(start.trimEnd(), width)
    const words = wordsOf(figures)
    const end = (): string => (words.length === 0 ? '' : ` ${words.join(' · ')}`)
    while (cells(end()) > room) words.pop()
    const size = Math.min(largestBar, room + smallestBar - cells(end()))
    const full = Math.floor((size * percent) / 100)
    const done = paints.state('active')('━'.repeat(full))
    return start + done + paints.dim('─'.repeat(size - full)) + end()
  }
}

/** `45s`, `7m 20s`, `2h 05m`; never zero. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`
}
