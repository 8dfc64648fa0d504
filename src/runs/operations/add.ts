/**
 * `lists add-contacts`: many contacts in a request, which can be sent again. The service says how many do not exist, but not
 * which: such a request becomes two halves, until each is whole.
 */
import * as v from 'valibot'
import { AddResult } from '../../api/schemas.ts'
import {
  isAnswered,
  type Operation,
  sameForAll,
  sumProblem,
  unexpectedForm,
} from './operation.ts'

export const addContacts: Operation = {
  words: { verb: 'Add', doing: 'adding', run: 'add', item: 'contact', preposition: 'to' },
  most: 100,
  concurrency: 4,
  request: ({ ids, target = '' }) => ({
    ids: { listId: target },
    body: { contactIds: ids },
  }),
  keep(data) {
    if (!v.is(AddResult, data)) return null
    const { added, skipped, failed } = data
    return { added, skipped, failed }
  },
  problem({ ids }, data) {
    if (!v.is(AddResult, data)) return unexpectedForm
    const { added, skipped, failed } = data
    return sumProblem({ added, skipped, failed }, ids.length)
  },
  counts(data, { range: [from, to] }) {
    if (!v.is(AddResult, data)) return { added: 0, isMixed: false }
    const { added, failed } = data
    return { added, isMixed: failed > 0 && failed < to - from }
  },
  isDue: () => true,
  outcomesOf(request, batch) {
    const data = request.answer?.d
    if (!isAnswered(request) || !v.is(AddResult, data)) return undefined
    return sameForAll(batch, data.failed === 0 ? 'done' : 'not-found')
  },
}
