/**
 * What may be claimed about a batch: its events folded into a state, its state settled into one outcome for each id, the
 * outcomes summed up into a result, a status and an exit code. Pure: the program, the crash tests and the model all run
 * these functions.
 *
 * The rule behind all of them: once ambiguous, always ambiguous. An attempt whose answer was lost may have changed
 * something, however many attempts came after it; only an answer, or for assign a reading, settles it.
 */
import type { OperationName } from '../api/operations.ts'

export type BulkOperation = Extract<
  OperationName,
  'lists.add-contacts' | 'contacts.merge' | 'contacts.delete' | 'tickets.assign'
>

/** How one attempt ended. Data under `answered` has passed the schema of the operation's result. */
export type AttemptResult =
  | {
      /** No byte of the request left. */
      readonly kind: 'never-sent'
      readonly message: string
      readonly code?: number | undefined
      /** It was svc that gave up (a signal, a deadline): not a failure, the ids count as not attempted. */
      readonly stopped?: boolean | undefined
    }
  | {
      /** The service said no: certainly not carried out. */
      readonly kind: 'refused'
      readonly status: number
      readonly code?: number | undefined
      readonly message?: string | undefined
      readonly retryAfterMs?: number | undefined
    }
  | {
      /** Bytes were sent and no complete, valid answer came. */
      readonly kind: 'ambiguous'
      readonly status?: number | undefined
      readonly code?: number | undefined
      readonly message: string
    }
  | { readonly kind: 'answered'; readonly status: number; readonly data: unknown }

/** Before a byte of attempt `a` of batch `b` leaves. Times are milliseconds since 1970. */
export interface TryEvent {
  readonly t: 'try'
  readonly b: number
  readonly a: number
  readonly at: number
}

/** How that attempt ended. */
export interface ResEvent {
  readonly t: 'res'
  readonly b: number
  readonly a: number
  readonly at: number
  readonly k: AttemptResult['kind']
  /** HTTP status. */
  readonly s?: number | undefined
  readonly code?: number | undefined
  readonly m?: string | undefined
  /** The answer, as `answerToKeep` left it. */
  readonly d?: unknown
  /** `stopped` of a request that was never sent. */
  readonly x?: boolean | undefined
}

/** Assign: what a reading of the ticket said. */
export interface ReadEvent {
  readonly t: 'read'
  readonly b: number
  readonly at: number
  /** Whether the ticket could be read. */
  readonly ok: boolean
  /** The assignee then; null when there was none. */
  readonly id?: string | null | undefined
  readonly m?: string | undefined
  /** True when `--if-assignee` forbids the change: nothing is sent. */
  readonly declined?: boolean | undefined
}

/** Add with `--isolate`: which ids of this batch do not exist. */
export interface IsolatedEvent {
  readonly t: 'isolated'
  readonly b: number
  readonly at: number
  readonly missing: readonly string[]
  /** How many requests that took. */
  readonly calls?: number | undefined
}

export type BatchEvent = TryEvent | ResEvent | ReadEvent | IsolatedEvent

/** Another session goes on with the run. */
export interface ResumeEvent {
  readonly t: 'resume'
  readonly at: number
  /** Fingerprint of the key when it is not the one the run began with. */
  readonly key?: string | undefined
}

/** A session of the run ended in order; `runs list` reads the last of these. */
export interface EndEvent {
  readonly t: 'end'
  readonly at: number
  readonly status: RunStatus
  readonly stop?: StopReason | undefined
  readonly exitCode: number
  readonly result: Readonly<Record<string, number>>
}

export type JournalEvent = BatchEvent | ResumeEvent | EndEvent

/** A journal line's form of an attempt's result. */
export function resEvent(
  operation: BulkOperation,
  place: { b: number; a: number; at: number },
  result: AttemptResult,
): ResEvent {
  const { b, a, at } = place
  const head = { t: 'res', b, a, at, k: result.kind } as const
  switch (result.kind) {
    case 'never-sent':
      return { ...head, code: result.code, m: result.message, x: result.stopped }
    case 'refused':
      return { ...head, s: result.status, code: result.code, m: result.message }
    case 'ambiguous':
      return { ...head, s: result.status, code: result.code, m: result.message }
    case 'answered':
      return { ...head, s: result.status, d: answerToKeep(operation, result.data) }
  }
}

