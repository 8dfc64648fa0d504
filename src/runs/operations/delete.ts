/** `contacts delete`: up to 100 contacts in a request, which is safe to send again. */
import * as v from 'valibot'
import { DeleteResult } from '../../api/schemas.ts'
import type { Outcome } from '../outcomes.ts'
import {
  type Batch,
  findSumProblem,
  isAnswered,
  type Operation,
  sameForAll,
  unexpectedForm,
} from './operation.ts'

const lower = (id: string) => id.toLowerCase()

/** Checks that the counts add up to the request, and that the answer names only ids of the request, none of them twice. */
function findProblem({ ids }: Batch, data: unknown): string | undefined {
  if (!v.is(DeleteResult, data)) return unexpectedForm
  const { deletedCount, notFoundIds, blockedIds } = data
  const named = [...notFoundIds, ...blockedIds].map(lower)
  const counts = {
    deletedCount,
    notFoundIds: notFoundIds.length,
    blockedIds: blockedIds.length,
  }
  const sumProblem = findSumProblem(counts, ids.length)
  if (sumProblem !== undefined) return sumProblem
  if (new Set(named).size < named.length) return 'the answer names an id twice'
  // A run can have ten thousand requests, and most answers name no id.
  if (named.length === 0) return undefined
  const sent = new Set(ids.map(lower))
  return named.every((id) => sent.has(id))
    ? undefined
    : 'the answer names an id that was not sent'
}

export const deleteContacts: Operation = {
  words: { verb: 'Delete', doing: 'deleting', run: 'delete', item: 'contact' },
  maxPerRequest: 100,
  concurrency: 4,
  isIrreversible: true,
  request: ({ ids }) => ({ body: { contactIds: ids } }),
  recordedPart(data) {
    if (!v.is(DeleteResult, data)) return null
    const { deletedCount, notFoundIds, blockedIds } = data
    return { deletedCount, notFoundIds, blockedIds }
  },
  findProblem,
  isDueUnanswered: () => true,
  outcomesOf(request, batch) {
    const data = isAnswered(request) ? request.answer?.d : undefined
    if (!v.is(DeleteResult, data)) return undefined
    // After a doubt, an earlier attempt may have deleted a contact that is absent now.
    const absent: Outcome = request.isDoubtful ? 'gone' : 'not-found'
    const notDeleted = new Map<string, Outcome>()
    for (const id of data.notFoundIds) notDeleted.set(lower(id), absent)
    for (const id of data.blockedIds) notDeleted.set(lower(id), 'blocked')
    // Usually all were deleted. This saves a look-up for each of up to a million ids.
    if (notDeleted.size === 0) return sameForAll(batch, 'done')
    return batch.ids.map((id) => notDeleted.get(lower(id)) ?? 'done')
  },
}
