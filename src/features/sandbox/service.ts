/**
 * The service itself: who may do what, which faults strike, what is applied, and what is answered. It knows
 * requests and answers, and nothing of sockets.
 *
 * * Where the description is silent: `read-write` covers `read`; a request without a body signs
 * `<timestamp>.`; 201 for a create, else 200. Order of refusals: 413, 401, 403 for the subscription, 404 for
 * the path, 403 for the scope, 400 for the input, 404 for ids, 400 for rules.
 */
import type { Host } from '../../host.ts'
import { checkSignature, companyOf, keys } from './access.ts'
import type { Companies } from './company.ts'
import {
  type Answer,
  type Arrival,
  findRoute,
  headerOf,
  jsonAnswer,
  queryOf,
  Refusal,
  refusals,
  type Reply,
} from './exchange.ts'
import { parseFaults, type FaultKinds, type Faults } from './faults.ts'

export type SandboxHost = Pick<Host, 'now' | 'sleep' | 'randomBytes'>

interface ServiceOptions {
  readonly host: Pick<SandboxHost, 'now' | 'sleep'>
  readonly data: Companies
  /** The wait before every request, in milliseconds. */
  readonly latency: number
  /** Aborted when the sandbox closes: nothing is applied any more then. */
  readonly closing: AbortSignal
  /** More kinds of faults than those of `svc help faults`. */
  readonly faultKinds?: FaultKinds | undefined
}

/** The service of one sandbox, with the faults that strike it. */
export class Service {
  readonly #options: ServiceOptions
  #faults: Faults
  /** Requests so far. */
  #count = 0

  constructor(options: ServiceOptions, faults = '') {
    this.#options = options
    this.#faults = this.#parse(faults)
  }

  /** Replaces all faults and restarts their counts. Throws a usage error. */
  setFaults(spec: string): void {
    this.#faults = this.#parse(spec)
  }

  /** The answer, and how the faults want it to be sent. */
  async answer(arrival: Arrival): Promise<Reply> {
    const { host, latency } = this.#options
    this.#count += 1
    const requestId = `sandbox-${this.#count}`
    await this.#pause(latency)
    const struck = this.#faults(findRoute(arrival.method, arrival.url)?.name)
    for (const { before = 0 } of struck) await this.#pause(before)
    const now = struck.reduce((time, { clock = 0 }) => time + clock, host.now())
    // A fault that keeps the operation from being applied has an answer of its own or none: nobody sees this one.
    const isApplied = struck.every(({ apply }) => apply !== false)
    const usual = isApplied ? this.#answerOf(arrival, now) : jsonAnswer(500, null)
    for (const { after = 0 } of struck) await this.#pause(after)
    const date = new Date(now).toUTCString()
    const headers = { 'x-request-id': requestId, ...usual.headers, date }
    let answer: Answer = { ...usual, headers }
    // The first of several faults with an answer of their own counts.
    for (const { change } of struck.toReversed()) answer = change?.(answer) ?? answer
    return { answer, sending: struck.find(({ send }) => send !== undefined)?.send }
  }

  #parse(spec: string): Faults {
    const { data, faultKinds } = this.#options
    return parseFaults(spec, data.seeding.seed, faultKinds)
  }

  /** Applies a request; the answer of the service when nothing fails. */
  #answerOf(arrival: Arrival, now: number): Answer {
    try {
      const { name, call } = this.#authorize(arrival, now)
      const company = this.#options.data.companies[call.company]
      const data = company[name](call)
      return jsonAnswer(name === 'lists.create' ? 201 : 200, { data })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.answer
    }
  }

  /** The operation that a request names, if its key may call it. Throws a `Refusal`. */
  #authorize(arrival: Arrival, now: number) {
    const { method, url, rawBody } = arrival
    if (rawBody === undefined) throw refusals.tooLarge()
    const apiKey = headerOf(arrival, 'x-service-key')
    const key = keys.find((one) => one.apiKey === apiKey)
    const isValid = checkSignature({
      timestamp: headerOf(arrival, 'x-service-timestamp') ?? '',
      signature: headerOf(arrival, 'x-service-signature') ?? '',
      secret: key?.apiSecret ?? 'no such key',
      rawBody,
      now,
    })
    // API: Authentication, rule 2: one answer for every cause.
    if (key === undefined || !isValid) throw refusals.credentials()
    // API: Authentication, rule 4.
    if (key.plan === 'none') throw refusals.subscription()
    const route = findRoute(method, url)
    if (route === undefined) throw refusals.route()
    // API: Authentication, rule 3.
    if (route.operation.scope === 'read-write' && key.scope === 'read')
      throw refusals.scope()
    const call = {
      ids: route.ids,
      query: queryOf(url),
      request: arrival,
      rawBody,
      now,
      limitedHistory: key.plan === 'limited-history',
      // API: Authentication, rule 5.
      company: companyOf(key),
    }
    return { name: route.name, call }
  }

  /** Throws when the sandbox closes meanwhile. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#options.host.sleep(ms, this.#options.closing)
  }
}
