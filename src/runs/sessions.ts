/**
 * The sessions of a run, by the order of its lines: who may write, which sessions are valid, which lines count, and whether lines were lost. Pure.
 * docs/run-file.md, "Reading", has the rules.
 */
import type { Line, LineOf } from './lines.ts'

/** The session in force. `line` is undefined when it was lost. */
export interface SessionInForce {
  s: string
  line: LineOf<'session'> | undefined
}

/** The meaning of a line for those before it. */
export interface Finding {
  /** False for a line of a session that is not valid, or was followed. */
  counts: boolean
  /** Lines before this one were lost. */
  isDamaged: boolean
  /** A session begins here of which the `session` line was lost. */
  hasLostBeginning: boolean
}

const ignored: Finding = { counts: false, isDamaged: false, hasLostBeginning: false }

export class Sessions {
  /** Every session that has a `session` line, valid or not, or a line that counts. */
  readonly known = new Set<string>()
  /** Sessions that a valid one follows; null for the beginning of the file. */
  readonly #followed = new Set<string | null>()
  readonly #counts = new Map<string, number>()
  #last: SessionInForce | undefined
  #next = 0
  isFree = false
  /** The session before the one in force was free, or there was none. */
  wasFree = true

  /** The session in force; undefined if the run is free. */
  get inForce(): SessionInForce | undefined {
    return this.isFree ? undefined : this.#last
  }

  /** The members by which a new session follows the last one. */
  get claim(): Pick<LineOf<'session'>, 'over' | 'after'> {
    const over = this.#last?.s ?? null
    return { over, after: over === null ? 0 : (this.#counts.get(over) ?? 0) }
  }

  /** Whether a session over this one is valid already, so that no other is. */
  isFollowed(s: string | null) {
    return this.#followed.has(s)
  }

  isLast(s: string) {
    return this.#last?.s === s
  }

  apply(line: Line): Finding {
    return line.t === 'session' ? this.#applySession(line) : this.#applyOther(line)
  }

  #applySession(line: LineOf<'session'>): Finding {
    this.known.add(line.s)
    const { over, after } = line
    if (this.isFollowed(over)) return ignored
    const seen = over === null ? 0 : (this.#counts.get(over) ?? 0)
    const isLost = over !== null && (seen < after || seen === 0)
    this.#begin(line.s, line, over)
    const isGap = this.#count(line)
    return { counts: true, isDamaged: isLost || isGap, hasLostBeginning: false }
  }

  #applyOther(line: Line): Finding {
    const { s, t } = line
    if (this.isFollowed(s)) return ignored
    const isLast = this.#last?.s === s
    const hasLostBeginning = !isLast && !this.known.has(s)
    if (!isLast && !hasLostBeginning) return ignored
    if (hasLostBeginning) {
      this.known.add(s)
      this.#begin(s, undefined, this.#last?.s ?? null)
    }
    const isGap = this.#count(line)
    if (t === 'free') this.isFree = true
    return { counts: true, isDamaged: hasLostBeginning || isGap, hasLostBeginning }
  }

  #begin(s: string, line: LineOf<'session'> | undefined, over: string | null) {
    this.#followed.add(over)
    this.wasFree = this.#last === undefined || this.isFree
    this.#last = { s, line }
    this.isFree = false
    this.#next = 0
  }

  /** Counts a line. Returns whether lines of its session are missing before it. */
  #count({ s, i }: Line) {
    const isGap = i !== this.#next
    this.#next = i + 1
    this.#counts.set(s, (this.#counts.get(s) ?? 0) + 1)
    return isGap
  }
}
