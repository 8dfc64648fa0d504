/**
 * `contacts merge`: one pair in a request, which is never repeated after a lost answer (class `once`) and cannot be undone. `operations.ts`
 * registers it.
 */
import { receiptView } from '../../views/bulk.ts'
import { isAmbiguous, isBeginning, isSameId } from '../record/batch-state.ts'
import { chainOf } from './merge-order.ts'
import { done } from './outcome-facts.ts'
import {
  all,
  disbelieve,
  isSendable,
  pairOf,
  outcomeWithoutAnswer,
  type Operation,
} from './operation.ts'
import { isObject } from '../../values.ts'

const outcomes = { done }

export const mergeContacts = {
  words: { verb: 'Merge', doing: 'merging', done: 'merged' },
  items: { kind: 'contact', pairs: { columns: ['source', 'target'], check: chainOf } },
  parameters: {
    into: {
      kind: 'contact',
      use: 'target',
      value: 'target',
      preposition: 'into',
      summary: 'the contact that stays',
      isOfOne: true,
    },
  },
  request(batch) {
    const { id, other } = pairOf(batch)
    return { path: { sourceContactId: id }, body: { targetContactId: other } }
  },
  irrevocable: 'typed',
  batch: { most: 1, concurrency: 1 },
  outcomes,
  listsUnknown: true,
  undo: { whyNot: 'merged contacts cannot be separated again' },
  // The rest of the contact is a customer's personal data.
  keptFields: ['mergedContactId', 'contact.id'],
  receiptView,
  send: (_api, _batch, requests) => requests.attempt(),
  /** The description does not say which of the two contacts the answer names. */
  judge(batch, _, data) {
    const { id, other } = pairOf(batch)
    const merged = isObject(data) ? data['mergedContactId'] : undefined
    if (typeof merged !== 'string') return disbelieve(batch)
    const isOfPair = isSameId(merged, id) || isSameId(merged, other)
    return isOfPair ? all(batch, 'done') : disbelieve(batch, 'the answer names another contact')
  },
  judgeUnanswered: outcomeWithoutAnswer,
  /** An answer that this run lost forbids another attempt; what another process may have sent does not. */
  next(_, state) {
    if (isBeginning(state) && isSendable(state)) return 'send'
    return isAmbiguous(state) ? 'list-only' : 'finished'
  },
} as const satisfies Operation<keyof typeof outcomes>
