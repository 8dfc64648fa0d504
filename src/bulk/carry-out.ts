/**
 * One batch of a bulk run sent through the API: every attempt and reading becomes an event, and the state that the events
 * fold into decides what may be sent next.
 */
import type { Api } from '../api/api.ts'
import { SvcError } from '../errors.ts'
import type { AttemptResult as HttpResult, Hooks } from '../http/attempt.ts'
import { needsIsolating } from './book.ts'
import { isolate } from './isolate.ts'
import {
  assignStep,
  isBeginning,
  resEvent,
  settleAdd,
  type AttemptResult,
  type BatchEvent,
  type BatchState,
  type BulkOperation,
} from './reconcile.ts'

export interface Job {
  readonly operation: BulkOperation
  /** Number of the batch, from 1. */
  readonly batch: number
  readonly ids: readonly string[]
  /** Merge: the contact it is merged into. Assign: the new assignee. */
  readonly other: string | undefined
  /** Add: the list. */
  readonly target: string | undefined
  /** Add: find out which ids of a batch do not exist. */
  readonly isolate?: boolean | undefined
  /** Assign: change only while this employee is the assignee. */
  readonly ifAssignee?: string | undefined
}

/** Where events go; an event counts once this resolves. */
export interface Ledger {
  state(): BatchState
  emit(event: BatchEvent): Promise<void>
  /** Resolves when a request may be in flight, and returns how it ends to be. See `Hooks`. */
  enter(): Promise<() => Promise<void>>
  now(): number
}

/**
 * Sends a batch until it is settled or nothing more may be done. Returns the error that ended it, if one did; what may be
 * claimed is in the ledger's state. Throws what is not about this batch: a signal, a journal that cannot be written.
 */
export async function carryOut(api: Api, job: Job, ledger: Ledger): Promise<SvcError | undefined> {
  switch (job.operation) {
    case 'contacts.delete':
      return attempt(() => api.contacts.delete(job.ids, hooks(job, ledger)))
    case 'lists.add-contacts':
      return addToList(api, job, ledger)
    case 'contacts.merge':
      return attempt(() => api.contacts.merge(needed(job.ids[0]), needed(job.other), hooks(job, ledger)))
    case 'tickets.assign':
      return assign(api, job, ledger)
  }
}

function needed(value: string | undefined): string {
  if (value === undefined) throw new TypeError('a part of the batch is missing')
  return value
}

/** Errors that are about the request end the batch; all others end more than that. */
async function attempt(send: () => Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await send()
    return undefined
  } catch (error) {
    if (!isAboutRequest(error)) throw error
    return error
  }
}

function isAboutRequest(error: unknown): error is SvcError {
  if (!(error instanceof SvcError)) return false
  return ['auth', 'forbidden', 'rejected', 'unavailable'].includes(error.category)
}

export function hooks({ operation, batch }: Job, ledger: Ledger): Hooks {
  return {
    enter: () => ledger.enter(),
    attemptsBefore: ledger.state().attempts,
    before: (a) => ledger.emit({ t: 'try', b: batch, a, at: ledger.now() }),
    after: (a, result) => ledger.emit(resEvent(operation, { b: batch, a, at: ledger.now() }, toKeep(result))),
  }
}

/** What the door says of an attempt, without headers. */
function toKeep(result: HttpResult): AttemptResult {
  switch (result.kind) {
    case 'never-sent':
      return { kind: 'never-sent', message: result.message, stopped: result.systemCode === 'SVC_ABORTED' }
    case 'refused':
      return { kind: 'refused', status: result.status, code: result.code, message: result.message }
    case 'ambiguous':
      return { kind: 'ambiguous', status: result.status, code: result.code, message: result.message }
    case 'answered':
      return { kind: 'answered', status: result.status, data: result.data }
  }
}

async function addToList(api: Api, job: Job, ledger: Ledger): Promise<SvcError | undefined> {
  const list = needed(job.target)
  if (ledger.state().answer === undefined) {
    const failure = await attempt(() => api.lists.addContacts(list, job.ids, hooks(job, ledger)))
    if (failure !== undefined) return failure
  }
  const state = ledger.state()
  const settled = settleAdd(job.ids, state)
  if (job.isolate !== true || !needsIsolating(state, settled)) return undefined
  return attempt(async () => {
    const failed = settled.added?.failed ?? 0
    const { missing, proven, calls } = await isolate(job.ids, failed, (half) =>
      api.lists.addContacts(list, half, { enter: () => ledger.enter() }),
    )
    await ledger.emit({ t: 'isolated', b: job.batch, at: ledger.now(), missing: proven ? missing : [], calls })
  })
}

/** Reads before and after each attempt; what someone else changed is never overwritten. Reliability, section 2. */
async function assign(api: Api, job: Job, ledger: Ledger): Promise<SvcError | undefined> {
  const ticket = needed(job.ids[0])
  const wanted = needed(job.other)
  let failure: SvcError | undefined
  // What an earlier session was refused is begun anew: its reading is stale.
  let step = isBeginning(ledger.state()) ? 'read' : assignStep(ledger.state(), wanted)
  for (; ; step = assignStep(ledger.state(), wanted)) {
    switch (step) {
      case 'settled':
        return failure
      case 'read': {
        const unreadable = await attempt(() => readAssignee(api, ticket, job, ledger))
        if (unreadable === undefined) break
        // Only a condition on the assignee needs the reading; without one the change is sent all the same.
        if (job.ifAssignee !== undefined && isBeginning(ledger.state())) return unreadable
        await ledger.emit({ t: 'read', b: job.batch, at: ledger.now(), ok: false, m: unreadable.message })
        break
      }
      case 'send':
        failure = await attempt(() => api.tickets.assign(ticket, wanted, hooks(job, ledger)))
        break
    }
  }
}

async function readAssignee(api: Api, ticketId: string, job: Job, ledger: Ledger): Promise<void> {
  const { ticket } = await api.tickets.chunk(ticketId, undefined, { enter: () => ledger.enter() })
  const id = ticket.assigneeId ?? null
  const declined =
    job.ifAssignee !== undefined && isBeginning(ledger.state()) && id?.toLowerCase() !== job.ifAssignee.toLowerCase()
  await ledger.emit({ t: 'read', b: job.batch, at: ledger.now(), ok: true, id, declined })
}
