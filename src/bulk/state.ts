/**
 * What became of each id of a run so far: one byte per id, and a remark for each batch that ended badly. Fed by the scheduler
 * as it goes, or by a journal that is replayed: both end in the same receipts and the same summary.
 */
import {
  applyEvent,
  canLandUntil,
  reopen,
  reopenRefused,
  resumeBatch,
  taint,
  unsent,
  type BatchState,
} from './batch-state.ts'
import { batchRange, type BatchRange, type Batches } from './batches.ts'
import {
  hasUselessAnswer,
  nextAction,
  outcomes,
  outcomesOf,
  type AddCounts,
  type Batch,
  type BatchOutcome,
  type Outcome,
} from './claims.ts'
import type { BatchEvent, BulkOperation, CutEvent, ReopenEvent, ResumeEvent } from './events.ts'
import type { Items } from './items.ts'
import type { Chain } from './merge-order.ts'
import { remarkOf, type Remark } from './remarks.ts'
import { countBatch, emptyTotals, type Totals } from './totals.ts'

/** What became of one id. */
export interface Receipt {
  readonly id: string
  readonly line: number | null
  readonly outcome: Outcome
  readonly batch: number
  readonly attempts: number
  readonly code: number | null
  readonly message: string | null
  /** Assign: who had the ticket before and after, where that is known. */
  readonly before?: string | null
  readonly after?: string | null
}

export interface ErrorRow {
  readonly batch: number
  readonly outcome: Outcome
  readonly httpStatus: number | null
  readonly code: number | null
  readonly message: string
  readonly attempts: number
  readonly count: number
}

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

const codeOfOutcome = new Map(outcomes.map((outcome, code) => [outcome, code]))
const wasAmbiguous = 1
const wasLostSilently = 2

