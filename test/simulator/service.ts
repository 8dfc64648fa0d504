/** The sandbox's service in this process, and a log of everything that was sent to it and that it really did. */
import { createHmac } from 'node:crypto'
import { keys } from '../../src/sandbox/service.ts'
import { createCompanies, type Company } from '../../src/sandbox/company.ts'
import { type Answer, findRoute, Refusal } from '../../src/sandbox/exchange.ts'
import { assign } from '../../src/sandbox/tickets.ts'
import { createService } from '../../src/sandbox/service.ts'
import type { OperationName } from '../../src/api/operations.ts'
import type { WireRequest } from '../../src/world.ts'
import { RequestLog, type LoggedRequest } from '../sandbox/record.ts'
import type { Clock } from './clock.ts'
import { answered, stateOf, type Effect } from './effects.ts'
import { batchMember, bodyOf, isBulk, partsOf, type Parts } from './parts.ts'
import type { SimulatedProcess } from './process.ts'

/** A process's knowledge of one request. `unsent`: no byte of it left. `nothing`: it died, or still waits. */
export type Told = 'unsent' | 'refused' | 'lost' | 'answered' | 'nothing'

/** One request of a process, from its first byte to what became of it. */
export interface Sent {
  readonly process: SimulatedProcess
  readonly operation: OperationName | undefined
  readonly path: string
  at: number
  /** Things that it is about, and its second parties, in lower case. */
  readonly ids: readonly string[]
  readonly parties: Parts['parties']
  told: Told
  toldAt?: number
  status?: number | undefined
  /** Seconds that its answer asks to wait. */
  retryAfter?: number
  /** When it landed first, and what the service did then, by the ids that it had; undefined while it has not. */
  landed?: { at: number; entry: LoggedRequest; effects: ReadonlyMap<string, Effect> }
}

/** The same request with the first half of its ids, as who has the secret would send it. */
export function halfOf({ headers, body, ...request }: WireRequest): WireRequest {
  const name = findRoute(request.method, request.path)?.name
  const members = bodyOf(body)
  const member = isBulk(name) ? batchMember(name, members) : undefined
  if (member === undefined) return { ...request, headers, body }
  const ids = [members[member]].flat()
  const part = { ...members, [member]: ids.slice(0, Math.ceil(ids.length / 2)) }
  const half = Buffer.from(JSON.stringify(part))
  const signature = createHmac('sha256', keys[0]?.apiSecret ?? '')
    .update(`${headers['X-Service-Timestamp']}.${half.toString()}`)
    .digest('hex')
  return { ...request, headers: { ...headers, 'X-Service-Signature': signature }, body: half }
}

/** The member of an answer without an error that says what was done. */
function dataOf({ status, body }: Answer): Readonly<Record<string, unknown>> | undefined {
  if (status >= 300) return undefined
  const { data } = JSON.parse(body.toString()) as { data?: Readonly<Record<string, unknown>> }
  return data
}

const mostAnswers = 40

const nothing = { outcome: undefined, counts: [] } as const

export class SimulatedService {
  readonly #clock: Clock
  readonly #service: ReturnType<typeof createService>
  readonly #record = new RequestLog()
  readonly company: Company
  readonly seed: number
  readonly log: Sent[] = []
  /** Called with each request as it leaves. */
  onSend: (sent: Sent) => void = () => undefined
  readonly #first = new Set<string>()
  /** The last answers without an error, each with the request that it was given to. */
  readonly answers: { sent: Sent; answer: Answer }[] = []
  /** Called after everything that may have changed something. */
  readonly watchers = new Set<() => void>()
  /** Requests that have left and not landed yet. */
  underWay = 0

  constructor(clock: Clock, options: { readonly seed: number; readonly contacts: number }) {
    this.#clock = clock
    this.seed = options.seed
    const host = { now: clock.now, sleep: (ms: number) => clock.sleep(ms) }
    const data = createCompanies(host, options)
    const closing = new AbortController().signal
    this.#service = createService({ host, data, latency: 0, closing })
    const [company] = data.companies
    this.#record.watch(company)
    this.company = company
    for (const { id } of company.contacts.all()) this.#first.add(id)
    for (const { id } of company.tickets.values()) this.#first.add(id)
  }

  /** A request of which no byte has left. */
  prepare(process: SimulatedProcess, { method, path, body }: WireRequest): Sent {
    const route = findRoute(method, path)
    const parts = partsOf(route?.name, route?.ids ?? {}, body)
    const at = this.#clock.now()
    return { process, operation: route?.name, path, at, ...parts, told: 'nothing' }
  }

  /** Its first byte leaves now. */
  send(request: Sent): void {
    request.at = this.#clock.now()
    this.log.push(request)
    this.onSend(request)
  }

  /** A request that has come to the service. */
  async land(sent: Sent, { method, path, headers, body }: WireRequest): Promise<Answer> {
    const route = findRoute(method, path)
    const named = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const at = this.#clock.now()
    const arrival = { at, method, url: path, headers: named, rawBody: body }
    const entry = this.#record.add(arrival)
    const { ids } = partsOf(route?.name, route?.ids ?? {}, body)
    const before = new Map(ids.map((id) => [id, stateOf(this.company, id)]))
    const { answer } = await this.#service.answer(arrival)
    const data = dataOf(answer)
    const effects = Array.from(before, ([id, state]): [string, Effect] => {
      const after = stateOf(this.company, id)
      const said = data !== undefined && isBulk(route?.name)
      const outcome = said ? answered(route.name, { data, change: entry }, id) : nothing
      return [id, { ...outcome, before: state, after, isChanged: after.text !== state.text }]
    })
    const isFirst = sent.landed === undefined
    sent.landed ??= { at, entry, effects: new Map(effects) }
    if (isFirst && data !== undefined) this.answers.push({ sent, answer })
    if (this.answers.length > mostAnswers) this.answers.shift()
    if (method !== 'GET') this.#tellWatchers()
    return answer
  }

  /** Somebody else changes something. */
  changeAsSomebodyElse(change: (company: Company) => unknown): void {
    change(this.company)
    this.#tellWatchers()
  }

  #tellWatchers(): void {
    for (const watcher of this.watchers) watcher()
  }

  /** Somebody else gives a ticket to another employee, if the service lets them. */
  assignAsSomebodyElse(ticket: string, employee: string): void {
    try {
      assign(this.company.findTicket(ticket), this.company.employees, employee)
    } catch (error) {
      // Refused, as a person would see it.
      if (!(error instanceof Refusal)) throw error
    }
  }

  /** Whether a thing was there when the world began. */
  everHad(id: string): boolean {
    return this.#first.has(id)
  }
}
