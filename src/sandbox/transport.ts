/**
 * The sandbox: the whole service on loopback, stateful, seeded, always the same ids, and able to fail in every way that
 * a network and a service can. Here are its sockets; what is answered is in `service.ts` and `own-endpoints.ts`.
 */
import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { messageOf, systemCode, usageError } from '../errors.ts'
import { refusalAnswer } from './answer.ts'
import { Company } from './company.ts'
import { Connections } from './connections.ts'
import { checkSnapshot, readSnapshot, Saver } from './data-file.ts'
import { companyKeys, type Key } from './keys.ts'
import { hasToken, ownAnswer } from './own-endpoints.ts'
import { Recorder, type Arrived } from './record.ts'
import { refusals } from './refusal.ts'
import { Bodies, discardBody, splitUrl, type Url } from './request.ts'
import { findRoute } from './routes.ts'
import { seedCompany } from './seed/company.ts'
import { examplesOf, type Examples } from './seed/examples.ts'
import { day } from './seed/tickets.ts'
import { send, type SendOptions } from './send.ts'
import { Service } from './service.ts'
import { refusalOfPage } from './web-pages.ts'

export interface SandboxOptions {
  /** 0, the default: a free one. */
  readonly port?: number
  readonly host?: '127.0.0.1' | '::1'
  readonly seed?: number
  /** Default 5000. */
  readonly contacts?: number
  /** No contacts, lists, tickets and employees. */
  readonly empty?: boolean
  /** Where the state is kept; without it, it ends with the sandbox. */
  readonly dataFile?: string
  readonly latencyMs?: number
  /** See `faultsHelp`. */
  readonly faults?: string
  /** How many requests the record keeps; default 1000. */
  readonly record?: number
  /** Keeps the bodies of refused requests too, for tests in this process. */
  readonly recordRefused?: boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** More are closed as soon as they are made. */
const mostConnections = 1024

/** What a sandbox is made of. */
interface Parts {
  readonly server: Server
  readonly baseUrl: string
  readonly port: number
  readonly examples: Examples
  readonly companies: readonly Company[]
  readonly record: Recorder
  readonly service: Service
  readonly saver: Saver | undefined
  readonly now: () => number
  readonly closing: AbortController
}

/** A sandbox that listens. */
export class Sandbox {
  readonly baseUrl: string
  readonly port: number
  /** What its own endpoints want to see. */
  readonly token = randomBytes(18).toString('base64url')
  readonly keys: readonly Key[] = companyKeys.map(({ name, apiKey, apiSecret, scope, plan }) => ({
    name,
    apiKey,
    apiSecret,
    scope,
    plan,
  }))
  readonly examples: Examples
  readonly companies: readonly Company[]
  readonly record: Recorder
  readonly #parts: Parts
  readonly #connections: Connections
  readonly #bodies = new Bodies()

