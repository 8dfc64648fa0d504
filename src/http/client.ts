/**
 * The one door to the network: an operation and its input become checked data or an `SvcError`. Signs each attempt at
 * dispatch, keeps the deadline, decides on retries; what a lost answer means is left to the caller, with everything known.
 */
import { setMaxListeners } from 'node:events'
import * as v from 'valibot'
import { operations, type Operation, type OperationName, type Result, type RetryClass } from '../api/operations.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { idPattern } from '../values.ts'
import {
  classify,
  depthOf,
  header,
  maxAnswerDepth,
  parseAnswer,
  readText,
  type AnswerHeaders,
  type AttemptResult,
  type Exchange,
  type Hooks,
  type ReadAnswer,
  type Response,
} from './attempt.ts'
import { clockIsOff, clockOffset, describeOffset, judgeClock, type ClockVerdict } from './clock.ts'
import { refuseDisabledVerification } from './proxy.ts'
import { isAboutWhatWasAsked, isEchoed } from './echo.ts'
import { explain } from './errors.ts'
import type { NameHost } from './lookup.ts'
import { createPace, type Pace } from './pace.ts'
import { budget, budgetFor, decide, type Decision } from './retry.ts'
import { createSigner } from './sign.ts'
import { createWire } from './transport.ts'

