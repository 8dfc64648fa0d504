/**
 * The phase `send`: as many workers as `--concurrency` says take one batch after the other, until none is left or the run stops. Attempts and readings
 * become lines of the journal, which are recorded before a byte leaves and after each answer, and the state that they make decides what is sent next.
 * `open.ts` calls it with a run that is on disk.
 */
import { setMaxListeners } from 'node:events'
import type { Api } from '../api/client.ts'
import { messageOf, SvcError } from '../errors.ts'
import type { Hooks } from '../http/attempt.ts'
import type { ProgressState } from '../output/progress.ts'
import { isUntried, type Part } from './record/batch.ts'
import type { Journal, NewLine, StopReason } from './record/journal.ts'
import { isFailed, isOpen, type Outcome } from './operations/outcome.ts'
import { isOfPairs, operationOf } from './operations/operations.ts'
import { resultLine, shortMessage } from './record/result-line.ts'
import type { RunState } from './record/state.ts'
import type { RunPlace } from './record/write-run.ts'
import type { RecordedRun } from './record/read-run.ts'
import type { UserFiles } from './files.ts'
import type { OneChange } from './job.ts'
import { StopRule } from './stop-rule.ts'
import type { BulkTools, SendOptions } from './tools.ts'

/** A run while a command works on it, from the phase `record` to its end. */
export interface Session {
  readonly recorded: RecordedRun
  /** Batches to send or read, in order. */
  readonly left: readonly number[]
  readonly files: UserFiles
  readonly options: SendOptions
  readonly isNew: boolean
  /** The command is a repetition of a named job. */
  readonly isRepeated: boolean
  readonly one: OneChange | undefined
  /** Where it writes; undefined for a session that only shows what is known. */
  readonly writing: Writing | undefined
}

/** A run whose session is held, and its journal. */
export interface Writing {
  readonly place: RunPlace
  readonly journal: Journal
}

export interface RunEnd {
  readonly stop: StopReason | null
  /** Tickets that could not be read before the change was sent. */
  readonly unread: number
  /** The error that made the run stop, if any, for stderr. */
  readonly error: SvcError | undefined
  /** The error that ended the last batch, if one did. */
  readonly failure: SvcError | undefined
}

/** Sends until nothing is left or something stops it. It reports signals meanwhile. Rejects with exit 11 when the session is lost, and for a defect. */
export async function send(
  tools: BulkTools,
  session: Session,
  writing: Writing,
): Promise<RunEnd> {
  const { one } = session
  const plain = await tools.api()
  const workers = new Workers(tools, session, writing, one?.watch(plain) ?? plain)
  const onSignal = (): void => {
    const again =
      tools.signals.caught === 'SIGINT'
        ? 'press Ctrl-C again to abort them'
        : 'a second signal aborts them'
    tools.note(`stopping: nothing new is sent, and requests in flight may finish; ${again}`)
    workers.stop('signal')
  }
  tools.signals.cancelled.addEventListener('abort', onSignal, { once: true })
  // A single change ends before anybody could read a line about it.
  const progress = one === undefined ? await tools.progress(workers.progress()) : undefined
  try {
    if (tools.signals.cancelled.aborted) workers.stop('signal')
    return await workers.run()
  } finally {
    progress?.stop()
    tools.signals.cancelled.removeEventListener('abort', onSignal)
  }
}

class Workers {
  readonly #tools: BulkTools
  readonly #session: Session
  readonly #writing: Writing
  readonly #state: RunState
  readonly #api: Api
  readonly #stopRule: StopRule
  /** Cuts off requests in flight: the second signal, or the loss of the session. */
  readonly #cutOff: AbortSignal
  readonly #loss = new AbortController()
  readonly #ended = new Map<Outcome, number>()
  #next = 0
  #stopped: StopReason | null = null
  #error: SvcError | undefined
  #defect: { readonly error: unknown } | undefined
  #failure: SvcError | undefined
  #unread = 0
  #retried = 0