export class RunState {
  readonly operation: BulkOperation
  readonly items: Items
  readonly batches: Batches
  readonly totals: Totals
  /** Requests that finding missing contacts took. */
  isolateCalls = 0
  readonly #chain: Chain | undefined
  readonly #concurrency: number
  #isolate: boolean
  /** Of batches that are not closed, and of closed ones without an accepted answer. */
  readonly #states = new Map<number, BatchState>()
  /** Of batches that have no state yet. */
  #fresh: BatchState = unsent
  readonly #byId: Uint8Array
  readonly #closed: Uint8Array
  readonly #attempts: Uint32Array
  readonly #flags: Uint8Array
  /** Add: four counts per batch. */
  readonly #added: Uint8Array
  readonly #remarks = new Map<number, Remark>()
  /** Merge: when an answer came; until when a lost one can still be carried out. */
  readonly #landsUntil = new Map<number, number>()
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
    this.#byId = new Uint8Array(batches.to - batches.from)
    this.#closed = new Uint8Array(batches.total + 1)
    this.#attempts = new Uint32Array(batches.total + 1)
    this.#flags = new Uint8Array(batches.total + 1)
    this.#added = new Uint8Array(operation === 'lists.add-contacts' ? 4 * (batches.total + 1) : 0)
  }

  /** The present state of a batch; of a closed one with an accepted answer only what was tried. */
  of(batch: number): BatchState {
    return this.#states.get(batch) ?? (this.#closed[batch] === 1 ? this.#closedState(batch) : this.#fresh)
  }

  /** The ids of a batch, made anew each time: kept by the thousand they would be most of a run's memory. */
  idsOf(batch: number): readonly string[] {
    const { from, to } = batchRange(this.batches, batch)
    return this.items.ids(from, to)
  }

  apply(event: BatchEvent): void {
    // Two processes sent it at the same moment, and the other answer came first.
    if (this.#closed[event.b] === 1) return
    const state = applyEvent(this.of(event.b), event)
    this.#states.set(event.b, state)
    if (event.t === 'isolated') this.isolateCalls += event.calls
    if (event.t !== 'res') return
    if (event.k === 'answered') this.#refused.clear()
    else if (event.k === 'refused') this.#refused.add(event.b)
  }

  /** The same for a journal that is replayed: batches that are done with are closed at once, so that memory stays flat. */
  replay(event: BatchEvent): void {
    this.apply(event)
    if (this.#closed[event.b] === 1 || this.of(event.b).answer === undefined) return
    const outcome = outcomesOf(this.#batch(event.b), this.of(event.b))
    if (!this.#hasWorkLeft(event.b, outcome) && !outcome.outcomes.includes('unknown')) this.close(event.b)
  }

  /** A session of the run ended: whether its last refusals are what stopped it. */
  endSession(stoppedByRefusals: boolean): void {
    // A refusal of a pair is about that pair; a batch of ids shares what is wrong with all others.
    const isShared = this.operation === 'contacts.delete' || this.operation === 'lists.add-contacts'
    if (stoppedByRefusals && isShared) {
      for (const batch of this.#refused) {
        if (this.#closed[batch] !== 1) this.#states.set(batch, reopenRefused(this.of(batch)))
      }
    }
    this.#refused.clear()
  }

  /** Another session begins; after a take-over the one before may have sent more than it wrote. */
  resume({ takeOver, at }: ResumeEvent): void {
    if (takeOver !== true) return
    this.#fresh = taint(this.#fresh, at)
    for (const [batch, state] of this.#states) this.#states.set(batch, taint(state, at))
  }

  /** Whole lines of the journal were lost: any of these batches may have been sent. */
  cut({ b, at }: CutEvent): void {
    for (const batch of b) if (this.#closed[batch] !== 1) this.#states.set(batch, taint(this.of(batch), at))
  }

  /** The batches that would have been sent next: what a `try` that was lost can have been about. */
  nextOpen(): number[] {
    const found: number[] = []
    for (const batch of this.#order()) {
      if (found.length === this.#concurrency) break
      if (this.#closed[batch] !== 1 && this.of(batch).answer === undefined) found.push(batch)
    }
    return found
  }

  /** `runs retry`: opens batches again in which an id has one of these outcomes. */
  reopen(event: ReopenEvent): void {
    const wanted = new Set<Outcome>(event.outcomes)
    if (event.isolate === true) this.#isolate = true
    for (let batch = 1; batch <= this.batches.total; batch += 1) {
      const { outcomes: found } = this.outcome(batch)
      if (!found.some((outcome) => wanted.has(outcome))) continue
      const state = this.of(batch)
      this.#open(batch)
      this.#states.set(batch, reopen(state))
    }
    this.#refused.clear()
  }

  /** The outcome of each id of a batch as it stands. */
  outcome(batch: number): BatchOutcome {
    if (this.#closed[batch] === 1) return this.#closedOutcome(batch)
    return outcomesOf(this.#batch(batch), this.of(batch))
  }

  /**
   * For a new session: closes what is finished, may only be listed, or waits for what will not be done; returns the rest in
   * the order in which it is sent.
   */
  openBatches(): number[] {
    const open: number[] = []
    for (const batch of this.#order()) {
      if (this.#closed[batch] === 1) continue
      if (!this.#hasWorkLeft(batch)) this.close(batch)
      else if (this.#isInVain(batch)) this.close(batch, inVain)
      else {
        this.#states.set(batch, resumeBatch(this.of(batch)))
        open.push(batch)
      }
    }
    return open
  }

  /** Merges that must be done before this one is sent. */
  chainBefore(batch: number): readonly number[] {
    return this.#chain?.after(batch) ?? []
  }

  /** Why a batch is not sent now, in words; undefined when it may be. `now` in milliseconds since 1970. */
  holdsBack(batch: number, now: number): string | undefined {
    if (this.#isInVain(batch)) return inVain
    const until = Math.max(...this.chainBefore(batch).map((earlier) => this.#landsUntil.get(earlier) ?? 0), 0)
    if (until <= now) return undefined
    return `not sent: a merge that must come first can still be carried out until ${new Date(until).toISOString()}`
  }

  /** Resolves a batch for good and counts it. `why` is said of ids that were not sent, or not isolated. */
  close(batch: number, why?: string): readonly Outcome[] {
    const state = this.of(batch)
    const outcome = outcomesOf(this.#batch(batch), state)
    const { from } = batchRange(this.batches, batch)
    outcome.outcomes.forEach((each, i) => {
      this.#byId[from - this.batches.from + i] = codeOfOutcome.get(each) ?? 0
    })
    this.#closed[batch] = 1
    this.#attempts[batch] = state.attempts
    this.#flags[batch] = (state.everAmbiguous ? wasAmbiguous : 0) | (state.lostSilently ? wasLostSilently : 0)
    if (outcome.added !== undefined) this.#keepCounts(batch, outcome.added)
    if (this.operation === 'contacts.merge') this.#landsUntil.set(batch, canLandUntil(state) ?? 0)
    countBatch(this.totals, state, outcome)
    const remark = remarkOf(this.operation, state, outcome, why)
    if (remark === undefined) this.#remarks.delete(batch)
    else this.#remarks.set(batch, remark)
    // What was not accepted may be sent again, and what is left says what resuming would do.
    if (state.answer === undefined || this.#hasWorkLeft(batch, outcome) || hasUselessAnswer(state, outcome)) {
      this.#states.set(batch, state)
    } else this.#states.delete(batch)
    return outcome.outcomes
  }

  closeAll(): void {
    for (let batch = 1; batch <= this.batches.total; batch += 1) if (this.#closed[batch] !== 1) this.close(batch)
  }

  isClosed(batch: number): boolean {
    return this.#closed[batch] === 1
  }

  /** What resuming would work on, among the closed batches. */
  left(): { batches: number; ids: number } {
    const found = { batches: 0, ids: 0 }
    // A pair whose predecessor will never be done will never be sent either.
    const never = new Set<number>()
    for (const batch of this.#order()) {
      if (this.#closed[batch] !== 1) continue
      const isWaiting = this.chainBefore(batch).some((earlier) => never.has(earlier))
      if (this.#states.has(batch) && this.#hasWorkLeft(batch) && !isWaiting) {
        const { from, to } = batchRange(this.batches, batch)
        found.batches += 1
        found.ids += to - from
      } else if (this.#chain !== undefined && !this.#isDone(batch)) never.add(batch)
    }
    return found
  }

  /** Whether only answers that made no sense are left: opening those batches again is what can be done. */
  hasUselessAnswers(): boolean {
    for (const [batch, state] of this.#states) {
      if (state.answer !== undefined && hasUselessAnswer(state, this.outcome(batch))) return true
    }
    return false
  }

  receipts(batch: number): Receipt[] {
    const { from, to } = batchRange(this.batches, batch)
    const remark = this.#remarks.get(batch)
    const rows: Receipt[] = []
    for (let position = from; position < to; position += 1) {
      const line = this.items.line(position)
      rows.push({
        id: this.items.id(position),
        line: line === 0 ? null : line,
        outcome: this.#outcomeAt(position),
        batch,
        attempts: this.#attempts[batch] ?? 0,
        code: remark?.code ?? null,
        message: remark?.message ?? null,
        ...(remark?.before === undefined ? {} : { before: remark.before }),
        ...(remark?.after === undefined ? {} : { after: remark.after }),
      })
    }
    return rows
  }

  /** Positions of the items that ended in this outcome. */
  *positions(outcome: Outcome): Generator<number> {
    const wanted = codeOfOutcome.get(outcome)
    for (let i = 0; i < this.#byId.length; i += 1) if (this.#byId[i] === wanted) yield this.batches.from + i
  }

  ids(outcome: Outcome): string[] {
    return Array.from(this.positions(outcome), (position) => this.items.id(position))
  }

  errors(most: number): { rows: ErrorRow[]; total: number } {
    const rows: ErrorRow[] = []
    let total = 0
    for (const [batch, remark] of [...this.#remarks].sort(([a], [b]) => a - b)) {
      const { from, to } = batchRange(this.batches, batch)
      const outcome = this.#outcomeAt(from)
      if (remark.message === null || outcome === 'not-attempted') continue
      total += 1
      if (rows.length >= most) continue
      const { status: httpStatus, code, message } = remark
      rows.push({ batch, outcome, httpStatus, code, message, attempts: this.#attempts[batch] ?? 0, count: to - from })
    }
    return { rows, total }
  }

  #order(): Iterable<number> {
    return this.#chain?.order ?? Array.from({ length: this.batches.total }, (_, i) => i + 1)
  }

  #batch(batch: number): Batch {
    const { from, to }: BatchRange = batchRange(this.batches, batch)
    return {
      operation: this.operation,
      ids: this.items.ids(from, to),
      other: this.items.other(from),
      isolate: this.#isolate,
    }
  }

  /** Whether resuming would work on a batch. */
  #hasWorkLeft(batch: number, outcome?: BatchOutcome): boolean {
    const of = this.#batch(batch)
    const state = this.of(batch)
    const action = nextAction(of, state)
    if (action === 'finished' || action === 'list-only') return false
    // A reading that shows the wanted assignee resolved it, whatever was sent before.
    return (outcome ?? outcomesOf(of, state)).outcomes[0] !== 'done'
  }

  /** A merge whose source should first have received another contact is left alone when that did not happen. */
  #isInVain(batch: number): boolean {
    return this.chainBefore(batch).some((earlier) => this.#closed[earlier] === 1 && !this.#isDone(earlier))
  }

  #isDone(batch: number): boolean {
    return this.#closed[batch] === 1 && this.#outcomeAt(batchRange(this.batches, batch).from) === 'done'
  }

  #outcomeAt(position: number): Outcome {
    return outcomes[this.#byId[position - this.batches.from] ?? 0] ?? 'not-attempted'
  }

  /** Takes a closed batch out of the totals again. */
  #open(batch: number): void {
    if (this.#closed[batch] !== 1) return
    countBatch(this.totals, this.of(batch), this.#closedOutcome(batch), -1)
    this.#closed[batch] = 0
  }

  #closedState(batch: number): BatchState {
    const flags = this.#flags[batch] ?? 0
    return {
      ...unsent,
      attempts: this.#attempts[batch] ?? 0,
      everAmbiguous: (flags & wasAmbiguous) !== 0,
      lostSilently: (flags & wasLostSilently) !== 0,
      answer: { status: 200, data: null, at: 0 },
    }
  }

  #closedOutcome(batch: number): BatchOutcome {
    const { from, to } = batchRange(this.batches, batch)
    const found = Array.from({ length: to - from }, (_, i) => this.#outcomeAt(from + i))
    const [added = 0, skipped = 0, addedOrSkipped = 0, failed = 0] = this.#added.subarray(4 * batch, 4 * batch + 4)
    const hasCounts = added + skipped + addedOrSkipped + failed > 0
    return { outcomes: found, ...(hasCounts ? { added: { added, skipped, addedOrSkipped, failed } } : {}) }
  }

  #keepCounts(batch: number, { added, skipped, addedOrSkipped, failed }: AddCounts): void {
    this.#added.set([added, skipped, addedOrSkipped, failed], 4 * batch)
  }
}

const inVain = 'not sent: a merge that must come first was not done'
