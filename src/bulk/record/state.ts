/**
 * The fold of a run's journal: what may be claimed about each batch. `send.ts` feeds it while it sends, and `read-run.ts` while it reads a journal. Both get
 * the same state, so that a killed run resumes exactly where it was. Nothing else remembers what was sent. docs/reliability.md has the rules.
 */
import type { BulkOperation } from '../../api/operations.ts'
import {
  applyLine,
  beginSession,
  endSession,
  reopen,
  taint,
  untouched,
  type BatchState,
  type Part,
} from './batch.ts'
import type { ParameterValues } from './header.ts'
import { Batches, type Items } from './items.ts'
import type { BatchLine, JournalLine, LineOf } from './journal.ts'
import type { Batch, Step } from '../operations/operation.ts'
import { columnSlot, isOfPairs, operationOf } from '../operations/operations.ts'
import { partyIn } from '../operations/operation.ts'
import { isOpen, type Judgement } from '../operations/outcome.ts'

/** The largest concurrency: as many batches may have been in flight when lines were lost. */
const mostInFlight = 32

interface RunParts {
  readonly operation: BulkOperation
  readonly parameters: ParameterValues
  readonly items: Items
  readonly batchSize: number
}

export class RunState {
  readonly operation: BulkOperation
  readonly parameters: ParameterValues
  readonly items: Items
  readonly batches: Batches
  readonly #states: BatchState[]
  /** Batches that were refused since the last answer of this session. */
  readonly #refused = new Set<number>()
  /** Session of the last line that counted. */
  #session = 0
  #isEnded = false

  constructor({ operation, parameters, items, batchSize }: RunParts) {
    this.operation = operation
    this.parameters = parameters
    this.items = items
    this.batches = new Batches(items.size, batchSize)
    this.#states = Array<BatchState>(this.batches.total).fill(untouched)
  }

  of(batch: number): BatchState {
    return this.#states[batch - 1] ?? untouched
  }

  batch(number: number): Batch {
    const { operation, parameters, items } = this
    const { from, to } = this.batches.range(number)
    const ids = items.slice(from, to)
    if (!isOfPairs(operation)) return { operation, parameters, ids }
    const { other = this.#commonOther, from: expected } = items.at(from)
    return { operation, parameters, ids, other, from: expected }
  }

  /** The second party that all items have in common. */
  get #commonOther(): string | undefined {
    const slot = columnSlot(this.operation)
    return slot && partyIn(this.parameters, slot.key)?.id
  }

