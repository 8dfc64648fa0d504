/**
 * The sandbox: the whole service on loopback, stateful, seeded, always the same ids, and able to fail in every way that
 * a network and a service can.
 *
 * Where the description is silent: `read-write` covers `read`; a request without a body signs `<timestamp>.`; 201 for a
 * create, else 200; unknown query parameters are ignored. Order of refusals: 413, 401, 429, 403 for the plan, 404 and
 * 405 for the path, 403 for the scope, 400 for the input, 404 for ids, 400 for rules. Beside `/v1` it has unsigned
 * endpoints of its own: GET /_sandbox/info, /_sandbox/record, /_sandbox/state?kind=contacts|lists|tickets|employees
 * (and &company=1), POST /_sandbox/faults with a specification as the body.
 */
import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { messageOf, systemCode, usageError } from '../errors.ts'
import { jsonAnswer, refusalAnswer, type Answer } from './answer.ts'
import { checkSignature } from './check-signature.ts'
import { readSnapshot, Saver, type Snapshot } from './data-file.ts'
import type { Effect, FaultContext } from './fault-kinds.ts'
import { parseFaults } from './faults.ts'
import { ownAnswer } from './own-endpoints.ts'
import { Recorder, type RecordEntry } from './record.ts'
import { Refusal, refusals } from './refusal.ts'
import { headerOf, readBody, splitUrl, type Url } from './request.ts'
import { findRoute, perform } from './routes.ts'
import { companyKeys, type CompanyKey, type Key } from './keys.ts'
import { examplesOf, seedCompany, type Examples } from './seed.ts'
import { day } from './seed-tickets.ts'
import { send, wait } from './send.ts'
import { Company, usualChunking, type Change, type Chunking } from './store.ts'

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
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A request as it arrived. */
export interface Arrived {
  readonly n: number
  /** Milliseconds since 1970, from `now`. */
  readonly at: number
  readonly connection: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Sandbox {
  readonly baseUrl: string
  readonly port: number
  readonly keys: readonly Key[]
  readonly examples: Examples
  readonly record: Recorder
  /** The first company's state. */
  readonly store: Company
  readonly companies: readonly Company[]
  /** The last 5,000 requests below `/v1`, whatever became of them. */
  readonly requests: readonly Arrived[]
  /** Sockets seen so far. */
  readonly connections: number
  /** Replaces all faults and begins their counts anew. Throws a usage error. */
  setFaults(spec?: string): void
  /** Closes every connection and writes the data file. */
  close(): Promise<void>
}

const keptRequests = 5000

/** Starts a sandbox. Throws a usage error for a port that is taken, faults that cannot be read, a foreign data file. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const now = options.now ?? (() => Date.now())
  const snapshot = options.dataFile === undefined ? undefined : await readSnapshot(options.dataFile)
  if (snapshot !== undefined) checkSnapshot(snapshot, options)
  const seeding = {
    seed: snapshot?.seed ?? options.seed ?? 1,
    contacts: snapshot?.contacts ?? options.contacts ?? 5000,
    empty: snapshot?.empty ?? options.empty ?? false,
    epoch: snapshot?.epoch ?? Math.floor(now() / day) * day,
  }
  let faults = parseFaults(options.faults ?? '', seeding.seed)
  const companies = [0, 1].map((number) => new Company(seedCompany(seeding, number), snapshot?.companies[number]))
  const [store] = companies
  if (store === undefined) throw new Error('the sandbox has no company')
  const saver =
    options.dataFile === undefined
      ? undefined
      : new Saver(options.dataFile, () => ({
          format: 'svc-sandbox/1',
          ...seeding,
          companies: companies.map((company) => company.snapshot()),
        }))
  const record = new Recorder()
  const requests: Arrived[] = []
  const sockets = new Map<Socket, { number: number; busy: number; timer?: NodeJS.Timeout }>()
  const closing = new AbortController()
  // Every request that waits listens to it.
  setMaxListeners(0, closing.signal)
  const examples = examplesOf(seeding)
  let connections = 0
  let arrived = 0
  let bucket = { start: -Infinity, count: 0 }

  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A defect of the sandbox itself, or a client that went away while it was sending.
      if (!response.headersSent && !response.destroyed && !closing.signal.aborted) {
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ code: 50001, message: `sandbox: ${messageOf(error)}` }))
      } else response.destroy()
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.set(socket, { number: connections, busy: 0 })
    socket.on('close', () => {
      clearTimeout(sockets.get(socket)?.timer)
      sockets.delete(socket)
    })
    socket.on('error', () => undefined)
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = sockets.get(request.socket)
    if (socket !== undefined) {
      clearTimeout(socket.timer)
      socket.busy += 1
      response.once('close', () => {
        socket.busy -= 1
        closeWhenIdle(request.socket, faults.settings.idleClose)
      })
    }
    const url = splitUrl(request.url ?? '/')
    const rawBody = await readBody(request)
    if (url.path.startsWith('/_sandbox/')) {
      const inside = {
        info: { baseUrl: sandbox.baseUrl, keys: sandbox.keys, examples },
        record,
        companies,
        setFaults: (spec: string) => {
          sandbox.setFaults(spec)
        },
      }
      const answer = ownAnswer(request.method ?? 'GET', url, rawBody ?? Buffer.alloc(0), inside)
      await send(response, answer, { date: dateNow() }, closing.signal)
      return
    }
    if (url.path !== '/v1' && !url.path.startsWith('/v1/')) {
      await send(response, refusalAnswer(refusals.route()), { date: dateNow() }, closing.signal)
      return
    }
    arrived += 1
    const { route, allowed } = findRoute(request.method ?? 'GET', url.path)
    const entry: RecordEntry = {
      n: arrived,
      at: new Date(now()).toISOString(),
      connection: socket?.number ?? 0,
      operation: route?.name ?? null,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      apiKey: headerOf(request, 'x-service-key'),
      status: 'pending',
      applied: false,
      fault: null,
    }
    record.add(entry)
    requests.push({
      n: arrived,
      at: now(),
      connection: entry.connection,
      method: entry.method,
      url: entry.path,
      headers: request.headers,
      body: rawBody?.toString() ?? '',
    })
    if (requests.length > keptRequests) requests.shift()
    let settled = false
    response.once('close', () => {
      if (!settled && !response.writableFinished) entry.status = 'dropped'
    })
    const ending = await decide(request, url, rawBody, { route, allowed }, entry)
    const { answer, effects } = ending
    entry.status = answer.status
    const sent = await send(response, answer, sendingOf(effects), closing.signal)
    settled = sent !== 'node'
    if (sent === 'incomplete') entry.status = 'dropped'
  }

  function sendingOf(effects: readonly Effect[]): Parameters<typeof send>[2] {
    const how = effects.find((effect) => effect.send !== undefined)?.send
    const noDate = effects.some((effect) => effect.noDate === true)
    return { ...(how === undefined ? {} : { how }), ...(noDate ? {} : { date: dateNow() }) }
  }

  /** What is answered, and how. Everything that changes the state happens here. */
  async function decide(
    request: IncomingMessage,
    url: Url,
    rawBody: Buffer | undefined,
    { route, allowed }: ReturnType<typeof findRoute>,
    entry: RecordEntry,
  ): Promise<{ answer: Answer; effects: readonly Effect[] }> {
    const latency = (options.latencyMs ?? 0) + faults.settings.latency
    if (latency > 0) await waitOpen(latency)
    const name = route?.name
    const early = faults.strike(name, true)
    let effects = early.effects
    let rules = early.rules
    const context: FaultContext = {
      operation: name,
      cursor: url.query.get('chunkLastMessageId') ?? undefined,
      now: serviceNow(),
    }
    let answer: Answer
    try {
      if (!stopsEarly(effects)) {
        if (rawBody === undefined) throw refusals.tooLarge()
        const key = authenticate(request, rawBody)
        const limited = rateAnswer()
        if (limited !== undefined) return { answer: limited, effects }
        const late = faults.strike(name, false)
        effects = [...effects, ...late.effects]
        rules = [...rules, ...late.rules]
        noteFaults(entry, rules)
        answer = await carryOut(request, url, rawBody, key, { route, allowed }, effects, entry)
      } else {
        noteFaults(entry, rules)
        await pause(effects, 'before')
        answer = jsonAnswer(500, { code: 50001, message: 'Internal server error' })
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer = refusalAnswer(error)
      if (error.status === 405) answer.headers['allow'] = allowed.join(', ')
      noteFaults(entry, rules)
    }
    answer = effects.find((effect) => effect.instead !== undefined)?.instead?.(context) ?? answer
    answer = changed(answer, effects, context)
    await pause(effects, 'after')
    return { answer, effects }
  }

  function noteFaults(entry: RecordEntry, rules: readonly string[]): void {
    entry.fault = rules.length === 0 ? null : rules.join(', ')
  }

  async function carryOut(
    request: IncomingMessage,
    url: Url,
    rawBody: Buffer,
    key: CompanyKey,
    { route, allowed }: ReturnType<typeof findRoute>,
    effects: readonly Effect[],
    entry: RecordEntry,
  ): Promise<Answer> {
    await pause(effects, 'before')
    if (stopsEarly(effects)) return jsonAnswer(500, { code: 50001, message: 'Internal server error' })
    // API: Authentication, rule 4.
    if (key.plan === 'none') throw refusals.plan()
    if (route === undefined) throw allowed.length > 0 ? refusals.method() : refusals.route()
    // API: Authentication, rule 3.
    if (route.operation.scope === 'read-write' && key.scope === 'read') throw refusals.scope()
    // API: Authentication, rule 5.
    const company = companies[key.company] ?? store
    if (company === undefined) throw refusals.internal()
    const outcome = perform({
      company,
      route,
      query: url.query,
      contentType: headerOf(request, 'content-type') ?? undefined,
      rawBody,
      now: serviceNow(),
      limitedHistory: key.plan === 'limited-history',
      chunking: effects.reduce<Chunking>((all, effect) => ({ ...all, ...effect.chunking }), usualChunking),
      half: effects.some((effect) => effect.apply === 'half'),
    })
    if (outcome.change !== undefined) {
      entry.applied = changesSomething(outcome.change)
      Object.assign(entry, outcome.change)
      if (entry.applied) saver?.changed()
    }
    return jsonAnswer(route.name === 'lists.create' ? 201 : 200, { data: outcome.data })
  }

  function authenticate(request: IncomingMessage, rawBody: Buffer): CompanyKey {
    const apiKey = headerOf(request, 'x-service-key')
    const key = companyKeys.find((one) => one.apiKey === apiKey)
    const valid = checkSignature({
      timestamp: headerOf(request, 'x-service-timestamp') ?? '',
      signature: headerOf(request, 'x-service-signature') ?? '',
      secret: key?.apiSecret ?? 'no such key',
      rawBody,
      now: serviceNow(),
    })
    // API: Authentication, rules 1 and 2: one answer for every cause.
    if (key === undefined || !valid) throw refusals.credentials()
    return key
  }

  /** A refusal when more requests came than the setting `rate` allows in its window. */
  function rateAnswer(): Answer | undefined {
    const { rate } = faults.settings
    if (rate === undefined) return undefined
    const time = performance.now()
    if (time - bucket.start >= rate.window) bucket = { start: time, count: 0 }
    bucket.count += 1
    if (bucket.count <= rate.requests) return undefined
    const answer = refusalAnswer(refusals.rate())
    answer.headers['retry-after'] = String(Math.max(1, Math.ceil((bucket.start + rate.window - time) / 1000)))
    return answer
  }

  async function pause(effects: readonly Effect[], when: 'before' | 'after'): Promise<void> {
    const total = effects.reduce((sum, effect) => sum + (effect[when] ?? 0), 0)
    if (total > 0) await waitOpen(total)
  }

  /** Throws when the sandbox closed meanwhile: nothing is carried out any more then. */
  async function waitOpen(ms: number): Promise<void> {
    await wait(ms, closing.signal)
    if (closing.signal.aborted) throw new Error('the sandbox was closed')
  }

  function serviceNow(): number {
    return now() + faults.settings.clock
  }

  function dateNow(): string {
    return new Date(serviceNow()).toUTCString()
  }

  function closeWhenIdle(socket: Socket, after: number | undefined): void {
    const state = sockets.get(socket)
    if (after === undefined || state === undefined || state.busy > 0) return
    state.timer = setTimeout(() => {
      if (state.busy === 0) socket.destroy()
    }, after)
  }

  const host = options.host ?? '127.0.0.1'
  const port = await listen(server, options.port ?? 0, host)
  const sandbox: Sandbox = {
    baseUrl: `http://${host === '::1' ? '[::1]' : host}:${port}`,
    port,
    keys: companyKeys.map(({ name, apiKey, apiSecret, scope, plan }) => ({ name, apiKey, apiSecret, scope, plan })),
    examples,
    record,
    store,
    companies,
    requests,
    get connections() {
      return connections
    },
    setFaults(spec = '') {
      faults = parseFaults(spec, seeding.seed)
      bucket = { start: -Infinity, count: 0 }
    },
    async close() {
      closing.abort()
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      })
      await saver?.flush()
    },
  }
  return sandbox
}

