/**
 * The fold of a run file, line by line: whether the run began, who works on it, what is known of each batch, and how it
 * ended. Pure. docs/run-file.md has the rules.
 */
import { pluralize } from '../words.ts'
import { ItemsBuilder, type Batches, type Items } from './items.ts'
import type { Line, LineOf, NewLine, StopReason } from './lines.ts'
import { Sessions, type LineStanding } from './sessions.ts'
import { RunState } from './state.ts'

export type Head = LineOf<'run'>

/** A run that began: its head is whole. */
export class RecordedRun {
  /** Its name, or its id. */
  readonly run: string
  readonly head: Head
  readonly state: RunState
  /** How it last ended, if nothing was sent or read after that. The summary is there once its line was written. */
  end: Partial<Pick<LineOf<'end'>, 'stop' | 'summary'>> | undefined
  /** Time of the end of the last session that sent or read something. */
  workEndedAt: number | undefined
  /** Something was sent or read. */
  hasWorked = false
  /** Time of the first `try`, and of the last line, in milliseconds since 1970. */
  firstTryAt: number | undefined
  lastAt: number
  /** Duration of all sessions together, in milliseconds. */
  durationMs = 0
  /** The undo that has begun. */
  undone: string | undefined
  /** Fingerprints of the keys that worked on it. */
  readonly keys: Set<string>
  /** Checksums of the files that it wrote for its user, by path, and the drafts beside them. */
  readonly files = new Map<string, Set<string>>()
  readonly drafts = new Set<string>()
  /** How often lines were found to be lost. */
  losses = 0
  /** True at first: the first end counts even if nothing was sent. */
  #hasWorkedSinceEnd = true
  #isSessionEnded = false

  constructor(
    run: string,
    head: Head,
    { items, batches }: { items: Items; batches: Batches },
  ) {
    const { operation, parameters, key, startedAt, name } = head
    this.run = name ?? run
    this.head = head
    this.state = new RunState({ operation, parameters, items, batches })
    this.keys = new Set([key])
    this.lastAt = Date.parse(startedAt)
  }

  /** A line that counts, and what is missing before it. */
  apply(line: Line, standing?: LineStanding) {
    if (standing?.isDamaged === true) {
      this.losses += 1
      this.state.loseLines()
    }
    if (standing?.hasLostBeginning === true) this.#applySession(undefined)
    this.#applyTime(line)
    this.#applyMeaning(line)
  }

  #applyMeaning(line: Line) {
    switch (line.t) {
      case 'session':
        return this.#applySession(line)
      case 'try':
      case 'res':
      case 'read':
        return this.#applyWork(line)
      case 'file':
        return this.#applyFile(line)
      case 'end':
        // The summary was made a moment before its line was written.
        this.finish(line.stop, Date.parse(line.summary.endedAt ?? '') || line.at)
        this.end = line
        return
      case 'undone':
        this.undone = line.by
        return
      case 'run':
      case 'ids':
      case 'free':
      case 'pruned':
    }
  }

  /** Only the time from a session's first line to the last before its summary counts. A machine's clock may be set back. */
  #applyTime({ t, at }: Line) {
    if (t === 'session') this.lastAt = at
    else if (t !== 'end' && t !== 'free') this.durationMs += Math.max(0, at - this.lastAt)
    this.lastAt = Math.max(this.lastAt, at)
  }

  #applyFile({ path, sha256, draft }: LineOf<'file'>) {
    this.files.set(path, (this.files.get(path) ?? new Set()).add(sha256))
    this.drafts.add(draft)
  }

  /** A line of this process that could not be written: what it says counts all the same. */
  applyUnwritten(line: NewLine, at: number) {
    this.apply({ s: '', i: 0, ...line, at })
  }

  /** `line` is undefined for a session whose beginning was lost: the one before it may still be alive. */
  #applySession(line: LineOf<'session'> | undefined) {
    this.#endSession(false)
    this.#isSessionEnded = false
    this.state.begin(line ?? { unsure: true })
    if (line?.key !== undefined) this.keys.add(line.key)
  }

  #applyWork(line: LineOf<'try' | 'res' | 'read'>) {
    this.end = undefined
    this.hasWorked = true
    this.#hasWorkedSinceEnd = true
    if (line.t === 'try') this.firstTryAt ??= line.at
    this.state.apply(line)
  }

  /** The session ends. Called before its summary is made, and again, without effect, with the `end` line that has it. */
  finish(stop: StopReason | undefined, at: number) {
    this.#endSession(stop === 'refused' || stop === 'failures')
    this.end = { stop }
    if (this.#hasWorkedSinceEnd) this.workEndedAt = at
    this.#hasWorkedSinceEnd = false
  }

  #endSession(isStoppedByRefusals: boolean) {
    if (!this.#isSessionEnded) this.state.end(isStoppedByRefusals)
    this.#isSessionEnded = true
  }

  /** Undefined while it has no end. */
  get endedAt(): number | undefined {
    return this.end && this.workEndedAt
  }

  /** The loss of lines, in words; undefined when the file is whole. */
  get damage(): string | undefined {
    if (this.losses === 0) return undefined
    const places = pluralize(this.losses, 'place')
    return `lines are missing in ${places} in the record of run ${this.run}: batches that may have been sent then are unknown`
  }
}

