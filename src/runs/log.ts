/**
 * What the lines of a run file say: which of them count, what is to be sent, what is known of it, and how it ended. Reads no
 * file itself.
 *
 * A line counts if it has the next number and is of the session in force. A `session` line with the next number takes over;
 * one of a new session with a smaller number came too late. Late lines of known sessions are nothing; anything else out of
 * turn is damage.
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
  /** Undefined while the head is not whole: nothing was ever sent. */
  queue: Queue | undefined
  /** The last line that counts, if it is an `end`. */
  end: LineOf<'end'> | undefined
  /** The session in force, and its first line. */
  holder: string | undefined
  session: LineOf<'session'> | undefined
  firstSession: string | undefined
  lastAt = NaN
  /** Milliseconds that commands worked on the run, all together. */
  durationMs = 0
  isDamaged = false
  readonly #known = new Set<string>()

  constructor(run: string) {
    this.run = run
  }

  /** Applies the next good line of the file. */
  apply(line: Line) {
    const { n, s, t } = line
    const isKnown = this.#known.has(s)
    this.#known.add(s)
    const takesOver = !isKnown && t === 'session'
    // A claim that came too late, and a holder that was replaced.
    if (takesOver && n < this.next) return
    if (isKnown && s !== this.holder) return
    const mayWrite = isKnown || takesOver
    if (!mayWrite || n !== this.next || this.#isMisplaced(line)) this.#markDamaged()
    this.holder = s
    this.next = n + 1
    this.#take(line)
  }

  /** Whether a line stands in the wrong place: a second head, or a line about requests without a whole head. */
  #isMisplaced({ t }: Line) {
    if (t === 'session') return false
    const hasHead = this.queue !== undefined
    return t === 'run' || t === 'ids' ? hasHead : !hasHead
  }

  #take(line: Line) {
    this.end = line.t === 'end' ? line : undefined
    if (line.t === 'session') {
      this.session = line
      this.firstSession ??= line.s
    } else this.durationMs += Math.max(0, line.at - this.lastAt) || 0
    this.lastAt = line.at
    if (line.t === 'try' || line.t === 'res' || line.t === 'read') {
      // Behind damage there are requests whose halving is not known.
      if (this.queue?.apply(line) === false) this.#markDamaged()
    } else if (this.queue === undefined) this.#takeHead(line)
  }

  /** Takes a line of the head. An earlier head that is not whole was cut off, and nothing of it was sent. */
  #takeHead(line: Line) {
    if (line.t === 'run') {
      this.head = line
      this.items = new Items()
    } else if (line.t === 'ids')
      for (const [id, line_, other, expected] of line.ids)
        this.items.add({ id, line: line_, other, expected })
    else return
    const { head, items } = this
    if (head === undefined || items.size < head.count) return
    this.queue = new Queue(head, items)
    if (this.isDamaged) this.queue.markDamaged()
  }

  /** Lines are missing. A head that is not whole is of no use then. */
  #markDamaged() {
    this.isDamaged = true
    if (this.queue === undefined) this.head = undefined
    this.queue?.markDamaged()
  }

  /** Whether the result was printed and nothing is due, or an undo or a newer run has closed the run. */
  get isFinished() {
    if (this.isClosed) return true
    return !this.isDamaged && this.end !== undefined && this.queue?.dueItems === 0
  }

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

/** The log, if its head is whole. Throws exit 2 if the head is damaged, and 1 if the run never began. */
export function begun(log: RunLog): BegunLog {
  if (isBegun(log)) return log
  const hint = say`see the others with: ${svc`runs list`}`
  if (log.isDamaged) throw usageError(`run ${log.run} has a damaged head`, hint)
  throw new SvcError('rejected', `run ${log.run} never began`, { hint })
}