  /** The next line of the journal; undefined for a damaged one. */
  replay(line: JournalLine | undefined): void {
    if (line === undefined) return this.#loseLines()
    // A session that was taken over adds nothing any more.
    if (line.n < this.#session) return
    const isLater = line.n > this.#session && this.#session > 0
    this.#session = line.n
    // Its `session` line was lost.
    if (isLater && line.t !== 'session') this.#beginSession({ takeOver: true })
    switch (line.t) {
      case 'session':
        return this.#beginSession(line)
      case 'try':
      case 'res':
      case 'read':
        return this.apply(line)
      case 'end':
        return this.end(line.stop === 'refused' || line.stop === 'failures')
      case 'begin':
      case 'file':
    }
  }

  apply(line: BatchLine): void {
    const { b: batch } = line
    if (batch > this.batches.total) return this.#loseLines()
    this.#isEnded = false
    const { problemOf } = operationOf(this.operation)
    const hasSense = (data: unknown, part: Part | undefined): boolean => {
      const whole = this.batch(batch)
      const ids = part === undefined ? whole.ids : whole.ids.slice(part[0] - 1, part[1])
      return problemOf(whole, ids, data) === undefined
    }
    this.#set(batch, applyLine(this.of(batch), line, hasSense))
    if (line.t !== 'res') return
    if (line.k === 'answered') this.#refused.clear()
    else if (line.k === 'refused') this.#refused.add(batch)
  }

  /** A session ended. `isStoppedByRefusals`: its last refusals are what stopped it, so those batches are sent again. */
  end(isStoppedByRefusals: boolean): void {
    if (this.#isEnded) return
    this.#isEnded = true
    // A refusal of a pair is about that pair; a batch of ids shares what is wrong with all others.
    if (isStoppedByRefusals && !isOfPairs(this.operation)) {
      for (const batch of this.#refused)
        this.#set(batch, { ...this.of(batch), isToSend: true })
    }
    this.#refused.clear()
    this.#change(endSession)
  }

  #beginSession({
    takeOver,
    reopen: outcomes = [],
  }: Pick<LineOf<'session'>, 'takeOver' | 'reopen'>) {
    // A session that died may have been stopped by its last answer.
    this.end(true)
    this.#isEnded = false
    if (takeOver === true) this.#change((state) => taint(state, false))
    this.#change((state, batch) => this.#begin(batch, state))
    if (outcomes.length > 0) this.#reopen(outcomes)
  }

  #begin(batch: number, state: BatchState): BatchState {
    return beginSession(state, (begun) => this.#nextOf(batch, begun) === undefined)
  }

  /** Opens batches again in which an id has one of these outcomes. */
  #reopen(outcomes: readonly string[]): void {
    this.#change((state, batch) => {
      const isWanted = this.judge(batch).outcomes.some((outcome) =>
        outcomes.includes(outcome),
      )
      return isWanted ? reopen(state) : state
    })
  }

  /** Lines were damaged here: the begun batches without an accepted answer and the next ones may have been sent. */
  #loseLines(): void {
    let next = mostInFlight
    this.#states.forEach((state, i) => {
      const isNext = state.attempts === 0 && next > 0
      if (isNext) next -= 1
      if (state.attempts > 0 || isNext) this.#states[i] = taint(state, true)
    })
  }

  #change(change: (state: BatchState, batch: number) => BatchState): void {
    // Untouched batches, of which there can be a million, share their state.
    const shared = new Map<BatchState, BatchState>()
    this.#states.forEach((state, i) => {
      const isShared = state.attempts === 0 && state.reading === undefined
      const changed = shared.get(state) ?? change(state, i + 1)
      if (isShared) shared.set(state, changed)
      this.#states[i] = changed
    })
  }

  #set(batch: number, state: BatchState): void {
    this.#states[batch - 1] = state
  }

  /** The claims about a batch in its current state. */
  judge(batch: number): Judgement {
    return operationOf(this.operation).judge(this.batch(batch), this.of(batch))
  }

  /** The next step of this session with a batch; undefined when nothing more is to be done. */
  next(batch: number): Step | undefined {
    return this.#nextOf(batch, this.of(batch))
  }

  #nextOf(batch: number, state: BatchState): Step | undefined {
    return operationOf(this.operation).next(this.batch(batch), state)
  }

  /** Whether a later session would send or read a batch. */
  isLeft(batch: number): boolean {
    const state = this.#begin(batch, this.of(batch))
    return this.#nextOf(batch, state) !== undefined
  }

  /** Batches that a session would send or read, in their order. */
  listLeft(): number[] {
    return [...this.batches.numbers()].filter((batch) => this.isLeft(batch))
  }

  /** Whether no repetition changes what a batch says: the same 5xx in three sessions, a refusal of what may have been done. */
  isHopeless(batch: number): boolean {
    const { failing, last } = this.of(batch)
    if ((failing?.sessions ?? 0) >= 3) return true
    const isRefused = last?.k === 'refused' && ![401, 403, 429].includes(last.s ?? 0)
    return (
      isRefused &&
      this.judge(batch).outcomes.some((outcome) => outcome === 'unknown' || isOpen(outcome))
    )
  }

  /** Whether some answers made no sense: opening those batches again is what can be done. */
  hasUselessAnswers(): boolean {
    return this.#states.some(
      ({ answer, last, open }) =>
        answer === undefined && open === undefined && last?.k === 'answered',
    )
  }
}
