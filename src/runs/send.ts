/**
 * The phase `send`: as many workers as `--concurrency` says take one batch after the other, until none is left or the run
 * stops. A `try` is on disk before a byte of its request leaves, each answer becomes a line, and the state that the lines
 * make decides what is sent next.
 */
import { setMaxListeners } from 'node:events'
import type { Api } from '../api/client.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Hooks } from '../http/attempt.ts'
import type { ProgressState } from '../output/progress.ts'
import { isRetried, isUntried } from './batch.ts'
import type { RunFile } from './file.ts'
import type { RecordedRun } from './fold.ts'
import type { RunTools } from './jobs/job.ts'
import type { NewLineOf, Part, StopReason } from './lines.ts'
import { operationOf } from './operations/operations.ts'
import { resultLine, shortMessage } from './operations/result-line.ts'
import { isFailed, isPending, outcomeOf, type Outcome } from './outcomes.ts'
import type { RunState } from './state.ts'

/** The batches to send of a run that this process holds. */
export interface Sending {
  file: RunFile
  recorded: RecordedRun
  /** Batches to send or read, in order. */
  left: readonly number[]
  concurrency: number
  /** A single change is too quick for a progress bar. */
  isOne: boolean
}

export interface SendEnd {
  stop: StopReason | null
  /** Tickets that could not be read before the change was sent. */
  unread: number
  /** The error that made the run stop, if any, for stderr. */
  error: SvcError | undefined
  /** The error that ended the last batch, if one did. */
  failure: SvcError | undefined
  /** The last answer, whole: the record keeps only what its claims need. */
  answer: unknown
}

/**
 * Sends until nothing is left or something stops it. It reports signals meanwhile. Rejects with exit 7 or 1 when the run
 * is not held any more, and for a defect.
 */
export async function send(tools: RunTools, sending: Sending): Promise<SendEnd> {
  const workers = new Workers(tools, sending, await tools.api())
  const onSignal = () => {
    const again =
      tools.signals.caught === 'SIGINT'
        ? 'press Ctrl-C again to abort them'
        : 'a second signal aborts them'
    tools.note(`stopping: nothing new is sent, and requests in flight may finish; ${again}`)
    workers.stop('signal')
  }
  const { cancelled } = tools.signals
  cancelled.addEventListener('abort', onSignal, { once: true })
  const progress = sending.isOne ? undefined : await tools.progress(workers.progress())
  try {
    if (cancelled.aborted) workers.stop('signal')
    await sending.file.syncFolder()
    return await workers.run()
  } finally {
    progress?.stop()
    cancelled.removeEventListener('abort', onSignal)
  }
}

/** A run stops after this many failed batches in a row. */
const mostInARow = 3

/** Thrown for a batch before which the run stopped. Nobody sees it. */
const notBegun = new SvcError('unavailable', 'the run stopped before this request was sent')

class Workers {
  readonly #tools: RunTools
  readonly #sending: Sending
  readonly #state: RunState
  readonly #api: Api
  /** Cuts off requests in flight: the second signal, or the loss of the run. */
  readonly #cutOff: AbortSignal
  /** How many ids ended with each outcome, in this session. */
  readonly #ended = new Map<Outcome, number>()
  /** Place in `left` of the next batch. */
  #position = 0
  #failuresInARow = 0
  #stopped: StopReason | null = null
  /** The error that made the run stop. */
  #stopError: SvcError | undefined
  /** A defect of svc, which ends the run once the requests in flight are recorded. */
  #defect: { error: unknown } | undefined
  /** The error of the last batch, if it failed. */
  #lastFailure: SvcError | undefined
  #answer: unknown
  #unread = 0
  #retried = 0

