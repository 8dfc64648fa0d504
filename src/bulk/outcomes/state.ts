/**
 * Fold of a run's events: what became of each id so far. The scheduler feeds it as it sends, and a journal as it is replayed
 * (`bulk/runs/recorded.ts`); both come to the same state, so that a killed run goes on as if it had been read all along. Nothing else
 * remembers what was sent.
 */
import {
  applyEvent,
  forgetAnswer,
  isUntried,
  landingOf,
  look,
  reopen,
  reopenRefused,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from '../record/batch-state.ts'
import { batchRange, countIds, numbers, type Batches } from '../record/batches.ts'
import {
  isIsolating,
  isSingle,
  nextAction,
  operationOf,
  outcomesOf,
  targetOf,
} from '../operations/operations.ts'
import { totalsOf, type BatchEnd, type KnownBatch, type Totals } from './totals.ts'
import type { Chain } from '../operations/merge-order.ts'
import type { Batch } from '../operations/operation.ts'
import { isDone, reopenable, type BatchOutcome, type Outcome } from '../operations/outcome.ts'
import type { BatchEvent, CutEvent, ReopenEvent, ResumeEvent } from '../record/events.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Items } from '../record/items.ts'
import { landingFrom, timeToLand, type Moment } from '../record/landing.ts'
import type { ParameterValues } from '../record/run.ts'

/** Parts of a run: what is sent, and how. */
interface RunStateParts {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  /** Values by key; the target is the second party of every item of an operation on pairs that was given ids alone. */
  readonly parameters: ParameterValues
  /** Answers are kept whole, as the journal has them: of a run of one thing. */
  readonly keepsAnswers?: boolean | undefined
  readonly chain?: Chain | undefined
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
  /** Add: whether ids that do not exist are looked for, from the beginning or since a retry. */
  isolates: boolean
  isolateCalls = 0
  readonly #parts: RunStateParts
  /** By number, of those with an event or an end. */
  readonly #batches: (KnownBatch | undefined)[]
  /** State of the others. */
  #fresh: BatchState = unsent
  /** Outcomes of batches whose ids all ended alike: one array for all of these, since a run may have a million ids. */
  readonly #alike = new Map<string, readonly Outcome[]>()
  /** When batches were last answered, tried or read, by number, in milliseconds since 1970; 0 for never. */
  readonly times: Float64Array
  /** Batches that were refused since the last success of this session. */
  readonly #refused = new Set<number>()
  /** An answer was accepted before an attempt of this session. */
  #isProven = false

  constructor(parts: RunStateParts) {
    this.operation = parts.operation
    this.items = parts.items
    this.batches = parts.batches
    this.isolates = isIsolating(parts.operation, parts.parameters)
    this.#parts = parts
    this.#batches = Array.from({ length: parts.batches.total + 1 })
    this.times = new Float64Array(parts.batches.total + 1)
  }

  /** The present state of a batch; of one that has ended with an accepted answer only what was tried. */
  of(batch: number): BatchState {
    return this.#batches[batch]?.state ?? this.#fresh
  }

  hasEnded(batch: number): boolean {
    return this.endOf(batch) !== undefined
  }

  endOf(batch: number): BatchEnd | undefined {
    const record = this.#batches[batch]
    return record?.outcomes === undefined ? undefined : record
  }

  /** Totals of the batches that have ended. */
  totals(): Totals {
    return totalsOf(this.batches.total, this.#batches)
  }

  #change(batch: number, state: BatchState): void {
    this.#batches[batch] = { ...this.#batches[batch], state }
  }

  apply(event: BatchEvent): void {
    // Two processes sent it at the same moment, and the other answer came first.
    if (this.hasEnded(event.b)) return
    this.times[event.b] = event.at
    this.#change(event.b, applyEvent(this.of(event.b), event))
    if (event.t === 'try' && event.early !== true) this.#isProven = true
    if (event.t === 'isolated') this.isolateCalls += event.calls
    if (event.t !== 'res') return
    if (event.k === 'answered') this.#refused.clear()
    else if (event.k === 'refused') this.#refused.add(event.b)
  }

  /** The same for a journal that is replayed: batches that are done with are closed at once, so that memory stays flat. */
  replay(event: BatchEvent): void {
    this.apply(event)
    if (this.hasEnded(event.b) || this.of(event.b).answer === undefined) return
    if (!this.#hasWorkLeft(event.b) && !this.outcome(event.b).outcomes.includes('unknown'))
      this.close(event.b)
  }

  /** A session of the run ended: whether its last refusals are what stopped it. Such batches are sent again. */
  endSession(stoppedByRefusals: boolean): void {
    // A refusal of a pair is about that pair; a batch of ids shares what is wrong with all others.
    if (stoppedByRefusals && !isSingle(this.operation)) {
      for (const batch of this.#refused) this.#change(batch, reopenRefused(this.of(batch)))
    }
    this.#refused.clear()
  }

  /** Another session begins; after a take-over the one before may have sent more than it wrote. */
  resume(event: ResumeEvent): void {
    this.look(event)
    if (event.takeOver === true) {
      const landing = landingFrom(event, !this.#isProven)
      this.#fresh = taint(this.#fresh, landing)
      for (const [batch, record] of this.#batches.entries()) {
        if (record !== undefined) this.#change(batch, taint(record.state, landing))
      }
    }
    this.#isProven = false
  }

  /** Somebody looks at the run: see `look` of a batch. */
  look(moment: Moment): void {
    if (!isSingle(this.operation)) return
    this.#fresh = look(this.#fresh, moment)
    for (const [batch, record] of this.#batches.entries()) {
      if (record !== undefined) this.#change(batch, look(record.state, moment))
    }
  }

  /** Whole lines of the journal were lost, so each of these batches counts as perhaps sent. */
  cut(event: CutEvent): void {
    const landing = landingFrom(event, !this.#isProven)
    for (const batch of event.b)
      if (!this.hasEnded(batch)) this.#change(batch, taint(this.of(batch), landing))
  }

  /** Batches that a lost line may be about: those that were tried and are open, and the next others, up to the concurrency. */
  nextOpen(): number[] {
    const open: number[] = []
    const never = new Set<number>()
    let untried = 0
    for (const batch of this.#order()) {
      if (this.hasEnded(batch)) continue
      const state = this.of(batch)
      const isBegun = !isUntried(state)
      const isOver = state.answer !== undefined || !this.#hasWorkLeft(batch)
      if (isOver || this.chainBefore(batch).some((earlier) => never.has(earlier))) never.add(batch)
      else if (isBegun || (untried += 1) <= (this.#parts.concurrency ?? 1)) open.push(batch)
    }
    return open
  }

  /** `runs retry`: opens batches again in which an id has one of these outcomes. */
  reopen(event: ReopenEvent): void {
    const wanted = new Set(reopenable.filter((outcome) => event.outcomes.includes(outcome)))
    if (event.isolate === true) this.isolates = true
    for (const batch of numbers(this.batches.total)) {
      const isWanted = this.outcome(batch).outcomes.some((outcome) => wanted.has(outcome))
      if (isWanted) this.#batches[batch] = { state: reopen(this.of(batch)) }
    }
    this.#refused.clear()
  }

  /** The outcome of a batch: as it was closed, or as it stands, which a later event can change. */
  outcome(batch: number): BatchOutcome {
    return this.endOf(batch) ?? outcomesOf(this.batch(batch), this.of(batch))
  }

  /** For a new session: closes what is finished, only listed, or in vain; returns the rest in sending order. */
  openBatches(): number[] {
    const open: number[] = []
    for (const batch of this.#order()) {
      if (this.hasEnded(batch)) continue
      if (!this.#hasWorkLeft(batch)) this.close(batch)
      else if (this.#isInVain(batch)) this.close(batch, inVain)
      else {
        if (this.#batches[batch] !== undefined) this.#change(batch, resumeBatch(this.of(batch)))
        open.push(batch)
      }
    }
    return open
  }

  /** Merge and assign: the second party of an item. */
  otherOf(position: number): string | undefined {
    const pair = this.items.pairs?.[position]
    if (pair !== undefined) return pair.other
    if (!isSingle(this.operation)) return undefined
    return targetOf(this.operation, this.#parts.parameters)?.id
  }

  /** Merge: the batches that must be done before this one. */
  chainBefore(batch: number): readonly number[] {
    return this.#parts.chain?.after(batch) ?? []
  }

  /** Why a batch is not sent now, in words; undefined when it may be. `now`: milliseconds since 1970, for the words alone. */
  holdsBack(batch: number, moment: Moment, now: number): string | undefined {
    if (this.#isInVain(batch)) return inVain
    const waits = this.#waitsFor(batch).map((other) => this.timeToLand(other, moment))
    const wait = Math.max(...waits, 0)
    if (wait === 0) return undefined
    const isReopened = this.of(batch).isReopened === true
    const what = isReopened ? ' again: its lost attempt' : ': a merge that must come first'
    return `not sent${what} can still take effect until ${new Date(now + wait).toISOString()}`
  }

  /** Merge: what must come before it. Opened again: its own attempt before that. */
  #waitsFor(batch: number): readonly number[] {
    const waitsForItself = isSingle(this.operation) && this.of(batch).isReopened === true
    return waitsForItself ? [batch, ...this.chainBefore(batch)] : this.chainBefore(batch)
  }

  /** Milliseconds for which a lost attempt of a batch can still take effect. */
  timeToLand(batch: number, moment: Moment): number {
    return timeToLand(landingOf(this.of(batch)), moment)
  }

  /** Ends a batch. `why` is said of ids that were not sent, or not isolated. */
  close(batch: number, why?: string): readonly Outcome[] {
    const state = this.of(batch)
    const isLeft = this.#hasWorkLeft(batch)
    const end = this.#endInChain(batch, this.outcome(batch), isLeft)
    const assignees = operationOf(this.operation).undo.assignees?.(state)
    // An answer that was not accepted, or made no sense, may be asked for again: the state says whether resuming would do that.
    const isAsked = isLeft || end.outcomes.includes('unknown')
    const isKept = state.answer === undefined || isAsked || this.#parts.keepsAnswers === true
    const outcomes = this.#share(end.outcomes)
    const shortState = isKept ? state : forgetAnswer(state)
    this.#batches[batch] = { why, assignees, state: shortState, ...end, outcomes }
    return outcomes
  }

  #share(outcomes: readonly Outcome[]): readonly Outcome[] {
    const [first] = outcomes
    if (outcomes.some((outcome) => outcome !== first)) return outcomes
    const key = `${first} ${outcomes.length}`
    const alike = this.#alike.get(key) ?? outcomes
    this.#alike.set(key, alike)
    return alike
  }

  /** Merge: what is not sent because of an earlier one that no resume will do is an error, and so is what comes after it. */
  #endInChain(
    batch: number,
    outcome: BatchOutcome,
    isLeft: boolean,
  ): BatchOutcome & Pick<BatchEnd, 'never'> {
    const [first] = outcome.outcomes
    if (this.#parts.chain === undefined || first === undefined || isDone(first)) return outcome
    const problems = this.chainBefore(batch).map((before) => this.endOf(before)?.never)
    const problem = problems.find((never) => never !== undefined)
    if (problem !== undefined) {
      if (first === 'not-attempted') return { outcomes: ['error'], problem, never: problem }
      return { ...outcome, never: problem }
    }
    if (isLeft) return outcome
    return { ...outcome, never: first === 'unknown' ? afterUnknown : afterRefusal }
  }

  closeAll(): void {
    for (const batch of this.#order()) if (!this.hasEnded(batch)) this.close(batch)
  }

  /** How many ids of the closed batches resuming would work on. */
  countLeft(): number {
    const left = [...numbers(this.batches.total)].filter((batch) => this.isLeft(batch))
    return countIds(this.batches, left)
  }

  /** Whether resuming would work on a closed batch. */
  isLeft(batch: number): boolean {
    const end = this.endOf(batch)
    return end !== undefined && end.never === undefined && this.#hasWorkLeft(batch)
  }

  /** Whether some answers made no sense: opening those batches again is what can be done. */
  hasUselessAnswers(): boolean {
    return this.#batches.some(
      (record, batch) =>
        record?.state.answer !== undefined && this.outcome(batch).outcomes.includes('unknown'),
    )
  }

  #order(): Iterable<number> {
    return this.#parts.chain?.order ?? numbers(this.batches.total)
  }

  batch(batch: number): Batch {
    const { from, to } = batchRange(this.batches, batch)
    // Made when they are looked at: most answers are judged by their number.
    const ids = { length: to - from, [Symbol.iterator]: () => this.items.slice(from, to).values() }
    return { operation: this.operation, ids, other: this.otherOf(from), isolate: this.isolates }
  }

  #hasWorkLeft(batch: number): boolean {
    const action = nextAction(this.batch(batch), this.of(batch))
    return action !== 'finished' && action !== 'list-only'
  }

  /** A merge whose source should first have received another contact is left alone when that did not happen. */
  #isInVain(batch: number): boolean {
    return this.chainBefore(batch).some(
      (earlier) => this.endOf(earlier)?.outcomes.every(isDone) === false,
    )
  }
}
