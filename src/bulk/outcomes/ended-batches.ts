/** What became of the batches that have ended: one byte per id, a few per batch, and a remark for each that ended badly. */
import { isAmbiguous, unsent, type BatchState } from '../record/batch-state.ts'
import { batchRange, type Batches } from '../record/batches.ts'
import { isDone, isFailed, isOpen, outcomes, type BatchOutcome, type Outcome } from '../operations/outcome.ts'
import { operationOf } from '../operations/operations.ts'
import type { Assignees } from '../operations/operation.ts'
import type { BulkOperation } from '../record/events.ts'
import type { Items } from '../record/items.ts'
import type { Receipt as Document } from '../../resources/documents.ts'

/** What is told of an id, with what is known of its outcome and batch here. */
export type Receipt = Document & { readonly outcome: Outcome; readonly batch: number }

export interface ErrorRow {
  readonly batch: number
  readonly outcome: Outcome
  readonly httpStatus: number | null
  readonly code: number | null
  readonly message: string
  readonly attempts: number
  readonly count: number
  /** Position of the first one. */
  readonly first: number
}

const codeOfOutcome = new Map(outcomes.map((outcome, code) => [outcome, code]))
const wasAmbiguous = 1
const wasLostSilently = 2

export class EndedBatches {
  readonly #operation: BulkOperation
  readonly #items: Items
  readonly #batches: Batches
  readonly #byId: Uint8Array
  readonly #isEnded: Uint8Array
  readonly #attempts: Uint32Array
  readonly #flags: Uint8Array
  /** Counts of the operation's answers, as many per batch as it has. */
  readonly #countNames: readonly string[]
  #counts: Uint8Array | undefined
  readonly #remarks = new Map<number, Remark>()
  /** Merge and assign: when an attempt was last in flight whose answer was lost. */
  readonly #ambiguousAt = new Map<number, number>()

  constructor(operation: BulkOperation, items: Items, batches: Batches) {
    this.#operation = operation
    this.#countNames = Object.keys(operationOf(operation).counts ?? {})
    this.#items = items
    this.#batches = batches
    this.#byId = new Uint8Array(batches.to - batches.from)
    this.#isEnded = new Uint8Array(batches.total + 1)
    this.#attempts = new Uint32Array(batches.total + 1)
    this.#flags = new Uint8Array(batches.total + 1)
  }

  has(batch: number): boolean {
    return this.#isEnded[batch] === 1
  }

