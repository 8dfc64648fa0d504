/** What must hold of a run's requests, whatever is said about them. */
import { limits } from '../../src/api/limits.ts'
import type { RunFacts } from './facts.ts'
import type { Sent } from './service.ts'

/** An answer to it may be missing because it was not given, or not read. */
const isOpen = ({ told }: Sent): boolean => told === 'lost' || told === 'nothing'

/** The service's time up to which a request can still land. */
const landsUntil = ({ signed }: Sent): number => signed + limits.timestampWindow

/** A `retry` opened the run again between two requests: whoever goes on with it then may send the second. */
const isReopened = ({ processes }: RunFacts, from: Sent, to: Sent): boolean =>
  processes.some(
    ({ argv, startedAt }) => argv[1] === 'retry' && startedAt >= from.at && startedAt <= to.at,
  )

/** Why a run broke a rule of its operation. `factsOf`: of the run that it takes back. */
export function* brokenRules(
  facts: RunFacts,
  factsOf: (run: string) => RunFacts | undefined,
): Generator<string> {
  const { job } = facts
  const ids = new Set(facts.requests.flatMap((request) => request.ids))
  const rules = { merge: brokenByMerge, assign: brokenByAssign, delete: undefined, add: undefined }[
    job.kind
  ]
  for (const id of ids)
    for (const what of rules?.(facts, id) ?? []) yield `${what}: ${facts.story(id)}`
  const undone = job.undoes === undefined ? undefined : factsOf(job.undoes)
  if (undone !== undefined) for (const id of ids) yield* brokenByUndo(facts, undone, id)
  yield* sentAgain(facts)
}

function* brokenByMerge(facts: RunFacts, id: string): Generator<string> {
  const sent = facts.writesOf(id)
  for (const [index, request] of sent.entries()) {
    const before = sent.slice(0, index)
    const open = before.find(isOpen)
    if (open !== undefined && !isReopened(facts, open, request))
      yield `the merge of ${id} was sent again at ${request.at} after a lost answer`
    if (open !== undefined && request.at < landsUntil(open))
      yield `the merge of ${id} was sent again at ${request.at}, when the one of ${open.at} could still land`
  }
  // Whoever is merged into this contact must have been before it goes into another.
  for (const source of facts.job.ids ?? []) {
    const [first] = sent
    if (facts.job.wanted(source) !== id || first === undefined) continue
    const into = facts.writesOf(source)
    const late = into.find(
      (request) => request.at <= first.at && isOpen(request) && first.at < landsUntil(request),
    )
    if (late !== undefined)
      yield `the merge of ${id} was sent at ${first.at}, when that of ${source} into it could still land`
    const isBehind =
      into.some((request) => request.at > first.at) || !into.some(({ at }) => at < first.at)
    const isRetried = facts.processes.some(({ argv }) => argv[1] === 'retry')
    if (isBehind && !isRetried) yield `the merge of ${id} was sent before that of ${source} into it`
  }
}

/** After a lost answer a ticket is read, and one that somebody else has by then is left to them. */
function* brokenByAssign(facts: RunFacts, id: string): Generator<string> {
  const sent = facts.writesOf(id)
  const reads = facts.readsOf(id).filter(({ told }) => told === 'answered')
  for (const [index, request] of sent.entries()) {
    const open = sent.slice(0, index).find(isOpen)
    const { ifAssignee } = facts.job
    const isAsSaid = reads.findLast(({ at }) => at <= request.at)?.landed?.assignee === ifAssignee
    if (ifAssignee !== undefined && !isAsSaid)
      yield `the ticket ${id} was sent at ${request.at}, though not ${ifAssignee} had it`
    if (open === undefined || isReopened(facts, open, request)) continue
    const read = reads.findLast(({ at }) => at <= request.at)
    if (read === undefined || read.at < open.at)
      yield `the ticket ${id} was sent again at ${request.at} without a reading`
    const first = reads.find(({ at }) => at <= open.at)
    if (first !== undefined && read?.landed?.assignee !== first.landed?.assignee)
      yield `the ticket ${id} was sent again at ${request.at}, though somebody else had it`
  }
}

/** A ticket is given back when an answer said that it was changed, and no lost attempt to assign it can still land. */
function* brokenByUndo(facts: RunFacts, undone: RunFacts, id: string): Generator<string> {
  for (const request of facts.writesOf(id)) {
    if (!undone.writesOf(id).some(({ told, at }) => told === 'answered' && at < request.at))
      yield `the ticket ${id} was given back at ${request.at}, and no answer said that it was changed`
    const open = undone.writesOf(id).find((sent) => isOpen(sent) && request.at < landsUntil(sent))
    if (open !== undefined)
      yield `the ticket ${id} was given back at ${request.at}, when the attempt of ${open.at} could still land`
  }
}

/** What had an answer that counts is not sent again but by `retry`; what was in flight when a process died may be. */
function* sentAgain({ job, isCalm, requests }: RunFacts): Generator<string> {
  if (!isCalm || job.kind === 'add') return
  const answered = new Set<string>()
  for (const { operation, ids, told, at } of requests) {
    if (operation === 'tickets.history') continue
    const again = ids.find((id) => answered.has(id))
    if (again !== undefined) yield `${again} was sent again at ${at} after an answer that counts`
    if (told === 'answered') for (const id of ids) answered.add(id)
  }
}
