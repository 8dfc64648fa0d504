/**
 * Batches in flight: as many workers as `--concurrency` says take one batch after the other, until none is left or the run stops: by how its batches end, a signal, the deadline or the journal. The run state says what
 * may be claimed. `bulk/sessions/send.ts` makes one for each session.
 */
import type { Api } from '../../api/client.ts'
import { messageOf, SvcError } from '../../errors.ts'
import { momentReader, type Moment, type UptimeHost } from '../record/landing.ts'
import type { Host } from '../../host.ts'
import { batchRange } from '../record/batches.ts'
import type { BatchEvent, StopReason } from '../record/events.ts'
import type { Journal } from '../record/journal.ts'
import type { ParameterValues } from '../record/run.ts'
import { conditionParameter, isSingle } from '../operations/operations.ts'
import { isFailed, isOpen } from '../operations/outcome.ts'
import { sendBatch } from './send.ts'
import type { RunState } from '../outcomes/state.ts'
import type { SendOptions } from '../tools.ts'

/** How a session of a run is to be sent. */
export interface SendSettings extends Pick<
  SendOptions,
  'concurrency' | 'maxFailures' | 'deadline'
> {
  readonly parameters: ParameterValues
}

export interface SchedulerTools {
  readonly host: UptimeHost & Pick<Host, 'now'>
  readonly api: Api
  readonly state: RunState
  readonly journal: Pick<Journal, 'append' | 'appendTry' | 'checkLock' | 'sync'>
  readonly signal: AbortSignal
  /** Aborted, with the error as its reason, when the lock of the run is lost. */
  readonly lost: AbortSignal
  /** Cuts off requests in flight: the second signal, or the loss of the lock. */
  readonly cutOff: AbortSignal
  /** After a batch has ended; its worker waits for it before it takes another batch. */
  readonly onEnded: (batch: number) => Promise<void> | void
}

export interface RunEnd {
  readonly stop: StopReason | null
  /** Assign: tickets that could not be read before the change was sent. */
  readonly unread: number
  /** The error that made the run stop, if one did: its words belong on stderr. */
  readonly error: SvcError | undefined
  /** The error that ended the last batch, if one did. */
  readonly failure: SvcError | undefined
}

/** A ticket that could not be read, whose change is sent all the same. */
function isUnread(event: BatchEvent): boolean {
  return event.t === 'read' && !event.ok && event.declined !== true
}

export class Scheduler {
  readonly #settings: SendSettings
  readonly #tools: SchedulerTools
  readonly #queue: readonly number[]
  readonly #started: number
  /** Batches that were begun and have not ended. */
  readonly #active = new Map<number, Promise<void>>()
  #next = 0
  readonly #stopRule: StopRule
  readonly #isSingle: boolean
  readonly #moment: () => Moment
  #stopped: StopReason | null = null
  #error: SvcError | undefined
  #defect: { readonly error: unknown } | undefined
  #failure: SvcError | undefined
  #unread = 0