/** And back. */
export function resultOf(event: ResEvent): AttemptResult {
  switch (event.k) {
    case 'never-sent':
      return { kind: 'never-sent', message: event.m ?? '', code: event.code, stopped: event.x }
    case 'refused':
      return { kind: 'refused', status: event.s ?? 0, code: event.code, message: event.m }
    case 'ambiguous':
      return { kind: 'ambiguous', status: event.s, code: event.code, message: event.m ?? '' }
    case 'answered':
      return { kind: 'answered', status: event.s ?? 0, data: event.d }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What of an answer goes into the journal: for merge the ids only, since the rest is a customer's personal data that
 * no receipt needs; everything otherwise.
 */
export function answerToKeep(operation: BulkOperation, data: unknown): unknown {
  if (operation !== 'contacts.merge' || !isObject(data)) return data
  const contact = isObject(data['contact']) ? { id: data['contact']['id'] } : undefined
  return { mergedContactId: data['mergedContactId'], contact }
}

export interface BatchState {
  /** Number of the last attempt; 0 when there was none. */
  readonly attempts: number
  /** An attempt's answer was lost. Stays true for good. */
  readonly everAmbiguous: boolean
  /** How many answers were lost. */
  readonly ambiguousAttempts: number
  /** A `try` without its `res`: under way, or the process died in between. */
  readonly open: boolean
  /** How the last attempt ended that was not given up by svc itself. */
  readonly last?: AttemptResult | undefined
  /** The accepted answer. A batch that has one is never sent again. */
  readonly answer?: { readonly status: number; readonly data: unknown } | undefined
  /** Assign: the assignee before the first attempt, when it could be read. */
  readonly before?: { readonly id: string | null } | undefined
  /** Assign: the last reading since the last attempt. */
  readonly reading?: { readonly ok: boolean; readonly id: string | null; readonly message?: string | undefined }
  /** Assign: `--if-assignee` forbids the change. */
  readonly declined?: boolean
  /** Add: the ids that do not exist, found by isolating. */
  readonly missing?: readonly string[]
}

export const unsent: BatchState = { attempts: 0, everAmbiguous: false, ambiguousAttempts: 0, open: false }

/** The state after one more event of this batch. */
export function applyEvent(state: BatchState, event: BatchEvent): BatchState {
  switch (event.t) {
    case 'try': {
      // The attempt before this one was cut off by a crash: nobody knows what became of it.
      const lost = state.open ? 1 : 0
      const { reading: _, ...rest } = state
      return {
        ...rest,
        attempts: event.a,
        everAmbiguous: state.everAmbiguous || state.open,
        ambiguousAttempts: state.ambiguousAttempts + lost,
        open: true,
      }
    }
    case 'res': {
      const result = resultOf(event)
      const lost = result.kind === 'ambiguous' ? 1 : 0
      const next = {
        ...state,
        attempts: Math.max(state.attempts, event.a),
        open: false,
        everAmbiguous: state.everAmbiguous || lost === 1,
        ambiguousAttempts: state.ambiguousAttempts + lost,
      }
      if (result.kind === 'answered')
        return { ...next, last: result, answer: { status: result.status, data: result.data } }
      return result.kind === 'never-sent' && result.stopped === true ? next : { ...next, last: result }
    }
    case 'read': {
      const reading = { ok: event.ok, id: event.id ?? null, message: event.m }
      if (!isBeginning(state)) return { ...state, reading }
      const before = event.ok ? { id: reading.id } : undefined
      return { ...state, reading, before, declined: event.declined === true }
    }
    case 'isolated':
      return { ...state, missing: event.missing }
  }
}

/**
 * Assign: whether what is read now is the state before an attempt, not after one. An attempt that was certainly not carried
 * out changed nothing: when a resumed run sends it again, it begins anew.
 */
export function isBeginning(state: BatchState): boolean {
  return state.answer === undefined && !isAmbiguous(state)
}

/** The state after several events of this batch, from the beginning. */
export function foldEvents(events: Iterable<BatchEvent>): BatchState {
  let state = unsent
  for (const event of events) state = applyEvent(state, event)
  return state
}

/** Whether an attempt may have changed something and no answer settled it. */
export function isAmbiguous(state: BatchState): boolean {
  return state.answer === undefined && (state.everAmbiguous || state.open)
}

export type Outcome =
  | 'deleted'
  | 'not-found'
  | 'blocked'
  | 'gone'
  | 'ok'
  | 'missing'
  | 'undetermined'
  | 'done'
  | 'error'
  | 'unknown'
  | 'not-attempted'

/** Every outcome, so that one can be kept as a byte. */
export const outcomes: readonly Outcome[] = [
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
]

/** Counts of an accepted answer to add. */
export interface AddCounts {
  readonly added: number
  readonly skipped: number
  /** Added by this run or members before it: an earlier attempt's answer was lost. */
  readonly addedOrSkipped: number
  readonly failed: number
}

export interface Settled {
  /** One for each id of the batch, in the order they were sent. */
  readonly outcomes: readonly Outcome[]
  /** Add only, when there is an answer that adds up. */
  readonly added?: AddCounts | undefined
  /** Why an answer was not believed, in words. The batch is `unknown` then, or `undetermined`. */
  readonly problem?: string | undefined
}

function all(ids: readonly string[], outcome: Outcome, problem?: string): Settled {
  return { outcomes: ids.map(() => outcome), problem }
}

/** What is left to say about a batch without an accepted answer. */
function settleUnanswered(ids: readonly string[], state: BatchState): Settled {
  if (isAmbiguous(state)) return all(ids, 'unknown')
  // Every attempt was given up by svc before a byte left.
  if (state.last === undefined) return all(ids, 'not-attempted')
  return all(ids, 'error')
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
export function settleDelete(ids: readonly string[], state: BatchState): Settled {
  if (state.answer === undefined) return settleUnanswered(ids, state)
  const data = state.answer.data
  if (!isObject(data)) return all(ids, 'unknown', 'the answer has another shape')
  const { deletedCount, notFoundIds, blockedIds } = data
  if (!isCount(deletedCount) || !isTexts(notFoundIds) || !isTexts(blockedIds)) {
    return all(ids, 'unknown', 'the answer has another shape')
  }
  const sum = deletedCount + notFoundIds.length + blockedIds.length
  if (sum !== ids.length) {
    return all(
      ids,
      'unknown',
      `the answer does not add up: deletedCount ${deletedCount} + notFoundIds ${notFoundIds.length} + blockedIds ` +
        `${blockedIds.length} is ${sum}, ${ids.length} were sent`,
    )
  }
  if (deletedCount === ids.length) return all(ids, 'deleted')
  const sent = new Set(ids.map(key))
  const notFound = subset('notFoundIds', notFoundIds, sent)
  if (typeof notFound === 'string') return all(ids, 'unknown', notFound)
  const blocked = subset('blockedIds', blockedIds, sent)
  if (typeof blocked === 'string') return all(ids, 'unknown', blocked)
  for (const id of blocked) {
    if (notFound.has(id)) return all(ids, 'unknown', 'an id is in notFoundIds and in blockedIds')
  }
  return {
    outcomes: ids.map((id) => {
      if (blocked.has(key(id))) return 'blocked'
      if (notFound.has(key(id))) return state.everAmbiguous ? 'gone' : 'not-found'
      return 'deleted'
    }),
  }
}

/**
 * Add (operation 5). Only counts come back: `added + skipped + failed` must be the batch. Members are then batch − failed
 * for certain; who they are is known when none or all failed, or after isolating.
 */
export function settleAdd(ids: readonly string[], state: BatchState): Settled {
  if (state.answer === undefined) return settleUnanswered(ids, state)
  const data = state.answer.data
  if (!isObject(data)) return all(ids, 'unknown', 'the answer has another shape')
  const { added, skipped, failed } = data
  if (!isCount(added) || !isCount(skipped) || !isCount(failed)) {
    return all(ids, 'unknown', 'the answer has another shape')
  }
  if (added + skipped + failed !== ids.length) {
    return all(
      ids,
      'unknown',
      `the answer does not add up: added ${added} + skipped ${skipped} + failed ${failed} is ` +
        `${added + skipped + failed}, ${ids.length} were sent`,
    )
  }
  const counts: AddCounts = state.everAmbiguous
    ? { added, skipped: 0, addedOrSkipped: skipped, failed }
    : { added, skipped, addedOrSkipped: 0, failed }
  if (failed === 0) return { ...all(ids, 'ok'), added: counts }
  if (failed === ids.length) return { ...all(ids, 'missing'), added: counts }
  if (state.missing === undefined) return { ...all(ids, 'undetermined'), added: counts }
  const missing = subset('isolating', state.missing, new Set(ids.map(key)))
  if (typeof missing === 'string') return { ...all(ids, 'undetermined', missing), added: counts }
  if (missing.size !== failed) {
    // Contacts came or went between the two: neither figure may be given to an id.
    const problem = `${failed} failed, but isolating found ${missing.size} that do not exist`
    return { ...all(ids, 'undetermined', problem), added: counts }
  }
  return { outcomes: ids.map((id) => (missing.has(key(id)) ? 'missing' : 'ok')), added: counts }
}

/** One line of a pairs file: a contact and the contact it is merged into; a ticket and its new assignee. */
export interface PairIds {
  readonly id: string
  readonly other: string
}

/** Merge (operation 6): a batch of one. Never sent again after a lost answer, so that stays `unknown`. */
export function settleMerge(pair: PairIds, state: BatchState): Settled {
  if (state.answer === undefined) return settleUnanswered([pair.id], state)
  const data = state.answer.data
  const merged = isObject(data) ? data['mergedContactId'] : undefined
  if (typeof merged !== 'string') return all([pair.id], 'unknown', 'the answer has another shape')
  // Which of the two it names is not shown.
  if (key(merged) !== key(pair.id) && key(merged) !== key(pair.other)) {
    return all([pair.id], 'unknown', 'the answer names another contact')
  }
  return all([pair.id], 'done')
}

/** Attempts without an answer after which assign gives up. */
const assignAttempts = 3

const sameId = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : key(one) === key(other)

/**
 * Assign (operation 9), before and after each attempt: `read` the ticket, `send` the change, or `settled`. A change by
 * someone else is never overwritten. A reading of an earlier session is stale: read again first when resuming.
 */
export function assignStep(state: BatchState, wanted: string): 'read' | 'send' | 'settled' {
  if (state.answer !== undefined || state.declined === true) return 'settled'
  const { reading, before } = state
  if (isBeginning(state)) {
    if (reading === undefined) return state.attempts === 0 ? 'read' : 'settled'
    return reading.ok && sameId(reading.id, wanted) ? 'settled' : 'send'
  }
  if (reading === undefined) return 'read'
  if (!reading.ok || sameId(reading.id, wanted)) return 'settled'
  const unchanged = before !== undefined && sameId(reading.id, before.id)
  return unchanged && state.ambiguousAttempts < assignAttempts ? 'send' : 'settled'
}

/** Assign (operation 9): a batch of one. `pair.other` is the wanted assignee. */
export function settleAssign(pair: PairIds, state: BatchState): Settled {
  const ids = [pair.id]
  if (state.declined === true) return all(ids, 'error', 'the ticket has another assignee than --if-assignee says')
  if (state.answer !== undefined) {
    const data = state.answer.data
    if (!isObject(data) || typeof data['ticketId'] !== 'string' || typeof data['newAssigneeId'] !== 'string') {
      return all(ids, 'unknown', 'the answer has another shape')
    }
    if (key(data['ticketId']) !== key(pair.id)) return all(ids, 'unknown', 'the answer names another ticket')
    if (key(data['newAssigneeId']) !== key(pair.other)) return all(ids, 'unknown', 'the answer names another assignee')
    return all(ids, 'done')
  }
  const { reading, before } = state
  if (isBeginning(state)) {
    return reading?.ok === true && sameId(reading.id, pair.other) ? all(ids, 'done') : settleUnanswered(ids, state)
  }
  if (reading?.ok !== true) return all(ids, 'unknown')
  if (sameId(reading.id, pair.other)) return all(ids, 'done')
  // Without a reading from before, or with the old assignee still there, the lost attempt may yet arrive.
  if (before === undefined || sameId(reading.id, before.id)) return all(ids, 'unknown')
  return all(ids, 'error', 'someone else changed the assignee')
}

/** Settles a batch of any operation. `others`: the second party of each id, for merge and assign. */
export function settle(
  operation: BulkOperation,
  ids: readonly string[],
  state: BatchState,
  others: readonly string[] = [],
): Settled {
  switch (operation) {
    case 'contacts.delete':
      return settleDelete(ids, state)
    case 'lists.add-contacts':
      return settleAdd(ids, state)
    case 'contacts.merge':
    case 'tickets.assign': {
      const [id] = ids
      const [other] = others
      if (id === undefined || other === undefined || ids.length !== 1) {
        throw new RangeError(`a batch of ${operation} is one pair`)
      }
      const pair = { id, other }
      return operation === 'contacts.merge' ? settleMerge(pair, state) : settleAssign(pair, state)
    }
  }
}

/** What resuming does with a batch: send it, read the ticket first, only list it, or nothing. */
export type NextAction = 'send' | 'read-first' | 'list-only' | 'finished'

/** Refusals that say nothing about the request: another key, another plan, or later. */
function isWorthSendingAgain(status: number): boolean {
  return status === 401 || status === 403 || status === 429 || status === 503
}

/**
 * What resuming does with a batch. One with an accepted answer is finished, even when its sums do not add up. `wanted`:
 * for assign, the new assignee, so that a ticket that was read as theirs is not touched again.
 */
export function nextAction(operation: BulkOperation, state: BatchState, wanted?: string): NextAction {
  if (state.answer !== undefined || state.declined === true) return 'finished'
  if (wanted !== undefined && state.reading?.ok === true && sameId(state.reading.id, wanted)) return 'finished'
  if (isAmbiguous(state)) {
    switch (operation) {
      case 'lists.add-contacts':
      case 'contacts.delete':
        return 'send'
      case 'tickets.assign':
        // A reading already settled it: done, or changed by someone else. Its other party is not needed to know that.
        return state.reading?.ok === true && isChanged(state) ? 'finished' : 'read-first'
      case 'contacts.merge':
        return 'list-only'
    }
  }
  if (state.last === undefined || state.last.kind === 'never-sent') return 'send'
  return state.last.kind === 'refused' && isWorthSendingAgain(state.last.status) ? 'send' : 'finished'
}

/** Assign: the assignee is another one than before the first attempt. */
function isChanged(state: BatchState): boolean {
  return state.before !== undefined && !sameId(state.reading?.id ?? null, state.before.id)
}

export type RunStatus = 'complete' | 'partial' | 'stopped' | 'interrupted' | 'dry-run'

export type StopReason =
  | 'max-failures'
  | 'deadline'
  | 'auth'
  | 'forbidden'
  | 'refused'
  | 'retry-after'
  | 'stdout-closed'
  | 'signal'
  | 'journal'

/** Why a batch ended in `error`, for the exit code. */
export type FailureCause = 'auth' | 'forbidden' | 'refused' | 'unavailable'

/** The cause of a batch that ended in `error`; undefined for every other ending. */
export function failureCause(state: BatchState, settled: Settled): FailureCause | undefined {
  if (settled.outcomes[0] !== 'error') return undefined
  // Not sent for what was read, whatever an earlier session was told.
  if (state.declined === true) return 'refused'
  if (state.last?.kind === 'never-sent') return 'unavailable'
  if (state.last?.kind !== 'refused') return 'refused'
  switch (state.last.status) {
    case 401:
      return 'auth'
    case 403:
      return 'forbidden'
    case 429:
    case 503:
      return 'unavailable'
    default:
      return 'refused'
  }
}

/** Sums over all batches; filled by `countBatch`. */
export interface Totals {
  readonly outcomes: Record<Outcome, number>
  readonly added: { added: number; skipped: number; addedOrSkipped: number; failed: number }
  readonly batches: { total: number; done: number; failed: number; retried: number }
  readonly causes: Record<FailureCause, number>
}

export function emptyTotals(batches = 0): Totals {
  return {
    outcomes: {
      'not-attempted': 0,
      unknown: 0,
      error: 0,
      done: 0,
      deleted: 0,
      'not-found': 0,
      blocked: 0,
      gone: 0,
      ok: 0,
      missing: 0,
      undetermined: 0,
    },
    added: { added: 0, skipped: 0, addedOrSkipped: 0, failed: 0 },
    batches: { total: batches, done: 0, failed: 0, retried: 0 },
    causes: { auth: 0, forbidden: 0, refused: 0, unavailable: 0 },
  }
}

/** Adds a batch to the totals; with `sign` −1 takes it out again, for a batch that is settled anew. */
export function countBatch(totals: Totals, state: BatchState, settled: Settled, sign: 1 | -1 = 1): void {
  for (const outcome of settled.outcomes) totals.outcomes[outcome] += sign
  if (settled.added !== undefined) {
    totals.added.added += sign * settled.added.added
    totals.added.skipped += sign * settled.added.skipped
    totals.added.addedOrSkipped += sign * settled.added.addedOrSkipped
    totals.added.failed += sign * settled.added.failed
  }
  const [first] = settled.outcomes
  if (first === 'error' || first === 'unknown') totals.batches.failed += sign
  else if (first !== undefined && first !== 'not-attempted') totals.batches.done += sign
  if (state.attempts > 1) totals.batches.retried += sign
  const cause = failureCause(state, settled)
  if (cause !== undefined) totals.causes[cause] += sign
}

export interface Ending {
  readonly stop?: StopReason | null | undefined
  /** With stop `signal`. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined
  readonly ignoreNotFound?: boolean | undefined
  readonly ignoreBlocked?: boolean | undefined
  readonly dryRun?: boolean | undefined
}

export interface Conclusion {
  /** The summary's `result`: its figures add up to the number of unique ids. */
  readonly result: Readonly<Record<string, number>>
  readonly status: RunStatus
  readonly exitCode: number
}

function resultFigures(operation: BulkOperation, totals: Totals): Record<string, number> {
  const { outcomes: by } = totals
  const rest = { error: by.error, unknown: by.unknown, notAttempted: by['not-attempted'] }
  switch (operation) {
    case 'contacts.delete':
      return { deleted: by.deleted, gone: by.gone, notFound: by['not-found'], blocked: by.blocked, ...rest }
    case 'lists.add-contacts':
      return { ...totals.added, ...rest }
    case 'contacts.merge':
    case 'tickets.assign':
      return { done: by.done, ...rest }
  }
}

const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Surface, exit codes: "When several apply: a signal, then 7, 10, 4, 5, 6, 8, 3." */
function exitCodeOf(totals: Totals, ending: Ending): number {
  const { outcomes: by, causes } = totals
  const { stop } = ending
  if (stop === 'signal') return signalCodes[ending.signal ?? 'SIGINT']
  if (by.unknown > 0 || causes.unavailable > 0 || stop === 'retry-after') return 7
  if (stop === 'journal') return 10
  if (causes.auth > 0 || stop === 'auth') return 4
  if (causes.forbidden > 0 || stop === 'forbidden') return 5
  if (stop === 'refused') return 6
  if (stop === 'deadline' || stop === 'max-failures' || stop === 'stdout-closed') return 8
  const open =
    (ending.ignoreNotFound === true ? 0 : by['not-found']) +
    (ending.ignoreBlocked === true ? 0 : by.blocked) +
    by.missing +
    by.undetermined +
    by.error +
    by['not-attempted']
  return open > 0 ? 3 : 0
}

/**
 * How a run ended. `complete` when every id is in an accepted state, `partial` when it came to its end but some are not,
 * `stopped` and `interrupted` when it did not come to its end.
 */
export function summarise(operation: BulkOperation, totals: Totals, ending: Ending): Conclusion {
  const result = resultFigures(operation, totals)
  if (ending.dryRun === true) return { result, status: 'dry-run', exitCode: 0 }
  const exitCode = exitCodeOf(totals, ending)
  const stopped = ending.stop !== undefined && ending.stop !== null
  const status =
    ending.stop === 'signal' ? 'interrupted' : stopped ? 'stopped' : exitCode === 0 ? 'complete' : 'partial'
  return { result, status, exitCode }
}
