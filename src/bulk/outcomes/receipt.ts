/**
 * Projections of a run's state by id: its receipt, the ids of an outcome, and the batches that ended badly. Receipts on stdout, annotated
 * files, `runs export` and the summary's errors are all read from here, so that they agree. `files/receipts.ts`, `files/annotate.ts` and
 * `commands/runs/export.ts` print what it answers.
 */
import { isAmbiguous } from '../record/batch-state.ts'
import { batchAt, batchRange, numbers, positionsOf } from '../record/batches.ts'
import { isFailed, isOpen, type Outcome } from '../operations/outcome.ts'
import type { Receipt as Document } from '../../views/documents.ts'
import type { BatchEnd } from './totals.ts'
import type { RunState } from './state.ts'

/** Receipt of an id as users see it, with the types of its outcome and batch. */
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

/** Receipts of a batch, in input order. A batch that has not ended has the outcome of an id that was never sent. */
export function receiptsOf(state: RunState, batch: number): Receipt[] {
  return positionsOf(state.batches, batch).map((position) => receiptAt(state, position))
}

/** The receipt of the id at a position of the input, from 0. */
export function receiptAt(state: RunState, position: number): Receipt {
  const { items, batches } = state
  const batch = batchAt(batches, position)
  const end = state.endOf(batch)
  const line = items.line(position)
  const { code, message } = end === undefined ? nothingSaid : remarkOf(end)
  const { before, after } = end?.assignees ?? {}
  return {
    id: items.id(position),
    line: line === 0 ? null : line,
    outcome: end?.outcomes[position - batchRange(batches, batch).from] ?? 'not-attempted',
    batch,
    attempts: end?.state.attempts ?? 0,
    code,
    message,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

/** Positions of the ids that ended with an outcome, in input order. */
export function* positionsWith(state: RunState, wanted: Outcome): Generator<number> {
  for (const batch of numbers(state.batches.total)) {
    const { from } = batchRange(state.batches, batch)
    const outcomes = state.endOf(batch)?.outcomes ?? []
    for (let i = outcomes.indexOf(wanted); i >= 0; i = outcomes.indexOf(wanted, i + 1)) {
      yield from + i
    }
  }
}

/** The first `most` batches that ended badly, and how many there are. */
export function errorsOf(state: RunState, most: number): { rows: ErrorRow[]; total: number } {
  const rows: ErrorRow[] = []
  let total = 0
  for (const batch of numbers(state.batches.total)) {
    const end = state.endOf(batch)
    const outcome = end?.outcomes[0]
    if (end === undefined || outcome === undefined || outcome === 'not-attempted') continue
    const { status: httpStatus, code, message } = remarkOf(end)
    if (message === null) continue
    total += 1
    if (rows.length >= most) continue
    const { from: first, to } = batchRange(state.batches, batch)
    rows.push({
      batch,
      outcome,
      httpStatus,
      code,
      message,
      attempts: end.state.attempts,
      count: to - first,
      first,
    })
  }
  return { rows, total }
}

/** The last columns of a receipt. */
interface Remark {
  readonly status: number | null
  readonly code: number | null
  readonly message: string | null
}

const nothingSaid: Remark = {
  status: null,
  code: null,
  message: null,
}

/** Words of the service about a batch that ended badly, or why it was not sent; nothing is said of one that is done. */
function remarkOf({ state, outcomes: [outcome], problem, why }: BatchEnd): Remark {
  if (problem === undefined && !isFailed(outcome)) {
    if (!isOpen(outcome)) return nothingSaid
    return { ...nothingSaid, message: why ?? null }
  }
  const answer = state.declined === true ? undefined : state.last
  const { status = null, code = null } = answer ?? {}
  const waits = state.isReopened === true ? why : undefined
  const message = problem ?? waits ?? reasonOf(state, why)
  return { status, code, message }
}

/** Why a batch ended badly: the words of the service where there are any, else what is known of its last attempt. */
function reasonOf(state: BatchEnd['state'], why: string | undefined): string {
  const { last } = state
  if (state.open) return 'no answer to it is recorded'
  if (last === undefined) {
    const unrecorded = 'it may have been sent without a record of it'
    return why ?? (isAmbiguous(state) ? unrecorded : 'nothing was sent')
  }
  if (last.kind === 'answered') return 'the answer was not accepted'
  const said = last.message ?? ''
  const status = last.status === undefined ? '' : `HTTP ${last.status}`
  return said === '' ? status : said
}
