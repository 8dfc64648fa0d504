/**
 * What is known of each request of a run, as its lines say. The rule: once in doubt, always in doubt. An attempt without an
 * answer may have changed something, whatever later attempts bring. Only an answer that adds up settles that.
 */
import type { Items } from '../input/items.ts'
import type { Head, LineOf, Range } from './lines.ts'
import {
  isAnswered,
  isInDoubt,
  type Batch,
  type Operation,
  type Read,
  type Request,
  type Res,
} from './operations/operation.ts'
import { operationOf } from './operations/operations.ts'
import type { Outcome } from './outcomes.ts'

/** Whether a refusal stays: nothing was done, and the next attempt would be refused too. 401, 403 and 429 are for now. */
const isFinalRefusal = ({ k, st = 0 }: Res) =>
  k === 'refused' && ![401, 403, 429].includes(st)

/** The part of a head that a queue needs. */
type QueueHead = Pick<Head, 'operation' | 'most' | 'target' | 'ifAssignee'>

export class Queue {
  readonly operation: Operation
  /** In the order of the items. They account for each item once. */
  readonly requests: Request[] = []
  readonly #head: QueueHead
  readonly #items: Items
  readonly #byStart = new Map<number, Request>()
  /** How many contacts were added, by the counts of all answers. */
  added = 0
  #isDamaged = false

  constructor(head: QueueHead, items: Items) {
    this.operation = operationOf(head.operation)
    this.#head = head
    this.#items = items
    const { most } = head
    for (let from = 0; from < items.size; from += most)
      this.requests.push(this.#request([from, Math.min(items.size, from + most)], false))
  }

  #request(range: Range, isHalf: boolean): Request {
    const request: Request = {
      range,
      attempts: 0,
      isInFlight: false,
      isDoubtful: this.#isDamaged,
      isHalf,
    }
    this.#byStart.set(range[0], request)
    return request
  }

  batch({ range: [from, to] }: Request): Batch {
    const { target, ifAssignee } = this.#head
    const ids = this.#items.ids.slice(from, to)
    const { other, expected } = this.#items.at(from)
    return { ids, other, expected, target: target?.id, ifAssignee: ifAssignee?.id }
  }

  /** Applies a line to its request. Returns false if there is no such request. */
  apply(line: LineOf<'try' | 'res' | 'read'>): boolean {
    const request = this.#byStart.get(line.b[0])
    if (request?.range[1] !== line.b[1]) return false
    if (line.t === 'read') applyRead(request, line)
    else this.#applyAttempt(request, line)
    return true
  }

  #applyAttempt(request: Request, line: LineOf<'try' | 'res'>) {
    // An attempt lost its answer if the next one begins while it is in flight, or if its lines are missing.
    const expected = line.t === 'try' ? request.attempts + 1 : request.attempts
    const isMissed = line.a > expected || (line.t === 'try' && request.isInFlight)
    if (isMissed) request.isDoubtful = true
    request.attempts = line.a
    request.at = line.at
    request.isInFlight = line.t === 'try'
    if (line.t === 'try') request.reading = undefined
    else this.#applyResult(request, line)
  }

  #applyResult(request: Request, res: Res) {
    const wasOdd = request.last?.odd === true
    const isAnswer = res.k === 'answered'
    const addsUp = isAnswer && this.problem(request, res) === undefined
    const isOdd = res.odd === true || (isAnswer && !addsUp)
    request.last = isOdd ? { ...res, odd: true } : res
    if (request.answer?.k === 'answered') return
    if (addsUp) {
      request.answer = res
      this.#halve(request, res)
    } else if (isOdd) {
      request.isDoubtful = true
      // The second one that makes no sense settles it.
      if (wasOdd) request.answer = request.last
    } else if (res.k === 'ambiguous') request.isDoubtful = true
    else if (isFinalRefusal(res)) request.answer = res
  }

  /** Why the answer to a request makes no sense. Undefined if it adds up. */
  problem(request: Request, { d }: Res) {
    return this.operation.problem(this.batch(request), d)
  }

  /** Cuts an add in two halves if its answer says that some of its contacts do not exist, but not which. */
  #halve(request: Request, { d }: Res) {
    const { added = 0, isMixed = false } = this.operation.counts?.(d, request) ?? {}
    this.added += added
    if (!isMixed) return
    const [from, to] = request.range
    const middle = Math.ceil((from + to) / 2)
    const halves = [this.#request([from, middle], true), this.#request([middle, to], true)]
    for (const half of halves) half.isDoubtful ||= request.isDoubtful
    this.requests.splice(this.requests.indexOf(request), 1, ...halves)
    request.halves = halves
  }

  /** Takes notice of missing lines: every request that has no answer may have been sent, also after a refusal. */
  lose() {
    this.#isDamaged = true
    for (const request of this.requests) {
      if (isAnswered(request)) continue
      request.answer = undefined
      request.isDoubtful = true
    }
  }

  /** Whether a command still sends a request, or reads its ticket first. */
  isDue(request: Request) {
    if (this.#isDamaged || request.answer !== undefined) return false
    return this.operation.isDue(request, this.batch(request))
  }

  due(): Request[] {
    return this.requests.filter((request) => this.isDue(request))
  }

  get dueItems() {
    return countItems(this.due())
  }

  /** The outcomes of a request, one for each of its items. */
  judge(request: Request): readonly Outcome[] {
    const batch = this.batch(request)
    const own = this.operation.judge(request, batch)
    if (own !== undefined) return own
    const [from, to] = request.range
    return Array.from({ length: to - from }, () => outcomeWithoutAnswer(request))
  }
}

function outcomeWithoutAnswer(request: Request): Outcome {
  if (isInDoubt(request) || request.isHalf) return 'unknown'
  return request.answer === undefined ? 'not-attempted' : 'error'
}

function applyRead(request: Request, line: Read) {
  request.reading = line
  request.at ??= line.at
  if (!isInDoubt(request) && line.id !== undefined) request.former = line.id
}

export const countItems = (requests: readonly Request[]) =>
  requests.reduce((sum, { range: [from, to] }) => sum + to - from, 0)
