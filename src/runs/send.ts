/**
 * Sends the requests that are due. Each of `--concurrency` workers takes one request after the other, until none is left or
 * the run stops. A `try` line is on disk before a byte of its request leaves, and each answer becomes a `res` line. Each line
 * that is appended also updates the `Request` in memory, so that the queue knows at once what is due.
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

/** How the sending of a run ended. */
export interface Sent {
  /** Undefined if every request was tried. */
  stop: StopReason | undefined
  /** Whether the same command would fail again. The exit code is then 1. */
  isHopeless: boolean
  /** The error that stopped the run. */
  error: SvcError | undefined
  /** The whole last answer. The run file has only a part of it. */
  answer: unknown
}

/** The run stops after this many failed requests in a row. */
const maxFailuresInARow = 3
/** The codes of a 403 about the key or the subscription (API: Errors). Any other 403 is about one ticket. */
const notAllowedCodes = [40361, 40351]

/** Thrown instead of sending, once the run has stopped. It never leaves this file. */
const notBegun = new SvcError('unavailable', 'the run stopped before this request was sent')

/**
 * Sends until nothing is due or the run stops. Throws if the record is lost (`RunFile.isLost`), and for a defect of
 * svc. A record that only cannot be written, on a full disk for example, is a reason to stop.
 */
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
  const isSingle = log.items.size === 1
  const progress = isSingle ? undefined : await tools.progress(workers.progressOptions())
  try {
    // The first signal may have come before the listener was added.
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
  /** The requests that no worker has taken yet. The next one is the last, because `pop` takes it. */
  readonly #waiting: Request[]
  readonly #totalItems: number
  #doneItems = 0
  /** The requests that failed in a row since the last success: true for each that was refused. */
  #failuresInARow: boolean[] = []
  #sent: Sent = { stop: undefined, isHopeless: false, error: undefined, answer: undefined }

  constructor(file: RunFile, log: BegunLog, api: Api) {
    this.#file = file
    this.#log = log
    this.#api = api
    this.#operation = log.queue.operation
    this.#waiting = log.queue.dueRequests().reverse()
    this.#totalItems = countItems(this.#waiting)
  }

  async run(concurrency: number): Promise<Sent> {
    const workers = Array.from({ length: concurrency }, () => this.#work())
    const ends = await Promise.allSettled(workers)
    const rejected = ends.find((each) => each.status === 'rejected')
    if (rejected === undefined) return this.#sent
    const { failure, isLost } = this.#file
    const isUnwritable = !isLost && rejected.reason === failure
    if (!isUnwritable) throw rejected.reason
    // svc can still print what it knows, although the record cannot be written.
    return { ...this.#sent, stop: 'record', error: failure }
  }

  /** Lets requests in flight finish, and starts nothing new. The first reason and the first error are kept. */
  stop(reason: StopReason, error?: SvcError) {
    this.#sent.stop ??= reason
    this.#sent.error ??= error
  }

  /** Returns the options of the progress bar. They count what this command sends, so that the rate is right. */
  progressOptions() {
    const { doing } = this.#operation.words
    return { label: doing, total: this.#totalItems, done: () => this.#doneItems }
  }

  async #work() {
    for (;;) {
      const request = this.#sent.stop === undefined ? this.#waiting.pop() : undefined
      if (request === undefined) return
      try {
        const failure = await this.#readAndSend(request)
        this.#countResult(request, failure)
      } catch (error) {
        if (error === notBegun) return
        // The record cannot be written, or svc has a defect: the other workers start nothing more.
        this.stop('record')
        throw error
      }
    }
  }

  /** Sends one request. Reads its ticket before, and again if the answer is lost. Returns the error if the request failed. */
  async #readAndSend(request: Request): Promise<SvcError | undefined> {
    if (this.#operation.isReadFirst !== true) return this.#send(request)
    const readFailure = await this.#read(request)
    if (readFailure !== undefined) return readFailure
    if (!this.#log.queue.isDue(request)) return undefined
    const failure = await this.#send(request)
    const isAnswerLost = isInDoubt(request) && !isAnswered(request)
    // If this reading fails too, the ticket stays in doubt.
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
    const input = this.#operation.request(queue.batchOf(request))
    return this.#catchFailure(async () => {
      this.#sent.answer = await this.#api.send(head.operation, input, options)
    })
  }

  /** Reads the ticket of a request, and records its assignee or the refusal. Returns the error if there was neither. */
  async #read({ range }: Request): Promise<SvcError | undefined> {
    const { id } = this.#log.items.at(range[0])
    const beforeAttempt = async () => {
      this.#refuseIfStopped()
      await this.#file.check()
    }
    const failure = await this.#catchFailure(async () => {
      const { ticket } = await this.#api.tickets.chunk(id, undefined, { beforeAttempt })
      await this.#file.append({ t: 'read', b: range, id: ticket.assigneeId ?? null })
    })
    if (failure === undefined || !isRefusedReading(failure)) return failure
    const m = shortenMessage(failure.message)
    await this.#file.append({ t: 'read', b: range, st: failure.details.httpStatus, m })
    return undefined
  }

  /** Returns the error of a request. Throws an error that ends the whole run: of the record, or a defect. */
  async #catchFailure(request: () => Promise<void>): Promise<SvcError | undefined> {
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

  /** Counts a request that ended. Stops the run for a failure that other requests would meet too. */
  #countResult(request: Request, failure: SvcError | undefined) {
    const { range, halves } = request
    if (halves === undefined) this.#doneItems += range[1] - range[0]
    else this.#waiting.push(...halves.toReversed())
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
    // The refusal of one merge or assign says nothing about the next one.
    const isBatchRefused = answer?.k === 'refused' && this.#operation.pairs === undefined
    // A merge whose answer was lost has failed too, although it is not due any more.
    const isAnswerLost = failure !== undefined && answer === undefined && isInDoubt(request)
    const hasFailed = isBatchRefused || isAnswerLost || this.#log.queue.isDue(request)
    if (!hasFailed) {
      this.#failuresInARow = []
      return
    }
    this.#failuresInARow.push(isBatchRefused)
    if (this.#failuresInARow.length < maxFailuresInARow) return
    // If all were refused, the same command would be refused again.
    this.#sent.isHopeless = this.#failuresInARow.every((wasRefused) => wasRefused)
    this.stop('failures', failure)
  }
}

