/**
 * The requests of a run, and what its lines say about each of them. Once the answer to an attempt was lost, its request is in
 * doubt: the attempt may have changed something, whatever later attempts bring. Only an answer that adds up settles it. Lines
 * have short members: `b` is the range of the request, `a` the attempt, `k` how it ended, `st` the HTTP status and `d` what is
 * recorded of the answer.
 */
import type { Items } from '../input/items.ts'
import type { Head, LineOf, Range } from './lines.ts'
import {
  isAnswered,
  isInDoubt,
  sameForAll,
  type Batch,
  type Operation,
  type ReadingLine,
  type Request,
  type ResultLine,
} from './operations/operation.ts'
import { operationOf } from './operations/operations.ts'
import type { Outcome } from './outcomes.ts'

/** Whether a refusal is the result of its request. A 401, 403 or 429 may pass, so such a request stays due. */
const isFinalRefusal = ({ k, st = 0 }: ResultLine) =>
  k === 'refused' && ![401, 403, 429].includes(st)

export class Queue {
  readonly operation: Operation
  /** In the order of the items. Each item is in exactly one request. */
  readonly requests: Request[] = []
  readonly #head: Head
  readonly #items: Items
  readonly #byStart = new Map<number, Request>()
  /** How many contacts were added, by the counts of all answers. */
  added = 0
  #isDamaged = false

  constructor(head: Head, items: Items) {
    this.operation = operationOf(head.operation)
    this.#head = head
    this.#items = items
    const { most } = head
    for (let from = 0; from < items.size; from += most)
      this.requests.push(this.#newRequest([from, Math.min(items.size, from + most)]))
  }

  /** Makes a request, which replaces an earlier one with the same start. `whole` is the request that it is half of. */
  #newRequest(range: Range, whole?: Request): Request {
    const request: Request = {
      range,
      attempts: 0,
      isInFlight: false,
      isDoubtful: this.#isDamaged || whole?.isDoubtful === true,
      isHalf: whole !== undefined,
    }
    this.#byStart.set(range[0], request)
    return request
  }

  batchOf({ range: [from, to] }: Request): Batch {
    const { target, ifAssignee } = this.#head
    const ids = this.#items.ids.slice(from, to)
    // Requests of pairs have one item.
    const { other, expected } = this.#items.at(from)
    return { ids, other, expected, target: target?.id, ifAssignee: ifAssignee?.id }
  }

  /** Applies a line to its request. Returns false if there is no such request. */
  apply(line: LineOf<'try' | 'res' | 'read'>): boolean {
    const request = this.#byStart.get(line.b[0])
    if (request?.range[1] !== line.b[1]) return false
    if (line.t === 'try') applyTry(request, line)
    else if (line.t === 'res') this.#applyResult(request, line)
    else applyReading(request, line)
    return true
  }

  #applyResult(request: Request, result: ResultLine) {
    // The `try` of this attempt is missing, so more lines may be.
    if (result.a > request.attempts) request.isDoubtful = true
    request.attempts = result.a
    request.at = result.at
    request.isInFlight = false
    const wasOdd = request.last?.odd === true
    const isAnswer = result.k === 'answered'
    const addsUp = isAnswer && this.findProblem(request, result) === undefined
    // Odd: the client found that the answer makes no sense, or the operation finds it now.
    const isOdd = result.odd === true || (isAnswer && !addsUp)
    request.last = isOdd ? { ...result, odd: true } : result
    // The first answer that counts stays, whatever comes after it.
    if (request.answer?.k === 'answered') return
    if (addsUp) {
      request.answer = result
      this.#countAdded(request, result)
    } else if (isOdd) {
      request.isDoubtful = true
      // After two answers that make no sense, a third request would not help.
      if (wasOdd) request.answer = request.last
    } else if (result.k === 'ambiguous') request.isDoubtful = true
    else if (isFinalRefusal(result)) request.answer = result
  }

  /** Returns why the answer to a request makes no sense; undefined if it adds up. */
  findProblem(request: Request, { d }: ResultLine) {
    return this.operation.findProblem(this.batchOf(request), d)
  }

  /** Counts the contacts that an answer says were added. If only some of the contacts exist, two halves replace the request. */
  #countAdded(request: Request, { d }: ResultLine) {
    const counts = this.operation.countsOf?.(d, this.batchOf(request))
    if (counts === undefined) return
    this.added += counts.added
    if (!counts.isMixed) return
    const [from, to] = request.range
    const middle = Math.ceil((from + to) / 2)
    const halves = [
      this.#newRequest([from, middle], request),
      this.#newRequest([middle, to], request),
    ]
    this.requests.splice(this.requests.indexOf(request), 1, ...halves)
    request.halves = halves
  }

  /** Notes that lines are missing: every request that is not answered may have been sent. A refusal no longer counts. */
  markDamaged() {
    this.#isDamaged = true
    for (const request of this.requests) {
      if (isAnswered(request)) continue
      request.answer = undefined
      request.isDoubtful = true
    }
  }

  /** Whether a command has to send a request, or to read the ticket that it is about. */
  isDue(request: Request) {
    // After damage, nothing more is sent.
    if (this.#isDamaged || request.answer !== undefined) return false
    return this.operation.isDueUnanswered(request, this.batchOf(request))
  }

  dueRequests(): Request[] {
    return this.requests.filter((request) => this.isDue(request))
  }

  /** How many items are in requests that are due. */
  get dueItems() {
    return countItems(this.dueRequests())
  }

  /** Returns the outcome of each item of a request. */
  outcomesOf(request: Request): readonly Outcome[] {
    const batch = this.batchOf(request)
    const outcomes = this.operation.outcomesOf(request, batch)
    return outcomes ?? sameForAll(batch, outcomeWithoutAnswer(request))
  }
}

function outcomeWithoutAnswer(request: Request): Outcome {
  // A half was sent as part of its whole, whose answer did not say which contacts exist.
  if (isInDoubt(request) || request.isHalf) return 'unknown'
  return request.answer === undefined ? 'not-attempted' : 'error'
}

function applyTry(request: Request, { a, at }: LineOf<'try'>) {
  // In both cases, an earlier attempt may have been carried out: it has no result, or its lines are missing.
  if (request.isInFlight || a > request.attempts + 1) request.isDoubtful = true
  request.attempts = a
  request.at = at
  request.isInFlight = true
  // A reading from before this attempt is out of date now.
  request.reading = undefined
}

function applyReading(request: Request, reading: ReadingLine) {
  request.reading = reading
  request.at ??= reading.at
  // In doubt, an attempt may already have changed the assignee.
  if (!isInDoubt(request) && reading.id !== undefined) request.former = reading.id
}

/** Returns how many items requests have. */
export const countItems = (requests: readonly Request[]) =>
  requests.reduce((sum, { range: [from, to] }) => sum + to - from, 0)
