/** Rules for the requests of a run, whatever it says about them. */
import { operations } from '../../src/api/operations.ts'
import { outcomeFacts } from '../../src/runs/outcomes.ts'
import { ownOutcomes } from './effects.ts'
import { isUndoing, isWrite, opensByOutcome, type RunFacts } from './facts.ts'
import type { Sent } from './service.ts'

/** An answer to it may be missing because it was not given, or not read. */
const isOpen = ({ told }: Sent): boolean => told === 'lost' || told === 'nothing'

/** Batches were opened again by their outcomes between two requests: who goes on with the run then may send the second. */
const isReopened = ({ run, processes }: RunFacts, from: Sent, to: Sent): boolean =>
  processes.some((process) => {
    // It waits for the process that works on the run, and opens what that one leaves.
    const openedAt = process.claimed.get(run) ?? process.startedAt
    return opensByOutcome(process) && openedAt >= from.at && process.startedAt <= to.at
  })

/** Why a run broke a rule of its operation. `runs`: all that there were. */
export function* brokenRules(facts: RunFacts, runs: readonly RunFacts[]): Generator<string> {
  const { job } = facts
  const isMerge = job.operation === 'contacts.merge'
  const isOnce = operations[job.operation].retry === 'once'
  const ids = new Set(facts.requests.filter(isWrite).flatMap((request) => request.ids))
  for (const id of ids) {
    const broken = [
      ...(isOnce && isMerge ? sentOnce(facts, id) : []),
      ...(isOnce && !isMerge ? readFirst(facts, id) : []),
      ...onCondition(facts, id),
      ...asTyped(facts, id),
    ]
    for (const what of broken) yield `${what}: ${facts.story(id)}`
  }
  const isTaken = (run: string): boolean =>
    facts.processes.some((process) => isUndoing(process, run) && process.claimed.has(run))
  const undone = runs.find(({ run }) => isTaken(run)) ?? runs.find(({ run }) => run === job.undoes)
  if (undone !== undefined)
    for (const id of ids)
      for (const what of brokenByUndo(facts, undone, id))
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

/** After a lost answer it is never sent again, whatever is typed. */
function* sentOnce(facts: RunFacts, id: string): Generator<string> {
  const sent = facts.writesOf(id)
  for (const [index, request] of sent.entries())
    if (sent.slice(0, index).some(isOpen))
      yield `${id} was sent again at ${request.at} after a lost answer`
}

const assigneeAt = (sent: Sent | undefined, id: string): string | null | undefined =>
  sent?.landed?.effects.get(id)?.before.assignee

/** A conditional change is sent only after a read in which its condition held. */
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
 * A ticket is given back when an answer said that it was changed, no answer about it was ever lost, and it was read when it had the assignee that
 * the run gave it.
 */
function* brokenByUndo(facts: RunFacts, undone: RunFacts, id: string): Generator<string> {
  const reads = facts.readsOf(id).filter(({ told }) => told === 'answered')
  const given = undone.writesOf(id).filter(({ told }) => told === 'answered')
  for (const request of facts.writesOf(id)) {
    const before = given.findLast(({ at }) => at < request.at)
    if (before === undefined)
      yield `${id} was given back at ${request.at}, and no answer said that it was changed`
    if (undone.writesOf(id).some(isOpen))
      yield `${id} was given back at ${request.at}, though an answer about it was lost`
    const read = reads.findLast(({ at }) => at <= request.at)
    const to = before?.landed?.effects.get(id)?.after.assignee
    if (before !== undefined && assigneeAt(read, id) !== to)
      yield `${id} was given back at ${request.at}, though another person had it`
  }
}

/**
 * A batch with an answer that counts is sent again only by its outcome. A request that was in flight when a process died may be. Halves of a batch are sent where
 * its answer does not say which things were not as asked.
 */
function* sentAgain({ job, isCalm, requests }: RunFacts): Generator<string> {
  const isCut = ownOutcomes(job.operation).some((outcome) => outcomeFacts(outcome).isReopenable)
  if (!isCalm || isCut) return
  const answered = new Set<string>()
  for (const { ids, told, at } of requests.filter(isWrite)) {
    const again = ids.find((id) => answered.has(id))
    if (again !== undefined) yield `${again} was sent again at ${at} after an answer that counts`
    if (told === 'answered') for (const id of ids) answered.add(id)
  }
}
