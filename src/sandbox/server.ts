/**
 * Runs the sandbox: the whole service on loopback, with state, and with the same ids on every start. It can fail as networks and
 * services do. It checks signatures with its own code, so that it does not repeat a mistake of the client.
 *
 * The description of the service leaves some questions open. Here, `read-write` includes `read`. The signed text of a request
 * without a body is `<timestamp>.`. A create answers with 201, and everything else with 200. Refusals come in this order: 401, 403
 * for the subscription, 404 for the path, 403 for the scope, and then those of the operation.
 */
import { createHmac } from 'node:crypto'
import { once, setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { limits, operations } from '../api/operations.ts'
import { messageOf, usageError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { Company, examplesOf } from './company.ts'
import type { Apply, FaultsOf } from './faults.ts'
import { checkId, errorAnswer, findRoute, jsonAnswer, Refusal } from './request.ts'
import { Service } from './service.ts'

/**
 * The API keys. The first one may do everything. `read` has only this scope. The company's subscription has no API for `no-plan`,
 * and for `limited-history` no tickets older than 30 days.
 */
const keys = [
  keyOf('read-write', 'rw'),
  keyOf('read', 'read'),
  keyOf('no-plan', 'noplan'),
  keyOf('limited-history', 'limited'),
] as const

/** The secrets may be public, because they open only a sandbox. */
function keyOf(name: string, short: string) {
  return {
    name,
    apiKey: `pk_sandbox_${short}`,
    apiSecret: `sk_sandbox_${short}_opens_nothing_but_the_sandbox`,
  }
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/**
 * Starts a sandbox on a port (0 is any free one), which waits `latency` milliseconds before every answer. Throws a usage error for a
 * port that is taken.
 */
export async function startSandbox(
  host: Host,
  {
    port = 0,
    latency = 0,
    faults = () => [],
  }: { port?: number | undefined; latency?: number | undefined; faults?: FaultsOf } = {},
) {
  const company = new Company(host.now())
  const service = new Service(company)
  /** Ends the waits of all requests when the sandbox closes, so that nothing is applied afterwards. */
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)

  async function outcomeOf(request: IncomingMessage) {
    const body = await buffer(request)
    if (latency > 0) await host.sleep(latency, closing.signal)
    const route = findRoute(request.method, pathOf(request))
    let apply: Apply = (now) => answerTo(service, request, body, now)
    // Each fault decides whether to call the one after it, and the last one whether to apply the request.
    for (const fault of faults(route?.name).toReversed()) {
      const next = apply
      apply = (now) => fault(next, now)
    }
    return apply(host.now())
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    // An error means that the sandbox closes, that the client disconnected, or that the sandbox has a defect.
    const outcome = await outcomeOf(request).catch((error) =>
      errorAnswer(500, `sandbox: ${messageOf(error)}`),
    )
    if (outcome === 'drop') response.destroy()
    // A client that disconnected gets no answer either.
    if (outcome === 'drop' || outcome === 'hang' || response.destroyed) return
    const date = new Date(host.now()).toUTCString()
    response.writeHead(outcome.status, { date, ...outcome.headers }).end(outcome.body)
  }

  const server = createServer((request, response) => void serve(request, response))
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    const isTaken = systemCode(error) === 'EADDRINUSE'
    const reason = isTaken ? 'is already in use' : `cannot be used: ${messageOf(error)}`
    const hint = 'choose another one with --port <n>, or any free one with --port 0'
    throw usageError(`port ${port} ${reason}`, hint)
  }
  const address = server.address()
  const usedPort = typeof address === 'object' ? address?.port : port
  return {
    keys,
    examples: examplesOf(company),
    company,
    service,
    server,
    baseUrl: `http://127.0.0.1:${usedPort}`,
    /** Closes every connection. */
    async close() {
      closing.abort()
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Returns the path of a request without its query. */
function pathOf({ url = '' }: IncomingMessage) {
  return url.replace(/\?.*$/s, '')
}

/** Applies a request, and returns the answer. `now` is the service's time in milliseconds since 1970. */
function answerTo(service: Service, request: IncomingMessage, body: Buffer, now: number) {
  try {
    const key = keys.find(({ apiKey }) => apiKey === request.headers['x-service-key'])
    // API: Authentication, rule 2. The answer does not say what is wrong.
    if (key === undefined || !isSigned(request, body, key.apiSecret, now))
      throw new Refusal(401)
    // API: Authentication, rule 4. The plan of a company may not include the API.
    if (key.name === 'no-plan')
      throw new Refusal(403, 'API access is unavailable on your current plan', 40351)
    const path = pathOf(request)
    const route = findRoute(request.method, path)
    if (route === undefined) throw new Refusal(404, 'There is no such endpoint')
    const { name, id } = route
    // API: Authentication, rule 3. Changes need the scope `read-write`.
    if (key.name === 'read' && operations[name].method !== 'GET') throw new Refusal(403)
    const data = service[name]({
      request,
      body,
      id: id === undefined ? '' : checkId(id, 'the id in the path'),
      query: new URLSearchParams(request.url?.slice(path.length)),
      hasLimitedHistory: key.name === 'limited-history',
      now,
    })
    return jsonAnswer(name === 'lists.create' ? 201 : 200, { data })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.answer
  }
}

/**
 * Whether the signature and the timestamp of a request are right (API: Authentication). The signature is the HMAC-SHA256 of
 * `<timestamp>.<raw body>` with the secret as the key, in hexadecimal digits. The timestamp is in milliseconds since 1970, and may
 * differ from `now` by up to five minutes.
 */
function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string, now: number) {
  const timestamp = String(headers['x-service-timestamp'])
  const signature = String(headers['x-service-signature'])
  const isInTime = Math.abs(now - Number(timestamp)) <= limits.timestampWindowMs
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body)
  return isInTime && signature.toLowerCase() === hmac.digest('hex')
}
