/** `contacts merge`: one pair in a request, which is never repeated after a lost answer and cannot be undone. */
import type { Pair } from '../../input/pairs.ts'
import { isObject } from '../../values.ts'
import { groupDigits } from '../../words.ts'
import { isAmbiguous, isSameId, isUntried, type BatchState } from '../batch.ts'
import {
  all,
  isSendable,
  judgeUnanswered,
  otherShape,
  type Batch,
  type Operation,
} from './operation.ts'
import { contradiction, pairOf } from './pairs.ts'

/** The description does not say which of the two contacts the answer names. */
function problemOf(batch: Batch, _: readonly string[], data: unknown): string | undefined {
  const { id, other } = pairOf(batch)
  const merged = isObject(data) ? data['mergedContactId'] : undefined
  if (typeof merged !== 'string') return otherShape
  const isOfPair = isSameId(merged, id) || isSameId(merged, other)
  return isOfPair ? undefined : 'the answer names another contact'
}

/** Whether a merge may be sent: only if no attempt can have left. */
function maySend(state: BatchState): boolean {
  if (!isUntried(state) || state.answer !== undefined || !isSendable(state)) return false
  // Another process that may be alive cannot have sent it without a `try` on record.
  const isUnsent = state.attempts === 0 && !state.mayLackTry
  return !isAmbiguous(state) || isUnsent
}

/** A contact may be a source only once, and a target must not be a source. Throws exit 2 with the rows to write instead. */
export function checkMerges(pairs: readonly Pair[]): void {
  const sources = new Map<string, Pair>()
  const problems: string[] = []
  for (const pair of pairs) {
    const source = pair.id.toLowerCase()
    const before = sources.get(source)
    const at = `line ${groupDigits(pair.line)}`
    if (isSameId(pair.id, pair.other)) {
      problems.push(`${at}: ${pair.id} would be merged into itself`)
    }
    if (before === undefined) sources.set(source, pair)
    else {
      problems.push(
        `${at}: ${pair.id} is already merged in line ${groupDigits(before.line)}`,
      )
    }
  }
  for (const { id, other, line } of pairs) {
    const next = sources.get(other.toLowerCase())
    if (next === undefined || isSameId(next.id, next.other) || isSameId(id, other)) continue
    const flat = isSameId(next.other, id)
      ? 'keep one of the two rows'
      : `write ${id},${next.other} instead`
    problems.push(
      `line ${groupDigits(line)}: ${other} is itself merged in line ${groupDigits(next.line)}; ${flat}`,
    )
  }
  if (problems.length > 0) throw contradiction(problems)
}

export const mergeContacts: Operation = {
  words: { verb: 'Merge', doing: 'merging', done: 'merged' },
  item: 'contact',
  pairs: { columns: ['source', 'target'], preposition: 'into', check: checkMerges },
  batch: { most: 1, concurrency: 1 },
  irrevocable: 'typed',
  request(batch) {
    const { id, other } = pairOf(batch)
    return { path: { sourceContactId: id }, body: { targetContactId: other } }
  },
  // The rest of the contact is a customer's personal data.
  keptFields: ['mergedContactId', 'contact.id'],
  problemOf,
  judge: (batch, state) =>
    state.answer?.k === 'answered'
      ? all(batch, 'done')
      : judgeUnanswered(batch, state, problemOf),
  next: (_, state) => (maySend(state) ? { kind: 'send' } : undefined),
  undo: 'merged contacts cannot be separated again',
}
