/**
 * The one way to the network: a request becomes checked data or an `SvcError`. Signs each attempt as it is
 * sent, keeps the deadline, decides on retries; what a lost answer means is left to the caller, with
 * everything known. Knows no operation. All requests of a client share its pace and clock.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { header, httpDate, type ReadAnswer } from './answer.ts'
import { classify, type AttemptResult, type FailedAttempt, type Hooks } from './attempt.ts'
import { explain, type RefusalHints } from './errors.ts'
import { Pace } from './pace.ts'
import { decide, type AskedWait, type RetryClass } from './retry.ts'
import type { Redactor } from '../redactor.ts'
import { formatDuration } from '../values.ts'
import { version } from '../version.ts'
import { Transport, type TransportHost } from './transport.ts'
import type { Wire } from '../world.ts'

export interface ClientOptions {
  profile: {
    /** Undefined when the credentials came from the environment. */
    name: string | undefined
    /** Without a trailing slash; may have a path. */
    baseUrl: string
    apiKey: string
  }
  secret: string
  host: TransportHost & Pick<Host, 'now' | 'sleep' | 'random' | 'openWire'>
  /** Milliseconds of one attempt. */
  timeout: number
  /** Milliseconds since its first attempt for which a request is tried again. */
  wait: number
  messages: {
    /** Writes a line of -v. */
    log(line: string): void
    /** It hides the secret in each answer, which a service may repeat. */
    redactor: Redactor
    note(text: string): void
  }
  signals: {
    /** The first signal: nothing new starts, reads and waits end at once. */
    cancelled: AbortSignal
    /** The second signal or the end of the grace period: changes in flight end too. */
    aborted: AbortSignal
    /** Runs a change as work that the first signal lets finish. */
    runCritical: <T>(work: () => Promise<T>) => Promise<T>
  }
  /** Called just before a change is sent. Throws if its permit was never checked. */
  beforeChange: () => void
}

export interface ApiRequest {
  method: string
  /** Below the base URL, with its query. */
  path: string
  body: Buffer
  retryClass: RetryClass
  read: ReadAnswer
  hints: RefusalHints
}

/**
 * The signature of one request: lower-case hex, 64 digits. API: Authentication, "hex-encoded HMAC-SHA256 signature over the
 * text `<timestamp>.<raw_body>` …, keyed with the API secret". Where the description is silent (a request without a body),
 * the body is the empty string. `timestamp` is in milliseconds since 1970.
 */
export function sign(secret: string | KeyObject, timestamp: number, body: Uint8Array) {
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}

/** UTF-16 units of an error's message: nobody reads more. */
const longestMessage = 1 << 14

/** State of a request while it is tried. */
interface RequestState {
  request: ApiRequest
  attempts: number
  retries: number
  /** When the last attempt was signed, in milliseconds since 1970. */
  signedAt: number
  /** When the first attempt was made, in milliseconds of uptime. */
  firstAt: number | undefined
  /** An attempt was sent and no clear answer came. It stays true, whatever follows. */
  ambiguous: boolean
}

/** Sends the requests of one process to one service, with one pace for all of them. */
export class Client {
  readonly pace: Pace
  readonly #options: ClientOptions
  readonly #key: KeyObject
  readonly #wire: Wire
  readonly #serviceHost: string
  readonly #prefix: string
  readonly #closing = new AbortController()
  readonly #stop: AbortSignal
  #hasToldOfRetries = false
  /** Milliseconds by which the service's clock is ahead of this machine's, by the `Date` of its last answer. */
  clockOffset: number | undefined