export interface HttpOptions {
  /** Undefined when the credentials came from the environment. */
  readonly profile: string | undefined
  /** Without a trailing slash; may have a path. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
  readonly version: string
  readonly host: NameHost & Pick<Host, 'nodeVersion' | 'now' | 'sleep' | 'random'>
  /** Milliseconds, for one attempt. */
  readonly timeout: number
  readonly retries: number
  readonly maxRetryWait: number
  /** 0, 1 (`-v`) or 2 (`-vv`): what is not shown is not made. */
  readonly verbose: () => number
  /** A line for `-v` (1) or `-vv` (2). */
  readonly log: (level: 1 | 2, line: string) => void
  readonly warn: (text: string) => void
  /** The first signal: nothing new starts, reads end at once. */
  readonly soft: AbortSignal
  /** The second signal or the end of patience: everything ends. */
  readonly hard: AbortSignal
  /** Runs a change as something that a first signal lets end. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>
}

/** What goes into an operation: ids of its path, its query, its body. */
export interface Input {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

export interface RawAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The text of the body; not JSON, perhaps. */
  readonly text: string
}

export interface Http {
  /** Throws SvcError; `details.ambiguous` says that the change may have been made. */
  call<N extends OperationName>(name: N, input: Input, hooks?: Hooks): Promise<Result<N>>
  /** Any path below /v1/, for `svc api`. `body` is sent as it is. */
  raw(method: string, path: string, body: Buffer, hooks?: Hooks): Promise<RawAnswer>
  readonly pace: Pace
  /** Milliseconds by which the service's clock is ahead, from the last answer that had a `Date`. */
  readonly clockOffset: number | undefined
  close(): void
}

interface Prepared {
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  readonly body: Buffer
  readonly retryClass: RetryClass
  readonly operation: Operation | undefined
  readonly read: ReadAnswer
}

type Answered = AttemptResult & { kind: 'answered' }
type Failed = Exclude<AttemptResult, Answered>

/** What is known of a request while it is tried. */
interface Course {
  readonly request: Prepared
  attempts: number
  retries: number
  /** An attempt was sent and no clear answer came: for good, whatever follows. */
  ambiguous: boolean
  /** It was signed once more with the service's time. */
  resigned: boolean
}

interface Attempt {
  readonly result: AttemptResult
  /** Milliseconds by which the service's clock is ahead, by this answer. */
  readonly offset: number | undefined
  /** Milliseconds that were added to this machine's clock when it was signed. */
  readonly signedOffset: number
}

/** Throws exit 2 or 4 for an environment or a key that cannot be used. */
export function createHttp(options: HttpOptions): Http {
  const { host } = options
  refuseDisabledVerification(host.env)
  const signer = createSigner(options.apiKey, options.secret, () => host.now())
  const wire = createWire(options.baseUrl, host)
  const pace = createPace(host)
  const base = new URL(options.baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const closing = new AbortController()
  /** Ends waits, and reads under way. */
  const stop = AbortSignal.any([options.soft, closing.signal])
  // Every request that waits listens; many of them are no leak.
  setMaxListeners(0, stop)
  const fullBudget = budgetFor(options.retries)
  let tokens = fullBudget
  let lastOffset: number | undefined
  let clockWarned = false

  async function send(request: Prepared, hooks: Hooks): Promise<Answered> {
    const course = { request, attempts: hooks.attemptsBefore ?? 0, retries: 0, ambiguous: false, resigned: false }
    for (;;) {
      const entered = hooks.enter?.()
      if (entered !== undefined) await unlessStopped(course, entered)
      await unlessStopped(course, pace.turn(stop))
      await hooks.before?.(course.attempts + 1)
      course.attempts += 1
      const attempt = await attemptOnce(request, course.attempts, hooks.cutOff)
      const { result } = attempt
      await hooks.after?.(course.attempts, result)
      if (result.kind === 'answered') {
        tokens = Math.min(fullBudget, tokens + budget.success)
        warnAboutClock(attempt.offset)
        return result
      }
      course.ambiguous ||= result.kind === 'ambiguous'
      const ended =
        request.retryClass === 'read' ? stop.aborted : (hooks.cutOff ?? options.hard).aborted || closing.signal.aborted
      if (ended) throw interrupted(course)
      if (result.kind === 'refused' && result.status === 401) signWithServiceTime(course, result, attempt)
      else await waitForAnother(course, result)
    }
  }

  /** One request and what can be said of it. */
  async function attemptOnce(request: Prepared, attempt: number, cutOff?: AbortSignal): Promise<Attempt> {
    const signedOffset = signer.offset
    const headers = headersOf(request)
    const sentAt = host.now()
    const started = host.monotonic()
    const { exchange, release } = await wire.exchange(
      {
        method: request.method,
        path: prefix + request.path,
        headers,
        body: request.body,
        // Whatever is sent once only must not meet a socket that the service is just closing.
        fresh: request.retryClass === 'once',
      },
      options.timeout,
      request.retryClass === 'read' ? stop : (cutOff ?? options.hard),
    )
    const hide = hiding([valueOf(headers, 'signature'), options.apiKey, options.secret])
    const result = withoutSecrets(classify(exchange, request.read), hide)
    release(result.kind === 'answered' || result.kind === 'refused')
    logAttempt({ request, headers, result, exchange, ms: host.monotonic() - started, attempt, hide })
    const offset = exchange.kind === 'response' ? clockOffset(exchange.headers, sentAt, host.now()) : undefined
    lastOffset = offset ?? lastOffset
    return { result, offset, signedOffset }
  }

  function headersOf({ body }: Prepared): string[] {
    const headers = [...signer.headers(body), 'Accept', 'application/json', 'User-Agent', `svc/${options.version}`]
    return body.length > 0 ? [...headers, 'Content-Type', 'application/json'] : headers
  }

  /**
   * After a 401: lets the request be tried again when the clock explains it, once. Judged by the time that was signed, so
   * that requests in flight together each get their second try. Throws what else a 401 means.
   */
  function signWithServiceTime(course: Course, result: Failed, { offset, signedOffset }: Attempt): void {
    const verdict = judgeClock(offset === undefined ? undefined : offset - signedOffset, course.resigned)
    if (verdict !== 'adjust' || offset === undefined) {
      throw failureOf(course, result, { clock: { verdict, offset } })
    }
    course.resigned = true
    signer.offset = offset
    if (clockWarned) return
    clockWarned = true
    options.warn(`this machine's clock is ${describeOffset(offset)}; signing with the service's time, set the clock`)
  }

  /** Returns when the request may be tried again. Throws when it may not. */
  async function waitForAnother(course: Course, result: Failed): Promise<void> {
    if (result.kind === 'refused' && result.status === 429) pace.throttled()
    const decision = decide(course.request.retryClass, result, {
      retries: course.retries,
      maxRetries: options.retries,
      tokens,
      maxRetryWait: options.maxRetryWait,
      random: host.random(),
      now: host.now(),
    })
    if (decision.kind === 'stop') {
      const tooLong = decision.reason === 'retry-after'
      // This request ends here; those that come after it wait all the same.
      if (decision.retryAfter !== undefined && !tooLong) pace.hold(decision.retryAfter)
      throw failureOf(course, result, { retryAfter: decision.retryAfter, tooLong })
    }
    tokens -= decision.cost
    course.retries += 1
    logWait(course, result, decision)
    if (decision.shared) pace.hold(decision.wait)
    else await unlessStopped(course, host.sleep(decision.wait, stop))
  }

  /** Waits end at the first signal, for every kind of request. */
  async function unlessStopped(course: Course, wait: Promise<void>): Promise<void> {
    try {
      await wait
    } catch (error) {
      if (!stop.aborted) throw error
    }
    if (stop.aborted) throw interrupted(course)
  }

  function interrupted({ request, attempts, ambiguous }: Course): SvcError {
    const unknown = ambiguous && request.retryClass !== 'read'
    return new SvcError('interrupted', unknown ? 'interrupted: the outcome of the request is unknown' : 'interrupted', {
      ambiguous: unknown,
      request: { method: request.method, path: request.path, attempts },
      profile: options.profile,
    })
  }

  function failureOf(
    { request, attempts, ambiguous }: Course,
    result: Failed,
    why: {
      retryAfter?: number | undefined
      tooLong?: boolean
      clock?: { verdict: ClockVerdict; offset: number | undefined }
    },
  ): SvcError {
    return explain({
      result,
      attempts,
      everAmbiguous: ambiguous,
      retryAfter: why.retryAfter,
      tooLong: why.tooLong === true,
      clock: why.clock,
      method: request.method,
      path: request.path,
      retryClass: request.retryClass,
      operation: request.operation,
      profile: options.profile,
      host: base.host,
      prefix,
    })
  }

  function warnAboutClock(offset: number | undefined): void {
    if (clockWarned || offset === undefined || !clockIsOff(offset)) return
    clockWarned = true
    options.warn(`this machine's clock is ${describeOffset(offset)}; beyond 5 minutes requests are refused`)
  }

  function logWait({ attempts }: Course, result: Failed, { wait, shared }: Decision & { kind: 'again' }): void {
    const status = 'status' in result && result.status !== undefined ? `HTTP ${result.status}` : undefined
    const why = shared ? `${status ?? ''}, and the service asks for this wait` : (status ?? result.message ?? '')
    options.log(1, `waiting ${(wait / 1000).toFixed(1)} s before attempt ${attempts + 1}: ${why}`)
  }

  function logAttempt({ request, headers, result, exchange, ms, attempt, hide }: Attempted): void {
    if (options.verbose() < 1) return
    const why = exchange.kind === 'failed' && 'message' in result ? ` (${result.message ?? ''})` : ''
    const unanswered = result.kind === 'never-sent' ? 'never sent' : 'no answer'
    const outcome = exchange.kind === 'response' ? String(exchange.status) : unanswered
    options.log(
      1,
      `${request.method} ${prefix}${request.path} ${outcome}${why} ${Math.round(ms)} ms, attempt ${attempt}`,
    )
    if (options.verbose() < 2) return
    const log = (line: string): void => {
      options.log(2, hide(line))
    }
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? ''
      // The signature can be replayed for five minutes, so no log has it.
      log(`> ${name}: ${secretHeader.test(name) ? hidden : (headers[i + 1] ?? '')}`)
    }
    if (request.body.length > 0) log(`> ${shortened(request.body)}`)
    if (exchange.kind === 'failed') return
    for (const [name, value] of Object.entries(exchange.headers)) {
      log(`< ${name}: ${secretHeader.test(name) ? hidden : String(value)}`)
    }
    if (exchange.body.length > 0) log(`< ${shortened(exchange.body)}`)
  }

  /** A change is something that a first signal lets end. */
  function run(request: Prepared, hooks: Hooks): Promise<Answered> {
    return request.retryClass === 'read' ? send(request, hooks) : options.during(() => send(request, hooks))
  }

  return {
    call<N extends OperationName>(name: N, input: Input, hooks: Hooks = {}): Promise<Result<N>> {
      // Not in one async function, which would keep the input until the answer is there.
      return prepared(name, input)
        .then((request) => run(request, hooks))
        .then(({ data }) => data as Result<N>)
    },
    async raw(method, path, body, hooks = {}) {
      const retryClass = method === 'GET' ? 'read' : 'once'
      const { data } = await run({ method, path, body, retryClass, operation: undefined, read: readRaw }, hooks)
      return data as RawAnswer
    },
    pace,
    get clockOffset() {
      return lastOffset
    },
    close() {
      closing.abort()
      wire.close()
    },
  }
}

interface Attempted {
  readonly request: Prepared
  readonly headers: readonly string[]
  readonly result: AttemptResult
  readonly exchange: Exchange
  readonly ms: number
  readonly attempt: number
  readonly hide: (text: string) => string
}

const hidden = '[hidden]'
const secretHeader = /signature|key|cookie|authorization|secret|token/i

function valueOf(headers: readonly string[], word: string): string {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name.toLowerCase().includes(word))
  return headers[at + 1] ?? ''
}

