/**
 * Sends requests to the service, and returns checked data or throws an `SvcError`. Signs each attempt when it is sent, and tries
 * again as the retry rules allow. The error of a failed change says whether the change may have been made, and the caller
 * decides what to do about that. This file knows no operation.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Host, version, type Wire } from '../host.ts'
import type { Redactor } from '../safe-text.ts'
import { formatDuration } from '../values.ts'
import { header, httpDate, type ReadAnswer } from './answer.ts'
import {
  classify,
  cutMessage,
  describeResult,
  type AttemptResult,
  type FailedAttempt,
  type SendOptions,
} from './attempt.ts'
import { interruptionError, requestError, type RefusalHints } from './errors.ts'
import { Pace, decideRetry, type RetryClass } from './retry.ts'
import { Transport, type TransportHost } from './transport.ts'

export interface ClientOptions {
  profile: {
    /** Undefined if the credentials came from the environment. */
    name: string | undefined
    /** Has no trailing slash, and may have a path. */
    baseUrl: string
    apiKey: string
  }
  secret: string
  host: TransportHost & Pick<Host, 'now' | 'sleep' | 'random' | 'openWire'>
  /** The setting `--timeout` in milliseconds: how long one attempt may take. */
  timeout: number
  /** The setting `--wait` in milliseconds: svc tries a request again until this long after its first attempt. */
  wait: number
  messages: {
    note(text: string): void
    /** Writes a line of -v. */
    log(line: string): void
    /** Hides the secret in answers, because a service may repeat it. */
    redactor: Redactor
  }
  signals: {
    /** Aborted by the first signal: nothing new starts, and reads and waits end at once. */
    cancelled: AbortSignal
    /** Aborted by the second signal or after the grace period: changes in flight end too. */
    aborted: AbortSignal
    /** Runs a change. The first signal lets it finish. */
    runCritical: <T>(change: () => Promise<T>) => Promise<T>
  }
  /** Called before each change. Throws if nobody has checked that the profile permits the change. */
  assertPermitted: () => void
}

export interface ApiRequest {
  method: string
  /** The path below the base URL, with its query. */
  path: string
  body: Buffer
  retryClass: RetryClass
  readAnswer: ReadAnswer
  hints: RefusalHints
}

/** A request and what happened to it so far. */
interface RequestState {
  request: ApiRequest
  /** The attempts of this process and of earlier ones. Messages show this number. */
  attempts: number
  /** The retries of this process. The delay between attempts grows with them. */
  retries: number
  /** Whether, after any attempt of this process, a change may have been made without an answer. It stays true. */
  wasAmbiguous: boolean
}

/** Sends requests to one service. All of them share a pace and connections. */
export class Client {
  readonly pace: Pace
  readonly #options: ClientOptions
  readonly #key: KeyObject
  readonly #wire: Wire
  readonly #serviceHost: string
  /** The path of the base URL, without a trailing slash. */
  readonly #basePath: string
  readonly #closing = new AbortController()
  /** Ends every wait and every read in flight. The first signal and `close` abort it. */
  readonly #stopping: AbortSignal
  #hasNotedRetry = false
  /** How far the service's clock is ahead of this machine's, in milliseconds, by the `Date` of the last answer. */
  clockOffset: number | undefined

  /** Throws a config error for a proxy that cannot be used. */
  constructor(options: ClientOptions) {
    const { host, profile, secret, messages, signals } = options
    const { baseUrl } = profile
    this.#options = options
    messages.redactor.addSecret(secret)
    this.#key = createSecretKey(secret, 'utf8')
    // Tests and simulations replace the network.
    this.#wire = host.openWire?.(baseUrl) ?? new Transport(baseUrl, host)
    this.pace = new Pace(host)
    const base = new URL(baseUrl)
    this.#serviceHost = base.host
    this.#basePath = base.pathname.replace(/\/$/, '')
    this.#stopping = AbortSignal.any([signals.cancelled, this.#closing.signal])
    // Every waiting request listens to this signal. Without this line, Node would warn of a leak.
    setMaxListeners(0, this.#stopping)
  }

  /**
   * Sends a request until it is answered or may not be sent again. Returns what `readAnswer` of the request returns. Throws an
   * SvcError, whose `details.ambiguous` says whether a change may have been made.
   */
  send(request: ApiRequest, sendOptions: SendOptions = {}): Promise<unknown> {
    const send = () => this.#sendUntilAnswered(request, sendOptions)
    if (request.retryClass === 'read') return send()
    this.#options.assertPermitted()
    return this.#options.signals.runCritical(send)
  }

  close() {
    this.#closing.abort()
    this.#wire.close()
  }

  async #sendUntilAnswered(request: ApiRequest, sendOptions: SendOptions) {
    const { attemptsBefore = 0, beforeWait, beforeAttempt, afterAttempt } = sendOptions
    const { host, signals } = this.#options
    const abortSignal = request.retryClass === 'read' ? this.#stopping : signals.aborted
    const state: RequestState = {
      request,
      attempts: attemptsBefore,
      retries: 0,
      wasAmbiguous: false,
    }
    /** When this process began its first attempt, in milliseconds of uptime. */
    let firstAt: number | undefined
    for (;;) {
      await this.#awaitPause(state, this.pace.waitForTurn(this.#stopping, beforeWait))
      // The service refuses a signature that is 5 minutes old. This time is taken before `beforeAttempt` records the attempt, so 5
      // minutes after the record it can no longer be carried out.
      const signedAt = Math.round(host.now())
      state.attempts += 1
      await beforeAttempt?.(state.attempts)
      firstAt ??= host.monotonic()
      const result = await this.#attempt(state, signedAt, abortSignal)
      await afterAttempt?.(state.attempts, result)
      if (result.kind === 'answered') return result.data
      state.wasAmbiguous ||= result.kind === 'ambiguous'
      // `close` also ends changes, by closing the wire. It does not abort their signal.
      const isCutOff = abortSignal.aborted || this.#closing.signal.aborted
      if (isCutOff) throw interruptionError(state)
      await this.#waitForRetry(state, result, signedAt, firstAt)
    }
  }

