/**
 * Sends what is due. Each of `--concurrency` workers takes one request after the other, until none is left or the run stops. A
 * `try` line is on disk before a byte of its request leaves, and a `res` line says what is known of its ids afterwards.
 */
import type { Api } from '../api/api.ts'
import type { BulkOperationName } from '../api/operations.ts'
import type { OperationResult } from '../api/schemas.ts'
import { SvcError } from '../errors.ts'
import type { AttemptResult } from '../http/attempt.ts'
import { isSameId } from '../identifiers.ts'
import type { Batch, Operation } from './job.ts'
import type { LineOf, Range, StopReason } from './lines.ts'
import type { Outcome } from './outcomes.ts'
import type { RunRecord } from './record.ts'

/** The members of a `res` line that say what is known of the ids of a request. */
type Result = Omit<LineOf<'res'>, 't' | 'at' | 'b'>

/** A reading of a ticket: who has it (null: nobody), or that the service refused to show it, or an error. */
type TicketReading =
  | { kind: 'shown'; assignee: string | null; status: string }
  | { kind: 'refused' | 'failed'; failure: SvcError }

/** The run stops after this many failed requests in a row; of merges and assigns, a refusal is none. */
const maxFailuresInARow = 3
/** The codes of a 403 about the key or the plan (API: Errors). A 403 with another code is about one ticket or contact. */
const notAllowedCodes: readonly (number | undefined)[] = [40361, 40351, undefined]
/** The maximum length of a message in the record. */
const maxMessageLength = 1000

/** Thrown instead of sending, once the run has stopped. It never leaves this file. */
const runStopped = new SvcError(
  'unavailable',
  'the run stopped before this request was sent',
)

export class Sender {
  /** Why the run stopped; undefined if every request was tried. */
  stop: StopReason | undefined
  /** The error that stopped it. */
  error: SvcError | undefined
  /** Whether the reason is exit 1, whatever the outcomes are. */
  hasFailed = false
  doneItems = 0
  readonly #record: RunRecord
  readonly #api: Api
  readonly #operation: Operation
  /** The requests that no worker has taken yet, the next one last. */
  readonly #waiting: Range[]
  /** The requests that failed in a row: whether each was refused. */
  #failuresInARow: boolean[] = []

  constructor(record: RunRecord, operation: Operation, api: Api) {
    this.#record = record
    this.#operation = operation
    this.#api = api
    this.#waiting = record.state.dueRanges(operation.most).reverse()
  }

  /** Sends until nothing is left or the run stops. Throws if the record can no longer be written, or is another command's. */
  async sendAll(concurrency: number): Promise<void> {
    const workers = Array.from({ length: concurrency }, () => this.#work())
    const ends = await Promise.allSettled(workers)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** Lets requests in flight finish, and starts nothing new. The first reason counts. */
  stopFor(stop: StopReason, error?: SvcError, hasFailed = false) {
    if (this.stop === undefined) Object.assign(this, { stop, error, hasFailed })
  }

  async #work() {
    for (;;) {
      const range = this.stop === undefined ? this.#waiting.pop() : undefined
      if (range === undefined) return
      try {
        const isReadFirst = this.#operation.isReadFirst === true
        const failure = await (isReadFirst ? this.#readAndSend(range) : this.#send(range))
        if (!this.#halve(range)) this.#judge(range, failure)
      } catch (error) {
        if (error === runStopped) return
        this.stopFor('record')
        throw error
      }
    }
  }

  /** Queues both halves of a request if only some of its contacts exist. */
  #halve([from, to]: Range): boolean {
    const last = this.#record.state.resultOf(from)
    const isPartlyKnown = last?.due === true && last.added !== undefined
    if (!isPartlyKnown || to - from < 2) return false
    const middle = Math.ceil((from + to) / 2)
    this.#waiting.push([middle, to], [from, middle])
    return true
  }

  /** Counts a request that ended. Stops the run for a failure that other requests would meet too. */
  #judge([from, to]: Range, failure: SvcError | undefined) {
    this.doneItems += to - from
    const { category, details } = failure ?? {}
    const isForAll = category === 'final' || category === 'local'
    const isRefused = category === 'rejected' && this.#operation.isRefusedAlone !== true
    const hasFailed = isRefused || this.#record.state.isDue(from) || this.#isLost(failure)
    const failures = hasFailed ? [...this.#failuresInARow, isRefused] : []
    this.#failuresInARow = failures
    if (isNotAllowed(failure)) this.stopFor('not-allowed', failure)
    else if (category === 'interrupted') this.stopFor('signal')
    else if (isForAll && details?.ambiguous !== true)
      this.stopFor('failures', failure, true)
    else if (details?.retryAfter !== undefined) this.stopFor('wait', failure)
    else if (failures.length >= maxFailuresInARow) {
      const areAllRefused = failures.every((wasRefused) => wasRefused)
      this.stopFor('failures', failure, areAllRefused)
    }
  }

  /** Whether a merge may have been made. It is never sent again, so in an outage a person would have to look at each further one. */
  #isLost(failure: SvcError | undefined) {
    return this.#operation.isFinalIfLost === true && failure?.details.ambiguous === true
  }

  #batchOf([from, to]: Range): Batch {
    const { state } = this.#record
    const { head } = state
    const { target = head.target?.id ?? '', expected = head.ifAssignee?.id } =
      state.items.at(from)
    const ids = state.items.ids.slice(from, to)
    const outcomesBefore = ids.map((_, index) => state.outcomeOf(from + index))
    return { ids, target, expected, outcomesBefore }
  }