  /** `batches`: numbers of the batches to send, in order. */
  constructor(settings: SendSettings, batches: readonly number[], tools: SchedulerTools) {
    this.#settings = settings
    this.#tools = tools
    this.#queue = batches
    this.#started = tools.host.monotonic()
    this.#moment = momentReader(tools.host)
    this.#isSingle = isSingle(tools.state.operation)
    this.#stopRule = new StopRule(
      settings.maxFailures,
      this.#isSingle,
      tools.state.totals().batches.done,
    )
    tools.signal.addEventListener('abort', () => this.stop('signal'), { once: true })
  }

  /** Sends until everything has ended. Rejects only for a defect. */
  async run(): Promise<RunEnd> {
    if (this.#tools.signal.aborted) this.stop('signal')
    const length = Math.min(this.#settings.concurrency, this.#queue.length)
    const work = Array.from({ length }, () => this.#work())
    await Promise.all(work)
    if (this.#defect !== undefined) throw this.#defect.error
    return {
      stop: this.#stopped,
      error: this.#error,
      unread: this.#unread,
      failure: this.#failure,
    }
  }

  /** Lets what is in flight end and starts nothing new. */
  stop(reason: StopReason, cause?: SvcError): void {
    this.#stopped ??= reason
    this.#error ??= cause
  }

  /** The next batch; undefined when none is left, or nothing new may start. */
  #take(): number | undefined {
    const batch = this.#queue[this.#next]
    if (batch === undefined || this.#defect !== undefined) return undefined
    if (this.#isLate()) this.#stopped ??= 'deadline'
    if (this.#stopped !== null) return undefined
    this.#next += 1
    return batch
  }

  #isLate(): boolean {
    const { deadline } = this.#settings
    if (deadline === undefined) return false
    const elapsed = this.#tools.host.monotonic() - this.#started
    return elapsed >= deadline
  }

  async #work(): Promise<void> {
    for (let batch = this.#take(); batch !== undefined; batch = this.#take()) {
      const ending = this.#sendInTurn(batch)
      this.#active.set(batch, ending)
      await ending
      this.#active.delete(batch)
    }
  }

  /** Sends a batch once those that must come before it have ended, unless that or the time forbids it. */
  async #sendInTurn(batch: number): Promise<void> {
    const { state, host, onEnded } = this.#tools
    try {
      const chain = state.chainBefore(batch)
      const before = chain.flatMap((earlier) => this.#active.get(earlier) ?? [])
      if (before.length > 0) await Promise.all(before)
      if (this.#stopped !== null) return
      const why = state.holdsBack(batch, this.#moment(), host.now())
      if (why === undefined) await this.#send(batch)
      else state.close(batch, why)
      await onEnded(batch)
    } catch (error) {
      // Nothing new starts; what is in flight still belongs into the journal.
      this.#defect ??= { error }
    }
  }

  async #send(batch: number): Promise<void> {
    const { api, state, lost, cutOff, host } = this.#tools
    const { from, to } = batchRange(state.batches, batch)
    const attemptsBefore = state.of(batch).attempts
    const toSend = {
      batch,
      // Kept while a batch is in flight, it would be copied by one garbage collection after the other.
      json: () => state.items.json(from, to),
      parameters: this.#parametersOf(from),
      ...state.batch(batch),
    }
    try {
      const failure = await sendBatch(api, toSend, {
        state: () => state.of(batch),
        emit: (event) => this.#emit(event),
        checkLock: () => this.#tools.journal.checkLock(),
        now: () => host.now(),
        moment: this.#moment,
        cutOff,
        // The wait for the pace can be long: a batch that was never sent does not start after the end.
        mayStart: () => {
          const isBegun = state.of(batch).attempts > attemptsBefore
          return isBegun || (this.#stopped === null && !this.#isLate())
        },
      })
      this.#failure = failure
      this.#judge(batch, failure, attemptsBefore)
    } catch (thrown) {
      const isOurs = thrown instanceof SvcError
      const error = isOurs ? thrown : new SvcError('internal', messageOf(thrown), { cause: thrown })
      this.#failure = error
      const reason: unknown = lost.aborted ? lost.reason : undefined
      if (reason instanceof SvcError) this.stop('journal', reason)
      else if (error.category === 'limit') this.stop('deadline')
      else if (error.category === 'interrupted') this.stop('signal')
      else if (error.category === 'local') this.stop('journal', error)
      else throw error
    }
  }

  /** The run's parameters, under the condition that an item has of its own. */
  #parametersOf(position: number): ParameterValues {
    const { parameters } = this.#settings
    const { items, operation } = this.#tools.state
    const expected = items.pairs?.[position]?.expected
    const key = conditionParameter(operation)?.key
    if (expected === undefined || key === undefined) return parameters
    return { ...parameters, [key]: { id: expected } }
  }

  async #emit(event: BatchEvent): Promise<void> {
    const { journal, state } = this.#tools
    try {
      if (event.t === 'try') await journal.appendTry(event)
      else await journal.append(event)
      // The service does not tell afterwards what became of one thing: it is on disk before anybody sees it.
      const tells = event.t === 'res' || (event.t === 'read' && state.of(event.b).attempts > 0)
      if (tells && this.#isSingle) await journal.sync()
    } catch (failure) {
      this.#keepUnrecorded(event)
      throw failure
    }
    if (isUnread(event) && state.of(event.b).attempts === 0) this.#unread += 1
    state.apply(event)
  }

  /** Nothing is sent without its `try`; but an answer that is here is true, whether it can be kept or not. */
  #keepUnrecorded(event: BatchEvent): void {
    const { state, lost } = this.#tools
    // Another process took the run over; it may have sent the same batches, and been answered first.
    if (lost.aborted)
      state.resume({
        t: 'resume',
        at: event.at,
        ...this.#moment(),
        takeOver: true,
      })
    if (event.t !== 'try') state.apply(event)
  }

  #judge(batch: number, failure: SvcError | undefined, attemptsBefore: number): void {
    const { state } = this.#tools
    const { last, attempts } = state.of(batch)
    const [outcome] = state.close(batch, failure?.message)
    const isFailure = isFailed(outcome) || (isOpen(outcome) && failure !== undefined)
    if (!isFailure) {
      this.#stopRule.noteSuccess()
      return
    }
    // A ticket that was only read, and whose change stays unknown, says nothing about the service.
    if (failure === undefined && attempts === attemptsBefore) return
    // An answer to an earlier session says nothing about this one.
    const status = failure !== undefined && last?.kind === 'refused' ? last.status : undefined
    const reason = this.#stopRule.noteFailure(failure, status)
    if (reason !== undefined) this.stop(reason, failure)
  }
}

/** Failures in a row, with no success between, that stop a run without `--max-failures`. */
const failuresInARow = 3

/** When a run stops because of how its batches end. Which exit code that gives is decided in `outcomes/totals.ts`. */
class StopRule {
  readonly #maxFailures: number | undefined
  readonly #isSingle: boolean
  #failures = 0
  #inARow = 0
  #successes: number

  /** `successes`: of earlier sessions; a run that got through before does not take a refusal for a wrong list. */
  constructor(maxFailures: number | undefined, isSingle: boolean, successes: number) {
    this.#maxFailures = maxFailures
    this.#isSingle = isSingle
    this.#successes = successes
  }

  noteSuccess(): void {
    this.#successes += 1
    this.#inARow = 0
  }

  /** A batch failed; `status` is that of the refusal that ended it. Why the run is to stop, if it is. */
  noteFailure(failure: SvcError | undefined, status: number | undefined): StopReason | undefined {
    this.#failures += 1
    // Where a request holds one thing, a refusal is that thing's own: it says nothing about the others.
    if (this.#isSingle && failure?.category === 'rejected') return this.#tooMany(Infinity)
    this.#inARow += 1
    if (status === 401 || failure?.category === 'auth') return 'auth'
    if (status === 403) return 'forbidden'
    const isRefused = status === 400 || status === 404
    if (isRefused && this.#successes === 0) return 'refused'
    if (failure?.details.retryAfter !== undefined) return 'retry-after'
    return this.#tooMany(failuresInARow)
  }

  /** As many as the command line allows, or, without such a number, `most` in a row. */
  #tooMany(most: number): StopReason | undefined {
    const limit = this.#maxFailures
    const isTooMany = limit === undefined ? this.#inARow >= most : this.#failures >= limit
    return isTooMany ? 'max-failures' : undefined
  }
}