/** Whether the key may not do this at all. A 403 about one ticket is no failure here: `#read` records it. */
const isNotAllowed = (failure: SvcError | undefined) =>
  failure?.category === 'auth' || failure?.category === 'forbidden'

/** Whether every request would fail in the same way: a bad certificate, an unknown host, a limit of this machine. */
function isHopeless(failure: SvcError | undefined) {
  const isFinal = failure?.category === 'final' || failure?.category === 'local'
  return isFinal && failure.details.ambiguous !== true
}

/** Whether the service refused to show this one ticket. A 401, a 429 and some 403 are about the key. */
function isRefusedReading({ category, details }: SvcError) {
  if (category === 'forbidden') return !notAllowedCodes.includes(details.code ?? 0)
  return category === 'rejected' && details.httpStatus !== undefined
}

/** Cuts a message to the 1,000 characters that the record may have of it. */
const shortenMessage = (message: string) => message.slice(0, 1000)

/** Returns the members of the `res` line that records how an attempt ended. */
function resultOf({ recordedPart }: Operation, result: AttemptResult) {
  const { kind: k, status: st } = result
  if (k === 'answered') return { k, st, d: recordedPart(result.data) }
  const { code, message = '' } = result
  return {
    k,
    st,
    code: Number.isSafeInteger(code) ? code : undefined,
    m: message === '' ? undefined : shortenMessage(message),
    odd: k === 'ambiguous' && result.isOdd ? (true as const) : undefined,
  }
}