/** Shorter ones stand in ordinary words. */
const shortestHidden = 8

/** Hides these values: a service or a proxy may repeat in its answer what it was sent. */
function hiding(values: readonly string[]): (text: string) => string {
  const wanted = values.filter((value) => value.length >= shortestHidden)
  return (text) => {
    const lower = text.toLowerCase()
    // A signature is another one each time, and so would the pattern be: V8 keeps kilobytes of code for each one it runs.
    if (!wanted.some((value) => lower.includes(value.toLowerCase()))) return text
    const escaped = wanted.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return text.replace(new RegExp(escaped.join('|'), 'gi'), hidden)
  }
}

/** Error messages end in a terminal, a journal and a receipt. */
function withoutSecrets(result: AttemptResult, hide: (text: string) => string): AttemptResult {
  if (result.kind === 'answered' || result.message === undefined) return result
  return { ...result, message: hide(result.message) }
}

function shortened(body: Buffer): string {
  return body.length > 2000
    ? `${body.subarray(0, 2000).toString('utf8')}… (${body.length} bytes)`
    : body.toString('utf8')
}

const nothing = Buffer.alloc(0)

function prepared(name: OperationName, input: Input): Promise<Prepared> {
  return new Promise((resolve) => {
    resolve(prepare(name, input))
  })
}

