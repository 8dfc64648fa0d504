/** `contacts delete`: many contacts in a request, which can be sent again. */
import * as v from 'valibot'
import { DeleteResult } from '../../api/schemas.ts'
import type { Outcome } from '../outcomes.ts'
import {
  type Batch,
  isAnswered,
  type Operation,
  sumProblem,
  unexpectedForm,
} from './operation.ts'

const lower = (id: string) => id.toLowerCase()

/** The counts add up to the request, and name disjoint ids of it. */
function problem({ ids }: Batch, data: unknown): string | undefined {
  if (!v.is(DeleteResult, data)) return unexpectedForm
  const { deletedCount, notFoundIds, blockedIds } = data
  const sizes = { notFoundIds: notFoundIds.length, blockedIds: blockedIds.length }
  const named = [...notFoundIds, ...blockedIds].map(lower)
  const wrongSum = sumProblem({ deletedCount, ...sizes }, ids.length)
  if (wrongSum !== undefined || named.length === 0) return wrongSum
  if (new Set(named).size < named.length) return 'the answer names an id twice'
  const sent = new Set(ids.map(lower))
  return named.some((id) => !sent.has(id))
    ? 'the answer names an id that was not sent'
    : undefined
}

export const deleteContacts: Operation = {
  words: {
    verb: 'Delete',
    doing: 'deleting',
    run: 'delete',
    item: 'contact',
    preposition: 'to',
  },
  most: 100,
  concurrency: 4,
  isFinal: true,
  request: ({ ids }) => ({ body: { contactIds: ids } }),
  keep(data) {
    if (!v.is(DeleteResult, data)) return null
    const { deletedCount, notFoundIds, blockedIds } = data
    return { deletedCount, notFoundIds, blockedIds }
  },
  problem,
  isDue: () => true,
  outcomesOf(request, { ids }) {
    const data = request.answer?.d
    if (!isAnswered(request) || !v.is(DeleteResult, data)) return undefined
    // After a doubt, an earlier attempt may have deleted what is not found.
    const absent: Outcome = request.isDoubtful ? 'gone' : 'not-found'
    const others = new Map<string, Outcome>()
    for (const id of data.notFoundIds) others.set(lower(id), absent)
    for (const id of data.blockedIds) others.set(lower(id), 'blocked')
    // Most requests are deleted whole, and a run can have ten thousand.
    if (others.size === 0) return ids.map(() => 'done')
    return ids.map((id) => others.get(lower(id)) ?? 'done')
  },
}
