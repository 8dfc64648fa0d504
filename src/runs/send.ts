/**
 * Sends what is due: as many workers as `--concurrency` says take one request after the other, until none is left or the run
 * stops. A `try` is on disk before a byte of its request leaves, and each answer becomes a line.
 */
import type { Api } from '../api/client.ts'
import { SvcError } from '../errors.ts'
import type { AttemptResult, SendOptions } from '../http/attempt.ts'
import type { RunFile } from './file.ts'
import type { StopReason } from './lines.ts'
import type { BegunLog } from './log.ts'
import {
  isAnswered,
  isInDoubt,
  type Operation,
  type Request,
} from './operations/operation.ts'
import { countItems } from './queue.ts'
import type { RunTools } from './tools.ts'

export interface Sent {
  stop: StopReason | undefined
  /** The same command would fail again, so it ends with 1. */
  isHopeless: boolean
  /** The error that made the run stop, for stderr. */
  error: SvcError | undefined
  /** The whole last answer. The record keeps only the part that outcomes are decided by. */
  answer: unknown
}

/** A run stops after this many failed requests in a row. */
const maxFailuresInARow = 3
/** The codes of a 403 that is about the key or the subscription (API: Errors). Any other 403 is about one ticket. */
const notAllowedCodes = [40361, 40351]

/** Thrown in place of a request that the run stopped before. It never leaves this file. */
const notBegun = new SvcError('unavailable', 'the run stopped before this request was sent')

/** Sends until nothing is due or something stops it. Throws if the record is lost, and for a defect of svc. */
export async function send(
  tools: RunTools,
  file: RunFile,
  log: BegunLog,
  concurrency: number | undefined,
): Promise<Sent> {
  const workers = new Workers(file, log, await tools.api())
  const onSignal = () => {
    tools.note('stopping: requests in flight may finish; press Ctrl-C again to abort them')
    workers.stop('signal')
  }
  const { cancelled } = tools.signals
  cancelled.addEventListener('abort', onSignal, { once: true })
  const isOne = log.items.size === 1
  const progress = isOne ? undefined : await tools.progress(workers.progress())
  try {
    if (cancelled.aborted) workers.stop('signal')
    return await workers.run(concurrency ?? log.queue.operation.concurrency)
  } finally {
    progress?.stop()
    cancelled.removeEventListener('abort', onSignal)
  }
}

class Workers {
  readonly #file: RunFile
  readonly #log: BegunLog
  readonly #operation: Operation
  readonly #api: Api
  /** The requests that were due at the start, in reverse order, because `pop` takes the last. Each is taken once. */
  readonly #due: Request[]
  readonly #total: number
  #done = 0
  /** The requests that failed in a row: of each, whether it was refused. */
  #failures: boolean[] = []
  #sent: Sent = { stop: undefined, isHopeless: false, error: undefined, answer: undefined }

  constructor(file: RunFile, log: BegunLog, api: Api) {
    this.#file = file
    this.#log = log
    this.#api = api
    this.#operation = log.queue.operation
    this.#due = log.queue.due().reverse()
    this.#total = countItems(this.#due)
  }

