/**
 * Projections of a run's state by id: its receipt, the ids of an outcome, and the batches that ended badly. Receipts on stdout, files, annotated rows,
 * `runs export` and the summary's errors are all read from here, so that they agree. `files.ts`, `annotate.ts`, `summary.ts` and
 * `commands/runs/export.ts` print what it answers.
 */
import type { Receipt as Document } from '../../views/documents.ts'
import { isAmbiguous, type BatchState } from '../record/batch.ts'
import { operationOf } from '../operations/operations.ts'
import { isFailed, type Judgement, type Outcome } from '../operations/outcome.ts'
import type { RunState } from '../record/state.ts'

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

/** Receipts of a batch, in input order. */
export function receiptsOf(state: RunState, batch: number): Receipt[] {
  const { from, to } = state.batches.range(batch)
  const judgement = state.judge(batch)
  const batchState = state.of(batch)
  const { code, message } = remarkOf(batchState, judgement)
  const { before, after } = operationOf(state.operation).assignees?.(batchState) ?? {}
  return Array.from({ length: to - from }, (_, i) => {
    const { id, line } = state.items.at(from + i)
    return {
      id,
      line: line === 0 ? null : line,
      outcome: judgement.outcomes[i] ?? 'not-attempted',
      batch,
      attempts: batchState.attempts,
      code,
      message,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    }
  })
}

/** Every receipt in input order, or those of some outcomes. */
export function* allReceipts(
  state: RunState,
  wanted?: readonly Outcome[],
): Generator<Receipt> {
  for (const batch of state.batches.numbers()) {
    for (const receipt of receiptsOf(state, batch)) {
      if (wanted === undefined || wanted.includes(receipt.outcome)) yield receipt
    }
  }
}

/** Positions of the ids that ended with an outcome, in input order. */
export function* positionsWith(state: RunState, wanted: Outcome): Generator<number> {
  for (const batch of state.batches.numbers()) {
    const { from } = state.batches.range(batch)
    const { outcomes } = state.judge(batch)
    for (let i = outcomes.indexOf(wanted); i >= 0; i = outcomes.indexOf(wanted, i + 1)) {
      yield from + i
    }
  }
}

/** The first `most` batches that ended badly, and how many there are. */
export function errorsOf(
  state: RunState,
  most: number,
): { rows: ErrorRow[]; total: number } {
  const rows: ErrorRow[] = []
  let total = 0
  for (const batch of state.batches.numbers()) {
    const judgement = state.judge(batch)
    const outcome = judgement.outcomes[0]
    if (outcome === undefined || outcome === 'not-attempted') continue
    const { status: httpStatus, code, message } = remarkOf(state.of(batch), judgement)
    if (message === null) continue
    total += 1
    if (rows.length >= most) continue
    const { from: first, to } = state.batches.range(batch)
    const { attempts } = state.of(batch)
    rows.push({
      batch,
      outcome,
      httpStatus,
      code,
      message,
      attempts,
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

const nothingSaid: Remark = { status: null, code: null, message: null }

/** Words of the service about a batch that ended badly; nothing is said of one that is done. */
function remarkOf(state: BatchState, { outcomes: [outcome], problem }: Judgement): Remark {
  if (problem === undefined && !isFailed(outcome)) return nothingSaid
  const { s: status = null, code = null } = state.last ?? {}
  return { status, code, message: problem ?? reasonOf(state) }
}

/** Why a batch ended badly: the words of the service where there are any, else what is known of its last attempt. */
function reasonOf(state: BatchState): string {
  const { last, attempts } = state
  if (state.open !== undefined) return 'no answer was recorded'
  if (last === undefined) {
    if (!isAmbiguous(state)) return 'nothing was sent'
    return attempts > 0
      ? 'no answer was recorded'
      : 'it may have been sent without a record of it'
  }
  if (last.k === 'answered') return 'the answer was not accepted'
  const said = last.m ?? ''
  const status = last.s === undefined ? '' : `HTTP ${last.s}`
  return said === '' ? status : said
}
