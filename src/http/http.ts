/**
 * The one door to the network: an operation and its input become checked data or an `SvcError`. Signs each attempt at
 * dispatch, keeps the deadline, decides on retries; what a lost answer means is left to the caller, with everything known.
 */
import * as v from 'valibot'
import { operations, type Operation, type OperationName, type Result, type RetryClass } from '../api/operations.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import {
  classify,

  parseAnswer,
  type AnswerHeaders,
  type AttemptResult,
  type Hooks,
  type ReadAnswer,
  type Response,
} from './attempt.ts'
import { clockIsOff, clockOffset, describeOffset, judgeClock } from './clock.ts'
import { refuseDisabledVerification } from './connect.ts'
import { explain } from './explain.ts'
import { createPace, type Pace } from './pace.ts'
import { budget, decide } from './retry.ts'
import { createSigner } from './sign.ts'
import { createWire } from './wire.ts'

export interface HttpOptions {
  /** Undefined when the credentials came from the environment. */
  readonly profile: string | undefined
  /** Without a trailing slash; may have a path. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
  readonly version: string
  readonly host: Pick<Host, 'env' | 'now' | 'monotonic' | 'sleep' | 'random'>
  /** Milliseconds, for one attempt. */
  readonly timeout: number
  readonly retries: number
  readonly maxRetryWait: number
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

const nothing = Buffer.alloc(0)

/** Throws exit 2 or 4 for an environment or a key that cannot be used. */
export function createHttp(options: HttpOptions): Http {
  const { host } = options
  refuseDisabledVerification(host.env)
  const signer = createSigner(options.apiKey, options.secret, () => host.now())
  const wire = createWire(options.baseUrl, host.env)
  const pace = createPace(host)
  const prefix = new URL(options.baseUrl).pathname.replace(/\/$/, '')
  const hostName = new URL(options.baseUrl).host
  let tokens: number = budget.tokens
  let offset: number | undefined
  let clockWarned = false
  let clockAdjusted = false

  function headersOf(request: Prepared): string[] {
    const headers = signer.headers(request.body)
    headers.push('Accept', 'application/json', 'User-Agent', `svc/${options.version}`)
    if (request.body.length > 0) headers.push('Content-Type', 'application/json')
    return headers
  }

  async function send(request: Prepared, hooks: Hooks): Promise<AttemptResult & { kind: 'answered' }> {
    let attempt = hooks.attemptsBefore ?? 0
    let retries = 0
    let everAmbiguous = false
    let last: Exclude<AttemptResult, { kind: 'answered' }> | undefined
    for (;;) {
      await untilTurn(request, everAmbiguous)
      attempt += 1
      await hooks.before?.(attempt)
      const sentAt = host.now()
      const started = host.monotonic()
      const headers = headersOf(request)
      const exchange = await wire.exchange(
        {
          method: request.method,
          path: prefix + request.path,
          headers,
          body: request.body,
          // Whatever is sent once only must not meet a socket that the service is just closing.
          fresh: request.retryClass === 'once',
        },
        options.timeout,
        request.retryClass === 'read' ? options.soft : options.hard,
      )
      const result = classify(exchange, request.retryClass, request.read)
      logAttempt(request, headers, result, exchange, host.monotonic() - started, attempt)
      if (exchange.kind === 'response') {
        offset = clockOffset(exchange.headers, sentAt, host.now()) ?? offset
      }
      await hooks.after?.(attempt, result)
      if (result.kind === 'answered') {
        tokens = Math.min(budget.tokens, tokens + budget.success)
        warnAboutClock()
        return result
      }
      last = result
      everAmbiguous ||= result.kind === 'ambiguous'
      if (options.hard.aborted || (options.soft.aborted && request.retryClass === 'read')) throw interrupted(request, everAmbiguous)
      if (result.kind === 'refused' && result.status === 401) {
        const verdict = judgeClock(offset, clockAdjusted)
        if (verdict === 'adjust' && offset !== undefined) {
          clockAdjusted = true
          signer.offset = offset
          clockWarned = true
          options.warn(`this machine's clock is ${describeOffset(offset)}; signing with the service's time, set the clock`)
          continue
        }
        throw failure(request, last, attempt, everAmbiguous, { reason: 'final' }, { verdict, offset })
      }
      if (result.kind === 'refused' && result.status === 429) pace.throttled()
      const decision = decide(request.retryClass, result, {
        retries,
        maxRetries: options.retries,
        tokens,
        maxRetryWait: options.maxRetryWait,
        random: host.random(),
        now: host.now(),
      })
      if (decision.kind === 'stop') {
        throw failure(request, last, attempt, everAmbiguous, decision)
      }
      tokens -= decision.cost
      retries += 1
      if (decision.shared) pace.hold(decision.wait)
      else await waitFor(decision.wait, request, everAmbiguous)
    }
  }

  /** Waits end at the first signal, for every kind of request. */
  async function waitFor(ms: number, request: Prepared, everAmbiguous: boolean): Promise<void> {
    try {
      await host.sleep(ms, options.soft)
    } catch (error) {
      if (options.soft.aborted) throw interrupted(request, everAmbiguous)
      throw error
    }
  }

  async function untilTurn(request: Prepared, everAmbiguous: boolean): Promise<void> {
    if (options.soft.aborted) throw interrupted(request, everAmbiguous)
    try {
      await pace.turn(options.soft)
    } catch (error) {
      if (options.soft.aborted) throw interrupted(request, everAmbiguous)
      throw error
    }
  }

  function interrupted(request: Prepared, everAmbiguous: boolean): SvcError {
    const ambiguous = everAmbiguous && request.retryClass !== 'read'
    return new SvcError('interrupted', ambiguous ? 'interrupted: the outcome of the request is unknown' : 'interrupted', {
      ambiguous,
      request: { method: request.method, path: request.path, attempts: 0 },
      profile: options.profile,
    })
  }

  function failure(
    request: Prepared,
    result: Exclude<AttemptResult, { kind: 'answered' }>,
    attempts: number,
    everAmbiguous: boolean,
    stopped: { reason: string; retryAfter?: number },
    clock?: { verdict: ReturnType<typeof judgeClock>; offset: number | undefined },
  ): SvcError {
    return explain({
      result,
      attempts,
      everAmbiguous,
      retryAfter: stopped.retryAfter,
      tooLong: stopped.reason === 'retry-after',
      clock,
      method: request.method,
      path: request.path,
      retryClass: request.retryClass,
      operation: request.operation,
      profile: options.profile,
      host: hostName,
    })
  }

  function warnAboutClock(): void {
    if (clockWarned || offset === undefined || !clockIsOff(offset)) return
    clockWarned = true
    options.warn(`this machine's clock is ${describeOffset(offset)}; beyond 5 minutes requests are refused`)
  }

  function logAttempt(
    request: Prepared,
    headers: readonly string[],
    result: AttemptResult,
    exchange: { kind: 'response' | 'failed'; status?: number; headers?: AnswerHeaders; body?: Buffer },
    ms: number,
    attempt: number,
  ): void {
    const outcome = exchange.kind === 'response' ? String(exchange.status) : result.kind === 'never-sent' ? 'never sent' : 'no answer'
    const why = exchange.kind === 'failed' && 'message' in result ? ` (${result.message ?? ''})` : ''
    options.log(1, `${request.method} ${prefix}${request.path} ${outcome}${why} ${Math.round(ms)} ms, attempt ${attempt}`)
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? ''
      // The signature can be replayed for five minutes, so no log has it.
      options.log(2, `> ${name}: ${/signature|key/i.test(name) ? '[hidden]' : (headers[i + 1] ?? '')}`)
    }
    if (request.body.length > 0) options.log(2, `> ${shortened(request.body)}`)
    for (const [name, value] of Object.entries(exchange.headers ?? {})) {
      options.log(2, `< ${name}: ${/cookie|authorization/i.test(name) ? '[hidden]' : String(value)}`)
    }
    if (exchange.body !== undefined && exchange.body.length > 0) options.log(2, `< ${shortened(exchange.body)}`)
  }