  #append(range: Range, result: Result) {
    this.#record.append({ t: 'res', b: range, ...result })
  }

  /** Sends one request, and records what each attempt tells about its ids. Returns the error if it failed. */
  #send(range: Range, reading?: TicketReading): Promise<SvcError | undefined> {
    let batch = this.#batchOf(range)
    return this.#catchFailure(async () => {
      await this.#api.send(this.#operation.name, this.#operation.request(batch), {
        beforeWait: () => this.#refuseIfStopped(),
        beforeAttempt: async () => {
          this.#refuseIfStopped()
          batch = this.#batchOf(range)
          const assigneeBefore = reading?.kind === 'shown' ? reading.assignee : undefined
          await this.#record.appendSynced({ t: 'try', b: range, assigneeBefore })
        },
        afterAttempt: (attempt) => {
          const result = resultOfAttempt(this.#operation, batch, attempt)
          this.#append(range, explainRefusal(result, reading))
        },
      })
    })
  }

  /** Reads a ticket, and changes it if that is wanted. Reads it again if the answer is lost, but does not send it again. */
  async #readAndSend(range: Range): Promise<SvcError | undefined> {
    const [index] = range
    const { state } = this.#record
    const reading = await this.#read(index)
    if (reading.kind === 'failed') {
      // The ticket stays as it was, and due.
      if (reading.failure.category !== 'interrupted')
        this.#append(range, {
          ...failureFacts(reading.failure),
          o: state.outcomeOf(index),
          due: true,
        })
      return reading.failure
    }
    const decision = this.#decide(range, reading)
    if (decision !== 'send') {
      this.#append(range, decision)
      return undefined
    }
    const failure = await this.#send(range, reading)
    if (state.outcomeOf(index) !== 'unknown' || this.stop !== undefined) return failure
    const again = await this.#read(index)
    if (again.kind === 'failed') return failure
    const lost: Result = { ...state.resultOf(index), o: 'unknown', due: true }
    const later = this.#decide(range, again)
    this.#append(range, later === 'send' ? lost : later)
    return failure
  }

  /** Returns what a reading shows of a ticket, or `send` if it is to be changed. */
  #decide(range: Range, reading: TicketReading): Result | 'send' {
    const { target, expected, outcomesBefore } = this.#batchOf(range)
    const isUnknown = outcomesBefore[0] === 'unknown'
    if (reading.kind !== 'shown') {
      if (!isUnknown && expected === undefined) return 'send'
      const m = `the ticket could not be read: ${reading.failure.message}`
      return { ...failureFacts(reading.failure), m, o: isUnknown ? 'unknown' : 'error' }
    }
    const { assignee } = reading
    const holder =
      assignee === null ? 'nobody has the ticket' : `${assignee} has the ticket`
    if (isSameId(assignee, target)) return { o: 'done', m: 'it has this assignee' }
    if (isUnknown) {
      const last = this.#record.state.assigneeBefore(range[0])
      const isAsBefore = last === assignee || isSameId(last, assignee)
      return isAsBefore ? 'send' : { o: 'unknown', m: `an answer was lost, and ${holder}` }
    }
    if (expected === undefined || isSameId(assignee, expected)) return 'send'
    return { o: 'kept', m: holder }
  }

  async #read(index: number): Promise<TicketReading> {
    const { id } = this.#record.state.items.at(index)
    const beforeAttempt = () => Promise.resolve(this.#refuseIfStopped())
    let shown: TicketReading | undefined
    const failure = await this.#catchFailure(async () => {
      const { ticket } = await this.#api.tickets.chunk(id, undefined, { beforeAttempt })
      const { assigneeId, status } = ticket
      shown = { kind: 'shown', assignee: assigneeId ?? null, status: status ?? 'active' }
    })
    if (failure === undefined && shown !== undefined) return shown
    if (failure === undefined) throw new TypeError('the ticket was not read')
    return { kind: isAboutTicket(failure) ? 'refused' : 'failed', failure }
  }

  /** Returns the error of a request. Throws an error that ends the whole run: of the record, or a defect. */
  async #catchFailure(request: () => Promise<void>): Promise<SvcError | undefined> {
    try {
      await request()
      return undefined
    } catch (error) {
      const endsTheRun = error === runStopped || error === this.#record.failure
      if (error instanceof SvcError && !endsTheRun) return error
      throw error
    }
  }

  #refuseIfStopped() {
    if (this.stop !== undefined) throw runStopped
  }
}