/** Checks the input against the contract and writes it down as a request. Throws exit 2. */
function prepare(name: OperationName, input: Input): Prepared {
  const operation: Operation = operations[name]
  const query = Object.entries(input.query ?? {}).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  )
  if (operation.query !== undefined) check(operation.query, Object.fromEntries(query))
  if (operation.body !== undefined) check(operation.body, input.body)
  const search = new URLSearchParams(query.map(([key, value]): [string, string] => [key, String(value)])).toString()
  return {
    method: operation.method,
    path: `${pathOf(operation, input.path ?? {})}${search === '' ? '' : `?${search}`}`,
    body: input.body === undefined ? nothing : Buffer.from(JSON.stringify(input.body)),
    retryClass: operation.retry,
    operation,
    read: reading(name, input),
  }
}

/** What stands in a path is not signed, so nothing but an id may. */
function pathOf(operation: Operation, ids: Readonly<Record<string, string>>): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name] ?? ''
    if (!idPattern.test(value)) throw new SvcError('usage', `"${value}" is not an id: ids have 24 hexadecimal digits`)
    return value
  })
}

function check(schema: v.GenericSchema, value: unknown): void {
  const checked = v.safeParse(schema, value, { abortEarly: true })
  if (!checked.success) throw new SvcError('usage', wordsOf(checked.issues))
}

function wordsOf(issues: readonly v.BaseIssue<unknown>[]): string {
  const issue = issues[0]
  if (issue === undefined) return 'not as expected'
  const path = v.getDotPath(issue)
  return path === null ? issue.message : `${path}: ${issue.message}`
}

/** Keeps no more of the input than the answer repeats: the ids of a batch would outlive their use. */
function reading(name: OperationName, input: Input): ReadAnswer {
  const asked = isEchoed(name) ? input : {}
  return (response) => readData(name, asked, response)
}

/** API: "a JSON object whose single top-level property `data` holds the result". Schemas transform nothing. */
function readData(name: OperationName, input: Input, response: Response): ReturnType<ReadAnswer> {
  const parsed = parseAnswer(response)
  if (!parsed.ok) return parsed
  const { document } = parsed
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, 'data')) {
    return { ok: false, problem: 'the answer has no "data"' }
  }
  const { data } = document as { data: unknown }
  const checked = v.safeParse(operations[name].result, data, { abortEarly: true })
  if (!checked.success) return { ok: false, problem: `the answer is of another shape: ${wordsOf(checked.issues)}` }
  return isAboutWhatWasAsked(name, input, data)
    ? { ok: true, data }
    : { ok: false, problem: 'the answer is about something else than was asked for' }
}

/** For `svc api`: any text, but what calls itself JSON must be. An empty body must have been announced as one. */
function readRaw(response: Response): ReturnType<ReadAnswer> {
  const { status, headers } = response
  const decoded = readText(response)
  if (!decoded.ok) return decoded
  const { text } = decoded
  const announcedEmpty = status === 204 || status === 205 || header(headers, 'content-length')?.trim() === '0'
  const isJson = /\bjson\b/i.test(header(headers, 'content-type') ?? '')
  if (isJson && !(text === '' && announcedEmpty)) {
    const parsed = parseAnswer(response)
    if (!parsed.ok) return parsed
  } else if (/^\s*[[{]/.test(text) && depthOf(text) > maxAnswerDepth) {
    return { ok: false, problem: `the answer nests deeper than ${maxAnswerDepth}` }
  }
  const answer: RawAnswer = { status, headers, text }
  return { ok: true, data: answer }
}
