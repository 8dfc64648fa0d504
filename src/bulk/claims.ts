/**
 * What may be claimed of a batch: its state resolved into one outcome for each id, and what may be done next. Pure: the
 * program, the crash tests and the model all run these functions.
 */
import {
  canLandUntil,
  isAmbiguous,
  isBeginning,
  isSameId,
  isUntried,
  type AssigneeReading,
  type BatchState,
} from './batch-state.ts'
import type { BulkOperation } from './events.ts'

/** Every outcome, so that one can be kept as a byte. */
export const outcomes = [
  'not-attempted',
  'unknown',
  'error',
  'done',
  'deleted',
  'not-found',
  'blocked',
  'gone',
  'ok',
  'missing',
  'undetermined',
] as const
export type Outcome = (typeof outcomes)[number]

export interface Ids extends Iterable<string> {
  readonly length: number
}

export interface Batch {
  readonly operation: BulkOperation
  /** In the order they are sent; merge and assign: one. */
  readonly ids: Ids
  /** Merge: the contact it is merged into. Assign: the new assignee. */
  readonly other?: string | undefined
  /** Add: find out which ids do not exist. */
  readonly isolate?: boolean | undefined
}

export interface AddCounts {
  readonly added: number
  readonly skipped: number
  /** Added by this run or members before it: an earlier attempt's answer was lost. */
  readonly addedOrSkipped: number
  readonly failed: number
}

export interface BatchOutcome {
  /** One for each id of the batch, in the order they were sent. */
  readonly outcomes: readonly Outcome[]
  /** Add only, when there is an answer that adds up. */
  readonly added?: AddCounts | undefined
  /** Why, in words, when it is not what the last attempt ended with: an answer was not believed, a reading said something else. */
  readonly problem?: string | undefined
}

function all({ ids }: Batch, outcome: Outcome, problem?: string): BatchOutcome {
  return { outcomes: Array.from({ length: ids.length }, () => outcome), problem }
}

const wrongShape = 'the answer has another shape'

/** The outcome of each id of a batch in this state. Throws a RangeError for a merge or an assign that is not one pair. */
export function outcomesOf(batch: Batch, state: BatchState): BatchOutcome {
  if (state.answer === undefined) {
    return batch.operation === 'tickets.assign' ? assigneeOutcome(batch, state) : withoutAnswer(batch, state)
  }
  const { data } = state.answer
  switch (batch.operation) {
    case 'contacts.delete':
      return deleteOutcome(batch, state, data)
    case 'lists.add-contacts':
      return addOutcome(batch, state, data)
    case 'contacts.merge':
      return mergeOutcome(batch, data)
    case 'tickets.assign':
      return assignOutcome(batch, data)
  }
}

