/**
 * `lists add-contacts`: up to 100 contacts in a request, which is safe to send again. The answer counts the contacts that do
 * not exist, but does not name them. So the queue replaces a request in which only some exist by its two halves.
 */
import * as v from 'valibot'
import { AddResult } from '../../api/schemas.ts'
import {
  findSumProblem,
  isAnswered,
  type Operation,
  sameForAll,
  unexpectedForm,
} from './operation.ts'

export const addContacts: Operation = {
  words: { verb: 'Add', doing: 'adding', run: 'add', item: 'contact' },
  maxPerRequest: 100,
  concurrency: 4,
  request: ({ ids, target = '' }) => ({
    ids: { listId: target },
    body: { contactIds: ids },
  }),
  recordedPart(data) {
    if (!v.is(AddResult, data)) return null
    const { added, skipped, failed } = data
    return { added, skipped, failed }
  },
  findProblem({ ids }, data) {
    if (!v.is(AddResult, data)) return unexpectedForm
    const { added, skipped, failed } = data
    return findSumProblem({ added, skipped, failed }, ids.length)
  },
  countsOf(data, { ids }) {
    if (!v.is(AddResult, data)) return { added: 0, isMixed: false }
    const { added, failed } = data
    return { added, isMixed: failed > 0 && failed < ids.length }
  },
  isDueUnanswered: () => true,
  outcomesOf(request, batch) {
    const data = isAnswered(request) ? request.answer?.d : undefined
    if (!v.is(AddResult, data)) return undefined
    // All or none: the halves have replaced a request in which only some exist.
    return sameForAll(batch, data.failed === 0 ? 'done' : 'not-found')
  },
}
