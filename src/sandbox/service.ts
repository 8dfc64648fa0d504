/**
 * The service itself: who may do what, which faults strike, what is applied, and what is answered. It knows requests
 * and answers, and nothing of sockets: `transport.ts` asks it for each request, and the simulator has it without any.
 *
 * Where the description is silent: `read-write` covers `read`; a request without a body signs `<timestamp>.`; 201 for a
 * create, else 200. Order of refusals: 413, 401, 403 for the subscription, 404 for the path, 403 for the scope, 400 for the
 * input, 404 for ids, 400 for rules.
 */
import type { Host } from '../host.ts'
import { checkSignature, companyOf, keys } from './access.ts'
import { jsonAnswer, Refusal, refusals, type Answer } from './answer.ts'
import type { Companies } from './company.ts'
import { findRoute, queryOf } from './exchange.ts'
import { parseFaults, type FaultKinds, type Faults } from './faults.ts'
import { headerOf, type Arrival, type LoggedRequest, type RequestLog } from './record.ts'

export type SandboxHost = Pick<Host, 'now' | 'sleep' | 'randomBytes'>

interface ServiceOptions {
  readonly host: Pick<SandboxHost, 'now' | 'sleep'>
  readonly data: Companies
  readonly record: RequestLog
  /** Milliseconds before every request is looked at. */
  readonly latency: number
  /** Aborted when the sandbox closes: nothing is applied any more then. */
  readonly closing: AbortSignal
  /** Kinds of faults beside those of `svc help faults`. */
  readonly faultKinds?: FaultKinds | undefined
}

/** The service of one sandbox, with the faults that strike it. */
export class Service {
  readonly #options: ServiceOptions
  #faults: Faults

  constructor(options: ServiceOptions, faults = '') {
    this.#options = options
    this.#faults = this.#parse(faults)
  }

  /** The service's own time in milliseconds since 1970. */
  now(): number {
    return this.#options.host.now() + this.#faults.clock
  }

  /** Replaces all faults and restarts their counts. Throws a usage error. */
  setFaults(spec: string): void {
    this.#faults = this.#parse(spec)
  }

  /** An answer with the service's time in it. */
  withDate(answer: Answer): Answer {
    const date = new Date(this.now()).toUTCString()
    return { ...answer, headers: { ...answer.headers, date } }
  }

  /** The answer, and how the faults want it to be sent. */
  async answer(arrival: Arrival, entry: LoggedRequest) {
    await this.#pause(this.#options.latency)
    const struck = this.#faults.strike(entry.operation)
    for (const { before = 0 } of struck) await this.#pause(before)
    // A fault that keeps the operation from being applied has an answer of its own or none: nobody sees this one.
    const isApplied = struck.every(({ apply }) => apply !== false)
    const usual = isApplied ? this.#answerOf(arrival, entry) : refusals.internal().answer
    entry.fault = struck.map(({ rule }) => rule).join(', ') || null
    const instead = struck.find((effect) => effect.instead !== undefined)?.instead
    const { headers, ...answer } = instead ?? usual
    for (const { after = 0 } of struck) await this.#pause(after)
    const requestId = { 'x-request-id': `sandbox-${entry.n}` }
    const dated = this.withDate({ ...answer, headers: { ...requestId, ...headers } })
    return {
      answer: struck.reduce((changed, { distort }) => distort?.(changed) ?? changed, dated),
      sending: struck.find(({ send }) => send !== undefined)?.send,
    }
  }

  #parse(spec: string): Faults {
    const { data, faultKinds } = this.#options
    return parseFaults(spec, data.seeding.seed, faultKinds)
  }

  /** Applies a request; the answer of the service when nothing fails. */
  #answerOf(arrival: Arrival, entry: LoggedRequest): Answer {
    try {
      return this.#apply(arrival, entry)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.answer
    }
  }

  /** Does what a request asks for if its key may ask for it, and logs what it changed. */
  #apply(arrival: Arrival, entry: LoggedRequest): Answer {
    const { method, url, rawBody } = arrival
    if (rawBody === undefined) throw refusals.tooLarge()
    const now = this.now()
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
    const mayChange = key.scope !== 'read'
    if (route.operation.scope === 'read-write' && !mayChange) throw refusals.scope()
    // API: Authentication, rule 5.
    const company = this.#options.data.companies[companyOf(key)]
    if (company === undefined) throw refusals.internal()
    const { data, change } = company[route.name]({
      ids: route.ids,
      query: queryOf(url),
      contentType: headerOf(arrival, 'content-type'),
      rawBody,
      now,
      limitedHistory: key.plan === 'limited-history',
    })
    if (change !== undefined) this.#options.record.apply(entry, change)
    return jsonAnswer(route.name === 'lists.create' ? 201 : 200, { data })
  }

  /** Throws when the sandbox closes meanwhile. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#options.host.sleep(ms, this.#options.closing)
  }
}
