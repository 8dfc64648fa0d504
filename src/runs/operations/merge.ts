/** `contacts merge`: one pair in a request, which is never repeated after a lost answer and cannot be undone. */
import type { Pair } from '../../input/pairs.ts'
import { isObject } from '../../values.ts'
import { groupDigits } from '../../words.ts'
import { isAmbiguous, isAnswered, isSameId, type BatchState } from '../batch.ts'
import { isReady } from './due.ts'
import {
  sameForAll,
  judgeUnanswered,
  unexpectedForm,
  type Batch,
  type Operation,
} from './operation.ts'
import { pairOf } from './pairs.ts'

/** The description does not say which of the two contacts the answer names as merged, and which as the result. */
function problemWithAnswer(
  batch: Batch,
  _: readonly string[],
  data: unknown,
): string | undefined {
  const { id, other } = pairOf(batch)
  if (!isObject(data) || !isObject(data['contact'])) return unexpectedForm
  const isOfPair = [data['mergedContactId'], data['contact']['id']].every((named) => {
    return typeof named === 'string' && (isSameId(named, id) || isSameId(named, other))
  })
  return isOfPair ? undefined : 'the answer is about another contact'
}

/** Whether a merge may be sent: unless an attempt may have left. */
function maySend(state: BatchState) {
  if (!isReady(state)) return false
  // Another process that may be alive cannot have sent it without a `try` on record.
  const isUnsent = state.attempts === 0 && !state.doubts.has('lost-lines')
  return !isAmbiguous(state) || isUnsent
}

/** A target must not be a source: the rows to write instead, for a chain. */
function problemWithPair(
  { id, other }: Pair,
  sources: ReadonlyMap<string, Pair>,
): string | undefined {
  if (isSameId(id, other)) return `${id} would be merged into itself`
  const next = sources.get(other.toLowerCase())
  if (next === undefined || isSameId(next.id, next.other)) return undefined
  const flat = isSameId(next.other, id)
    ? 'keep one of the two rows'
    : `write ${id},${next.other} instead`
  return `${other} is itself merged in line ${groupDigits(next.line)}; ${flat}`
}

export const mergeContacts: Operation = {
  words: { verb: 'Merge', doing: 'merging' },
  item: 'contact',
  pairs: { columns: ['source', 'target'], preposition: 'into', problemWithPair },
  batch: { most: 1, concurrency: 1 },
  irrevocable: 'typed',
  request(batch) {
    const { id, other } = pairOf(batch)
    return { path: { sourceContactId: id }, body: { targetContactId: other } }
  },
  // The rest of the contact is a customer's personal data.
  keptFields: ['mergedContactId', 'contact.id'],
  problemWithAnswer,
  judge: (batch, state) =>
    isAnswered(state)
      ? sameForAll(batch, 'done')
      : judgeUnanswered(batch, state, problemWithAnswer),
  next: (_, state) => (maySend(state) ? { kind: 'send' } : undefined),
  undo: 'merged contacts cannot be separated again',
}
