/**
 * A run's state by id: the receipts, the ids with an outcome, and the batches that failed. Receipts on stdout, files, annotated rows, `runs export` and
 * the errors of the summary all come from here, so that they agree.
 */
import type { ReceiptDocument } from '../views/documents.ts'
import type { BatchState } from './batch.ts'
import type { Items } from './items.ts'
import { operationOf } from './operations/operations.ts'
import { isFailed, type Judgement, type Outcome } from './outcomes.ts'
import type { RunState } from './state.ts'

/** The receipt of an id as users see it, with exact types for its outcome and batch. */
export type Receipt = ReceiptDocument & {
  outcome: Outcome
  batch: number
}

export interface ErrorRow {
  batch: number
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  attempts: number
  count: number
}

/** The receipts of a batch, in input order. `at`: when the service answered, or else when it was tried. */
export function receiptsOf(state: RunState, batch: number): Receipt[] {
  const { from, to } = state.batches.range(batch)
  const judgement = state.judge(batch)
  const batchState = state.of(batch)
  const { code, message } = remarkOf(batchState, judgement)
  const { before, after } = operationOf(state.operation).assignees?.(batchState) ?? {}
  const at = batchState.at === 0 ? null : new Date(batchState.at).toISOString()
  return Array.from({ length: to - from }, (_, i) => {
    const { id, line } = state.items.at(from + i)
    return {
      id,
      line: line === 0 ? null : line,
      outcome: judgement.outcomes[i] ?? 'not-attempted',
      at,
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

/** All receipts, for a command that has read this input: in its order and with its lines. It has the same ids. */
export function* receiptsFor(
  state: RunState,
  input: Items | undefined,
): Generator<Receipt> {
  if (input === undefined || input.isSameInput(state.items)) {
    yield* allReceipts(state)
    return
  }
  const all = [...allReceipts(state)]
  for (const [position, id] of input.ids.entries()) {
    const receipt = all[state.items.indexOf(id)]
    const { line } = input.at(position)
    if (receipt !== undefined) yield { ...receipt, id, line: line === 0 ? null : line }
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
    const { httpStatus, code, message } = remarkOf(state.of(batch), judgement)
    if (message === null) continue
    total += 1
    if (rows.length >= most) continue
    const { attempts } = state.of(batch)
    const count = state.batches.count([batch])
    rows.push({ batch, outcome, httpStatus, code, message, attempts, count })
  }
  return { rows, total }
}

/** The service's status, code and message for a batch that failed. A batch that is done has no remark. */
function remarkOf(state: BatchState, { outcomes: [outcome], problem }: Judgement) {
  const hasFailed = problem !== undefined || isFailed(outcome)
  const { st: httpStatus = null, code = null } = (hasFailed && state.last) || {}
  return { httpStatus, code, message: hasFailed ? (problem ?? reasonOf(state)) : null }
}

/** Why a batch failed: the service's message if there is one, or else what is known about the last attempt. */
function reasonOf(state: BatchState) {
  const { last, attempts } = state
  if (state.open !== undefined) return 'no answer was recorded'
  if (last === undefined) {
    return attempts > 0
      ? 'no answer was recorded'
      : 'it may have been sent without a record of it'
  }
  if (last.k === 'answered') return 'the answer was not accepted'
  const said = last.m ?? ''
  const status = last.st === undefined ? '' : `HTTP ${last.st}`
  return said === '' ? status : said
}