  async run(concurrency: number): Promise<Sent> {
    const workers = Array.from({ length: concurrency }, () => this.#work())
    const ends = await Promise.allSettled(workers)
    const thrown = ends.find((each) => each.status === 'rejected')
    if (thrown === undefined) return this.#sent
    const { failure, isLost } = this.#file
    // If the record cannot be written, what is known is still told. A lost record and a defect are thrown.
    if (isLost || thrown.reason !== failure) throw thrown.reason
    return { ...this.#sent, stop: 'record', error: failure }
  }

  /** Lets requests in flight finish and starts nothing new. */
  stop(reason: StopReason, error?: SvcError) {
    this.#sent.stop ??= reason
    this.#sent.error ??= error
  }

  /** For the progress bar: counts of this command alone, so that its rate is right. */
  progress() {
    const { doing } = this.#operation.words
    return { label: doing, total: this.#total, done: () => this.#done }
  }

  async #work() {
    for (;;) {
      const request = this.#sent.stop === undefined ? this.#due.pop() : undefined
      if (request === undefined) return
      try {
        this.#afterRequest(request, await this.#take(request))
      } catch (error) {
        if (error === notBegun) continue
        // The record cannot be written, or svc has a defect: the others send nothing any more.
        this.stop('record')
        throw error
      }
    }
  }

  /** Sends one request. A ticket is read first, and again if the answer is lost. Returns the error that ended the request. */
  async #take(request: Request): Promise<SvcError | undefined> {
    if (this.#operation.isReadFirst !== true) return this.#send(request)
    const readFailure = await this.#read(request)
    if (readFailure !== undefined || !this.#log.queue.isDue(request)) return readFailure
    const failure = await this.#send(request)
    const isAnswerLost = isInDoubt(request) && !isAnswered(request)
    // If this reading fails, the ticket stays in doubt.
    if (isAnswerLost && this.#sent.stop === undefined) await this.#read(request)
    return failure
  }

  #send(request: Request): Promise<SvcError | undefined> {
    const { queue, head } = this.#log
    const { range, attempts } = request
    const options: SendOptions = {
      attemptsBefore: attempts,
      beforeWait: () => this.#refuseIfStopped(),
      beforeAttempt: (attempt) => {
        this.#refuseIfStopped()
        return this.#file.appendSynced({ t: 'try', b: range, a: attempt })
      },
      afterAttempt: (attempt, result) => {
        const members = resultOf(this.#operation, result)
        return this.#file.append({ t: 'res', b: range, a: attempt, ...members })
      },
    }
    const parts = this.#operation.request(queue.batch(request))
    return this.#failureOf(async () => {
      this.#sent.answer = await this.#api.send(head.operation, parts, options)
    })
  }

  /** Reads the ticket of a request. Returns the error if it is not known whether the ticket may be changed. */
  async #read({ range }: Request): Promise<SvcError | undefined> {
    const { id } = this.#log.items.at(range[0])
    const beforeAttempt = async () => {
      this.#refuseIfStopped()
      await this.#file.check()
    }
    const failure = await this.#failureOf(async () => {
      const { ticket } = await this.#api.tickets.chunk(id, undefined, { beforeAttempt })
      await this.#file.append({ t: 'read', b: range, id: ticket.assigneeId ?? null })
    })
    if (failure === undefined || !isRefusedReading(failure)) return failure
    const m = shortened(failure.message)
    await this.#file.append({ t: 'read', b: range, st: failure.details.httpStatus, m })
    return undefined
  }

  /** Makes a request and returns its error. An error of the record, or a defect, is thrown: it ends more than the request. */
  async #failureOf(request: () => Promise<void>): Promise<SvcError | undefined> {
    try {
      await request()
      return undefined
    } catch (error) {
      const endsTheRun = error === notBegun || error === this.#file.failure
      if (error instanceof SvcError && !endsTheRun) return error
      throw error
    }
  }

  #refuseIfStopped() {
    if (this.#sent.stop !== undefined) throw notBegun
  }

  /** Counts a request that ended, and stops the run for what others would meet too. */
  #afterRequest(request: Request, failure: SvcError | undefined) {
    const { range, halves } = request
    if (halves === undefined) this.#done += range[1] - range[0]
    else this.#due.push(...halves.toReversed())
    // The first reason to stop is the one that is told.
    if (this.#sent.stop !== undefined) return
    if (isNotAllowed(failure)) this.stop('not-allowed', failure)
    else if (failure?.category === 'interrupted') this.stop('signal')
    else if (isHopeless(failure)) {
      this.#sent.isHopeless = true
      this.stop('failures', failure)
    } else if (failure?.details.retryAfter !== undefined) this.stop('wait', failure)
    else this.#countFailures(request, failure)
  }

  #countFailures(request: Request, failure: SvcError | undefined) {
    const { answer } = request
    // A merge or assign that is refused says nothing of the next one.
    const isBatchRefused = answer?.k === 'refused' && this.#operation.pairs === undefined
    // A merge whose answer was lost is not due any more, but it has failed.
    const isAnswerLost = failure !== undefined && answer === undefined && isInDoubt(request)
    if (!isBatchRefused && !isAnswerLost && !this.#log.queue.isDue(request)) {
      this.#failures = []
      return
    }
    this.#failures.push(isBatchRefused)
    if (this.#failures.length < maxFailuresInARow) return
    this.#sent.isHopeless = this.#failures.every((wasRefused) => wasRefused)
    this.stop('failures', failure)
  }
}

/** Whether the key may not do this at all. A 403 that is about one ticket does not come here: its reading is recorded. */
const isNotAllowed = (failure: SvcError | undefined) =>
  failure?.category === 'auth' || failure?.category === 'forbidden'

/** Whether every other request would fail in the same way: a certificate, an unknown host, a limit of this machine. */
function isHopeless(failure: SvcError | undefined) {
  const isFinal = failure?.category === 'final' || failure?.category === 'local'
  return isFinal && failure.details.ambiguous !== true
}

/** Whether the reading of one ticket was refused. A 401 and a 429 are about the key. */
function isRefusedReading({ category, details }: SvcError) {
  if (category === 'forbidden') return !notAllowedCodes.includes(details.code ?? 0)
  return category === 'rejected' && details.httpStatus !== undefined
}

/** The most characters of a message in the record. */
const maxRecordedMessage = 1000
const shortened = (message: string) => message.slice(0, maxRecordedMessage)

/** The members of the `res` line that records how an attempt ended. */
function resultOf({ keep }: Operation, result: AttemptResult) {
  const { kind: k, status: st } = result
  if (k === 'answered') return { k, st, d: keep(result.data) }
  const { code, message = '' } = result
  return {
    k,
    st,
    code: Number.isSafeInteger(code) ? code : undefined,
    m: message === '' ? undefined : shortened(message),
    odd: k === 'ambiguous' && result.isOdd ? (true as const) : undefined,
  }
}
