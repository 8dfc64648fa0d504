/**
 * A run's state by id: the receipts, the ids with an outcome, and the batches that failed. Receipts on stdout, files,
 * annotated rows, `runs export` and the errors of the summary all come from here, so that they agree.
 */
import { hasFailedAnswer, type BatchState } from './batch.ts'
import type { Items } from './items.ts'
import { operationOf } from './operations/operations.ts'
import { isFailed, isPending, outcomeOf, type Judgement, type Outcome } from './outcomes.ts'
import type { RunState } from './state.ts'

/** The receipt of an id as users see it. */
export interface Receipt {
  id: string
  line: number | null
  outcome: Outcome
  /** When the service answered, or else when it was tried; null if it was never sent. */
  at: string | null
  batch: number
  attempts: number
  code: number | null
  message: string | null
  /** The assignee of a ticket, if a read or an answer showed it. */
  before?: string | null
  after?: string | null
}

/** How receipts are shown. `hasAssignees`: they say who had a ticket before and after. */
export function receiptColumns(hasAssignees: boolean): Readonly<Record<string, string>> {
  return {
    ID: 'id',
    LINE: 'line',
    OUTCOME: 'outcome',
    AT: 'at',
    BATCH: 'batch',
    ATTEMPTS: 'attempts',
    CODE: 'code',
    MESSAGE: 'message',
    ...(hasAssignees && { BEFORE: 'before', AFTER: 'after' }),
  }
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
  const batchState = state.stateOf(batch)
  const remark = remarkOf(batchState, judgement)
  const { before, after } = operationOf(state.operation).assignees?.(batchState) ?? {}
  const at = batchState.at === 0 ? null : new Date(batchState.at).toISOString()
  return Array.from({ length: to - from }, (_, i) => {
    const { id, line } = state.items.at(from + i)
    const outcome = judgement.outcomes[i] ?? 'not-attempted'
    const { code, message } = outcome === remark.outcome ? remark : noRemark
    return {
      id,
      line: line === 0 ? null : line,
      outcome,
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
    const { outcome, httpStatus, code, message } = remarkOf(state.stateOf(batch), judgement)
    // Without a message it has not failed.
    if (outcome === undefined || outcome === 'not-attempted' || message === null) continue
    total += 1
    if (rows.length >= most) continue
    const { attempts } = state.stateOf(batch)
    const count = judgement.outcomes.filter((each) => each === outcome).length
    rows.push({ batch, outcome, httpStatus, code, message, attempts, count })
  }
  return { rows, total }
}

const noRemark = { httpStatus: null, code: null, message: null }

/**
 * The service's status, code and message for a batch that failed, or a part of it, with its outcome. What is done has no
 * remark.
 */
function remarkOf(state: BatchState, judgement: Judgement) {
  const { problem } = judgement
  const outcome = outcomeOf(judgement)
  const hasRemark = problem !== undefined || hasBatchFailed(state, judgement)
  if (!hasRemark) return { outcome, ...noRemark }
  const { st: httpStatus = null, code = null } = state.last ?? {}
  return { outcome, httpStatus, code, message: problem ?? reasonOf(state) }
}

/** Whether a batch was refused or may have been done, or a part of it got no answer. */
export function hasBatchFailed(state: BatchState, judgement: Judgement) {
  const outcome = outcomeOf(judgement)
  return isFailed(outcome) || (isPending(outcome) && hasFailedAnswer(state))
}

/** Why a batch failed: the service's message if there is one, or else what is known about the last attempt. */
function reasonOf(state: BatchState) {
  const { last, attempts } = state
  if (state.inFlight !== undefined) return 'no answer was recorded'
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
