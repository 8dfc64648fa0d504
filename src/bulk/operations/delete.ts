/**
 * `contacts delete`: many contacts in a request, which can be repeated and cannot be undone. What was not found after a lost answer is `gone`.
 * `operations.ts` registers it.
 */
import { receiptView } from '../../views/bulk.ts'
import * as v from 'valibot'
import type { BatchState } from '../record/batch.ts'
import {
  isSentAgain,
  judgeUnanswered,
  otherShape,
  partsProblem,
  type Batch,
  type Operation,
} from './operation.ts'
import { answeredOtherwise, asAsked } from './outcome-facts.ts'

const outcomes = {
  deleted: { ...asAsked, figure: 'deleted', meaning: 'deleted by this run' },
  'not-found': {
    ...answeredOtherwise,
    figure: 'notFound',
    idArray: 'notFoundIds',
    meaning: 'the service knows no such contact',
    reason: 'there is no contact with this id',
  },
  blocked: {
    ...answeredOtherwise,
    figure: 'blocked',
    idArray: 'blockedIds',
    meaning: 'the service keeps these contacts, because they have chats',
    reason: 'the service keeps contacts with chats',
  },
  gone: {
    ...asAsked,
    figure: 'gone',
    idArray: 'goneIds',
    guessOf: 'deleted',
    meaning: 'deleted by an attempt whose answer was lost, or never there',
    reason: 'the contact is gone: deleted by this run, or never there',
  },
} as const

const Answer = v.object({
  deletedCount: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  notFoundIds: v.array(v.string()),
  blockedIds: v.array(v.string()),
})

/** An answer is accepted if its counts add up to the batch and its arrays are disjoint sets of the batch's ids. */
function problemOf(_: Batch, ids: readonly string[], data: unknown): string | undefined {
  const parsed = v.safeParse(Answer, data)
  if (!parsed.success) return otherShape
  const { deletedCount, ...arrays } = parsed.output
  return partsProblem(ids, { deletedCount }, arrays)
}

function judge(batch: Batch, state: BatchState) {
  const answer = v.safeParse(Answer, state.answer?.d)
  if (!answer.success) return judgeUnanswered(batch, state, problemOf)
  const { notFoundIds, blockedIds } = answer.output
  const absent = state.everAmbiguous ? 'gone' : 'not-found'
  const others = new Map<string, keyof typeof outcomes>()
  for (const id of notFoundIds) others.set(id.toLowerCase(), absent)
  for (const id of blockedIds) others.set(id.toLowerCase(), 'blocked')
  // Most batches are deleted whole, and a run can have ten thousand.
  if (others.size === 0) return { outcomes: batch.ids.map(() => 'deleted' as const) }
  return { outcomes: batch.ids.map((id) => others.get(id.toLowerCase()) ?? 'deleted') }
}

export const deleteContacts = {
  words: { verb: 'Delete', doing: 'deleting', done: 'deleted' },
  items: { kind: 'contact' },
  slots: {},
  request: (_, ids) => ({ path: {}, body: { contactIds: ids } }),
  irrevocable: 'y-for-one',
  batch: { most: 100, concurrency: 4 },
  outcomes,
  undo: { whyNot: 'deleted contacts cannot be brought back' },
  keptFields: ['deletedCount', 'notFoundIds', 'blockedIds'],
  receiptView,
  problemOf,
  judge,
  next: (_, state) => (isSentAgain(state) ? { kind: 'send' } : undefined),
  notes({ count, ids }) {
    return ids > 1 && count('not-found') === ids
      ? ['none of these ids was found: are they contact ids, and is it the right service?']
      : []
  },
} as const satisfies Operation<keyof typeof outcomes>
