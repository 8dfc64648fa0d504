/**
 * `contacts delete`: many contacts in a request, which can be repeated and cannot be undone. What was not found after a lost
 * answer is `gone`.
 */
import * as v from 'valibot'
import { DeleteResult } from '../../api/schemas.ts'
import { wasAmbiguous, type BatchState } from '../batch.ts'
import type { Judgement, Outcome } from '../outcomes.ts'
import { isDue } from './due.ts'
import {
  judgeUnanswered,
  unexpectedForm,
  sumProblem,
  type Batch,
  type Operation,
} from './operation.ts'

/** A set of ids for comparisons that ignore letter case. */
const idSet = (ids: readonly string[]): ReadonlySet<string> =>
  new Set(ids.map((id) => id.toLowerCase()))

/** An answer is accepted if its counts add up to the batch and its arrays are disjoint sets of the batch's ids. */
function problemWithAnswer(
  _: Batch,
  ids: readonly string[],
  data: unknown,
): string | undefined {
  const parsed = v.safeParse(DeleteResult, data)
  if (!parsed.success) return unexpectedForm
  const { deletedCount, notFoundIds, blockedIds } = parsed.output
  const sizes = { notFoundIds: notFoundIds.length, blockedIds: blockedIds.length }
  const problem = sumProblem({ deletedCount, ...sizes }, ids)
  const named = [...notFoundIds, ...blockedIds]
  if (problem !== undefined || named.length === 0) return problem
  const sent = idSet(ids)
  for (const [name, array] of Object.entries({ notFoundIds, blockedIds })) {
    const distinct = idSet(array)
    if (distinct.size < array.length) return `${name} names an id twice`
    const isForeign = [...distinct].some((id) => !sent.has(id))
    if (isForeign) return `${name} names an id that was not sent`
  }
  const isTwice = idSet(named).size < named.length
  return isTwice ? 'an id is in notFoundIds and in blockedIds' : undefined
}

function judge(batch: Batch, state: BatchState): Judgement {
  const answer = v.safeParse(DeleteResult, state.answer?.d)
  if (!answer.success) return judgeUnanswered(batch, state, problemWithAnswer)
  const { notFoundIds, blockedIds } = answer.output
  const others = new Map<string, Outcome>()
  for (const id of notFoundIds) {
    others.set(id.toLowerCase(), wasAmbiguous(state) ? 'gone' : 'not-found')
  }
  for (const id of blockedIds) others.set(id.toLowerCase(), 'blocked')
  // Most batches are deleted whole, and a run can have ten thousand.
  if (others.size === 0) return { outcomes: batch.ids.map(() => 'deleted') }
  return { outcomes: batch.ids.map((id) => others.get(id.toLowerCase()) ?? 'deleted') }
}

export const deleteContacts: Operation = {
  words: { verb: 'Delete', doing: 'deleting' },
  item: 'contact',
  batch: { most: 100, concurrency: 4 },
  irrevocable: 'y-for-one',
  request: (_, ids) => ({ path: {}, body: { contactIds: ids } }),
  keptFields: ['deletedCount', 'notFoundIds', 'blockedIds'],
  problemWithAnswer,
  judge,
  next: (_, state) => (isDue(state) ? { kind: 'send' } : undefined),
  undo: 'deleted contacts cannot be brought back',
}