  /** Throws exit 2 for a proxy that cannot be used. */
  constructor(options: ClientOptions) {
    const { host, profile, secret, messages, signals } = options
    const { baseUrl } = profile
    this.#options = options
    messages.redactor.addSecret(secret)
    this.#key = createSecretKey(secret, 'utf8')
    this.#wire = host.openWire?.(baseUrl) ?? new Transport(baseUrl, host)
    this.pace = new Pace(host)
    const base = new URL(baseUrl)
    this.#serviceHost = base.host
    this.#prefix = base.pathname.replace(/\/$/, '')
    this.#stop = AbortSignal.any([signals.cancelled, this.#closing.signal])
    // Every request that waits listens; many of them are no leak.
    setMaxListeners(0, this.#stop)
  }

  /**
   * Sends a request until it is answered or nothing more may be done. Returns what its `read` found. Throws SvcError;
   * `details.ambiguous` says that the change may have been made.
   */
  send(request: ApiRequest, hooks: Hooks = {}): Promise<unknown> {
    if (request.retryClass === 'read') return this.#sendUntilAnswered(request, hooks)
    this.#options.beforeChange()
    return this.#options.signals.runCritical(() => this.#sendUntilAnswered(request, hooks))
  }

  close() {
    this.#closing.abort()
    this.#wire.close()
  }

  async #sendUntilAnswered(request: ApiRequest, hooks: Hooks) {
    const { attemptsBefore: attempts = 0 } = hooks
    const state: RequestState = {
      request,
      attempts,
      retries: 0,
      signedAt: 0,
      firstAt: undefined,
      ambiguous: false,
    }
    for (;;) {
      const turn = this.pace.turn(this.#stop, () => hooks.waiting?.())
      await this.#unlessStopped(state, turn)
      // Taken before the record of the attempt is written, so that its signature is not younger than its record.
      state.signedAt = Math.round(this.#options.host.now())
      await hooks.before?.(state.attempts + 1)
      state.attempts += 1
      state.firstAt ??= this.#options.host.monotonic()
      const { aborted } = this.#options.signals
      const abortSignal = request.retryClass === 'read' ? this.#stop : aborted
      const result = await this.#attempt(state, abortSignal)
      await hooks.after?.(state.attempts, result)
      if (result.kind === 'answered') return result.data
      state.ambiguous ||= result.kind === 'ambiguous'
      if (abortSignal.aborted || this.#closing.signal.aborted)
        throw this.#interruption(state)
      await this.#waitForNext(state, result)
    }
  }

  /** One exchange and what can be said of it. */
  async #attempt(
    { request, attempts, signedAt }: RequestState,
    abortSignal: AbortSignal,
  ): Promise<AttemptResult> {
    const { host, profile, messages, timeout } = this.#options
    const { method, body, retryClass } = request
    const path = this.#prefix + request.path
    const signature = sign(this.#key, signedAt, body)
    // The configuration has seen to it that the key fits into a header.
    const headers: Record<string, string> = {
      'X-Service-Key': profile.apiKey,
      'X-Service-Timestamp': String(signedAt),
      'X-Service-Signature': signature,
      Accept: 'application/json',
      'User-Agent': `svc/${version}`,
    }
    if (body.length > 0) headers['Content-Type'] = 'application/json'
    const sentAt = host.monotonic()
    // The service may just be closing an idle connection, and this request may not be sent again.
    const sent = { method, path, headers, body, isAlone: retryClass === 'once' }
    const { exchange, release } = await this.#wire.exchange(sent, timeout, abortSignal)
    const result = messages.redactor.hide(classify(exchange, request.read))
    // Cut when the secrets are hidden: half a secret would not be found.
    if (result.message !== undefined)
      result.message = result.message.slice(0, longestMessage)
    release(result.kind === 'answered' || result.kind === 'refused')
    const loss = result.kind === 'never-sent' ? 'never sent' : 'no answer'
    const ending = result.status ?? `${loss} (${result.message ?? ''})`
    const ms = Math.round(host.monotonic() - sentAt)
    messages.log(`${method} ${path} ${ending} ${ms} ms, attempt ${attempts}`)
    const date = httpDate(header(result.headers ?? {}, 'date'))
    if (date !== undefined) this.clockOffset = date - signedAt
    return result
  }

  /** Waits, or makes all requests wait for their next turns. Throws when the request may not be tried again. */
  async #waitForNext(state: RequestState, result: FailedAttempt) {
    const { wait: mostWait, host, messages } = this.#options
    const decision = decide(state.request.retryClass, result, {
      retries: state.retries,
      elapsed: host.monotonic() - (state.firstAt ?? host.monotonic()),
      wait: mostWait,
      random: host.random(),
      now: host.now(),
    })
    this.pace.hold(decision.hold)
    if (decision.kind === 'stop') throw this.#failure(state, result, decision.askedWait)
    state.retries += 1
    const { status = 0, message = '' } = result
    const cause = status >= 300 ? `HTTP ${status}` : message
    if (!this.#hasToldOfRetries)
      messages.note(`${cause}; trying again for up to ${formatDuration(mostWait)}`)
    this.#hasToldOfRetries = true
    await this.#unlessStopped(state, host.sleep(decision.wait, this.#stop))
  }

  /** The first signal ends every wait. */
  async #unlessStopped(state: RequestState, wait: Promise<void>) {
    try {
      await wait
    } catch (error) {
      if (!this.#stop.aborted) throw error
    }
    if (this.#stop.aborted) throw this.#interruption(state)
  }

  #interruption({ request, attempts, ambiguous }: RequestState) {
    const { method, path, retryClass } = request
    const isUnknown = ambiguous && retryClass !== 'read'
    const outcome = isUnknown ? ': the outcome of the request is unknown' : ''
    return new SvcError('interrupted', `interrupted${outcome}`, {
      ambiguous: isUnknown,
      request: { method, path, attempts },
    })
  }

  #failure(state: RequestState, result: FailedAttempt, askedWait: AskedWait | undefined) {
    const { wait, profile } = this.#options
    return explain({
      ...state,
      result,
      everAmbiguous: state.ambiguous,
      askedWait,
      clockOffset: this.clockOffset,
      wait,
      profile: profile.name,
      serviceHost: this.#serviceHost,
    })
  }
}
