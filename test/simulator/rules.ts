/** What must hold of a run's requests, whatever is said about them. */
import { limits, operations } from '../../src/api/operations.ts'
import { operationOf } from '../../src/bulk/operations/operations.ts'
import { isWrite, type RunFacts } from './facts.ts'
import type { Sent } from './service.ts'

/** An answer to it may be missing because it was not given, or not read. */
const isOpen = ({ told }: Sent): boolean => told === 'lost' || told === 'nothing'

/** The service's time up to which a request can still land. */
const landsUntil = ({ signed }: Sent): number => signed + limits.timestampWindow

/** A `retry` opened the run again between two requests: whoever goes on with it then may send the second. */
const isReopened = ({ run, processes }: RunFacts, from: Sent, to: Sent): boolean =>
  processes.some(({ argv, startedAt, locked }) => {
    // It waits for whoever works on the run, and opens what that one leaves.
    const openedAt = locked.get(run) ?? startedAt
    return argv[1] === 'retry' && openedAt >= from.at && startedAt <= to.at
  })

/** Why a run broke a rule of its operation. `runs`: all that there were. */
export function* brokenRules(facts: RunFacts, runs: readonly RunFacts[]): Generator<string> {
  const { job } = facts
  const { listsUnknown, items } = operationOf(job.operation)
  const isOnce = operations[job.operation].retry === 'once'
  const ids = new Set(facts.requests.filter(isWrite).flatMap((request) => request.ids))
  for (const id of ids) {
    const broken = [
      ...(isOnce && listsUnknown === true ? sentOnce(facts, id) : []),
      ...(isOnce && listsUnknown !== true ? readFirst(facts, id) : []),
      ...(items.pairs === undefined ? [] : inOrder(facts, id)),
      ...onCondition(facts, id),
      ...asTyped(facts, id),
    ]
    for (const what of broken) yield `${what}: ${facts.story(id)}`
  }
  const undone = runs.find(({ run }) => run === job.undoes)
  const siblings = runs.filter((other) => other !== facts && other.job.undoes === job.undoes)
  if (undone !== undefined)
    for (const id of ids)
      for (const what of brokenByUndo(facts, { undone, siblings }, id))
        yield `${what}: ${facts.story(id)}, after ${undone.story(id)}`
  yield* sentAgain(facts)
}

/** Its requests name the parties that were typed. */
function* asTyped(facts: RunFacts, id: string): Generator<string> {
  const { job } = facts
  for (const { parties, at } of facts.writesOf(id)) {
    if (job.ids === undefined) continue
    const wanted = job.wanted(id)
    if (wanted !== undefined && parties['other'] !== wanted)
      yield `${id} was sent with ${parties['other']} at ${at}, and ${wanted} was typed`
    for (const [key, party] of Object.entries(job.parties))
      if (wanted === undefined && parties[key] !== party)
        yield `${id} was sent with the ${key} ${parties[key]} at ${at}, and ${party} was typed`
  }
}

/** After a lost answer it is not sent again by itself, and by nobody while the lost one can land. */
function* sentOnce(facts: RunFacts, id: string): Generator<string> {
  const sent = facts.writesOf(id)
  for (const [index, request] of sent.entries()) {
    const open = sent.slice(0, index).find(isOpen)
    if (open === undefined) continue
    if (!isReopened(facts, open, request))
      yield `${id} was sent again at ${request.at} after a lost answer`
    if (request.at < landsUntil(open))
      yield `${id} was sent again at ${request.at}, when the request of ${open.at} could still land`
  }
}

/** Where the second party of one pair is the thing of another, that other one comes first or last, never between. */
function* inOrder(facts: RunFacts, id: string): Generator<string> {
  const [first] = facts.writesOf(id)
  // Whatever goes into this one must have gone before it goes into another.
  for (const source of facts.job.ids ?? []) {
    if (facts.job.wanted(source) !== id || first === undefined) continue
    const into = facts.writesOf(source)
    const late = into.find(
      (request) => request.at <= first.at && isOpen(request) && first.at < landsUntil(request),
    )
    if (late !== undefined)
      yield `${id} was sent at ${first.at}, when the request of ${source} into it could still land`
    const isBehind =
      into.some((request) => request.at > first.at) || !into.some(({ at }) => at < first.at)
    const isRetried = facts.processes.some(({ argv }) => argv[1] === 'retry')
    if (isBehind && !isRetried) yield `${id} was sent before ${source}, which goes into it`
  }
}

