/**
 * The service of a sandbox without its sockets: who may call what, the faults that hit a request, and the
 * answer. It checks signatures with its own code, not with the client's signer.
 *
 * Where the description is silent: `read-write` covers `read`; a request without a body signs
 * `<timestamp>.`; a create answers with 201, everything else with 200. The order of refusals is 401, 403 for the
 * subscription, 404 for the path, 403 for the scope, 400 for the input, 404 for ids, 400 for rules.
 */
import { createHmac } from 'node:crypto'
import { limits } from '../api/operations.ts'
import type { Host } from '../host.ts'
import type { Company } from './company.ts'
import {
  type Answer,
  type Arrival,
  type Delivery,
  findRoute,
  headerOf,
  jsonAnswer,
  queryOf,
  Refusal,
  refusals,
} from './exchange.ts'
import { parseFaults, type CountRequest, type FaultKinds } from './faults.ts'

export interface Key {
  name: string
  apiKey: string
  apiSecret: string
  scope: 'read' | 'read-write'
  /** The company's subscription. `none`: no API; `limited-history`: tickets up to 30 days. */
  plan: 'full' | 'limited-history' | 'none'
}

/** The four keys; the first one may do everything. The secrets are public on purpose: they open nothing but a sandbox. */
export const keys: readonly [Key, ...Key[]] = [
  keyOf('read-write', 'rw'),
  keyOf('read', 'read', { scope: 'read' }),
  keyOf('no-plan', 'noplan', { plan: 'none' }),
  keyOf('limited-history', 'limited', { plan: 'limited-history' }),
]

function keyOf(name: string, short: string, rights: Partial<Key> = {}): Key {
  return {
    name,
    apiKey: `pk_sandbox_${short}`,
    apiSecret: `sk_sandbox_${short}_opens_nothing_but_the_sandbox`,
    scope: 'read-write',
    plan: 'full',
    ...rights,
  }
}

export type SandboxHost = Pick<Host, 'now' | 'sleep'>

interface ServiceOptions {
  host: SandboxHost
  company: Company
  /** The wait before every request, in milliseconds. */
  latency: number
  /** Aborted when the sandbox closes. Nothing is applied after that. */
  closing: AbortSignal
  /** More kinds of faults than those of the help. */
  faultKinds?: FaultKinds | undefined
}

/** Answers the requests to a sandbox, with its faults. */
export function createService({
  host,
  company,
  latency,
  closing,
  faultKinds,
}: ServiceOptions) {
  let countRequest: CountRequest = () => []
  let count = 0
  /** Throws if the sandbox closes in the meantime. */
  async function pause(ms: number) {
    if (ms > 0) await host.sleep(ms, closing)
  }
  return {
    /** Replaces all faults and restarts their counts. Throws a usage error. */
    setFaults(spec = '') {
      countRequest = parseFaults(spec, faultKinds)
    },
    /** The answer, and how a fault delivers it (cut, late, not at all). */
    async answer(
      arrival: Arrival,
    ): Promise<{ answer: Answer; delivery: Delivery | undefined }> {
      count += 1
      const requestId = `sandbox-${count}`
      await pause(latency)
      const effects = countRequest(findRoute(arrival.method, arrival.url)?.name)
      for (const { before = 0 } of effects) await pause(before)
      const now = effects.reduce((time, { clock = 0 }) => time + clock, host.now())
      const isApplied = effects.every(({ apply }) => apply !== false)
      // The 500 is replaced: every fault that does not apply the operation has an answer of its own, or sends none.
      const usual = isApplied ? applyRequest(company, arrival, now) : jsonAnswer(500, null)
      for (const { after = 0 } of effects) await pause(after)
      const date = new Date(now).toUTCString()
      const headers = { 'x-request-id': requestId, ...usual.headers, date }
      let answer: Answer = { ...usual, headers }
      // From the last to the first, so that the first one has the last word.
      for (const { change } of effects.toReversed()) answer = change?.(answer) ?? answer
      const special = effects.find(({ delivery }) => delivery !== undefined)
      return { answer, delivery: special?.delivery }
    },
  }
}

/** Applies a request, and returns the service's answer, without faults. */
function applyRequest(company: Company, arrival: Arrival, now: number): Answer {
  try {
    const { key, route } = authorize(arrival, now)
    const result = company[route.name]({
      ids: route.ids,
      query: queryOf(arrival.url),
      request: arrival,
      now,
      limitedHistory: key.plan === 'limited-history',
    })
    return jsonAnswer(route.name === 'lists.create' ? 201 : 200, { data: result })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.answer
  }
}

/** The operation that a request names, if its key may call it. Throws a `Refusal`. */
function authorize(arrival: Arrival, now: number) {
  const { method, url } = arrival
  const apiKey = headerOf(arrival, 'x-service-key')
  const key = keys.find((one) => one.apiKey === apiKey)
  const isSigned = key !== undefined && hasSignature(arrival, key.apiSecret, now)
  // API: Authentication, rule 2: one answer for every cause.
  if (!isSigned) throw refusals.credentials()
  // API: Authentication, rule 4: the plan of a company may have no API.
  if (key.plan === 'none') throw refusals.subscription()
  const route = findRoute(method, url)
  if (route === undefined) throw refusals.route()
  // API: Authentication, rule 3: changes need a scope.
  const isAllowed = key.scope === 'read-write' || route.operation.method === 'GET'
  if (!isAllowed) throw refusals.scope()
  return { key, route }
}

/**
 * API: Authentication. The signature is HMAC-SHA256, hex-encoded, over `<timestamp>.<raw body>` with the secret as the
 * key. `now` and the timestamp are milliseconds since 1970; the window is five minutes either way, its ends included.
 */
function hasSignature(arrival: Arrival, secret: string, now: number) {
  const timestamp = headerOf(arrival, 'x-service-timestamp') ?? ''
  const signature = headerOf(arrival, 'x-service-signature') ?? ''
  const isWellFormed = /^\d{1,16}$/.test(timestamp) && /^[0-9a-fA-F]{64}$/.test(signature)
  if (!isWellFormed || Math.abs(now - Number(timestamp)) > limits.timestampWindow)
    return false
  const signed = createHmac('sha256', secret)
    .update(`${timestamp}.`)
    .update(arrival.rawBody)
  return signed.digest().equals(Buffer.from(signature, 'hex'))
}
