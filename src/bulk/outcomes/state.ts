/** What became of each id of a run so far. A scheduler and a replayed journal feed it alike, with the same summary. */
import {
  applyEvent,
  canLandUntil,
  isAmbiguous,
  isUntried,
  reopen,
  reopenRefused,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from '../record/batch-state.ts'
import { batchRange, numbers, type Batches } from '../record/batches.ts'
import { nextAction, isSingle, outcomesOf } from '../operations/operations.ts'
import type { Batch } from '../operations/operation.ts'
import { isDone, reopenable, type BatchOutcome, type Outcome } from '../operations/outcome.ts'
import { EndedBatches } from './ended-batches.ts'
import type { BatchEvent, BulkOperation, CutEvent, ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { Items } from '../record/items.ts'
import type { Chain } from '../operations/merge-order.ts'
import { countBatch, emptyTotals, type Totals } from './totals.ts'
import type { LandingTime } from '../record/landing.ts'

export interface RunStateParts {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  readonly chain?: Chain | undefined
  /** Add: batches whose missing ids are not known yet have something left to do. */
  readonly isolate?: boolean | undefined
  /** How many batches are in flight: as many may have been sent by a `try` that a power loss took away. */
  readonly concurrency?: number | undefined
}

const inVain = 'not sent: a merge that must come first was not done'
const afterRefusal = 'not sent: an earlier merge of its chain was refused'
const afterUnknown = 'not sent: whether an earlier merge of its chain was made is unknown'

export class RunState {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  readonly totals: Totals
  readonly ended: EndedBatches
  isolateCalls = 0
  readonly #chain: Chain | undefined
  readonly #concurrency: number
  #isolate: boolean
  /** Of batches that have not ended, and of those that may be sent again. */
  readonly #states = new Map<number, BatchState>()
  #fresh: BatchState = unsent
  /** Merge: what no resume will do, and what that means for the merges that must come later. */
  readonly #neverDone = new Map<number, string>()
  /** Batches that were refused since the last success of this session. */
  readonly #refused = new Set<number>()

  constructor({ operation, items, batches, chain, isolate, concurrency }: RunStateParts) {
    this.operation = operation
    this.items = items
    this.batches = batches
    this.totals = emptyTotals(batches.total)
    this.#chain = chain
    this.#isolate = isolate === true
    this.#concurrency = concurrency ?? 1
    this.ended = new EndedBatches(operation, items, batches)
  }

  /** Add: whether ids that do not exist are looked for, from the beginning or since a retry. */
  get isolates(): boolean {
    return this.#isolate
  }

  /** The present state of a batch; of one that has ended with an accepted answer only what was tried. */
  of(batch: number): BatchState {
    return this.#states.get(batch) ?? (this.ended.has(batch) ? this.ended.state(batch) : this.#fresh)
  }

  apply(event: BatchEvent): void {
    // Two processes sent it at the same moment, and the other answer came first.
    if (this.ended.has(event.b)) return
    this.#states.set(event.b, applyEvent(this.of(event.b), event))
    if (event.t === 'isolated') this.isolateCalls += event.calls
    if (event.t !== 'res') return
    if (event.k === 'answered') this.#refused.clear()
    else if (event.k === 'refused') this.#refused.add(event.b)
  }

  /** The same for a journal that is replayed: batches that are done with are closed at once, so that memory stays flat. */
  replay(event: BatchEvent): void {
    this.apply(event)
    if (this.ended.has(event.b) || this.of(event.b).answer === undefined) return
    if (!this.#hasWorkLeft(event.b) && !this.outcome(event.b).outcomes.includes('unknown')) this.close(event.b)
  }

  /** A session of the run ended: whether its last refusals are what stopped it. Such batches are sent again. */
  endSession(stoppedByRefusals: boolean): void {
    // A refusal of a pair is about that pair; a batch of ids shares what is wrong with all others.
    if (stoppedByRefusals && !isSingle(this.operation)) {
      for (const batch of this.#refused) this.#states.set(batch, reopenRefused(this.of(batch)))
    }
    this.#refused.clear()
  }

  /** Another session begins; after a take-over the one before may have sent more than it wrote. */
  resume(event: ResumeEvent): void {
    if (event.takeOver !== true) return
    this.#fresh = taint(this.#fresh, event)
    for (const [batch, state] of this.#states) this.#states.set(batch, taint(state, event))
  }

  /** Whole lines of the journal were lost, so each of these batches counts as perhaps sent. */
  cut(event: CutEvent): void {
    for (const batch of event.b) if (!this.ended.has(batch)) this.#states.set(batch, taint(this.of(batch), event))
  }

  /** What a lost `try` may be about: tried batches that are open, and the next untried ones, up to the concurrency. */
  nextOpen(): number[] {
    const found: number[] = []
    const never = new Set<number>()
    let untried = 0
    for (const batch of this.#order()) {
      if (this.ended.has(batch)) continue
      const state = this.of(batch)
      const isOver = state.answer !== undefined || !this.#hasWorkLeft(batch)
      if (isOver || this.chainBefore(batch).some((earlier) => never.has(earlier))) never.add(batch)
      else if (!isUntried(state) || (untried += 1) <= this.#concurrency) found.push(batch)
    }
    return found
  }

  /** `runs retry`: opens batches again in which an id has one of these outcomes. */
  reopen(event: ReopenEvent): void {
    const wanted = new Set(reopenable.filter((outcome) => event.outcomes.includes(outcome)))
    if (event.isolate === true) this.#isolate = true
    for (const batch of numbers(this.batches.total)) {
      const outcome = this.outcome(batch)
      if (!outcome.outcomes.some((each) => wanted.has(each))) continue
      const state = this.of(batch)
      if (this.ended.has(batch)) countBatch(this.totals, state, outcome, -1)
      this.ended.forget(batch)
      this.#neverDone.delete(batch)
      this.#states.set(batch, reopen(state))
    }
    this.#refused.clear()
  }

  outcome(batch: number): BatchOutcome {
    return this.ended.has(batch) ? this.ended.outcome(batch) : outcomesOf(this.#batch(batch), this.of(batch))
  }

  /** For a new session: closes what is finished, only listed, or in vain; returns the rest in sending order. */
  openBatches(): number[] {
    const open: number[] = []
    for (const batch of this.#order()) {
      if (this.ended.has(batch)) continue
      if (!this.#hasWorkLeft(batch)) this.close(batch)
      else if (this.#isInVain(batch)) this.close(batch, inVain)
      else {
        this.#states.set(batch, resumeBatch(this.of(batch)))
        open.push(batch)
      }
    }
    return open
  }

  chainBefore(batch: number): readonly number[] {
    return this.#chain?.after(batch) ?? []
  }

  /** Why a batch is not sent now, in words; undefined when it may be. */
  holdsBack(batch: number, { now, margin }: LandingTime): string | undefined {
    if (this.#isInVain(batch)) return inVain
    const until = Math.max(...this.#waitsFor(batch).map((each) => canLandUntil(this.of(each)) ?? 0), 0)
    if (until === 0 || until + margin <= now) return undefined
    const what = this.of(batch).isReopened === true ? ' again: its lost attempt' : ': a merge that must come first'
    return `not sent${what} can still take effect until ${new Date(until + margin).toISOString()}`
  }

  /** Whether the time has to be known before these are sent: an attempt may still take effect that one of them waits for. */
  needsTime(batches: readonly number[]): boolean {
    const isPending = (batch: number): boolean => canLandUntil(this.of(batch)) !== undefined
    return isSingle(this.operation) && batches.some((batch) => this.#waitsFor(batch).some(isPending))
  }

  /** Merge: what must come before it. Opened again: its own attempt before that. */
  #waitsFor(batch: number): readonly number[] {
    const own = isSingle(this.operation) && this.of(batch).isReopened === true
    return own ? [batch, ...this.chainBefore(batch)] : this.chainBefore(batch)
  }

  /** Whether an item that is a batch of its own was opened again and waits until its lost attempt can land no more. */
  isReopened(position: number): boolean {
    return this.of(1 + position - this.batches.from).isReopened === true
  }

  /** Of an item that is a batch of its own: until when a lost attempt can still take effect; 0 when there was none. */
  landsUntil(position: number): number {
    return canLandUntil(this.of(1 + position - this.batches.from)) ?? 0
  }

  /** Ends a batch and counts it. `why` is said of ids that were not sent, or not isolated. */
  close(batch: number, why?: string): readonly Outcome[] {
    const state = this.of(batch)
    const isLeft = this.#hasWorkLeft(batch)
    const outcome = this.#outcomeInChain(batch, this.outcome(batch), isLeft)
    countBatch(this.totals, state, outcome)
    // What was not accepted, or made no sense, may be sent again, and its state says whether resuming would do that.
    const isKept = state.answer === undefined || isLeft || outcome.outcomes.includes('unknown')
    if (isKept) this.#states.set(batch, state)
    else this.#states.delete(batch)
    this.ended.keep(batch, state, outcome, why)
    return outcome.outcomes
  }

  /** Merge: what is not sent because of an earlier one that no resume will do is an error, and so is what comes after it. */
  #outcomeInChain(batch: number, outcome: BatchOutcome, isLeft: boolean): BatchOutcome {
    const [first] = outcome.outcomes
    if (this.#chain === undefined || first === undefined || isDone(first)) return outcome
    const earlier = this.chainBefore(batch).find((before) => this.#neverDone.has(before))
    const problem = earlier === undefined ? undefined : this.#neverDone.get(earlier)
    if (problem !== undefined) this.#neverDone.set(batch, problem)
    else if (!isLeft) this.#neverDone.set(batch, first === 'unknown' ? afterUnknown : afterRefusal)
    return problem === undefined || first !== 'not-attempted' ? outcome : { outcomes: ['error'], problem }
  }

  /** For a plan that is only shown. */
  leaveAll(): void {
    this.totals.outcomes['not-attempted'] = this.batches.to - this.batches.from
  }

  closeAll(): void {
    for (const batch of this.#order()) if (!this.ended.has(batch)) this.close(batch)
  }

  /** What resuming would work on, among the closed batches; `refused`: ids that count as `error` until they are sent again. */
  left(): { batches: number; ids: number; refused: number } {
    const found = { batches: 0, ids: 0, refused: 0 }
    for (const [batch, state] of this.#states) {
      if (!this.ended.has(batch) || this.#neverDone.has(batch) || !this.#hasWorkLeft(batch)) continue
      const { from, to } = batchRange(this.batches, batch)
      found.batches += 1
      found.ids += to - from
      if (state.last?.kind === 'refused' && !isAmbiguous(state)) found.refused += to - from
    }
    return found
  }

  /** Whether some answers made no sense: opening those batches again is what can be done. */
  hasUselessAnswers(): boolean {
    for (const [batch, state] of this.#states) {
      if (state.answer !== undefined && this.outcome(batch).outcomes.includes('unknown')) return true
    }
    return false
  }

  #order(): Iterable<number> {
    return this.#chain?.order ?? numbers(this.batches.total)
  }

  #batch(batch: number): Batch {
    const { from, to } = batchRange(this.batches, batch)
    // Made when they are looked at: most answers are judged by their number.
    const ids = { length: to - from, [Symbol.iterator]: () => this.items.ids(from, to).values() }
    return { operation: this.operation, ids, other: this.items.other(from), isolate: this.#isolate }
  }

  #hasWorkLeft(batch: number): boolean {
    const action = nextAction(this.#batch(batch), this.of(batch))
    return action !== 'finished' && action !== 'list-only'
  }

  /** A merge whose source should first have received another contact is left alone when that did not happen. */
  #isInVain(batch: number): boolean {
    return this.chainBefore(batch).some((earlier) => this.ended.has(earlier) && !this.ended.isDone(earlier))
  }
}
