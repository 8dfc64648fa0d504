/** `contacts merge`: one pair in a request, which is never sent again after a lost answer. */
import { isObject } from '../../json.ts'
import { isSameId } from '../../values.ts'
import {
  isAnswered,
  isInDoubt,
  onlyId,
  type Operation,
  sameForAll,
  unexpectedForm,
} from './operation.ts'

export const mergeContacts: Operation = {
  words: {
    verb: 'Merge',
    doing: 'merging',
    run: 'merge',
    item: 'contact',
    preposition: 'into',
  },
  most: 1,
  concurrency: 1,
  pairs: ['source', 'target'],
  isFinal: true,
  request(batch) {
    return {
      ids: { sourceContactId: onlyId(batch) },
      body: { targetContactId: batch.other ?? '' },
    }
  },
  // The rest of the contact is a customer's personal data.
  keep(data) {
    if (!isObject(data) || !isObject(data['contact'])) return null
    return {
      mergedContactId: data['mergedContactId'],
      contact: { id: data['contact']['id'] },
    }
  },
  /** The description does not say which of the two contacts the answer names as merged, and which as the result. */
  problem(batch, data) {
    const id = onlyId(batch)
    const { other } = batch
    if (!isObject(data) || !isObject(data['contact'])) return unexpectedForm
    const { mergedContactId: one, contact } = data
    const namesBoth =
      (isSameId(one, id) && isSameId(contact['id'], other)) ||
      (isSameId(one, other) && isSameId(contact['id'], id))
    return namesBoth ? undefined : 'the answer does not name both contacts'
  },
  isDue: (request) => !isInDoubt(request),
  outcomesOf: (request, batch) =>
    isAnswered(request) ? sameForAll(batch, 'done') : undefined,
}
