/** Shared by the operations on batches of contacts, delete and add. Both can be sent again after a lost answer. */
import { isAmbiguous, isPointless, isUntried, type BatchState } from '../batch.ts'
import { isSendable } from './operation.ts'

/** Whether this session is to send a batch, for the first time or again. It sends each at most once. */
export function isDue(state: BatchState) {
  // This session has tried it, or its answer is accepted.
  if (!isUntried(state) || state.answer !== undefined) return false
  if (state.isToSend) return true
  // An ambiguous batch is sent again unless the same answer would come back; any other only if it may succeed.
  return isAmbiguous(state) ? !isPointless(state) : isSendable(state)
}

/** Why counts and lists of ids in an answer do not account for the ids that were sent. */
export function sumProblem(
  terms: Readonly<Record<string, number>>,
  ids: readonly string[],
): string | undefined {
  const sum = Object.values(terms).reduce((before, count) => before + count, 0)
  if (sum === ids.length) return undefined
  const text = Object.entries(terms).map(([name, count]) => `${name} ${count}`)
  return `the answer does not add up: ${text.join(' + ')} is ${sum}, but ${ids.length} were sent`
}

/** A set of ids for comparisons that ignore letter case. */
export const idSet = (ids: readonly string[]): ReadonlySet<string> =>
  new Set(ids.map((id) => id.toLowerCase()))
