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
  /** From position `from` up to, not including, `to`. */
  ids(from: number, to: number): string[]
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

/** Pairs that depend on each other: in which order they are sent, and what must be done before each. */
export interface Chain {
  /** Numbers of all batches. */
  readonly order: readonly number[]
  /** Batches that must be done before this one is sent. */
  after(batch: number): readonly number[]
}

export interface BookOptions {
  readonly chain?: Chain | undefined
  /** Add: batches whose missing ids are not known yet have something left to do. */
  readonly isolate?: boolean | undefined
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
  /** The ids of a batch, written anew each time: kept by the thousand they would be most of a run's memory. */
  idsOf(batch: number): readonly string[]
  apply(event: BatchEvent): void
  /** Whether resuming would go on with a batch that is not closed. */
  hasWorkLeft(batch: number): boolean
  /** Takes a batch up in a new session: what an earlier one read may have changed since. */
  takeUp(batch: number): void
  /** Settles a batch for good and counts it. `why` is said of ids that were not sent, or not isolated. */
  close(batch: number, why?: string): Settled
  isClosed(batch: number): boolean
  /** Whether a closed batch, of one pair, is done. */
  isDone(batch: number): boolean
  /** What resuming would go on with, among the closed batches. */
  left(): { batches: number; ids: number }
  /** Settles whatever is still open. */
  closeAll(): void
  /** Requests that finding missing contacts took. */
  readonly isolateCalls: number
  receipts(batch: number): Receipt[]
  /** Positions of the items that ended in this outcome. */
  positions(outcome: Outcome): number[]
  ids(outcome: Outcome): string[]
  errors(most: number): { rows: ErrorRow[]; total: number }
}

const codeOfOutcome = new Map(outcomes.map((outcome, code) => [outcome, code]))

export function openBook(operation: BulkOperation, items: Items, batches: Batches, options: BookOptions = {}): Book {
  const { chain, isolate = false } = options
  const totals = emptyTotals(batches.total)
  const states = new Map<number, BatchState>()
  const byId = new Uint8Array(batches.to - batches.from)
  const closed = new Uint8Array(batches.total + 1)
  const unfinished = new Uint8Array(batches.total + 1)
  const attempts = new Uint32Array(batches.total + 1)
  const remarks = new Map<number, Remark>()
  let isolateCalls = 0

  function idsOf(batch: number): readonly string[] {
    const { from, to } = batchRange(batches, batch)
    return items.ids(from, to)
  }

  function othersOf(batch: number): string[] {
    const other = items.other(batchRange(batches, batch).from)
    return other === undefined ? [] : [other]
  }

  function remarkOf(state: BatchState, settled: Settled, why: string | undefined): Remark | undefined {
    const last = state.declined === true ? undefined : state.last
    const worth = settled.problem !== undefined || settled.outcomes[0] === 'error' || settled.outcomes[0] === 'unknown'
    const assigned = operation === 'tickets.assign' ? assignees(state) : {}
    if (!worth) {
      const isOpen = settled.outcomes[0] === 'not-attempted' || settled.outcomes[0] === 'undetermined'
      const message = isOpen ? (why ?? null) : null
      if (message === null && operation !== 'tickets.assign') return undefined
      return { status: null, code: null, message, ...assigned }
    }
    return {
      status: last !== undefined && 'status' in last ? (last.status ?? null) : null,
      code: last !== undefined && 'code' in last ? (last.code ?? null) : null,
      message: settled.problem ?? messageOf(state),
      ...assigned,
    }
  }

  function hasWorkLeft(state: BatchState, ended: Settled): boolean {
    const action = nextAction(operation, state)
    // A reading that shows the wanted assignee settled it, whatever was sent before.
    if (action === 'send' || action === 'read-first') return ended.outcomes[0] !== 'done'
    return isolate && needsIsolating(state, ended)
  }

  function settled(batch: number, state: BatchState): Settled {
    return settle(operation, idsOf(batch), state, othersOf(batch))
  }

  const book: Book = {
    totals,
    state: (batch) => states.get(batch) ?? unsent,
    idsOf,
    apply(event) {
      states.set(event.b, applyEvent(book.state(event.b), event))
      if (event.t === 'isolated') isolateCalls += event.calls ?? 0
    },
    hasWorkLeft(batch) {
      const state = book.state(batch)
      return hasWorkLeft(state, settled(batch, state))
    },
    takeUp(batch) {
      const { reading: _, ...rest } = book.state(batch)
      states.set(batch, rest)
    },
    close(batch, why) {
      const state = book.state(batch)
      const ended = settled(batch, state)
      const { from } = batchRange(batches, batch)
      ended.outcomes.forEach((outcome, i) => {
        byId[from - batches.from + i] = codeOfOutcome.get(outcome) ?? 0
      })
      attempts[batch] = state.attempts
      closed[batch] = 1
      unfinished[batch] = hasWorkLeft(state, ended) ? 1 : 0
      countBatch(totals, state, ended)
      const remark = remarkOf(state, ended, why)
      if (remark !== undefined) remarks.set(batch, remark)
      states.delete(batch)
      return ended
    },
    isClosed: (batch) => closed[batch] === 1,
    isDone: (batch) => closed[batch] === 1 && outcomeAt(batchRange(batches, batch).from) === 'done',
    left() {
      const found = { batches: 0, ids: 0 }
      // A pair whose predecessor will never be done will never be sent either.
      const never = new Set<number>()
      for (const batch of chain?.order ?? numbers(batches.total)) {
        if (closed[batch] !== 1) continue
        const isWaiting = chain?.after(batch).some((earlier) => never.has(earlier)) === true
        if (unfinished[batch] === 1 && !isWaiting) {
          const { from, to } = batchRange(batches, batch)
          found.batches += 1
          found.ids += to - from
        } else if (chain !== undefined && !book.isDone(batch)) never.add(batch)
      }
      return found
    },
    get isolateCalls() {
      return isolateCalls
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
        const { from, to } = batchRange(batches, batch)
        if (remark.message === null || outcomeAt(from) === 'not-attempted') continue
        total += 1
        if (rows.length >= most) continue
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

/** All batches, in input order. */
export function* numbers(total: number): Generator<number> {
  for (let batch = 1; batch <= total; batch += 1) yield batch
}

/** Add: some of the batch do not exist, and nobody has looked yet which ones. */
export function needsIsolating(state: BatchState, { outcomes: ended, added }: Settled): boolean {
  return state.missing === undefined && added !== undefined && added.failed > 0 && added.failed < ended.length
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