/** A fault that keeps the operation from being carried out. */
function stopsEarly(effects: readonly Effect[]): boolean {
  return effects.some((effect) => effect.apply === false)
}

function changesSomething({ deleted, added, created, updated, merged, assigned }: Change): boolean {
  const ids = (deleted?.length ?? 0) + (added?.length ?? 0)
  return ids > 0 || [created, updated, merged, assigned].some((part) => part !== undefined)
}

function changed(answer: Answer, effects: readonly Effect[], context: FaultContext): Answer {
  let { body } = answer
  const values = effects.filter((effect) => effect.value !== undefined)
  if (values.length > 0 && answer.headers['content-type']?.startsWith('application/json') === true) {
    let value: unknown = JSON.parse(body.toString())
    for (const effect of values) value = effect.value?.(value, context)
    body = Buffer.from(JSON.stringify(value))
  }
  for (const effect of effects) body = effect.bytes?.(body) ?? body
  const headers = { ...answer.headers }
  for (const effect of effects) effect.headers?.(headers)
  return { status: answer.status, headers, body }
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<number> {
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

/** What was asked for must be what the file holds, or the ids would not be those that the person expects. */
function checkSnapshot(snapshot: Snapshot, { seed, contacts, empty, dataFile }: SandboxOptions): void {
  const asked = { seed, contacts, empty: empty === true ? true : undefined }
  for (const name of ['seed', 'contacts', 'empty'] as const) {
    if (asked[name] === undefined || asked[name] === snapshot[name]) continue
    throw usageError(
      `"${dataFile ?? ''}" was made with ${name} ${String(snapshot[name])}, not ${String(asked[name])}`,
      `leave out --${name}, or name another file`,
    )
  }
}