function withoutAnswer(batch: Batch, state: BatchState): BatchOutcome {
  if (isAmbiguous(state)) return all(batch, 'unknown')
  // Every attempt was given up by svc before a byte left.
  return all(batch, state.last === undefined ? 'not-attempted' : 'error')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

const key = (id: string): string => id.toLowerCase()

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

/**
 * Delete (operation 7). The answer is believed when deletedCount, notFoundIds and blockedIds add up to the batch and the
 * two arrays are disjoint subsets of it; letter case does not matter. An id that is not found is `gone` when an attempt's
 * answer was lost: this run may have deleted it then.
 */
function deleteOutcome(batch: Batch, state: BatchState, data: unknown): BatchOutcome {
  if (!isObject(data)) return all(batch, 'unknown', wrongShape)
  const { ids } = batch
  const { deletedCount, notFoundIds, blockedIds } = data
  if (!isCount(deletedCount) || !isTexts(notFoundIds) || !isTexts(blockedIds)) return all(batch, 'unknown', wrongShape)
  const sum = deletedCount + notFoundIds.length + blockedIds.length
  if (sum !== ids.length) {
    const terms = `deletedCount ${deletedCount} + notFoundIds ${notFoundIds.length} + blockedIds ${blockedIds.length}`
    return all(batch, 'unknown', `the answer does not add up: ${terms} is ${sum}, ${ids.length} were sent`)
  }
  if (deletedCount === ids.length) return all(batch, 'deleted')
  const sent = new Set(Array.from(ids, key))
  const notFound = subset('notFoundIds', notFoundIds, sent)
  if (typeof notFound === 'string') return all(batch, 'unknown', notFound)
  const blocked = subset('blockedIds', blockedIds, sent)
  if (typeof blocked === 'string') return all(batch, 'unknown', blocked)
  for (const id of blocked) {
    if (notFound.has(id)) return all(batch, 'unknown', 'an id is in notFoundIds and in blockedIds')
  }
  return {
    outcomes: Array.from(ids, (id) => {
      if (blocked.has(key(id))) return 'blocked'
      if (notFound.has(key(id))) return state.everAmbiguous ? 'gone' : 'not-found'
      return 'deleted'
    }),
  }
}

/**
 * Add (operation 5). Only counts come back: `added + skipped + failed` must be the batch. Members are then batch − failed
 * for certain; who they are is known when none or all failed, or after isolating. Isolating never changes the counts.
 */
function addOutcome(batch: Batch, state: BatchState, data: unknown): BatchOutcome {
  if (!isObject(data)) return all(batch, 'unknown', wrongShape)
  const { ids } = batch
  const { added, skipped, failed } = data
  if (!isCount(added) || !isCount(skipped) || !isCount(failed)) return all(batch, 'unknown', wrongShape)
  const sum = added + skipped + failed
  if (sum !== ids.length) {
    const terms = `added ${added} + skipped ${skipped} + failed ${failed}`
    return all(batch, 'unknown', `the answer does not add up: ${terms} is ${sum}, ${ids.length} were sent`)
  }
  const counts: AddCounts = state.everAmbiguous
    ? { added, skipped: 0, addedOrSkipped: skipped, failed }
    : { added, skipped, addedOrSkipped: 0, failed }
  if (failed === 0) return { ...all(batch, 'ok'), added: counts }
  if (failed === ids.length) return { ...all(batch, 'missing'), added: counts }
  const { isolation } = state
  if (isolation === undefined) return { ...all(batch, 'undetermined'), added: counts }
  const missing = new Set(isolation.missing.map(key))
  const rest = isolation.proven ? 'ok' : 'undetermined'
  return {
    outcomes: Array.from(ids, (id) => (missing.has(key(id)) ? 'missing' : rest)),
    added: counts,
    problem: isolation.proven ? undefined : 'which of these contacts exist was not confirmed',
  }
}

/** A contact and the contact it is merged into; a ticket and its new assignee. */
function pairOf({ operation, ids, other }: Batch): { id: string; other: string } {
  const [id] = ids
  if (id === undefined || other === undefined || ids.length !== 1) {
    throw new RangeError(`a batch of ${operation} is one pair`)
  }
  return { id, other }
}

/** Merge (operation 6). Which of the two contacts the answer names is not shown. */
function mergeOutcome(batch: Batch, data: unknown): BatchOutcome {
  const { id, other } = pairOf(batch)
  const merged = isObject(data) ? data['mergedContactId'] : undefined
  if (typeof merged !== 'string') return all(batch, 'unknown', wrongShape)
  if (!isSameId(merged, id) && !isSameId(merged, other))
    return all(batch, 'unknown', 'the answer names another contact')
  return all(batch, 'done')
}

function assignOutcome(batch: Batch, data: unknown): BatchOutcome {
  const { id, other } = pairOf(batch)
  if (!isObject(data) || typeof data['ticketId'] !== 'string' || typeof data['newAssigneeId'] !== 'string') {
    return all(batch, 'unknown', wrongShape)
  }
  if (!isSameId(data['ticketId'], id)) return all(batch, 'unknown', 'the answer names another ticket')
  if (!isSameId(data['newAssigneeId'], other)) return all(batch, 'unknown', 'the answer names another assignee')
  return all(batch, 'done')
}

/** Assign without an accepted answer: only a reading that shows the wanted assignee tells that it is done. */
function assigneeOutcome(batch: Batch, state: BatchState): BatchOutcome {
  const { other } = pairOf(batch)
  if (wasReadAs(state, other)) return all(batch, 'done')
  if (state.declined === true && !isAmbiguous(state)) {
    return all(batch, 'error', 'the ticket has another assignee now, so it was left alone')
  }
  if (!isAmbiguous(state) || state.hasMoved !== true) return withoutAnswer(batch, state)
  return all(batch, 'unknown', someoneElse)
}

const someoneElse =
  'the ticket was seen with another assignee; this change may have been made before that, or may still be made'

function wasReadAs({ reading }: BatchState, assignee: string): boolean {
  return reading?.ok === true && isSameId(reading.id, assignee)
}

/** Attempts without an answer after which assign gives up. */
const assignAttempts = 3

/**
 * Assign, before and after each attempt: `read` the ticket, `send` the change, or `finished`. A change by someone else is
 * never overwritten.
 */
export function assignStep(state: BatchState, wanted: string): 'read' | 'send' | 'finished' {
  if (state.answer !== undefined || state.declined === true) return 'finished'
  const { reading } = state
  if (reading === undefined) return !isBeginning(state) || isUntried(state) ? 'read' : 'finished'
  if (wasReadAs(state, wanted)) return 'finished'
  return stepAfterReading(state, reading)
}

function stepAfterReading(state: BatchState, reading: AssigneeReading): 'send' | 'finished' {
  const { before } = state
  // Nobody knows who has the ticket: sent all the same, unless an attempt may have changed that.
  if (!reading.ok) return isBeginning(state) && before === undefined ? 'send' : 'finished'
  const isUnchanged = before !== undefined && isSameId(reading.id, before.id) && state.hasMoved !== true
  if (!isUnchanged || state.ambiguousAttempts >= assignAttempts) return 'finished'
  // What was refused once would be refused again.
  return isUntried(state) || state.last?.kind === 'ambiguous' ? 'send' : 'finished'
}

type NextAction = 'send' | 'read-first' | 'list-only' | 'isolate' | 'finished'

/** What resuming does with a batch. One with an accepted answer is not sent again, even when its sums do not add up. */
export function nextAction(batch: Batch, state: BatchState): NextAction {
  if (state.answer !== undefined) {
    return batch.isolate === true && needsIsolating(outcomesOf(batch, state)) ? 'isolate' : 'finished'
  }
  switch (batch.operation) {
    case 'contacts.delete':
    case 'lists.add-contacts':
      return isAmbiguous(state) || isSendable(state) ? 'send' : 'finished'
    case 'contacts.merge':
      // Its own lost answer forbids another attempt; what another process may have sent does not.
      if (isBeginning(state) && isSendable(state)) return 'send'
      return isAmbiguous(state) ? 'list-only' : 'finished'
    case 'tickets.assign':
      return nextAssignAction(state, pairOf(batch).other)
  }
}

function nextAssignAction(state: BatchState, wanted: string): NextAction {
  if (wasReadAs(state, wanted)) return 'finished'
  if (isAmbiguous(state)) return isReadForGood(state, wanted) ? 'finished' : 'read-first'
  return state.declined !== true && isSendable(state) ? 'send' : 'finished'
}

/** Assign: nothing more is sent, and the ticket was read when no lost attempt could still take effect. */
function isReadForGood(state: BatchState, wanted: string): boolean {
  const { reading } = state
  if (reading?.ok !== true || assignStep(state, wanted) !== 'finished') return false
  return reading.at >= (canLandUntil(state) ?? 0)
}

/** Whether how the last attempt ended says nothing about the request: never sent, another key, another plan, or later. */
function isSendable({ last, sendAfter }: BatchState): boolean {
  if (sendAfter !== undefined || last === undefined || last.kind === 'never-sent') return true
  return last.status === 401 || last.status === 403 || last.status === 429
}

/** Add: some ids of the batch do not exist, and nobody knows yet which ones. */
export function needsIsolating({ outcomes }: BatchOutcome): boolean {
  return outcomes.includes('undetermined')
}
