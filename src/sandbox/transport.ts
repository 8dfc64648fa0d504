/**
 * The sandbox: the whole service on loopback, stateful, seeded, always the same ids, and able to fail in every way that a network and a
 * service can. Here are its sockets; what is answered is in `service.ts` and `own-endpoints.ts`. `commands/sandbox/start.ts` runs it alone,
 * and `place.ts` for a program inside.
 */
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { messageOf, systemCode, usageError } from '../errors.ts'
import { hasToken, keys, refusalOfPage } from './access.ts'
import { Refusal, refusals, type Answer } from './answer.ts'
import type { Company } from './company.ts'
import { ownAnswer } from './own-endpoints.ts'
import { RequestLog, type Arrival } from './record.ts'
import {
  discardBody,
  findRoute,
  readBody,
  send,
  splitUrl,
  type SendTools,
  type Url,
} from './exchange.ts'
import { examplesOf, type Examples } from './seed/company.ts'
import type { FaultKinds } from './faults.ts'
import { Service, type SandboxHost } from './service.ts'
import { State, type StateOptions } from './state.ts'

export interface SandboxOptions extends StateOptions {
  /** 0, the default: a free one. */
  readonly port?: number | undefined
  readonly address?: '127.0.0.1' | '::1' | undefined
  readonly latency?: number | undefined
  /** See `svc help faults`. */
  readonly faults?: string | undefined
  /** Kinds of faults beside those of `svc help faults`, for tests. */
  readonly faultKinds?: FaultKinds | undefined
  /** How many requests are kept, for tests that compare them all; default 1000. */
  readonly record?: number | undefined
  /** Is called with every request below /v1, and the text of its body as far as it is read. */
  readonly onRequest?: ((request: Arrival & { readonly body: string }) => void) | undefined
}

/** Starts a sandbox. Throws a usage error for a port that is taken and for faults that cannot be read. */
export async function startSandbox(
  host: SandboxHost,
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const sandbox = new Sandbox(host, options)
  await sandbox.listen(options)
  return sandbox
}

/** Where a request belongs: its address in parts, and the number of its socket. */
interface Origin {
  readonly url: Url
  readonly connection: number
}

/** More are closed as soon as they are made. */
const mostConnections = 1024

/** A sandbox that listens, or will: `baseUrl` and `port` are there once `listen` resolved. */
export class Sandbox {
  /** Required by its own endpoints. */
  readonly token: string
  readonly keys = keys
  readonly examples: Examples
  readonly companies: readonly Company[]
  readonly record: RequestLog
  readonly #service: Service
  readonly #server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 })
  /** Numbers of the open sockets, from 1 in the order in which they came. */
  readonly #numbers = new WeakMap<Socket, number>()
  readonly #closing = new AbortController()
  readonly #host: SandboxHost
  readonly #onRequest: SandboxOptions['onRequest']
  baseUrl = ''
  /** Sockets so far. */
  connections = 0

