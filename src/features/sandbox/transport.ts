/**
 * The sandbox: the whole service on loopback, stateful, seeded, always the same ids, and able to fail in
 * every way that a network and a service can. Here are its sockets; `service.ts` has the answers.
 */
import { setMaxListeners } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { messageOf, systemCode, usageError } from '../../errors.ts'
import { isLoopback } from '../../values.ts'
import { createCompanies, type DataOptions } from './company.ts'
import {
  type Answer,
  type Arrival,
  headerOf,
  jsonAnswer,
  pathOf,
  Refusal,
  refusals,
  send,
} from './exchange.ts'
import { examplesOf } from './seed.ts'
import type { FaultKinds } from './faults.ts'
import { createService, keys, type SandboxHost } from './service.ts'

export interface SandboxOptions extends DataOptions {
  /** 0, the default: a free one. */
  port?: number | undefined
  latency?: number | undefined
  /** See `svc help faults`. */
  faults?: string | undefined
  /** More kinds of faults than those of `svc help faults`, for tests. */
  faultKinds?: FaultKinds | undefined
  /** Is called with every request below /v1. */
  onRequest?: ((request: Arrival) => void) | undefined
  /** Is called when the whole answer to one went out. */
  onAnswer?: ((request: Arrival, status: number) => void) | undefined
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** More are closed as soon as they are made. */
const mostConnections = 1024

/** Starts a sandbox. Throws a usage error for a port that is taken and for faults that cannot be read. */
export async function startSandbox(host: SandboxHost, options: SandboxOptions = {}) {
  const { latency = 0, faults = '', faultKinds } = options
  const data = createCompanies(host, options)
  const closing = new AbortController()
  const { signal } = closing
  // Every request that waits listens to it.
  setMaxListeners(0, signal)
  const service = createService({ host, data, latency, closing: signal, faultKinds })
  service.setFaults(faults)
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 })
  server.maxConnections = mostConnections
  // A client that disconnected does not matter here: the next read or write fails.
  server.on('connection', (socket) => void socket.on('error', () => undefined))
  server.on('request', (request, response) => {
    void serve(request, response)
  })
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const { method = 'GET', url = '/', headers } = request
    const at = host.now()
    try {
      // Before its body is read: a page may send any.
      refuseForeign(headers, url)
      const rawBody = await buffer(request)
      const arrival = { at, method, url, headers, rawBody }
      options.onRequest?.(arrival)
      const reply = await service.answer(arrival)
      if (await send(response, reply)) options.onAnswer?.(arrival, reply.answer.status)
    } catch (error) {
      await send(response, { answer: answerOf(error) })
    }
  }
  const port = await listen(server, options.port ?? 0)
  return {
    keys,
    examples: examplesOf(data.seeding),
    companies: data.companies,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    /** Replaces all faults and restarts their counts. Throws a usage error. */
    setFaults: (spec = '') => service.setFaults(spec),
    /** Closes every connection. */
    async close(): Promise<void> {
      closing.abort()
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * Throws a `Refusal` for a web page, and for what is not below /v1. A page in a browser can make that browser send
 * requests to this machine: they are refused, so that no page can read the keys or change anything.
 */
function refuseForeign(headers: Arrival['headers'], url: string) {
  // Browsers send it with every request of a page that could read the answer, and with every one that is not a GET.
  if (headers['origin'] !== undefined) throw refusals.webPage()
  // The rest: images, scripts, forms that GET. A page cannot leave this header out; an address that was typed has "none".
  if ((headers['sec-fetch-site'] ?? 'none') !== 'none') throw refusals.webPage()
  // A name of the page's own that leads to this machine, after the page was loaded from somewhere else.
  const host = headerOf({ headers }, 'host') ?? ''
  if (!isLoopback(host.replace(/:\d{1,5}$/, '').toLowerCase())) throw refusals.webPage()
  const [, root] = pathOf(url).split('/')
  if (root !== 'v1') throw refusals.route()
}

/** A refusal's own answer; anything else is a defect of the sandbox, the end of it, or a client that disconnected. */
function answerOf(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer
  return jsonAnswer(500, { code: 50001, message: `sandbox: ${messageOf(error)}` })
}

/** Resolves to the port that it listens on. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = systemCode(error) === 'EADDRINUSE'
      const reason = isTaken ? 'is already in use' : `cannot be used: ${messageOf(error)}`
      const hint = 'choose another one with --port <n>, or any free one with --port 0'
      reject(usageError(`port ${port} ${reason}`, hint))
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