  /** `why` is said of ids that were not sent, or not isolated. */
  keep(batch: number, state: BatchState, outcome: BatchOutcome, why: string | undefined): void {
    const { outcomes: found, counts } = outcome
    const remark = remarkOf(this.#operation, state, outcome, why)
    for (const [i, position] of this.#positionsOf(batch).entries())
      this.#byId[position - this.#batches.from] = codeOfOutcome.get(found[i] ?? 'not-attempted') ?? 0
    this.#isEnded[batch] = 1
    this.#attempts[batch] = state.attempts
    this.#flags[batch] = (state.everAmbiguous ? wasAmbiguous : 0) | (state.lostSilently ? wasLostSilently : 0)
    if (counts !== undefined) {
      const names = this.#countNames
      this.#counts ??= new Uint8Array(names.length * (this.#batches.total + 1))
      this.#counts.set(
        names.map((name) => counts[name] ?? 0),
        names.length * batch,
      )
    }
    if (this.#batches.size === 1 && state.ambiguousAt !== undefined) this.#ambiguousAt.set(batch, state.ambiguousAt)
    if (remark === undefined) this.#remarks.delete(batch)
    else this.#remarks.set(batch, remark)
  }

  /** It has not ended after all: it is opened again. */
  forget(batch: number): void {
    this.#isEnded[batch] = 0
  }

  /** What is left of the state of a batch with an accepted answer. */
  state(batch: number): BatchState {
    const flags = this.#flags[batch] ?? 0
    return {
      ...unsent,
      attempts: this.#attempts[batch] ?? 0,
      everAmbiguous: (flags & wasAmbiguous) !== 0,
      ambiguousAt: this.#ambiguousAt.get(batch),
      lostSilently: (flags & wasLostSilently) !== 0,
      answer: { status: 200, data: null, at: 0 },
    }
  }

  outcome(batch: number): BatchOutcome {
    const found = this.#positionsOf(batch).map((position) => this.#outcomeAt(position))
    const size = this.#countNames.length
    const counts = this.#counts?.subarray(size * batch, size * (batch + 1))
    const hasCounts = counts?.some((count) => count > 0) === true
    return {
      outcomes: found,
      ...(hasCounts ? { counts: Object.fromEntries(this.#countNames.map((name, i) => [name, counts[i] ?? 0])) } : {}),
    }
  }

  isDone(batch: number): boolean {
    return this.has(batch) && isDone(this.#outcomeAt(batchRange(this.#batches, batch).from))
  }

  receipts(batch: number): Receipt[] {
    return this.#positionsOf(batch).map((position) => this.#receiptOf(batch, position))
  }

  #positionsOf(batch: number): number[] {
    const { from, to } = batchRange(this.#batches, batch)
    return Array.from({ length: to - from }, (_, i) => from + i)
  }

  receipt(position: number): Receipt {
    const { from, size } = this.#batches
    return this.#receiptOf(1 + Math.floor((position - from) / size), position)
  }

  #receiptOf(batch: number, position: number): Receipt {
    const remark = this.#remarks.get(batch)
    const line = this.#items.line(position)
    return {
      id: this.#items.id(position),
      line: line === 0 ? null : line,
      outcome: this.#outcomeAt(position),
      batch,
      attempts: this.#attempts[batch] ?? 0,
      code: remark?.code ?? null,
      message: remark?.message ?? null,
      ...(remark?.before === undefined ? {} : { before: remark.before }),
      ...(remark?.after === undefined ? {} : { after: remark.after }),
    }
  }

  *positions(outcome: Outcome): Generator<number> {
    const wanted = codeOfOutcome.get(outcome)
    for (let i = 0; i < this.#byId.length; i += 1) if (this.#byId[i] === wanted) yield this.#batches.from + i
  }

  *ids(outcome: Outcome): Generator<string> {
    for (const position of this.positions(outcome)) yield this.#items.id(position)
  }

  /** The first `most` batches that ended badly, and how many there are. */
  errors(most: number): { rows: ErrorRow[]; total: number } {
    const rows: ErrorRow[] = []
    let total = 0
    for (const [batch, remark] of [...this.#remarks].sort(([a], [b]) => a - b)) {
      const { from: first, to } = batchRange(this.#batches, batch)
      const { status: httpStatus, code, message } = remark
      const outcome = this.#outcomeAt(first)
      if (message === null || outcome === 'not-attempted') continue
      total += 1
      if (rows.length >= most) continue
      const attempts = this.#attempts[batch] ?? 0
      rows.push({ batch, outcome, httpStatus, code, message, attempts, count: to - first, first })
    }
    return { rows, total }
  }

  #outcomeAt(position: number): Outcome {
    return outcomes[this.#byId[position - this.#batches.from] ?? 0] ?? 'not-attempted'
  }
}

interface Remark extends Assignees {
  readonly status: number | null
  readonly code: number | null
  readonly message: string | null
}

/** `why`: said of ids that were not sent, or not isolated. Undefined when there is nothing to say. */
function remarkOf(
  operation: BulkOperation,
  state: BatchState,
  { outcomes: [outcome], problem }: BatchOutcome,
  why: string | undefined,
): Remark | undefined {
  const assigned = operationOf(operation).assignees?.(state)
  if (problem !== undefined || isFailed(outcome)) {
    const { status = null, code = null } = (state.declined === true ? undefined : state.last) ?? {}
    const waits = state.isReopened === true ? why : undefined
    return { status, code, message: problem ?? waits ?? reasonOf(state, why), ...assigned }
  }
  const message = isOpen(outcome) ? (why ?? null) : null
  if (message === null && assigned === undefined) return undefined
  return { status: null, code: null, message, ...assigned }
}

function reasonOf(state: BatchState, why: string | undefined): string {
  const { last } = state
  if (state.open) return 'no answer to it is recorded'
  if (last === undefined)
    return why ?? (isAmbiguous(state) ? 'it may have been sent without a record of it' : 'nothing was sent')
  if (last.kind === 'answered') return 'the answer was not accepted'
  const said = last.message ?? ''
  const status = last.status === undefined ? '' : `HTTP ${last.status}`
  return said === '' ? status : said
}