  /** Signs and sends a request once. Returns how the attempt ended. */
  async #attempt(
    { request, attempts }: RequestState,
    signedAt: number,
    abortSignal: AbortSignal,
  ): Promise<AttemptResult> {
    const { host, messages, timeout } = this.#options
    const { method, body, retryClass } = request
    const path = this.#basePath + request.path
    const headers = this.#headersFor(body, signedAt)
    const sentAt = host.monotonic()
    // The service may close an idle connection at this moment, and the request would be lost. That is bad if it is sent only once.
    const needsNewConnection = retryClass === 'once'
    const { exchange, release } = await this.#wire.send(
      { method, path, headers, body, needsNewConnection },
      timeout,
      abortSignal,
    )
    const classified = classify(exchange, request.readAnswer)
    // Data is hidden when it is written.
    const result = cutMessage(classified, (text) => messages.redactor.hide(text))
    const canReuse = result.kind === 'answered' || result.kind === 'refused'
    release(canReuse)
    const ms = Math.round(host.monotonic() - sentAt)
    messages.log(
      `${method} ${path} ${describeResult(result)} ${ms} ms, attempt ${attempts}`,
    )
    const date = httpDate(header(result.headers ?? {}, 'date'))
    if (date !== undefined) this.clockOffset = date - signedAt
    return result
  }

  #headersFor(body: Buffer, signedAt: number) {
    // The configuration has checked that the key fits into a header.
    const headers: Record<string, string> = {
      'X-Service-Key': this.#options.profile.apiKey,
      'X-Service-Timestamp': String(signedAt),
      'X-Service-Signature': sign(this.#key, signedAt, body),
      Accept: 'application/json',
      'User-Agent': `svc/${version}`,
    }
    if (body.length > 0) headers['Content-Type'] = 'application/json'
    return headers
  }

  /** Waits until the request may be sent again, or throws its error. If the service asked for a pause, all requests wait. */
  async #waitForRetry(
    state: RequestState,
    result: FailedAttempt,
    signedAt: number,
    firstAt: number,
  ) {
    const { wait, host, profile } = this.#options
    const { request, attempts, retries, wasAmbiguous } = state
    const decision = decideRetry(request.retryClass, result, {
      retries,
      elapsed: host.monotonic() - firstAt,
      wait,
      random: host.random(),
      now: host.now(),
    })
    this.pace.hold(decision.hold)
    if (decision.kind === 'stop')
      throw requestError({
        request,
        result,
        attempts,
        wasAmbiguous,
        askedWait: decision.askedWait,
        clock: { signedAt, offset: this.clockOffset },
        wait,
        profile: profile.name,
        serviceHost: this.#serviceHost,
      })
    state.retries += 1
    this.#noteFirstRetry(result)
    await this.#awaitPause(state, host.sleep(decision.delay, this.#stopping))
  }

  /** Notes the first retry of this client, because a person would otherwise wait without knowing why. */
  #noteFirstRetry({ status, message }: FailedAttempt) {
    if (this.#hasNotedRetry) return
    this.#hasNotedRetry = true
    const { messages, wait } = this.#options
    // A 2xx does not say what is wrong with the answer. The message does.
    const isBadStatus = status !== undefined && status >= 300
    const reason = isBadStatus ? `HTTP ${status}` : message
    messages.note(`${reason}; trying again for up to ${formatDuration(wait)}`)
  }

  /** Awaits a pause between attempts. Throws the error of an interruption if a signal or `close` has ended the pause. */
  async #awaitPause(state: RequestState, pause: Promise<void>) {
    try {
      await pause
    } catch (error) {
      if (!this.#stopping.aborted) throw error
    }
    if (this.#stopping.aborted) throw interruptionError(state)
  }
}

/**
 * Returns the signature of a request: 64 lower-case hexadecimal digits. API: Authentication, "hex-encoded HMAC-SHA256 signature
 * over the text `<timestamp>.<raw_body>` …, keyed with the API secret". The description does not say how to sign a request
 * without a body; svc signs an empty body. `timestamp` is in milliseconds since 1970.
 */
export function sign(secret: string | KeyObject, timestamp: number, body: Uint8Array) {
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}
