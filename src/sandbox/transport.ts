/**
 * The sandbox: the whole service on loopback, stateful, seeded, always the same ids, and able to fail in every way that a network and a
 * service can. Here are its sockets and the endpoints that only the sandbox has; `service.ts` has the service's own answers. `commands/sandbox/start.ts` runs it alone,
 * and `place.ts` for a program inside.
 */
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { messageOf, systemCode, usageError } from '../errors.ts'
import { keys, refuseWebPage } from './access.ts'
import { jsonAnswer, ndjsonAnswer, Refusal, refusals, type Answer } from './answer.ts'
import {
  createCompanies,
  type Companies,
  type Company,
  type DataOptions,
} from './company.ts'
import { headerOf, RequestLog, type Arrival, type LoggedRequest } from './record.ts'
import { pathOf, queryOf, readBody, send, type Reply } from './exchange.ts'
import { examplesOf } from './seed/company.ts'
import type { FaultKinds } from './faults.ts'
import { Service, type SandboxHost } from './service.ts'

export interface SandboxOptions extends DataOptions {
  /** 0, the default: a free one. */
  readonly port?: number | undefined
  readonly latency?: number | undefined
  /** See `svc help faults`. */
  readonly faults?: string | undefined
  /** More kinds of faults than those of `svc help faults`, for tests. */
  readonly faultKinds?: FaultKinds | undefined
  /** How many requests are kept, for tests that compare them all; default 1000. */
  readonly record?: number | undefined
  /** Is called with every request below /v1. */
  readonly onRequest?: ((request: Arrival) => void) | undefined
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** More are closed as soon as they are made. */
const mostConnections = 1024

/** Starts a sandbox. Throws a usage error for a port that is taken and for faults that cannot be read. */
export async function startSandbox(host: SandboxHost, options: SandboxOptions = {}) {
  const { latency = 0, faultKinds, onRequest } = options
  const data = createCompanies(host, options)
  const record = new RequestLog(options.record)
  const closing = new AbortController()
  const { signal } = closing
  // Every request that waits listens to it.
  setMaxListeners(0, signal)
  const parts = { host, data, record, latency, closing: signal, faultKinds }
  const service = new Service(parts, options.faults)
  /** Required by its own endpoints. */
  const token = host.randomBytes(18).toString('base64url')
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 })
  server.maxConnections = mostConnections
  // A client that disconnected does not matter here: the next read or write fails.
  server.on('connection', (socket) => void socket.on('error', () => undefined))
  const inside = { record, data, service, token }
  server.on('request', (request, response) => {
    void arrivalOf(request, host.now())
      .then((arrival) => replyTo(arrival, inside, onRequest))
      .catch((error: unknown): RecordedReply => ({ answer: answerOf(error) }))
      .then(async ({ entry, ...reply }) => {
        const isWhole = await send(response, reply)
        if (entry !== undefined && isWhole) entry.status = reply.answer.status
      })
  })
  const port = await listen(server, options.port ?? 0)
  return {
    token,
    keys,
    examples: examplesOf(data.seeding),
    companies: data.companies,
    record,
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    /** Replaces all faults and restarts their counts. Throws a usage error. */
    setFaults: (spec = ''): void => service.setFaults(spec),
    /** Closes every connection. */
    async close(): Promise<void> {
      closing.abort()
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

interface RecordedReply extends Reply {
  readonly entry?: LoggedRequest
}

async function arrivalOf(request: IncomingMessage, at: number): Promise<Arrival> {
  const { method = 'GET', url = '/', headers } = request
  return { at, method, url, headers, rawBody: await readBody(request) }
}

/** The answer to a request: of the sandbox's own endpoints, or of the service. Throws a `Refusal` for any other. */
async function replyTo(
  arrival: Arrival,
  inside: Inside,
  onRequest: SandboxOptions['onRequest'],
): Promise<RecordedReply> {
  refuseWebPage(arrival.headers)
  const [, root] = pathOf(arrival.url).split('/')
  if (root !== 'v1') return { answer: ownAnswer(arrival, inside) }
  onRequest?.(arrival)
  const entry = inside.record.add(arrival)
  return { entry, ...(await inside.service.answer(arrival, entry)) }
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

/** The parts of a sandbox that its own endpoints tell of, and the token that opens them. */
interface Inside {
  readonly token: string
  readonly record: RequestLog
  readonly data: Companies
  readonly service: Service
}

/**
 * The answer of an endpoint below `/_sandbox`, which only the sandbox has: what really happened, and faults at run time. They want the token
 * that `sandbox start` prints, as `Authorization: Bearer <token>`. Throws a `Refusal`, also for a path outside.
 *
 *   GET /_sandbox/record     the requests below /v1, one a line
 *   GET /_sandbox/state      ?kind=contacts|lists|tickets|employees and &company=1
 *   POST /_sandbox/faults    a specification as the body
 */
function ownAnswer(arrival: Arrival, { record, data, service, token }: Inside): Answer {
  const { method, url, rawBody } = arrival
  const path = pathOf(url)
  if (!path.startsWith('/_sandbox/')) throw refusals.route()
  if (headerOf(arrival, 'authorization') !== `Bearer ${token}`) throw refusals.token()
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/record': {
      const answer = ndjsonAnswer(record.entries)
      // A reader that compares the record with something must know when it is incomplete.
      answer.headers['x-record-dropped'] = String(record.dropped)
      return answer
    }
    case 'GET /_sandbox/state': {
      const query = queryOf(url)
      const company = data.companies[Number(query.get('company') ?? 0)]
      if (company === undefined) throw refusals.unknown('the company')
      return ndjsonAnswer(rowsOf(company, query.get('kind') ?? ''))
    }
    case 'POST /_sandbox/faults':
      if (rawBody === undefined) throw refusals.tooLarge()
      return setFaults(service, rawBody.toString())
    default:
      throw refusals.route()
  }
}

function setFaults(service: Service, spec: string): Answer {
  try {
    service.setFaults(spec)
  } catch (error) {
    throw refusals.validation(messageOf(error))
  }
  return jsonAnswer(200, { faults: spec.trim() })
}

/** The rows of `/_sandbox/state`, by its kinds. */
function rowsOf(company: Company, kind: string): Iterable<unknown> {
  switch (kind) {
    case 'contacts':
      return company.contacts.all()
    case 'lists':
      return company.allLists()
    case 'tickets':
      return company.tickets.all()
    case 'employees':
      return company.employees
    default:
      throw refusals.validation('kind must be contacts, lists, tickets or employees')
  }
}