const assigneeAt = (sent: Sent | undefined, id: string): string | null | undefined =>
  sent?.landed?.effects.get(id)?.before.assignee

/** What is sent on a condition was read when it held. */
function* onCondition(facts: RunFacts, id: string): Generator<string> {
  const { condition } = facts.job
  if (condition === undefined) return
  const reads = facts.readsOf(id).filter(({ told }) => told === 'answered')
  for (const { at } of facts.writesOf(id)) {
    const read = reads.findLast((each) => each.at <= at)
    if (assigneeAt(read, id) !== condition)
      yield `${id} was sent at ${at}, though not ${condition} had it`
  }
}

/** After a lost answer it is read, and what somebody else has by then is left to them. */
function* readFirst(facts: RunFacts, id: string): Generator<string> {
  const sent = facts.writesOf(id)
  const reads = facts.readsOf(id).filter(({ told }) => told === 'answered')
  for (const [index, request] of sent.entries()) {
    const open = sent.slice(0, index).find(isOpen)
    if (open === undefined || isReopened(facts, open, request)) continue
    const read = reads.findLast(({ at }) => at <= request.at)
    if (read === undefined || read.at < open.at)
      yield `${id} was sent again at ${request.at} without a reading`
    // A process that ended before it sent anything leaves nothing to compare with: the next one reads anew.
    const before = reads.findLast(({ at }) => at <= open.at)
    if (before !== undefined && assigneeAt(read, id) !== assigneeAt(before, id))
      yield `${id} was sent again at ${request.at}, though somebody else had it`
  }
}

/**
 * A ticket is given back when an answer said that it was changed, no lost attempt to change it can still land, it was read when it had the
 * assignee that the run gave it, and no other undo gave it back before, or may have.
 */
function* brokenByUndo(
  facts: RunFacts,
  { undone, siblings }: { readonly undone: RunFacts; readonly siblings: readonly RunFacts[] },
  id: string,
): Generator<string> {
  const reads = facts.readsOf(id).filter(({ told }) => told === 'answered')
  const given = undone.writesOf(id).filter(({ told }) => told === 'answered')
  for (const request of facts.writesOf(id)) {
    const before = given.findLast(({ at }) => at < request.at)
    if (before === undefined)
      yield `${id} was given back at ${request.at}, and no answer said that it was changed`
    const open = undone.writesOf(id).find((sent) => isOpen(sent) && request.at < landsUntil(sent))
    if (open !== undefined)
      yield `${id} was given back at ${request.at}, when the request of ${open.at} could still land`
    const read = reads.findLast(({ at }) => at <= request.at)
    const to = before?.landed?.effects.get(id)?.after.assignee
    if (before !== undefined && assigneeAt(read, id) !== to)
      yield `${id} was given back at ${request.at}, though another person had it`
    const other = siblings
      .flatMap((sibling) => sibling.writesOf(id))
      .find(({ at, told }) => at < request.at && told !== 'refused' && told !== 'never-sent')
    if (other !== undefined)
      yield `${id} was given back a second time at ${request.at}, after that of ${other.at}`
  }
}

/** What had an answer that counts is not sent again but by `retry`, or to look into it; what was in flight when a process died may be. */
function* sentAgain({ job, isCalm, requests }: RunFacts): Generator<string> {
  if (!isCalm || operationOf(job.operation).isolates !== undefined) return
  const answered = new Set<string>()
  for (const { ids, told, at } of requests.filter(isWrite)) {
    const again = ids.find((id) => answered.has(id))
    if (again !== undefined) yield `${again} was sent again at ${at} after an answer that counts`
    if (told === 'answered') for (const id of ids) answered.add(id)
  }
}
