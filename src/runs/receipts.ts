/** The receipts of a run: what became of each id, in the order of its input, and why. */
import { joinPresent } from '../words.ts'
import type { LineOf } from './lines.ts'
import { meanings, outcomes, type Outcome } from './outcomes.ts'
import type { State } from './state.ts'

/** The result of one id. */
export interface Receipt {
  id: string
  /** Its line in the input; null for an argument. */
  line: number | null
  /** The target of a merge, or the new assignee of a ticket. */
  target: string | undefined
  outcome: Outcome
  /** Why it has this outcome; empty for a plain `done`. */
  reason: string
  /** When its last attempt ended, or else began. ISO 8601; null if there was none. */
  at: string | null
}

/** Yields all receipts, or those with the wanted outcomes. */
export function* receiptsOf(
  state: State,
  wanted: readonly Outcome[] = outcomes,
): Generator<Receipt> {
  for (let index = 0; index < state.items.size; index += 1) {
    const outcome = state.outcomeOf(index)
    if (!wanted.includes(outcome)) continue
    const { id, line, target } = state.items.at(index)
    const last = state.lastLineOf(index)
    yield {
      id,
      line: line === 0 ? null : line,
      target: target ?? state.head.target?.id,
      outcome,
      reason: reasonFor(state, index) ?? (outcome === 'done' ? '' : meanings[outcome]),
      at: last === undefined ? null : new Date(last.at).toISOString(),
    }
  }
}

/** Returns what is recorded about an outcome: the service's words, or what went wrong on the way. */
function reasonFor(state: State, index: number): string | undefined {
  const { st, ...result } = state.resultOf(index) ?? {}
  const message = messageIn(result)
  return message === '' ? undefined : withStatus(message, st)
}

/** Returns the message of a result, with what the reading of a ticket showed; empty without both. */
const messageIn = ({ m, seen }: Pick<LineOf<'res'>, 'm' | 'seen'>) =>
  joinPresent([m, seen], '; ')

/** Adds the HTTP status to a message, unless it has it. */
export const withStatus = (message: string, status: number | null = null) =>
  status === null || message.includes(String(status))
    ? message
    : `${message} (HTTP ${status})`

/** How many ids with one outcome failed in the same way. */
export interface ErrorRow {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

const maxErrorRows = 100

/** Returns the ways in which ids failed. Ways after the first hundred are left out. */
export function errorsOf(state: State): ErrorRow[] {
  const rows = new Map<string, ErrorRow>()
  for (let index = 0; index < state.items.size; index += 1) {
    const outcome = state.outcomeOf(index)
    const last = state.lastLineOf(index)
    const isFailure =
      outcome === 'error' || outcome === 'unknown' || outcome === 'not-attempted'
    if (!isFailure || last === undefined) continue
    const { st: httpStatus = null, code = null, ...result } = state.resultOf(index) ?? {}
    const noMessage = httpStatus === null ? 'no answer was recorded' : `HTTP ${httpStatus}`
    const message = messageIn(result) || noMessage
    const key = JSON.stringify([outcome, httpStatus, code, message])
    const row = rows.get(key)
    if (row !== undefined) row.count += 1
    else if (rows.size < maxErrorRows)
      rows.set(key, { outcome, httpStatus, code, message, count: 1 })
  }
  return [...rows.values()]
}
