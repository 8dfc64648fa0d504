/**
 * The sessions of a run, by the order of its lines: who may write, which sessions are valid, which lines count, and whether
 * lines were lost. Pure. docs/run-file.md, "Reading", has the rules.
 */
import type { Line, LineOf } from './lines.ts'

/** Whether a line counts, and what it says of those before it. */
export interface LineStanding {
  /** It counts: its session is valid, and no later one has taken over. */
  isValid: boolean
  /** Lines before this one were lost. */
  isDamaged: boolean
  /** A session begins here of which the `session` line was lost. */
  hasLostBeginning: boolean
}

const ignored: LineStanding = { isValid: false, isDamaged: false, hasLostBeginning: false }

export class Sessions {
  /** Every session that has a `session` line, valid or not, or a line that counts. */
  readonly #known = new Set<string>()
  /** Sessions that a valid one follows; null for the beginning of the file. Only the first that follows one is valid. */
  readonly #followed = new Set<string | null>()
  readonly #lineCounts = new Map<string, number>()
  /** The last valid session. `line` is undefined when it was lost. */
  #last: { s: string; line: LineOf<'session'> | undefined } | undefined
  /** The place of the next line within its session. */
  #expectedIndex = 0
  isFree = false
  /** Whether the run was free when the session in force began. */
  wasFreeBefore = true

  /** The session in force; undefined if the run is free. */
  get inForce() {
    return this.isFree ? undefined : this.#last
  }

  /** The members by which a new session follows the last one. */
  get claim(): Pick<LineOf<'session'>, 'over' | 'after'> {
    const over = this.#last?.s ?? null
    return { over, after: over === null ? 0 : (this.#lineCounts.get(over) ?? 0) }
  }

  isLast(s: string) {
    return this.#last?.s === s
  }

  /**
   * Passes over a line of another session that changes nothing: a claim that came too late, or a late line of a known
   * session. False for any other.
   */
  passOver(line: Line) {
    const isLateClaim = line.t === 'session' && this.#followed.has(line.over)
    if (isLateClaim) this.#known.add(line.s)
    return this.#known.has(line.s)
  }

  apply(line: Line): LineStanding {
    return line.t === 'session' ? this.#applySession(line) : this.#applyOther(line)
  }

  #applySession(line: LineOf<'session'>): LineStanding {
    this.#known.add(line.s)
    const { over, after } = line
    if (this.#followed.has(over)) return ignored
    const seen = over === null ? 0 : (this.#lineCounts.get(over) ?? 0)
    const hasLostLines = over !== null && (seen < after || seen === 0)
    this.#begin(line.s, line, over)
    const isGap = this.#count(line)
    return { isValid: true, isDamaged: hasLostLines || isGap, hasLostBeginning: false }
  }

  #applyOther(line: Line): LineStanding {
    const { s, t } = line
    if (this.#followed.has(s)) return ignored
    const isLast = this.#last?.s === s
    if (!isLast && this.#known.has(s)) return ignored
    const hasLostBeginning = !isLast
    if (hasLostBeginning) {
      this.#known.add(s)
      this.#begin(s, undefined, this.#last?.s ?? null)
    }
    const isGap = this.#count(line)
    if (t === 'free') this.isFree = true
    return { isValid: true, isDamaged: hasLostBeginning || isGap, hasLostBeginning }
  }

  #begin(s: string, line: LineOf<'session'> | undefined, over: string | null) {
    this.#followed.add(over)
    this.wasFreeBefore = this.#last === undefined || this.isFree
    this.#last = { s, line }
    this.isFree = false
    this.#expectedIndex = 0
  }

  /** Counts a line. Returns whether lines of its session are missing before it. */
  #count({ s, i }: Line) {
    const isGap = i !== this.#expectedIndex
    this.#expectedIndex = i + 1
    this.#lineCounts.set(s, (this.#lineCounts.get(s) ?? 0) + 1)
    return isGap
  }
}