  constructor(parts: Parts) {
    const { server, service, closing } = parts
    this.#parts = parts
    this.baseUrl = parts.baseUrl
    this.port = parts.port
    this.examples = parts.examples
    this.companies = parts.companies
    this.record = parts.record
    this.#connections = new Connections(server, () => service.settings.idleClose)
    server.on('request', (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A defect of the sandbox itself, or a client that went away while it was sending.
        if (response.headersSent || response.destroyed || closing.signal.aborted) response.destroy()
        else {
          response.writeHead(500, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ code: 50001, message: `sandbox: ${messageOf(error)}` }))
        }
      })
    })
  }

  /** The first company's state. */
  get store(): Company {
    const [store] = this.companies
    if (store === undefined) throw new Error('the sandbox has no company')
    return store
  }

  /** The requests below `/v1`, whatever became of them, as far as the record keeps them. */
  get requests(): readonly Arrived[] {
    return this.record.requests
  }

  /** Sockets seen so far. */
  get connections(): number {
    return this.#connections.count
  }

  /** Replaces all faults and begins their counts anew. Throws a usage error. */
  setFaults(spec = ''): void {
    this.#parts.service.setFaults(spec)
  }

  /** Resolves once no request is left that may still change something, whether or not anybody waits for it. */
  settled(): Promise<void> {
    return this.#parts.service.settled()
  }

  /** Closes every connection and writes the data file. */
  async close(): Promise<void> {
    const { server, saver, closing } = this.#parts
    closing.abort()
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve()
      })
      server.closeAllConnections()
    })
    await saver?.flush()
  }

  get #plain(): SendOptions {
    const { service, closing } = this.#parts
    return { date: new Date(service.now()).toUTCString(), closing: closing.signal }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#connections.begin(request.socket, response)
    const url = splitUrl(request.url ?? '/')
    const refusal = refusalOfPage(request.headers) ?? this.#refusalOfPath(request, url)
    if (refusal !== undefined) {
      discardBody(request)
      await send(response, refusalAnswer(refusal), this.#plain)
    } else if (url.path.startsWith('/_sandbox/')) await this.#answerOwn(request, response, url)
    else await this.#parts.service.track(this.#answerService(request, response, { url, connection }))
  }

  /** Why nothing is done about a request whatever else it says. */
  #refusalOfPath({ headers }: IncomingMessage, { path }: Url) {
    if (path.startsWith('/_sandbox/')) return hasToken(headers.authorization, this.token) ? undefined : refusals.token()
    return path === '/v1' || path.startsWith('/v1/') ? undefined : refusals.route()
  }

  async #answerOwn(request: IncomingMessage, response: ServerResponse, url: Url): Promise<void> {
    const { record, companies, service } = this.#parts
    const info = { baseUrl: this.baseUrl, keys: this.keys, examples: this.examples }
    const answer = await this.#withBody(request, true, (body) =>
      ownAnswer(request.method ?? 'GET', url, body, { info, record, companies, service }),
    )
    await send(response, answer, this.#plain)
  }

  async #answerService(
    request: IncomingMessage,
    response: ServerResponse,
    { url, connection }: { url: Url; connection: number },
  ): Promise<void> {
    const { record, service, now } = this.#parts
    const { method = 'GET', headers } = request
    const found = findRoute(method, url.path)
    const over = closeOf(response)
    // A body under a key that nobody has is not worth reading.
    const isWanted = service.knows(headers['x-service-key'])
    let isKnown = false
    const { entry, ending } = await this.#withBody(request, isWanted, async (rawBody) => {
      const arrival = { at: now(), connection, method, url: request.url ?? '/', headers }
      const entry = record.add({ ...arrival, operation: found.route?.name ?? null })
      void over.then(() => {
        if (!isKnown && !response.writableFinished) entry.status = 'dropped'
      })
      return { entry, ending: await service.answer({ url, found, headers, rawBody, over }, entry) }
    })
    const { answer, struck } = ending
    entry.status = answer.status
    const { date, closing } = this.#plain
    const how = struck.sending
    const sent = await send(response, answer, { how, date: struck.hidesDate ? undefined : date, closing })
    isKnown = sent !== 'node'
    if (sent === 'incomplete') entry.status = 'dropped'
  }

  /** Hands the body to `work`, or undefined when it is too large. What is not wanted of it is thrown away. */
  #withBody<T>(
    request: IncomingMessage,
    isWanted: boolean,
    work: (body: Buffer | undefined) => Promise<T>,
  ): Promise<T> {
    if (!isWanted) {
      discardBody(request)
      return work(Buffer.alloc(0))
    }
    return this.#bodies.use(request, (body) => {
      if (body === undefined) discardBody(request)
      return work(body)
    })
  }
}

/** Resolves when the exchange is over: the answer went out, or the client gave up. */
function closeOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => {
      resolve()
    })
  })
}

/** Starts a sandbox. Throws a usage error for a port that is taken, faults that cannot be read, a foreign data file. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { dataFile, host = '127.0.0.1', now = () => Date.now() } = options
  const snapshot = dataFile === undefined ? undefined : await readSnapshot(dataFile)
  if (snapshot !== undefined) checkSnapshot(snapshot, options)
  const seeding = {
    seed: snapshot?.seed ?? options.seed ?? 1,
    contacts: snapshot?.contacts ?? options.contacts ?? 5000,
    empty: snapshot?.empty ?? options.empty ?? false,
    epoch: snapshot?.epoch ?? Math.floor(now() / day) * day,
  }
  const companies = [0, 1].map((number) => new Company(seedCompany(seeding, number), snapshot?.companies[number]))
  const saver =
    dataFile === undefined
      ? undefined
      : new Saver(dataFile, () => ({
          format: 'svc-sandbox/1',
          ...seeding,
          companies: companies.map((company) => company.snapshot()),
        }))
  const record = new Recorder(options.record, options.recordRefused)
  const closing = new AbortController()
  // Every request that waits listens to it.
  setMaxListeners(0, closing.signal)
  const service = new Service(
    {
      companies,
      record,
      seed: seeding.seed,
      latency: options.latencyMs ?? 0,
      now,
      closing: closing.signal,
      changed: () => saver?.changed(),
    },
    options.faults,
  )
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 })
  server.maxConnections = mostConnections
  const port = await listen(server, options.port ?? 0, host)
  const baseUrl = `http://${host === '::1' ? '[::1]' : host}:${port}`
  const examples = examplesOf(seeding)
  return new Sandbox({ server, baseUrl, port, examples, companies, record, service, saver, now, closing })
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const reason = systemCode(error) === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${messageOf(error)}`
      reject(usageError(`port ${port} ${reason}`, 'take another one with --port <n>, or any free one with --port 0'))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