  return {
    async call<N extends OperationName>(name: N, input: Input, hooks: Hooks = {}): Promise<Result<N>> {
      const operation: Operation = operations[name]
      const request = prepare(operation, input)
      const answer = await (request.retryClass === 'read' ? send(request, hooks) : options.during(() => send(request, hooks)))
      return answer.data as Result<N>
    },
    async raw(method, path, body, hooks = {}) {
      const read: ReadAnswer = (response) => ({ ok: true, data: response })
      const retryClass = method === 'GET' ? 'read' : 'once'
      const request = { method, path, body, retryClass, operation: undefined, read } as const
      const answer = await (retryClass === 'read' ? send(request, hooks) : options.during(() => send(request, hooks)))
      const response = answer.data as Response
      return { status: response.status, headers: response.headers, text: response.body.toString('utf8') }
    },
    pace,
    get clockOffset() {
      return offset
    },
    close() {
      wire.close()
    },
  }
}

function shortened(body: Buffer): string {
  return body.length > 2000 ? `${body.subarray(0, 2000).toString('utf8')}… (${body.length} bytes)` : body.toString('utf8')
}

/** Checks the input against the contract and writes it down as a request. Throws exit 2. */
export function prepare(operation: Operation, input: Input): Prepared {
  let path = operation.path
  for (const [name, value] of Object.entries(input.path ?? {})) {
    path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const query = Object.entries(input.query ?? {}).filter((entry): entry is [string, string | number] => entry[1] !== undefined)
  if (operation.query !== undefined) check(operation.query, Object.fromEntries(query))
  if (query.length > 0) {
    path += `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
  }
  if (operation.body !== undefined) check(operation.body, input.body)
  return {
    method: operation.method,
    path,
    body: input.body === undefined ? nothing : Buffer.from(JSON.stringify(input.body)),
    retryClass: operation.retry,
    operation,
    read: (response) => readData(operation, response),
  }
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

/** API: "a JSON object whose single top-level property `data` holds the result". Schemas transform nothing. */
function readData(operation: Operation, response: Response): ReturnType<ReadAnswer> {
  const parsed = parseAnswer(response)
  if (!parsed.ok) return parsed
  const { document } = parsed
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, 'data')) {
    return { ok: false, problem: 'the answer has no "data"' }
  }
  const { data } = document as { data: unknown }
  const checked = v.safeParse(operation.result, data, { abortEarly: true })
  return checked.success ? { ok: true, data } : { ok: false, problem: `the answer is of another shape: ${wordsOf(checked.issues)}` }
}

