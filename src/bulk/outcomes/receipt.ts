/**
 * Projections of a run's state by id: the receipts, the ids with an outcome, and the batches that failed. Receipts on stdout, files, annotated rows,
 * `runs export` and the errors of the summary all come from here, so that they agree. `files.ts`, `annotate.ts`, `summary.ts` and
 * `commands/runs/export.ts` print the results.
 */
import type { Receipt as Document } from '../../views/documents.ts'
import { isAmbiguous, type BatchState } from '../record/batch.ts'
import { operationOf } from '../operations/operations.ts'
import { isFailed, type Judgement, type Outcome } from '../operations/outcome.ts'
import type { RunState } from '../record/state.ts'

/** The receipt of an id as users see it, with exact types for its outcome and batch. */
export type Receipt = Document & { readonly outcome: Outcome; readonly batch: number }

export interface ErrorRow {
  readonly batch: number
  readonly outcome: Outcome
  readonly httpStatus: number | null
  readonly code: number | null
  readonly message: string
  readonly attempts: number
  readonly count: number
  /** Position of the batch's first id. */
  readonly first: number
}

/** The receipts of a batch, in input order. */
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

/** All receipts in input order, or only those with the wanted outcomes. */
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

/** The positions of the ids with an outcome, in input order. */
export function* positionsWith(state: RunState, wanted: Outcome): Generator<number> {
  for (const batch of state.batches.numbers()) {
    const { from } = state.batches.range(batch)
    const { outcomes } = state.judge(batch)
    for (let i = outcomes.indexOf(wanted); i >= 0; i = outcomes.indexOf(wanted, i + 1)) {
      yield from + i
    }
  }
}

/** The first `most` batches that failed, and how many failed in all. */
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

/** The service's status, code and message for a batch that failed. A batch that is done has no remark. */
function remarkOf(state: BatchState, { outcomes: [outcome], problem }: Judgement): Remark {
  if (problem === undefined && !isFailed(outcome)) return nothingSaid
  const { s: status = null, code = null } = state.last ?? {}
  return { status, code, message: problem ?? reasonOf(state) }
}

/** Why a batch failed: the service's message if there is one, or else what is known about the last attempt. */
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
