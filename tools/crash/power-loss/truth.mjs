/**
 * What may be claimed of a run at one moment of its log, from the requests alone that had left by then: whatever is lost
 * of the journal, a claim that says more is false.
 */

import { effects as recorded, groupBy } from '../../harness/judge.mjs'

const lower = (id) => id.toLowerCase()

/** What a request did to an id, in the words of the record. */
function effectOn(id, { entry }) {
  if (entry === undefined) return undefined
  if (entry.merged?.source === id) return 'merged'
  if (entry.assigned?.ticket === id) return 'assigned'
  return recorded.find((effect) => entry[effect]?.includes(id))
}

const changes = new Set(['deleted', 'added', 'merged', 'assigned'])
const isAnswered = (request, cut) => request.answeredAt < cut && typeof request.entry?.status === 'number'

/** Contacts whose own merge waits for one that no resume will make. */
function behindOthers(receipts, merges) {
  const isOver = new Set(
    receipts.filter(({ outcome }) => ['error', 'unknown'].includes(outcome)).map(({ id }) => lower(id)),
  )
  return new Set(merges.filter(([source]) => isOver.has(lower(source))).map(([, target]) => lower(target)))
}

/** Why each of these claims is false: nothing when all are true. `requests`: those that had left. */
export function falseClaims(receipts, requests, { cut, wasKilled, merges = [] }) {
  const problems = []
  const behind = behindOthers(receipts, merges)
  const all = requests.flatMap((request) => request.ids.map((id) => ({ id, request })))
  const byId = groupBy(all, ({ id }) => id)
  for (const { id: given, outcome } of receipts) {
    const id = lower(given)
    const about = (byId.get(id) ?? []).map(({ request }) => request)
    const its = about.filter(({ isWrite }) => isWrite)
    const effects = its.map((request) => effectOn(id, request))
    const answered = its.filter((request) => isAnswered(request, cut)).map((request) => effectOn(id, request))
    const isTrue = {
      deleted: answered.includes('deleted'),
      blocked: answered.includes('blocked'),
      'not-found': answered.includes('notFound') && !effects.includes('deleted'),
      gone: answered.includes('notFound') && (its.length > 1 || wasKilled),
      ok: answered.includes('added') || answered.includes('skipped'),
      missing: answered.includes('failed'),
      undetermined: answered.length > 0,
      done: answered.includes('merged') || isAssigned(about, effects, cut),
      error: (its.length > 0 || behind.has(id)) && !effects.some((effect) => changes.has(effect)),
      // Its attempt was written down; whether the request left cannot be known any more.
      unknown: true,
      'not-attempted': its.length === 0,
    }[outcome]
    if (isTrue !== true) problems.push(`${id} is claimed to be ${outcome}`)
  }
  return problems
}

/** A ticket is done when the change was made and answered or read, or when nothing had to be changed. */
function isAssigned(requests, effects, cut) {
  const read = requests.some((request) => !request.isWrite && isAnswered(request, cut))
  return effects.includes('assigned') ? requests.some((request) => isAnswered(request, cut)) : read
}
