/**
 * One batch sent through the API: every attempt and reading becomes an event, and the state that the events fold into
 * decides what may be sent next.
 */
import type { Api } from '../api/client.ts'
import { SvcError } from '../errors.ts'
import type { AttemptResult, Hooks } from '../http/attempt.ts'
import { isBeginning, isSameId, type BatchState } from './batch-state.ts'
import { assignStep, needsIsolating, outcomesOf } from './claims.ts'
import { readEvent, resEvent, type BatchEvent, type BulkOperation } from './events.ts'
import { isolate } from './isolate.ts'
import type { Place } from './slots.ts'

export interface Job {
  readonly operation: BulkOperation
  /** Number of the batch, from 1. */
  readonly batch: number
  readonly ids: readonly string[]
  /** Delete and add: the same as the text of a JSON array. */
  readonly json?: Buffer
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
export interface EventLog {
  state(): BatchState
  emit(event: BatchEvent): Promise<void>
  now(): number
  /** Where requests wait until one may be in flight. */
  readonly slots: Pick<Place, 'acquire' | 'release'>
  /** Whether a request may still be sent that was kept waiting; when not, the batch ends as it is. */
  mayStart(): boolean
  /** Cuts off a request in flight. */
  readonly cutOff?: AbortSignal
}

/**
 * Sends a batch until its outcome is known or nothing more may be done. Returns the error that ended it, if one did; what
 * may be claimed is in the log's state. Throws what is not about this batch: a signal, a limit, a journal that cannot be
 * written.
 */
export async function sendBatch(api: Api, job: Job, log: EventLog): Promise<SvcError | undefined> {
  switch (job.operation) {
    case 'contacts.delete':
      return attempt(() => api.contacts.delete(needed(job.json), hooks(job, log)))
    case 'lists.add-contacts':
      return addToList(api, job, log)
    case 'contacts.merge':
      return attempt(() => api.contacts.merge(needed(job.ids[0]), needed(job.other), hooks(job, log)))
    case 'tickets.assign':
      return assign(api, job, log)
  }
}

function needed<T>(value: T | undefined): T {
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

function hooks({ operation, batch }: Job, log: EventLog): Hooks {
  return {
    ...inTurn(log, (a) => log.emit({ t: 'try', b: batch, a, at: log.now() })),
    attemptsBefore: log.state().attempts,
    after(a, result) {
      giveWay(log, result)
      return log.emit(resEvent(operation, { b: batch, a, at: log.now() }, result))
    },
  }
}

/** An attempt waits for its turn; the pace and the others can keep it waiting until the run has stopped. */
function inTurn(log: EventLog, begin: (attempt: number) => Promise<void> | void): Hooks {
  const waiting = (): void => {
    if (!log.mayStart()) throw new SvcError('limit', 'the run stopped before this request was sent')
  }
  return {
    enter: () => log.slots.acquire(),
    waiting,
    async before(attempt) {
      waiting()
      await begin(attempt)
    },
    after(_attempt, result) {
      giveWay(log, result)
    },
    cutOff: log.cutOff,
  }
}

/**
 * The next request goes out before an answer is looked at any further. Whatever else an attempt ends with may stop the run,
 * so nothing takes its place until the batch is over.
 */
function giveWay(log: EventLog, { kind }: AttemptResult): void {
  if (kind === 'answered') log.slots.release()
}

/** Requests that have no events of their own. */
const silent = (): void => undefined

async function addToList(api: Api, job: Job, log: EventLog): Promise<SvcError | undefined> {
  const list = needed(job.target)
  if (log.state().answer === undefined) {
    const failure = await attempt(() => api.lists.addContacts(list, needed(job.json), hooks(job, log)))
    if (failure !== undefined) return failure
  }
  const outcome = outcomesOf(job, log.state())
  if (job.isolate !== true || !needsIsolating(outcome)) return undefined
  return attempt(async () => {
    const found = await isolate(job.ids, outcome.added?.failed ?? 0, (part) =>
      api.lists.addContacts(list, part, inTurn(log, silent)),
    )
    await log.emit({ t: 'isolated', b: job.batch, at: log.now(), ...found, missing: [...found.missing] })
  })
}

/** Reads before and after each attempt; what someone else changed is never overwritten. */
async function assign(api: Api, job: Job, log: EventLog): Promise<SvcError | undefined> {
  const ticket = needed(job.ids[0])
  const wanted = needed(job.other)
  let failure: SvcError | undefined
  // What an earlier session was refused begins anew: its reading is stale.
  let step = isBeginning(log.state()) ? 'read' : assignStep(log.state(), wanted)
  for (; ; step = assignStep(log.state(), wanted)) {
    switch (step) {
      case 'finished':
        return failure
      case 'read': {
        const unreadable = await attempt(() => readAssignee(api, ticket, job, log))
        if (unreadable === undefined) break
        // Only a condition on the assignee needs the reading; without one the change is sent all the same.
        if (job.ifAssignee !== undefined && isBeginning(log.state())) return unreadable
        await log.emit(readEvent({ b: job.batch, at: log.now() }, { problem: unreadable.message }))
        break
      }
      case 'send':
        failure = await attempt(() => api.tickets.assign(ticket, wanted, hooks(job, log)))
        break
    }
  }
}

async function readAssignee(api: Api, ticketId: string, job: Job, log: EventLog): Promise<void> {
  const { ticket } = await api.tickets.chunk(ticketId, undefined, inTurn(log, silent))
  const id = ticket.assigneeId ?? null
  // Who has it already needs no change, whatever the condition says.
  const { ifAssignee: expected, other = null } = job
  const declined = expected !== undefined && isBeginning(log.state()) && !isSameId(id, expected) && !isSameId(id, other)
  await log.emit(readEvent({ b: job.batch, at: log.now() }, { id, declined }))
}