  constructor(tools: RunTools, sending: Sending, api: Api) {
    this.#tools = tools
    this.#sending = sending
    this.#api = api
    this.#state = sending.recorded.state
    this.#cutOff = AbortSignal.any([tools.signals.aborted, sending.file.loss])
    // Every request in flight listens, so many listeners are not a leak.
    setMaxListeners(0, this.#cutOff)
  }

  async run(): Promise<SendEnd> {
    const { concurrency, left } = this.#sending
    const count = Math.min(concurrency, left.length)
    await Promise.all(Array.from({ length: count }, () => this.#work()))
    if (this.#defect !== undefined) throw this.#defect.error
    return {
      stop: this.#stopped,
      error: this.#stopError,
      unread: this.#unread,
      failure: this.#lastFailure,
      answer: this.#answer,
    }
  }

  /** Lets requests in flight finish and starts nothing new. */
  stop(reason: StopReason, cause?: SvcError) {
    this.#stopped ??= reason
    this.#stopError ??= cause
  }

  /** Counts of this session alone, so that the rate and the remaining time are right. */
  progress() {
    const now = (): ProgressState => {
      const { error = 0, unknown = 0, ...counts } = Object.fromEntries(this.#ended)
      const wait = this.#api.client.pace.holdLeft()
      return {
        done: [...this.#ended.values()].reduce((sum, count) => sum + count, 0),
        failed: error + unknown,
        retried: this.#retried,
        counts,
        waitingUntil: wait > 0 ? this.#tools.host.now() + wait : undefined,
      }
    }
    const { operation, batches } = this.#state
    const { doing } = operationOf(operation).words
    return { label: doing, total: batches.count(this.#sending.left), state: now }
  }

  async #work() {
    for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) {
      try {
        await this.#finishBatch(batch)
      } catch (error) {
        // Nothing new starts, but requests in flight still belong in the record.
        this.#defect ??= { error }
      }
    }
  }

  /** The next batch; undefined when none is left, or nothing new may start. */
  #nextBatch(): number | undefined {
    if (this.#defect !== undefined || this.#stopped !== null) return undefined
    const batch = this.#sending.left[this.#position]
    this.#position += 1
    return batch
  }

  async #finishBatch(batch: number) {
    const { attempts: attemptsBefore } = this.#state.stateOf(batch)
    try {
      const failure = await this.#follow(batch)
      this.#lastFailure = failure
      this.#stopAfterFailure(batch, failure, attemptsBefore)
    } catch (thrown) {
      const error =
        thrown instanceof SvcError
          ? thrown
          : new SvcError('internal', messageOf(thrown), { cause: thrown })
      this.#lastFailure = error
      if (error.category === 'interrupted') this.stop('signal')
      else if (error.category === 'local' && !this.#sending.file.loss.aborted) {
        this.stop('journal', error)
      } else if (error !== notBegun) throw error
    }
    this.#count(batch)
  }

  #count(batch: number) {
    const state = this.#state
    if (isRetried(state.stateOf(batch))) this.#retried += 1
    for (const outcome of state.judge(batch).outcomes) {
      if (outcome === 'not-attempted') continue
      this.#ended.set(outcome, (this.#ended.get(outcome) ?? 0) + 1)
    }
  }

  /** Takes the steps of a batch while there is a next one. Returns the error of the last step. */
  async #follow(batch: number): Promise<SvcError | undefined> {
    const state = this.#state
    let failure: SvcError | undefined
    for (let step = state.next(batch); step !== undefined; step = state.next(batch)) {
      if (step.kind === 'read') {
        failure = (await this.#read(batch)) ?? failure
        continue
      }
      const { attempts } = state.stateOf(batch)
      failure = await this.#attempt(batch, step.part)
      // It failed before an attempt began, and would fail again.
      if (state.stateOf(batch).attempts === attempts) return failure
    }
    return failure
  }

  /** Sends a batch, or a part of it. Errors that are about the request are returned, all others thrown. */
  #attempt(batch: number, part: Part | undefined): Promise<SvcError | undefined> {
    const state = this.#state
    const { request, keptFields } = operationOf(state.operation)
    const ids = state.idsOf(batch, part)
    const { attempts: attemptsBefore } = state.stateOf(batch)
    const isBegun = () => {
      const now = state.stateOf(batch)
      return part === undefined ? !isUntried(now) : now.attempts > attemptsBefore
    }
    const p = part === undefined ? {} : { p: part }
    const hooks: Hooks = {
      ...this.#hooksFor(batch, isBegun),
      before: async (a) => {
        this.#throwIfStopped(isBegun)
        await this.#begin({ t: 'try', b: batch, a, ...p })
      },
      attemptsBefore,
      after: (a, result) => {
        this.#record({ ...resultLine(keptFields, result), b: batch, a })
      },
    }
    const sent = this.#api.send(state.operation, request(state.batch(batch), ids), hooks)
    return failureOfRequest(sent.then((answer) => (this.#answer = answer)))
  }

  /** Puts an attempt on disk. If that fails, it never left, even if its line can be read later. */
  async #begin(line: NewLineOf<'try'>) {
    const { file, recorded } = this.#sending
    try {
      await file.appendSynced(line)
    } catch (failure) {
      const { b, a } = line
      const isInFlight = this.#state.stateOf(b).inFlight?.attempt === a
      const unsent = { t: 'res', b, a, k: 'never-sent' } as const
      if (isInFlight) recorded.applyUnwritten(unsent, this.#tools.host.now())
      throw failure
    }
  }

  async #read(batch: number): Promise<SvcError | undefined> {
    const state = this.#state
    const [ticket = ''] = state.batch(batch).ids
    const head = { t: 'read', b: batch } as const
    const isFirst = state.stateOf(batch).attempts === 0
    const isBegun = () => !isUntried(state.stateOf(batch))
    const hooks: Hooks = {
      ...this.#hooksFor(batch, isBegun),
      before: async () => {
        this.#throwIfStopped(isBegun)
        this.#sending.file.checkHeld()
      },
    }
    const reading = this.#api.tickets.chunk(ticket, undefined, hooks)
    const failure = await failureOfRequest(
      reading.then(({ ticket: { assigneeId = null } }) => {
        this.#record({ ...head, id: assigneeId })
      }),
    )
    if (failure === undefined) return undefined
    const isRefusal = failure.category === 'rejected' || failure.category === 'forbidden'
    const { httpStatus: st } = failure.details
    const m = shortMessage(failure.message)
    this.#record({ ...head, m, ...(isRefusal && st !== undefined ? { st } : {}) })
    if (isFirst && state.next(batch)?.kind === 'send') this.#unread += 1
    return failure
  }

  #hooksFor(batch: number, isBegun: () => boolean): Hooks {
    return { batch, waiting: () => this.#throwIfStopped(isBegun), cutOff: this.#cutOff }
  }

  /**
   * A request waits for its turn, and the run may have stopped by then. A batch that was begun in this session is followed
   * to its end; other parts of it wait for a later session.
   */
  #throwIfStopped(isBegun: () => boolean) {
    if (this.#stopped !== null && !isBegun()) throw notBegun
  }

  /** An answer that has arrived counts, even if it cannot be recorded. */
  #record(line: NewLineOf<'res'> | NewLineOf<'read'>) {
    const { file, recorded } = this.#sending
    try {
      file.append(line)
    } catch (failure) {
      recorded.applyUnwritten(line, this.#tools.host.now())
      throw failure
    }
  }

  /** Stops the run if this batch failed for a reason that others share. */
  #stopAfterFailure(batch: number, failure: SvcError | undefined, attemptsBefore: number) {
    const state = this.#state
    const { last, attempts } = state.stateOf(batch)
    const outcome = outcomeOf(state.judge(batch))
    const hasFailed = isFailed(outcome) || (isPending(outcome) && failure !== undefined)
    if (!hasFailed) {
      this.#failuresInARow = 0
      return
    }
    // The change of a ticket that was read stays unknown, which says nothing about the service.
    const wasOnlyRead = failure === undefined && attempts === attemptsBefore
    const isOfPairs = operationOf(state.operation).pairs !== undefined
    const isRefusedPair = isOfPairs && failure?.category === 'rejected'
    if (wasOnlyRead || isRefusedPair) return
    this.#failuresInARow += 1
    // An answer to an earlier session says nothing about this one.
    const isOwn = attempts > attemptsBefore
    const status = isOwn && last?.k === 'refused' ? last.st : undefined
    const reason = this.#reasonToStop(failure, status)
    if (reason !== undefined) this.stop(reason, failure)
  }

  /** Why a batch that failed stops the run. `status`: that of its refusal. */
  #reasonToStop(
    failure: SvcError | undefined,
    status: number | undefined,
  ): StopReason | undefined {
    if (status === 401 || failure?.category === 'auth') return 'auth'
    if (status === 403) return 'forbidden'
    if (this.#state.isAboutWholeList(status)) return 'refused'
    if (failure?.details.retryAfter !== undefined) return 'retry-after'
    return this.#failuresInARow >= mostInARow ? 'failures' : undefined
  }
}

/** The error, if it is about the request. All other errors end more than its batch. */
async function failureOfRequest(request: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await request
    return undefined
  } catch (error) {
    const categories = ['auth', 'forbidden', 'rejected', 'final', 'unavailable']
    const isOfRequest = error instanceof SvcError && categories.includes(error.category)
    if (isOfRequest && error !== notBegun) return error
    throw error
  }
}