  constructor(tools: BulkTools, session: Session, writing: Writing, api: Api) {
    this.#tools = tools
    this.#session = session
    this.#writing = writing
    this.#api = api
    const { state } = session.recorded
    this.#state = state
    const isProven = [...state.batches.numbers()].some(
      (batch) => state.of(batch).answer?.k === 'answered',
    )
    this.#stopRule = new StopRule(isOfPairs(state.operation), isProven)
    this.#cutOff = AbortSignal.any([tools.signals.aborted, this.#loss.signal])
    // Every request in flight listens, so many listeners are not a leak.
    setMaxListeners(0, this.#cutOff)
  }

  async run(): Promise<RunEnd> {
    const { options, left } = this.#session
    const count = Math.min(options.concurrency, left.length)
    await Promise.all(Array.from({ length: count }, () => this.#work()))
    if (this.#defect !== undefined) throw this.#defect.error
    return {
      stop: this.#stopped,
      error: this.#error,
      unread: this.#unread,
      failure: this.#failure,
    }
  }

  /** Lets requests in flight finish and starts nothing new. */
  stop(reason: StopReason, cause?: SvcError): void {
    this.#stopped ??= reason
    this.#error ??= cause
  }

  /** Counts of this session alone, so that the rate and the remaining time are right. */
  progress() {
    const now = (): ProgressState => {
      const { error = 0, unknown = 0, ...counts } = Object.fromEntries(this.#ended)
      const wait = this.#api.client.pace.countWaiting()
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
    return { label: doing, total: batches.count(this.#session.left), state: now }
  }

  async #work(): Promise<void> {
    for (let batch = this.#take(); batch !== undefined; batch = this.#take()) {
      try {
        await this.#send(batch)
      } catch (error) {
        // Nothing new starts, but requests in flight still belong in the journal.
        this.#defect ??= { error }
        if (error instanceof SvcError && error.category === 'busy') this.#loss.abort(error)
      }
    }
  }

  /** The next batch; undefined when none is left, or nothing new may start. */
  #take(): number | undefined {
    const batch = this.#session.left[this.#next]
    if (batch === undefined || this.#defect !== undefined) return undefined
    if (this.#stopped !== null) return undefined
    this.#next += 1
    return batch
  }

  async #send(batch: number): Promise<void> {
    const state = this.#state
    const attemptsBefore = state.of(batch).attempts
    try {
      const failure = await this.#follow(batch)
      this.#failure = failure
      this.#judge(batch, failure, attemptsBefore)
    } catch (thrown) {
      const isOurs = thrown instanceof SvcError
      const error = isOurs
        ? thrown
        : new SvcError('internal', messageOf(thrown), { cause: thrown })
      this.#failure = error
      if (error.category === 'interrupted') this.stop('signal')
      else if (error.category === 'local') this.stop('journal', error)
      else if (error.category !== 'limit') throw error
    }
    this.#count(batch)
  }

  #count(batch: number): void {
    const state = this.#state
    if (state.of(batch).attempts > 1) this.#retried += 1
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
      // Parts of a batch can wait for a later session.
      if (step.part !== undefined && this.#stopped !== null) return failure
      const { attempts } = state.of(batch)
      failure = await this.#attempt(batch, step.part)
      // It failed before an attempt began, and would fail again.
      if (state.of(batch).attempts === attempts) return failure
    }
    return failure
  }

  /** Sends a batch, or a part of it. Errors that are about the request are returned, all others thrown. */
  #attempt(batch: number, part: Part | undefined): Promise<SvcError | undefined> {
    const state = this.#state
    const { request, keptFields } = operationOf(state.operation)
    const whole = state.batch(batch)
    const ids = part === undefined ? whole.ids : whole.ids.slice(part[0] - 1, part[1])
    const p = part === undefined ? {} : { p: part }
    const hooks: Hooks = {
      ...this.#inTurn(batch, async (a) => {
        await this.#emit({ t: 'try', b: batch, a, at: this.#tools.host.now(), ...p })
      }),
      attemptsBefore: state.of(batch).attempts,
      after: (a, result) =>
        this.#emit({
          ...resultLine(keptFields, result),
          b: batch,
          a,
          at: this.#tools.host.now(),
        }),
    }
    return failureOf(this.#api.send(state.operation, request(whole, ids), hooks))
  }

  async #read(batch: number): Promise<SvcError | undefined> {
    const state = this.#state
    const [ticket = ''] = state.batch(batch).ids
    const head = { t: 'read', b: batch } as const
    const isFirst = state.of(batch).attempts === 0
    const hooks = this.#inTurn(batch, () => this.#writing.place.claim.check())
    const failure = await failureOf(
      this.#api.tickets
        .chunk(ticket, undefined, hooks)
        .then(async ({ ticket: { assigneeId = null } }) => {
          await this.#emit({ ...head, at: this.#tools.host.now(), id: assigneeId })
        }),
    )
    if (failure === undefined) return undefined
    const isRefusal = failure.category === 'rejected' || failure.category === 'forbidden'
    const { httpStatus } = failure.details
    await this.#emit({
      ...head,
      at: this.#tools.host.now(),
      m: shortMessage(failure.message),
      ...(isRefusal && httpStatus !== undefined ? { s: httpStatus } : {}),
    })
    if (isFirst && state.next(batch)?.kind === 'send') this.#unread += 1
    return failure
  }

  /** An attempt waits for its turn. Because of the pace and other requests, the run may have stopped by then. */
  #inTurn(batch: number, begin: (attempt: number) => Promise<void> | void): Hooks {
    const state = this.#state
    const waiting = (): void => {
      // A batch that was begun in this session is followed to its end.
      const isBegun = !isUntried(state.of(batch))
      if (isBegun || this.#stopped === null) return
      throw new SvcError('limit', 'the run stopped before this request was sent')
    }
    return {
      batch,
      waiting,
      async before(attempt) {
        waiting()
        await begin(attempt)
      },
      cutOff: this.#cutOff,
    }
  }

  async #emit(line: Extract<NewLine, { t: 'try' | 'res' | 'read' }>): Promise<void> {
    const { recorded } = this.#session
    const { journal, place } = this.#writing
    const n = place.claim.number
    try {
      if (line.t === 'try') await journal.appendSynced(line)
      else journal.append(line)
    } catch (failure) {
      // Nothing is sent without its `try`. But an answer that has arrived is true, even if it cannot be recorded.
      if (line.t !== 'try') recorded.take({ n, ...line })
      throw failure
    }
    recorded.take({ n, ...line })
  }

  #judge(batch: number, failure: SvcError | undefined, attemptsBefore: number): void {
    const state = this.#state
    const { last, attempts } = state.of(batch)
    const [outcome] = state.judge(batch).outcomes
    const isFailure = isFailed(outcome) || (isOpen(outcome) && failure !== undefined)
    if (!isFailure) {
      this.#stopRule.noteSuccess()
      return
    }
    // A ticket that was only read, and whose change stays unknown, says nothing about the service.
    if (failure === undefined && attempts === attemptsBefore) return
    // An answer to an earlier session says nothing about this one.
    const status = failure !== undefined && last?.k === 'refused' ? last.s : undefined
    const reason = this.#stopRule.noteFailure(failure, status)
    if (reason !== undefined) this.stop(reason, failure)
  }
}

/** The error, if it is about the request. All other errors end more than its batch. */
async function failureOf(sending: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    const categories = ['auth', 'forbidden', 'rejected', 'unavailable']
    if (error instanceof SvcError && categories.includes(error.category)) return error
    throw error
  }
}
