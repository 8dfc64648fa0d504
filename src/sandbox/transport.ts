/**
 * The sandbox: the whole service on loopback, with state, with the same ids on every start, and able to fail in
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
import { messageOf, systemCode, usageError } from '../errors.ts'
import { createCompany, type DataOptions } from './company.ts'
import {
  type Answer,
  type Arrival,
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
  /** 0, the default, is any free port. */
  port?: number | undefined
  latency?: number | undefined
  /** See the help of `sandbox start`. */
  faults?: string | undefined
  /** More kinds of faults than those of the help, for tests. */
  faultKinds?: FaultKinds | undefined
  /** Called with every request below /v1. */
  onRequest?: ((request: Arrival) => void) | undefined
  /** Called when all of an answer was sent. */
  onAnswer?: ((request: Arrival, status: number) => void) | undefined
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Any further connection is closed at once. */
const mostConnections = 1024

/** Starts a sandbox. Throws a usage error for a port that is taken and for faults that cannot be read. */
export async function startSandbox(host: SandboxHost, options: SandboxOptions = {}) {
  const { latency = 0, faults, faultKinds } = options
  const company = createCompany(host, options)
  const shutdown = new AbortController()
  const closing = shutdown.signal
  // Every request that waits listens to it.
  setMaxListeners(0, closing)
  const service = createService({ host, company, latency, closing, faultKinds })
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
      if (!/^\/v1(?:\/|$)/.test(pathOf(url))) throw refusals.route()
      const rawBody = await buffer(request)
      const arrival = { at, method, url, headers, rawBody }
      options.onRequest?.(arrival)
      const { answer, delivery } = await service.answer(arrival)
      const isSent = await send(response, answer, delivery)
      if (isSent) options.onAnswer?.(arrival, answer.status)
    } catch (error) {
      await send(response, answerTo(error))
    }
  }
  const port = await listen(server, options.port ?? 0)
  return {
    keys,
    examples: examplesOf(company.seeding),
    company,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    /** Replaces all faults and restarts their counts. Throws a usage error. */
    setFaults: (spec?: string) => service.setFaults(spec),
    /** Closes every connection. */
    async close(): Promise<void> {
      shutdown.abort()
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A refusal has its own answer. Any other error is a defect of the sandbox, its end, or a client that disconnected. */
function answerTo(error: unknown): Answer {
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
