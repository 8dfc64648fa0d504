/** `contacts delete`: many contacts in a request, which can be repeated and cannot be undone; what was not found after a lost answer is `gone`. */
import { receiptView } from '../../resources/bulk.ts'
import { all, disbelieve, isCount, needed, sendUntilAnswered, sumProblem, unanswered } from './operation.ts'
import type { Operation } from './operation.ts'
import { isObject } from '../../values.ts'

export const deleteContacts = {
  verb: 'Delete',
  doing: 'deleting',
  thing: 'contact',
  preposition: 'to',
  irrevocable: 'y-for-one',
  isSingle: false,
  concurrency: 4,
  whyNoUndo: 'deleted contacts cannot be brought back',
  keptFields: ['deletedCount', 'notFoundIds', 'blockedIds'],
  figures: (by) => ({ deleted: by.deleted, gone: by.gone, notFound: by['not-found'], blocked: by.blocked }),
  idArrays: [
    ['notFoundIds', 'not-found'],
    ['blockedIds', 'blocked'],
    ['goneIds', 'gone'],
  ],
  receiptView,
  send: (api, { json }, requests) => requests.attempt((hooks) => api.contacts.delete(needed(json), hooks)),
  /**
   * The answer is believed when deletedCount, notFoundIds and blockedIds add up to the batch and the two arrays are disjoint
   * subsets of it; letter case does not matter. An id that is not found is `gone` when the answer to an earlier attempt was
   * lost: that attempt may have deleted it.
   */
  judge(batch, state, data) {
    if (!isObject(data)) return disbelieve(batch)
    const { ids } = batch
    const { deletedCount, notFoundIds, blockedIds } = data
    if (!isCount(deletedCount) || !isTexts(notFoundIds) || !isTexts(blockedIds)) return disbelieve(batch)
    const problem = sumProblem({ deletedCount, notFoundIds: notFoundIds.length, blockedIds: blockedIds.length }, batch)
    if (problem !== undefined) return disbelieve(batch, problem)
    if (deletedCount === ids.length) return all(batch, 'deleted')
    const sent = new Set(Array.from(ids, key))
    const notFound = subset('notFoundIds', notFoundIds, sent)
    if (typeof notFound === 'string') return disbelieve(batch, notFound)
    const blocked = subset('blockedIds', blockedIds, sent)
    if (typeof blocked === 'string') return disbelieve(batch, blocked)
    for (const id of blocked) {
      if (notFound.has(id)) return disbelieve(batch, 'an id is in notFoundIds and in blockedIds')
    }
    return {
      outcomes: Array.from(ids, (id) => {
        if (blocked.has(key(id))) return 'blocked'
        if (notFound.has(key(id))) return state.everAmbiguous ? 'gone' : 'not-found'
        return 'deleted'
      }),
    }
  },
  judgeUnanswered: unanswered,
  next: sendUntilAnswered,
} as const satisfies Operation

const key = (id: string): string => id.toLowerCase()

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** The ids of one array of the answer, in lower case, or what is wrong with them. */
function subset(name: string, ids: readonly string[], sent: ReadonlySet<string>): Set<string> | string {
  const found = new Set<string>()
  for (const id of ids) {
    if (!sent.has(key(id))) return `${name} names an id that was not sent`
    if (found.has(key(id))) return `${name} names an id twice`
    found.add(key(id))
  }
  return found
}
