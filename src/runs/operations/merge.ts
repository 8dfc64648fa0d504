/** `contacts merge`: one pair in a request, which is never sent again after a lost answer. */
import { isObject, isSameId } from '../../values.ts'
import {
  isAnswered,
  isInDoubt,
  onlyId,
  type Operation,
  sameForAll,
  unexpectedForm,
} from './operation.ts'

export const mergeContacts: Operation = {
  words: { verb: 'Merge', doing: 'merging', run: 'merge', item: 'contact' },
  maxPerRequest: 1,
  concurrency: 1,
  pairs: ['source', 'target'],
  isIrreversible: true,
  request: (batch) => ({
    ids: { sourceContactId: onlyId(batch) },
    body: { targetContactId: batch.other },
  }),
  // The other members of the contact are a customer's personal data.
  recordedPart(data) {
    if (!isObject(data) || !isObject(data['contact'])) return null
    return {
      mergedContactId: data['mergedContactId'],
      contact: { id: data['contact']['id'] },
    }
  },
  // The API description does not say which of the two is `mergedContactId`, and which is `contact`.
  findProblem(batch, data) {
    if (!isObject(data) || !isObject(data['contact'])) return unexpectedForm
    const source = onlyId(batch)
    const target = batch.other
    const merged = data['mergedContactId']
    const { id } = data['contact']
    const namesBoth =
      (isSameId(merged, source) && isSameId(id, target)) ||
      (isSameId(merged, target) && isSameId(id, source))
    return namesBoth ? undefined : 'the answer does not name both contacts'
  },
  isDueUnanswered: (request) => !isInDoubt(request),
  outcomesOf: (request, batch) =>
    isAnswered(request) ? sameForAll(batch, 'done') : undefined,
}
