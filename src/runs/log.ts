/**
 * The log of a run: what the lines of its file say. Reads no file itself.
 *
 * - A line of the session in force with the next number counts.
 * - The `session` line of a new session with the next number puts it in force. With a smaller number, it came too late.
 * - Other lines of a session that is known and not in force are ignored.
 * - Any other line is damage: lines before it are missing. It is taken all the same, and sets session and number.
 */
import { SvcError, usageError, say, svc } from '../errors.ts'
import { Items } from '../input/items.ts'
import type { Line, LineOf } from './lines.ts'
import { Queue } from './queue.ts'

export class RunLog {
  /** The name of the run. */
  readonly run: string
  /** The number of the next line that counts. */
  next = 0
  head: LineOf<'run'> | undefined
  items = new Items()
  /** Undefined while the head is not whole. Then nothing was ever sent, unless the log is damaged. */
  queue: Queue | undefined
  /** The last line that counts, if it is an `end`. */
  end: LineOf<'end'> | undefined
  /** The session in force. */
  holder: string | undefined
  /** The last `session` line that counts. */
  session: LineOf<'session'> | undefined
  /** The session that began the run. */
  firstSession = ''
  /** The time of the last line that counts, in milliseconds since 1970. */
  lastAt = NaN
  /** How long all commands together worked on the run. */
  durationMs = 0
  isDamaged = false
  /** All sessions that have a line in the file. */
  readonly #knownSessions = new Set<string>()

  constructor(run: string) {
    this.run = run
  }

  /** Applies the next good line of the file. */
  apply(line: Line) {
    const { n, s, t } = line
    const isKnown = this.#knownSessions.has(s)
    this.#knownSessions.add(s)
    const takesOver = !isKnown && t === 'session'
    // The claim came too late.
    if (takesOver && n < this.next) return
    // Its session is not in force: it was replaced, or its claim came too late.
    if (isKnown && s !== this.holder) return
    const mayWrite = isKnown || takesOver
    if (!mayWrite || n !== this.next || this.#isMisplaced(line)) this.#markDamaged()
    this.holder = s
    this.next = n + 1
    this.#take(line)
  }

  /** Whether a line is in the wrong place: one of a head when the head is whole, or another one before. */
  #isMisplaced({ t }: Line) {
    if (t === 'session') return false
    const isHeadWhole = this.queue !== undefined
    return t === 'run' || t === 'ids' ? isHeadWhole : !isHeadWhole
  }

  /** Takes a line that counts. */
  #take(line: Line) {
    this.end = line.t === 'end' ? line : undefined
    if (line.t === 'session') {
      this.session = line
      this.firstSession ||= line.s
    } else {
      // The time before a `session` line was idle. The clock may have been set back.
      const sinceLast = line.at - this.lastAt
      if (sinceLast > 0) this.durationMs += sinceLast
    }
    this.lastAt = line.at
    if (line.t === 'try' || line.t === 'res' || line.t === 'read') {
      // An answer can split a request into halves. A half that the queue does not have shows that this answer is missing.
      if (this.queue?.apply(line) === false) this.#markDamaged()
    } else if (this.queue === undefined) this.#takeHead(line)
  }

  /** Takes a line of the head. A `run` line replaces an earlier head that was cut off, of which nothing was sent. */
  #takeHead(line: Line) {
    if (line.t === 'run') {
      this.head = line
      this.items = new Items()
    } else if (line.t === 'ids')
      for (const [id, inputLine, other, expected] of line.ids)
        this.items.add({ id, line: inputLine, other, expected })
    else return
    const { head, items } = this
    if (head === undefined || items.size < head.count) return
    this.queue = new Queue(head, items)
    if (this.isDamaged) this.queue.markDamaged()
  }

  /** Notes that lines are missing. A head that is not whole is dropped, because some of its ids may be missing. */
  #markDamaged() {
    this.isDamaged = true
    if (this.queue === undefined) this.head = undefined
    this.queue?.markDamaged()
  }

  /** Whether nothing is left to do: the run is closed, or it is undamaged, nothing is due and the result was printed. */
  get isFinished() {
    if (this.isClosed) return true
    return !this.isDamaged && this.end !== undefined && this.queue?.dueItems === 0
  }

  /** Whether an undo or a newer run has closed the run. */
  get isClosed() {
    return this.end?.undone === true || this.end?.superseded === true
  }
}

/** A log whose head is whole. */
export interface BegunLog extends RunLog {
  head: LineOf<'run'>
  queue: Queue
}

/** Whether the head of a run is whole, so that something may have been sent. */
export const isBegun = (log: RunLog | undefined): log is BegunLog =>
  log?.head !== undefined && log.queue !== undefined

/** Returns a log whose head is whole. Throws exit 2 if the head is damaged, and 1 if the run never began. */
export function requireBegun(log: RunLog): BegunLog {
  if (isBegun(log)) return log
  const hint = say`see the others with: ${svc`runs list`}`
  if (log.isDamaged) throw usageError(`run ${log.run} has a damaged head`, hint)
  throw new SvcError('rejected', `run ${log.run} never began`, { hint })
}
