/** The state of each item by the lines of a record. An attempt makes items `unknown`, a result says what they are; the last word counts. */
import { Items } from '../input/items.ts'
import { schema, type Head, type Line, type LineOf, type Range } from './lines.ts'
import { outcomes, type Outcome, type OutcomeCounts } from './outcomes.ts'

/** An attempt, or what is known after one. */
type ItemLine = LineOf<'try'> | LineOf<'res'>

/** How many merges of a run may have been made, because their answers were lost. */
export const lostMerges = (head: Head | undefined, { unknown = 0 }: OutcomeCounts) =>
  head?.isFinalIfLost === true ? unknown : 0

export class State {
  /** Undefined until its line was read. */
  knownHead: Head | undefined
  readonly items: Items
  /** The `open` line of the last part, and the last line of that part if it is an `end`. */
  opened: LineOf<'open'> | undefined
  end: LineOf<'end'> | undefined
  /** The time of the last line. */
  lastAt = 0
  /** How many contacts were added, by the counts of all answers. */
  added = 0
  /** The files of receipts that an `end` names: this run wrote them. */
  readonly receiptsFiles = new Set<string>()
  /** Somebody has closed the run, and nothing was tried after that. */
  isClosed = false
  /** Where a line is missing or changed. Then nothing is due, and what has no final result is `unknown`. */
  damage: string | undefined
  #hasLostAnswer = false
  /** The last line about each item, from which its outcome follows, and whether it is due. */
  readonly #last: (ItemLine | undefined)[] = []
  #dueCount: number
  /** The assignees of tickets before their last attempts, if they were read; null for nobody. */
  readonly #assigneesBefore = new Map<number, string | null>()

  /** `items` are those of a run that begins. Those of a recorded run come with its lines. */
  constructor(items = new Items()) {
    this.items = items
    this.#dueCount = items.size
  }

  /** Applies a line. Returns false if it cannot stand here, which is damage. */
  apply(line: Line): boolean {
    this.lastAt = line.at
    this.end = line.t === 'end' ? line : undefined
    if (line.t === 'open') this.opened = line
    else if (line.t === 'run') {
      if (this.knownHead !== undefined || line.schema !== schema) return false
      this.knownHead = line
    } else if (line.t === 'ids') return this.#applyIds(line)
    else if (!this.hasAllIds) return false
    else if (line.t === 'end') {
      if (line.receipts !== undefined) this.receiptsFiles.add(line.receipts)
      this.isClosed ||= line.closed === true
    } else return this.#applyToItems(line)
    return true
  }

  #applyIds({ ids }: LineOf<'ids'>) {
    const { knownHead: head, items } = this
    if (head === undefined || items.size + ids.length > head.count) return false
    for (const [id, line, target, expected] of ids)
      items.add({ id, line, target, expected })
    this.#dueCount += ids.length
    return true
  }

  #applyToItems(line: ItemLine) {
    const [from, to] = line.b
    if (to > this.items.size) return false
    if (line.t === 'try') this.#noteAttempt(line)
    else {
      this.added += line.added ?? 0
      this.#hasLostAnswer ||= line.o === 'unknown' && line.added === undefined
    }
    const isDue = this.#isDueAfter(line)
    for (let index = from; index < to; index += 1) {
      if (this.#isDueAfter(this.#last[index]) !== isDue) this.#dueCount += isDue ? 1 : -1
      this.#last[index] = line
    }
    return true
  }

  /** Whether an item is still to be sent after its last line. */
  #isDueAfter(line: ItemLine | undefined) {
    if (line?.t === 'res') return line.due === true
    return line === undefined || this.knownHead?.isFinalIfLost !== true
  }

  #noteAttempt({ b: [from, to], assigneeBefore }: LineOf<'try'>) {
    this.isClosed = false
    // An attempt before this one has no result.
    this.#hasLostAnswer ||= this.#last.slice(from, to).some((line) => line?.t === 'try')
    if (assigneeBefore === undefined) this.#assigneesBefore.delete(from)
    else this.#assigneesBefore.set(from, assigneeBefore)
  }

  /** Whether the `ids` lines have as many items as the head says. */
  get hasAllIds() {
    return this.knownHead !== undefined && this.items.size === this.knownHead.count
  }

  /** The job of a run whose head is whole. */
  get head(): Head {
    if (this.knownHead === undefined) throw new TypeError('the run has no head')
    return this.knownHead
  }

  /** How many items are still to be sent, by this command or a later one. */
  get due() {
    return this.isClosed || this.damage !== undefined ? 0 : this.#dueCount
  }

  isDue(index: number) {
    return this.due > 0 && this.#isDueAfter(this.#last[index])
  }

  /** Whether a delete or merge of this item must not begin elsewhere: it is still to be sent, or may have been merged. */
  isOpen(index: number) {
    const { isFinalIfLost } = this.knownHead ?? {}
    const mayBeMerged = isFinalIfLost === true && this.outcomeOf(index) === 'unknown'
    return this.isDue(index) || mayBeMerged
  }

  outcomeOf(index: number): Outcome {
    const line = this.#last[index]
    // After damage, a later result may be among the lines that are missing.
    if (this.damage !== undefined && this.#isDueAfter(line)) return 'unknown'
    if (line === undefined) return 'not-attempted'
    const outcome = line.t === 'try' ? 'unknown' : line.o
    return typeof outcome === 'string' ? outcome : (outcome[index - line.b[0]] ?? 'unknown')
  }

  /** How many items have each outcome, in the order of `outcomes`. */
  get counts(): OutcomeCounts {
    const counts = new Map<Outcome, number>(outcomes.map((outcome) => [outcome, 0]))
    for (let index = 0; index < this.items.size; index += 1) {
      const outcome = this.outcomeOf(index)
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    }
    return Object.fromEntries([...counts].filter(([, count]) => count > 0))
  }

  /** Whether an answer was lost, which may have counted more as added. */
  get hasLostAnswer() {
    return this.#hasLostAnswer || this.#last.some((line) => line?.t === 'try')
  }

  /** The last attempt of an item, or what was known after it; undefined if nothing was tried. */
  lastLineOf(index: number) {
    return this.#last[index]
  }

  /** The result of an item's last attempt; undefined if it has none. */
  resultOf(index: number) {
    const last = this.#last[index]
    return last?.t === 'res' ? last : undefined
  }

  /** Returns the assignee of a ticket before its last attempt; null for nobody, undefined if that is not known. */
  assigneeBefore(index: number) {
    return this.#assigneesBefore.get(index)
  }

  /** Returns the stretches of due items, each with at most `most`. */
  dueRanges(most: number): Range[] {
    const ranges: Range[] = []
    for (let from = 0; from < this.items.size;) {
      let to = from
      while (to < this.items.size && to - from < most && this.isDue(to)) to += 1
      if (to > from) ranges.push([from, to])
      from = Math.max(to, from + 1)
    }
    return ranges
  }
}
