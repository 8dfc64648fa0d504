/**
 * The service itself: who may do what, which faults strike, what is applied, and what is answered. It knows requests
 * and answers, and nothing of sockets: `transport.ts` asks it for each request, and the simulator has it without any.
 *
 * Where the description is silent: `read-write` covers `read`; a request without a body signs `<timestamp>.`; 201 for a
 * create, else 200. Order of refusals: 413, 401, 403 for the subscription, 404 for the path, 403 for the scope, 400 for the
 * input, 404 for ids, 400 for rules.
 */
import type { Host } from '../host.ts'
import { checkSignature, companyOf, keys, type Key } from './access.ts'
import { jsonAnswer, Refusal, refusals, type Answer } from './answer.ts'
import {
  alter,
  distort,
  parseFaults,
  type Effect,
  type FaultKinds,
  type Faults,
} from './faults.ts'
import type { LoggedRequest, RequestLog } from './record.ts'
import type { Route, Url } from './exchange.ts'
import type { Company } from './company.ts'
import type { Call } from './input.ts'
import type { State } from './state.ts'

export type SandboxHost = Pick<Host, 'now' | 'sleep' | 'after' | 'turn' | 'randomBytes'>

interface ServiceOptions {
  readonly host: SandboxHost
  readonly state: State
  readonly record: RequestLog
  /** Milliseconds before every request is looked at. */
  readonly latency: number
  /** Aborted when the sandbox closes: nothing is applied any more then. */
  readonly closing: AbortSignal
  /** Kinds of faults beside those of `svc help faults`. */
  readonly faultKinds?: FaultKinds | undefined
}

/** A request as it came, read but not checked. */
interface Incoming {
  readonly url: Url
  readonly route: Route | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Undefined when it is too large. */
  readonly rawBody: Buffer | undefined
}

/** A request that its key may make. */
interface Allowed {
  readonly company: Company
  readonly route: Route
  readonly call: Call
}

function textOf(incoming: Incoming, name: string): string | undefined {
  const value = incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}

function keyOf(headers: Incoming['headers']): Key | undefined {
  return keys.find(({ apiKey }) => apiKey === headers['x-service-key'])
}

/** The service of one sandbox, with the faults that strike it. */
export class Service {
  readonly #options: ServiceOptions
  /** Requests that may still change something. */
  readonly #open = new Set<Promise<unknown>>()
  #faults: Faults

  constructor(options: ServiceOptions, faults = '') {
    this.#options = options
    this.#faults = parseFaults(faults, options.state.seeding.seed, options.faultKinds)
  }

  /** The service's own time in milliseconds since 1970. */
  now(): number {
    return this.#options.host.now() + this.#faults.clock
  }

  /** Replaces all faults and restarts their counts. Throws a usage error. */
  setFaults(spec: string): void {
    const { state, faultKinds } = this.#options
    this.#faults = parseFaults(spec, state.seeding.seed, faultKinds)
  }

  knows(headers: Incoming['headers']): boolean {
    return keyOf(headers) !== undefined
  }

  /** Resolves once no request is left that may still change something, whether or not a client waits for it. */
  async settle(): Promise<void> {
    // A request that was sent before this was asked may not have been read yet: accepted, received and parsed is a turn each.
    for (let turn = 0; turn < 3; turn += 1) await this.#options.host.turn()
    while (this.#open.size > 0) await Promise.allSettled(this.#open)
  }

  /** Counts work as something that may change something until it is done. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work)
    try {
      return await work
    } finally {
      this.#open.delete(work)
    }
  }

  /** An answer with the service's time in it. */
  withDate(answer: Answer): Answer {
    const date = new Date(this.now()).toUTCString()
    return { ...answer, headers: { ...answer.headers, date } }
  }

  /** The answer, and how the faults want it to be sent. */
  async answer(incoming: Incoming, entry: LoggedRequest) {
    await this.#pause(this.#options.latency)
    const now = this.now()
    const struck = this.#faults.strike(incoming.route?.name)
    await this.#pause(struck.before ?? 0)
    // A fault that keeps the operation from being applied has an answer of its own or none: nobody sees this one.
    const isApplied = struck.apply !== false
    const usual = isApplied
      ? this.#answerOf(incoming, struck, entry)
      : refusals.internal().answer
    entry.fault = struck.rules?.join(', ') || null
    const answer = struck.instead?.(now) ?? usual
    await this.#pause(struck.after ?? 0)
    const requestId = { 'x-request-id': `sandbox-${entry.n}` }
    const named = { ...answer, headers: { ...requestId, ...answer.headers } }
    return {
      answer: distort(struck, this.withDate(named), now),
      sending: struck.send,
    }
  }

  #companyOf(key: Key | undefined): Company | undefined {
    return key && this.#options.state.companies[companyOf(key)]
  }

  /** Applies a request; the answer of the service when nothing fails. */
  #answerOf(incoming: Incoming, struck: Effect, entry: LoggedRequest): Answer {
    try {
      return this.#apply(this.#allow(incoming, struck), entry)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.answer
    }
  }

  /** The request as the company is asked, if its key may ask for it. */
  #allow(incoming: Incoming, struck: Effect): Allowed {
    const { rawBody, route } = incoming
    if (rawBody === undefined) throw refusals.tooLarge()
    const key = keyOf(incoming.headers)
    const isValid = checkSignature({
      timestamp: textOf(incoming, 'x-service-timestamp') ?? '',
      signature: textOf(incoming, 'x-service-signature') ?? '',
      secret: key?.apiSecret ?? 'no such key',
      rawBody,
      now: this.now(),
    })
    // API: Authentication, rule 2: one answer for every cause.
    if (key === undefined || !isValid) throw refusals.credentials()
    // API: Authentication, rule 4.
    if (key.plan === 'none') throw refusals.subscription()
    if (route === undefined) throw refusals.route()
    // API: Authentication, rule 3.
    const mayChange = key.scope !== 'read'
    if (route.operation.scope === 'read-write' && !mayChange) throw refusals.scope()
    // API: Authentication, rule 5.
    const company = this.#companyOf(key)
    if (company === undefined) throw refusals.internal()
    const call = {
      ids: route.ids,
      query: incoming.url.query,
      contentType: textOf(incoming, 'content-type'),
      rawBody,
      now: this.now(),
      limitedHistory: key.plan === 'limited-history',
    }
    return { company, route, call: alter(struck, call) }
  }

  /** Does what a request asks for, and logs what it changed. */
  #apply({ company, route, call }: Allowed, entry: LoggedRequest): Answer {
    const { data, change } = company[route.name](call)
    if (change !== undefined) this.#options.record.apply(entry, change)
    const status = route.name === 'lists.create' ? 201 : 200
    return jsonAnswer(status, { data })
  }

  /** Throws when the sandbox closes meanwhile. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#options.host.sleep(ms, this.#options.closing)
  }
}