  constructor(host: SandboxHost, { latency = 0, ...options }: SandboxOptions) {
    const state = new State(host, options)
    this.token = host.randomBytes(18).toString('base64url')
    this.#host = host
    this.companies = state.companies
    this.examples = examplesOf(state.seeding)
    this.record = new RequestLog(options.record)
    this.#onRequest = options.onRequest
    const closing = this.#closing.signal
    // Every request that waits listens to it.
    setMaxListeners(0, closing)
    const { faultKinds } = options
    this.#service = new Service(
      {
        host,
        state,
        record: this.record,
        latency,
        closing,
        faultKinds,
      },
      options.faults,
    )
    this.#server.maxConnections = mostConnections
    this.#server.on('connection', (socket) => {
      this.connections += 1
      this.#numbers.set(socket, this.connections)
      // A client that disconnected does not matter here: the next read or write fails.
      socket.on('error', () => undefined)
    })
    this.#server.on('request', (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A defect of the sandbox itself, or a client that disconnected while it was sending.
        if (response.headersSent || response.destroyed || closing.aborted) {
          response.destroy()
          return
        }
        const body = { code: 50001, message: `sandbox: ${messageOf(error)}` }
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })
    })
  }

  listen({
    port = 0,
    address = '127.0.0.1',
  }: Pick<SandboxOptions, 'port' | 'address'>): Promise<void> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      server.once('error', (error) => {
        const isTaken = systemCode(error) === 'EADDRINUSE'
        const reason = isTaken ? 'is already in use' : `cannot be used: ${messageOf(error)}`
        const hint = 'take another one with --port <n>, or any free one with --port 0'
        reject(usageError(`port ${port} ${reason}`, hint))
      })
      server.listen(port, address, () => {
        const hostname = address === '::1' ? '[::1]' : address
        this.baseUrl = `http://${hostname}:${this.port}`
        resolve()
      })
    })
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Replaces all faults and restarts their counts. Throws a usage error. */
  setFaults(spec = ''): void {
    this.#service.setFaults(spec)
  }

  /** Resolves once no request is left that may still change something, whether or not a client waits for it. */
  settle(): Promise<void> {
    return this.#service.settle()
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.#closing.abort()
    const closed = new Promise((resolve) => void this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  get #wire(): SendTools {
    return { host: this.#host, closing: this.#closing.signal }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.#numbers.get(request.socket) ?? 0
    const url = splitUrl(request.url ?? '/')
    const refusal = refusalOfPage(request.headers) ?? this.#refusalOfPath(request, url)
    if (refusal !== undefined) {
      discardBody(request, this.#host)
      await send(response, this.#service.withDate(refusal.answer), this.#wire)
    } else if (url.path.startsWith('/_sandbox/')) {
      const answer = await this.#ownAnswer(request, url)
      await send(response, this.#service.withDate(answer), this.#wire)
    } else {
      const work = this.#answerService(request, response, { url, connection })
      await this.#service.track(work)
    }
  }

  /** Why nothing is done about a request whatever else it says. */
  #refusalOfPath({ headers }: IncomingMessage, { path }: Url): Refusal | undefined {
    if (path.startsWith('/_sandbox/')) {
      const isAllowed = hasToken(headers.authorization, this.token)
      return isAllowed ? undefined : refusals.token()
    }
    const isOfService = path === '/v1' || path.startsWith('/v1/')
    return isOfService ? undefined : refusals.route()
  }

  async #ownAnswer(request: IncomingMessage, url: Url): Promise<Answer> {
    const { baseUrl, examples, record, companies } = this
    const inside = {
      info: { baseUrl, keys, examples },
      record,
      companies,
      service: this.#service,
    }
    try {
      const body = await this.#bodyOf(request)
      return await ownAnswer(request.method ?? 'GET', url, body, inside)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.answer
    }
  }

  async #answerService(
    request: IncomingMessage,
    response: ServerResponse,
    { url, connection }: Origin,
  ): Promise<void> {
    const service = this.#service
    const { method = 'GET', headers } = request
    const route = findRoute(method, url.path)
    const isKnown = service.knows(headers)
    const rawBody = isKnown ? await this.#bodyOf(request) : Buffer.alloc(0)
    if (!isKnown) discardBody(request, this.#host)
    const operation = route?.name ?? null
    const arrival = {
      at: this.#host.now(),
      connection,
      method,
      url: request.url ?? '/',
      headers,
      operation,
    }
    this.#onRequest?.({ ...arrival, body: rawBody?.toString() ?? '' })
    const entry = this.record.add(arrival)
    let isWhole = false
    try {
      const { answer, sending } = await service.answer(
        { url, route, headers, rawBody },
        entry,
      )
      entry.status = answer.status
      isWhole = await send(response, answer, this.#wire, sending)
    } finally {
      if (!isWhole) entry.status = 'dropped'
    }
  }

  /** The body, or undefined when it is too large; the rest of it is thrown away. */
  async #bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
    const body = await readBody(request)
    if (body === undefined) discardBody(request, this.#host)
    return body
  }
}
