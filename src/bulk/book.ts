/**
 * What became of each id of a run: one byte an id, and a line for each batch that ended badly. Fed by the engine as it
 * goes, or by a journal that is read back: both end in the same receipts and the same summary.
 */
import type { Batches } from './batches.ts'
import { batchRange } from './batches.ts'
import {
  applyEvent,
  countBatch,
  emptyTotals,
  isAmbiguous,
  nextAction,
  outcomes,
  settle,
  unsent,
  type BatchEvent,
  type BatchState,
  type BulkOperation,
  type Outcome,
  type Settled,
  type Totals,
} from './reconcile.ts'

/** What a run is made of, by position from 0. */
export interface Items {
  readonly size: number
  id(position: number): string
  /** Merge and assign: the second party. */
  other(position: number): string | undefined
  /** Line of the input; 0 for an argument. */
  line(position: number): number
}

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

interface Remark {
  readonly status: number | null
  readonly code: number | null
  readonly message: string | null
  readonly before?: string | null
  readonly after?: string | null
}

export interface Book {
  readonly totals: Totals
  /** The present state of a batch that is not closed yet. */
  state(batch: number): BatchState
  apply(event: BatchEvent): void
  /** Replaces a state, for example to forget a reading of an earlier session. */
  put(batch: number, state: BatchState): void
  /** Settles a batch for good and counts it. */
  close(batch: number): Settled
  isClosed(batch: number): boolean
  /** Closed batches that resuming would go on with. */
  readonly resumable: number
  /** Settles whatever is still open. */
  closeAll(): void
  receipts(batch: number): Receipt[]
  /** Positions of the items that ended in this outcome. */
  positions(outcome: Outcome): number[]
  ids(outcome: Outcome): string[]
  errors(most: number): { rows: ErrorRow[]; total: number }
}

const codeOfOutcome = new Map(outcomes.map((outcome, code) => [outcome, code]))

export function openBook(operation: BulkOperation, items: Items, batches: Batches): Book {
  const totals = emptyTotals(batches.total)
  const states = new Map<number, BatchState>()
  const byId = new Uint8Array(batches.to - batches.from)
  const closed = new Uint8Array(batches.total + 1)
  const attempts = new Uint32Array(batches.total + 1)
  const remarks = new Map<number, Remark>()
  let resumable = 0

  function idsOf(batch: number): string[] {
    const { from, to } = batchRange(batches, batch)
    const ids: string[] = []
    for (let position = from; position < to; position += 1) ids.push(items.id(position))
    return ids
  }

  function othersOf(batch: number): string[] {
    const other = items.other(batchRange(batches, batch).from)
    return other === undefined ? [] : [other]
  }

  function remarkOf(state: BatchState, settled: Settled): Remark | undefined {
    const { last } = state
    const worth = settled.problem !== undefined || settled.outcomes[0] === 'error' || settled.outcomes[0] === 'unknown'
    const assigned = operation === 'tickets.assign' ? assignees(state) : {}
    if (!worth) return operation === 'tickets.assign' ? { status: null, code: null, message: null, ...assigned } : undefined
    return {
      status: last !== undefined && 'status' in last ? (last.status ?? null) : null,
      code: last !== undefined && 'code' in last ? (last.code ?? null) : null,
      message: settled.problem ?? messageOf(state),
      ...assigned,
    }
  }

  const book: Book = {
    totals,
    state: (batch) => states.get(batch) ?? unsent,
    apply(event) {
      states.set(event.b, applyEvent(book.state(event.b), event))
    },
    put(batch, state) {
      states.set(batch, state)
    },
    close(batch) {
      const state = book.state(batch)
      const settled = settle(operation, idsOf(batch), state, othersOf(batch))
      const { from } = batchRange(batches, batch)
      settled.outcomes.forEach((outcome, i) => {
        byId[from - batches.from + i] = codeOfOutcome.get(outcome) ?? 0
      })
      attempts[batch] = state.attempts
      const action = nextAction(operation, state)
      if (action === 'send' || action === 'read-first') resumable += 1
      closed[batch] = 1
      countBatch(totals, state, settled)
      const remark = remarkOf(state, settled)
      if (remark !== undefined) remarks.set(batch, remark)
      states.delete(batch)
      return settled
    },
    isClosed: (batch) => closed[batch] === 1,
    get resumable() {
      return resumable
    },
    closeAll() {
      for (let batch = 1; batch <= batches.total; batch += 1) if (closed[batch] !== 1) book.close(batch)
    },
    receipts(batch) {
      const { from, to } = batchRange(batches, batch)
      const remark = remarks.get(batch)
      const rows: Receipt[] = []
      for (let position = from; position < to; position += 1) {
        const line = items.line(position)
        rows.push({
          id: items.id(position),
          line: line === 0 ? null : line,
          outcome: outcomeAt(position),
          batch,
          attempts: attempts[batch] ?? 0,
          code: remark?.code ?? null,
          message: remark?.message ?? null,
          ...(remark?.before === undefined ? {} : { before: remark.before }),
          ...(remark?.after === undefined ? {} : { after: remark.after }),
        })
      }
      return rows
    },
    positions(outcome) {
      const wanted = codeOfOutcome.get(outcome)
      const found: number[] = []
      byId.forEach((code, i) => {
        if (code === wanted) found.push(batches.from + i)
      })
      return found
    },
    ids: (outcome) => book.positions(outcome).map((position) => items.id(position)),
    errors(most) {
      const rows: ErrorRow[] = []
      let total = 0
      for (const [batch, remark] of [...remarks].sort(([a], [b]) => a - b)) {
        if (remark.message === null) continue
        total += 1
        if (rows.length >= most) continue
        const { from, to } = batchRange(batches, batch)
        rows.push({
          batch,
          outcome: outcomeAt(from),
          httpStatus: remark.status,
          code: remark.code,
          message: remark.message,
          attempts: attempts[batch] ?? 0,
          count: to - from,
        })
      }
      return { rows, total }
    },
  }

  function outcomeAt(position: number): Outcome {
    return outcomes[byId[position - batches.from] ?? 0] ?? 'not-attempted'
  }

  return book
}

/** Why a batch has no accepted answer. */
function messageOf(state: BatchState): string {
  const { last } = state
  if (state.open) return 'the process ended before an answer came'
  if (last === undefined) return isAmbiguous(state) ? 'an attempt was left without an answer' : 'nothing was sent'
  if (last.kind === 'answered') return 'the answer was not accepted'
  const said = last.message ?? ''
  const status = 'status' in last && last.status !== undefined ? `HTTP ${last.status}` : ''
  return said === '' ? status : said
}

function assignees(state: BatchState): { before?: string | null; after?: string | null } {
  const data = state.answer?.data as { previousAssigneeId?: string | null; newAssigneeId?: string } | undefined
  if (data !== undefined) return { before: data.previousAssigneeId ?? null, after: data.newAssigneeId ?? null }
  const before = state.before?.id
  const after = state.reading?.ok === true ? state.reading.id : undefined
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}
