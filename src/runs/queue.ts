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

/** Whether a refusal settles a request: nothing was done. A 401, 403 or 429 may pass, so the request stays due. */
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
      this.requests.push(this.#newRequest([from, Math.min(items.size, from + most)]))
  }

  /** Makes a request, which is found by the start of its range from now on. `half`: of the request that it is half of. */
  #newRequest(range: Range, half?: Request): Request {
    const request: Request = {
      range,
      attempts: 0,
      isInFlight: false,
      isDoubtful: this.#isDamaged || half?.isDoubtful === true,
      isHalf: half !== undefined,
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
    if (line.t === 'try') applyTry(request, line)
    else if (line.t === 'res') this.#applyResult(request, line)
    else applyRead(request, line)
    return true
  }

  #applyResult(request: Request, res: Res) {
    // The `try` of this attempt is missing, and perhaps more.
    if (res.a > request.attempts) request.isDoubtful = true
    request.attempts = res.a
    request.at = res.at
    request.isInFlight = false
    const wasOdd = request.last?.odd === true
    const isAnswer = res.k === 'answered'
    const addsUp = isAnswer && this.problem(request, res) === undefined
    const isOdd = res.odd === true || (isAnswer && !addsUp)
    request.last = isOdd ? { ...res, odd: true } : res
    // Once answered, nothing else counts.
    if (request.answer?.k === 'answered') return
    if (addsUp) {
      request.answer = res
      this.#countAdded(request, res)
    } else if (isOdd) {
      request.isDoubtful = true
      // A second answer without sense is taken as final: asking again would not help.
      if (wasOdd) request.answer = request.last
    } else if (res.k === 'ambiguous') request.isDoubtful = true
    else if (isFinalRefusal(res)) request.answer = res
  }

  /** Why the answer to a request makes no sense. Undefined if it adds up. */
  problem(request: Request, { d }: Res) {
    return this.operation.problem(this.batch(request), d)
  }

  /** Counts the contacts that an answer says were added. If some of the others do not exist, the request becomes two halves. */
  #countAdded(request: Request, { d }: Res) {
    const { added = 0, isMixed = false } = this.operation.counts?.(d, request) ?? {}
    this.added += added
    if (!isMixed) return
    const [from, to] = request.range
    const middle = Math.ceil((from + to) / 2)
    const halves = [
      this.#newRequest([from, middle], request),
      this.#newRequest([middle, to], request),
    ]
    this.requests.splice(this.requests.indexOf(request), 1, ...halves)
    request.halves = halves
  }

  /** Lines are missing: every request that has no answer may have been sent, also after a refusal. */
  markDamaged() {
    this.#isDamaged = true
    for (const request of this.requests) {
      if (isAnswered(request)) continue
      request.answer = undefined
      request.isDoubtful = true
    }
  }

  /** Whether a command still has work with a request: it sends it, or reads its ticket. */
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
  outcomesOf(request: Request): readonly Outcome[] {
    const ownOutcomes = this.operation.outcomesOf(request, this.batch(request))
    if (ownOutcomes !== undefined) return ownOutcomes
    const [from, to] = request.range
    return Array.from({ length: to - from }, () => outcomeWithoutAnswer(request))
  }
}

function outcomeWithoutAnswer(request: Request): Outcome {
  // The answer to the whole of a half counted its contacts, and did not say which exist.
  if (isInDoubt(request) || request.isHalf) return 'unknown'
  return request.answer === undefined ? 'not-attempted' : 'error'
}

function applyTry(request: Request, { a, at }: LineOf<'try'>) {
  // The attempt before this one has no result, or its lines are missing.
  if (request.isInFlight || a > request.attempts + 1) request.isDoubtful = true
  request.attempts = a
  request.at = at
  request.isInFlight = true
  // It says nothing about what this attempt does.
  request.reading = undefined
}

function applyRead(request: Request, line: Read) {
  request.reading = line
  request.at ??= line.at
  if (!isInDoubt(request) && line.id !== undefined) request.former = line.id
}

export const countItems = (requests: readonly Request[]) =>
  requests.reduce((sum, { range: [from, to] }) => sum + to - from, 0)