/** Lines that may stand in the file of a run that never began. */
const beforeHead = ['session', 'run', 'ids', 'free', 'pruned']

export class RunLog {
  readonly run: string
  readonly sessions = new Sessions()
  /** Undefined while there is no whole head. */
  recorded: RecordedRun | undefined
  /** The file is about to be removed. */
  isPruned = false
  /** Exit code of the last command that ended before it sent anything. */
  unsentExit: number | undefined
  /** A head that is being read. */
  #partialHead: { head: Head; builder: ItemsBuilder } | undefined
  #isHeadLost = false
  /** Lines of the session in force are missing. */
  #hasGap = false

  constructor(run: string) {
    this.run = run
  }

  /** The run may have sent something, and it is not known what: its head is not whole. */
  get isHeadDamaged() {
    return this.recorded === undefined && this.#isHeadLost
  }

  /** The next good line, as it was read or written. */
  apply(line: Line) {
    const standing = this.sessions.apply(line)
    if (!standing.isValid) return
    if (line.t === 'pruned') this.isPruned = true
    if (line.t === 'free') this.unsentExit = line.exit
    if (line.t === 'run') return this.#applyRun(line)
    if (this.recorded !== undefined) return this.recorded.apply(line, standing)
    this.#applyUnbegun(line, standing)
    if (line.t === 'ids') this.#applyIds(line)
  }

  /**
   * A line before the head is whole. A gap alone may be a write that a crash cut short. Lines are lost for certain if a new
   * session says so, or if the same session went on to its `free` line.
   */
  #applyUnbegun({ t }: Line, { isDamaged }: LineStanding) {
    const isNewSession = t === 'session'
    this.#hasGap = !isNewSession && (this.#hasGap || isDamaged)
    const isLossCertain = isNewSession ? isDamaged : t === 'free' && this.#hasGap
    if (isLossCertain || !beforeHead.includes(t)) this.#isHeadLost = true
  }

  /** Everything begins anew: an earlier head was cut short. */
  #applyRun(head: Head) {
    this.recorded = undefined
    this.#isHeadLost = false
    this.#hasGap = false
    this.#partialHead = { head, builder: new ItemsBuilder() }
    this.#finishHead()
  }

  #applyIds({ b, ids }: LineOf<'ids'>) {
    const { builder } = this.#partialHead ?? {}
    // A gap: the head is not whole any more.
    if (builder?.sizes.length !== b - 1) this.#partialHead = undefined
    else builder.add(ids)
    this.#finishHead()
  }

  #finishHead() {
    const { head, builder } = this.#partialHead ?? {}
    if (head === undefined || builder?.sizes.length !== head.batches) return
    this.#partialHead = undefined
    const built = builder.build(head.kind)
    if (built?.items.size === head.input.unique) {
      this.recorded = new RecordedRun(this.run, head, built)
    } else this.#isHeadLost = true
  }
}
