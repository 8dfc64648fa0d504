/**
 * One batch sent through the API, for `scheduler.ts`: attempts and readings become events, which are recorded before a byte leaves and after
 * each answer, and their state decides what is sent next.
 */
import type { Api } from '../../api/client.ts'
import { SvcError } from '../../errors.ts'
import type { Hooks } from '../../http/attempt.ts'
import { operationOf } from '../operations/operations.ts'
import type { BatchLog, BatchToSend } from '../operations/operation.ts'
import { readEvent, resEvent } from '../record/events.ts'

export interface EventLog extends BatchLog {
  /** Throws, or rejects with, exit 11 when the lock is lost: for requests without a line of the journal, which looks itself. */
  checkLock?(): Promise<void> | void
  /** Whether a request may still be sent that was kept waiting; when not, the batch ends as it is. */
  mayStart?(): boolean
  readonly cutOff?: AbortSignal
}

/**
 * Sends a batch until its outcome is known or nothing more may be done. Returns the error that ended it, if one did; what
 * may be claimed is in the log's state. Throws what is not about this batch: a signal, a limit, a journal that cannot be
 * written.
 */
export function sendBatch(
  api: Api,
  batch: BatchToSend,
  log: EventLog,
): Promise<SvcError | undefined> {
  const place = () => ({
    b: batch.batch,
    at: log.now(),
    ...log.moment(),
  })
  // Members that are added behind a spread take a hundred times as long.
  const { request, send } = operationOf(batch.operation)
  const attempted = (): Promise<unknown> =>
    api.send(batch.operation, request(batch, batch.json()), hooks(api, batch, log))
  return send(api, batch, {
    attempt: () => attempt(attempted),
    send: (ids, hooks) => api.send(batch.operation, request(batch, ids), hooks),
    ask: (send) =>
      attempt(() => send(() => ({ ...inTurn(log, () => log.checkLock?.()), batch: batch.batch }))),
    read: (reading) => log.emit(readEvent(place(), reading)),
    ...log,
  })
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

function hooks(api: Api, { operation, batch }: BatchToSend, log: EventLog): Hooks {
  return {
    batch,
    attemptsBefore: log.state().attempts,
    ...inTurn(log, (a) => {
      const attempt = {
        t: 'try',
        b: batch,
        a,
        at: log.now(),
        ...log.moment(),
      } as const
      const { isAccepted } = api.client.clock
      return log.emit(isAccepted ? attempt : { ...attempt, early: true })
    }),
    async after(a, result) {
      const { keptFields } = operationOf(operation)
      // On record before the next `try`: however the process ends, no more of them than may be in flight are without one.
      await log.emit(resEvent(keptFields, { b: batch, a, at: log.now() }, result))
    },
  }
}

/** An attempt waits for its turn; the pace and the others can keep it waiting until the run has stopped. */
function inTurn(log: EventLog, begin: (attempt: number) => Promise<void> | void): Hooks {
  const waiting = (): void => {
    if (log.mayStart?.() === false)
      throw new SvcError('limit', 'the run stopped before this request was sent')
  }
  return {
    waiting,
    async before(attempt) {
      waiting()
      await begin(attempt)
    },
    cutOff: log.cutOff,
  }
}
