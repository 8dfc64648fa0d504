/**
 * `contacts delete`: many contacts in a request, which can be repeated and cannot be undone; what was not found after a lost answer is
 * `gone`. `operations.ts` registers it.
 */
import { receiptView } from '../../views/bulk.ts'
import { answeredOtherwise, asAsked } from './outcome-facts.ts'
import {
  all,
  disbelieve,
  idsIn,
  isCount,
  isTexts,
  sendUntilAnswered,
  sumProblem,
  outcomeWithoutAnswer,
} from './operation.ts'
import type { Operation } from './operation.ts'
import { isObject } from '../../values.ts'

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

export const deleteContacts = {
  words: { verb: 'Delete', doing: 'deleting', done: 'deleted' },
  items: { kind: 'contact' },
  parameters: {},
  request: (_, ids) => ({ path: {}, body: { contactIds: ids } }),
  irrevocable: 'y-for-one',
  batch: { most: 100, concurrency: 4 },
  outcomes,
  undo: { whyNot: 'deleted contacts cannot be brought back' },
  keptFields: ['deletedCount', 'notFoundIds', 'blockedIds'],
  receiptView,
  send: (_api, _batch, requests) => requests.attempt(),
  /**
   * The answer is believed when deletedCount, notFoundIds and blockedIds add up to the batch and the two arrays are disjoint
   * subsets of it; letter case does not matter. An id that is not found is `gone` when the answer to an earlier attempt was
   * lost: that attempt may have deleted it.
   */
  judge(batch, state, data) {
    if (!isObject(data)) return disbelieve(batch)
    const { ids } = batch
    const { deletedCount, notFoundIds, blockedIds } = data
    if (!isCount(deletedCount) || !isTexts(notFoundIds) || !isTexts(blockedIds))
      return disbelieve(batch)
    const problem = sumProblem(
      { deletedCount, notFoundIds: notFoundIds.length, blockedIds: blockedIds.length },
      batch,
    )
    if (problem !== undefined) return disbelieve(batch, problem)
    if (deletedCount === ids.length) return all(batch, 'deleted')
    const notFound = idsIn(batch, 'notFoundIds', notFoundIds)
    if (notFound.problem !== undefined) return disbelieve(batch, notFound.problem)
    const blocked = idsIn(batch, 'blockedIds', blockedIds)
    if (blocked.problem !== undefined) return disbelieve(batch, blocked.problem)
    for (const id of blocked.ids) {
      if (notFound.ids.has(id))
        return disbelieve(batch, 'an id is in notFoundIds and in blockedIds')
    }
    return {
      outcomes: Array.from(ids, (id) => {
        if (blocked.ids.has(id.toLowerCase())) return 'blocked'
        if (notFound.ids.has(id.toLowerCase())) return state.everAmbiguous ? 'gone' : 'not-found'
        return 'deleted'
      }),
    }
  },
  judgeUnanswered: outcomeWithoutAnswer,
  next: sendUntilAnswered,
  notes({ count, ids }) {
    return ids > 1 && count('not-found') === ids
      ? ['none of these ids was found: are they contact ids, and is it the right service?']
      : []
  },
} as const satisfies Operation<keyof typeof outcomes>