/** Returns what an attempt tells about its ids. */
function resultOfAttempt(
  operation: Operation,
  batch: Batch,
  attempt: AttemptResult,
): Result {
  const { kind, status: st, code, message = '' } = attempt
  const facts = {
    ...(st !== undefined && { st }),
    ...(Number.isSafeInteger(code) && { code }),
    ...(message !== '' && { m: message.slice(0, maxMessageLength) }),
  }
  const isResent = operation.isFinalIfLost !== true
  const lost: Result = { ...facts, o: 'unknown', ...(isResent && { due: true }) }
  if (kind === 'answered') {
    // The client has checked the answer with the schema of this operation.
    const sense = operation.senseOf(
      batch,
      attempt.data as OperationResult<BulkOperationName>,
    )
    if ('problem' in sense) return { ...lost, m: sense.problem }
    const { outcomes: o, message: m, ...more } = sense
    return { o, ...more, ...(m !== undefined && { m }) }
  }
  if (kind === 'ambiguous') return lost
  const isTurnedAway =
    st === 429 || st === 401 || (st === 403 && notAllowedCodes.includes(code))
  if (kind === 'never-sent' || isTurnedAway)
    return { ...facts, o: oneIfSame(batch.outcomesBefore), due: true }
  const refused = batch.outcomesBefore.map((each): Outcome =>
    each === 'unknown' ? each : 'error',
  )
  return { ...facts, o: oneIfSame(refused) }
}

/** Returns one outcome if all are the same. */
function oneIfSame(all: readonly Outcome[]): Outcome | readonly Outcome[] {
  const [first = 'unknown'] = all
  return all.every((each) => each === first) ? first : all
}

function failureFacts({
  message,
  details: { httpStatus, code },
}: SvcError): Omit<Result, 'o'> {
  return {
    m: message.slice(0, maxMessageLength),
    ...(httpStatus !== undefined && { st: httpStatus }),
    ...(code !== undefined && { code }),
  }
}

/** Adds what the reading showed to the refusal of an assign, which does not say which of its rules the service applied. */
function explainRefusal(result: Result, reading: TicketReading | undefined): Result {
  if (result.o !== 'error' || reading?.kind !== 'shown') return result
  const reasons = [
    reading.status === 'active' ? '' : `the ticket is ${reading.status}`,
    reading.assignee === null ? 'nobody has it' : '',
  ].filter((reason) => reason !== '')
  return reasons.length === 0 ? result : { ...result, seen: reasons.join('; ') }
}

/** Whether the key may not do this at all. */
function isNotAllowed(failure: SvcError | undefined) {
  if (failure?.category === 'auth') return true
  return failure?.category === 'forbidden' && notAllowedCodes.includes(failure.details.code)
}

/** Whether the service refused to show this one ticket. A 401, a 429 and some 403 are about the key. */
function isAboutTicket(failure: SvcError) {
  const { category, details } = failure
  const isRefused = category === 'forbidden' || category === 'rejected'
  return isRefused && details.httpStatus !== undefined && !isNotAllowed(failure)
}
