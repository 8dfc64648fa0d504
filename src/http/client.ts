/**
 * Sends requests to the service: a request becomes checked data or an `SvcError`. Each attempt is signed when it is sent, and
 * repeated as the retry rules allow. The error of a change says whether it may have been made; what to do about that is left
 * to the caller. Knows no operation. All requests of a client share its pace and its clock.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type Host, version } from '../host.ts'
import type { Redactor } from '../safe-text.ts'
import { formatDuration } from '../values.ts'
import type { Wire } from '../world.ts'
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
  /** The setting `--timeout`: how long an attempt may take, in milliseconds. */
  timeout: number
  /** The setting `--wait`: how long after its first attempt a request is tried again, in milliseconds. */
  wait: number
  messages: {
    /** Writes a line of -v. */
    log(line: string): void
    /** Hides the secret in answers, because a service may repeat it. */
    redactor: Redactor
    note(text: string): void
  }
  signals: {
    /** Aborted by the first signal: nothing new starts, and reads and waits end at once. */
    cancelled: AbortSignal
    /** Aborted by the second signal or after the grace period: changes in flight end too. */
    aborted: AbortSignal
    /** Runs a change as work that the first signal lets finish. */
    runCritical: <T>(work: () => Promise<T>) => Promise<T>
  }
  /** Called just before a change is sent. Throws if nobody checked that it is permitted. */
  beforeChange: () => void
}

export interface ApiRequest {
  method: string
  /** The path below the base URL, with its query. */
  path: string
  body: Buffer
  retryClass: RetryClass
  read: ReadAnswer
  hints: RefusalHints
}

/**
 * The signature of a request: 64 lower-case hexadecimal digits. API: Authentication, "hex-encoded HMAC-SHA256 signature over
 * the text `<timestamp>.<raw_body>` …, keyed with the API secret". The description does not say how to sign a request without
 * a body; it is signed with an empty one. `timestamp` is in milliseconds since 1970.
 */
export function sign(secret: string | KeyObject, timestamp: number, body: Uint8Array) {
  return createHmac('sha256', secret)
    .update(`${timestamp}.`, 'latin1')
    .update(body)
    .digest('hex')
}

/** A request while it is tried. */
interface RequestState {
  request: ApiRequest
  /** The attempts of all processes, which messages tell. */
  attempts: number
  /** The retries of this process, on which its delays depend. */
  retries: number
  /** When the last attempt was signed, in milliseconds since 1970. */
  signedAt: number
  /** When the first attempt began, in milliseconds of uptime. */
  firstAt: number | undefined
  /** Whether any attempt was ambiguous. It stays true, whatever follows. */
  wasAmbiguous: boolean
}

/** Sends the requests of one process to one service, with one pace for all of them. */
export class Client {
  readonly pace: Pace
  readonly #options: ClientOptions
  readonly #key: KeyObject
  readonly #wire: Wire
  readonly #serviceHost: string
  /** The path of the base URL, without a trailing slash. */
  readonly #basePath: string
  readonly #closing = new AbortController()
  /** Aborted by the first signal and by `close`. It ends every wait, and reads in flight. */
  readonly #stopping: AbortSignal
  #hasToldOfRetries = false
  /** How far the service's clock is ahead of this machine's, in milliseconds, by the `Date` of its last answer. */
  clockOffset: number | undefined

  /** Throws a config error for a proxy that cannot be used. */
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
    this.#basePath = base.pathname.replace(/\/$/, '')
    this.#stopping = AbortSignal.any([signals.cancelled, this.#closing.signal])
    // Every waiting request listens. Node would warn of a leak if they are many.
    setMaxListeners(0, this.#stopping)
  }

  /**
   * Sends a request until it is answered or may not be sent again. Returns what the `read` of the request made of the answer.
   * Throws an SvcError, whose `details.ambiguous` says that the change may have been made.
   */
  send(request: ApiRequest, options: SendOptions = {}): Promise<unknown> {
    if (request.retryClass === 'read') return this.#sendUntilAnswered(request, options)
    this.#options.beforeChange()
    return this.#options.signals.runCritical(() =>
      this.#sendUntilAnswered(request, options),
    )
  }

  close() {
    this.#closing.abort()
    this.#wire.close()
  }

  async #sendUntilAnswered(request: ApiRequest, options: SendOptions) {
    const { attemptsBefore = 0, beforeWait, beforeAttempt, afterAttempt } = options
    const { host, signals } = this.#options
    const aborting = request.retryClass === 'read' ? this.#stopping : signals.aborted
    const state: RequestState = {
      request,
      attempts: attemptsBefore,
      retries: 0,
      signedAt: 0,
      firstAt: undefined,
      wasAmbiguous: false,
    }
    for (;;) {
      await this.#waitOrStop(state, this.pace.waitForTurn(this.#stopping, beforeWait))
      // Before the attempt is recorded, so that 5 minutes after the record the service surely refuses the signature.
      state.signedAt = Math.round(host.now())
      await beforeAttempt?.(state.attempts + 1)
      state.attempts += 1
      state.firstAt ??= host.monotonic()
      const result = await this.#attempt(state, aborting)
      await afterAttempt?.(state.attempts, result)
      if (result.kind === 'answered') return result.data
      state.wasAmbiguous ||= result.kind === 'ambiguous'
      // `close` does not abort the signal of a change, but cuts off its attempt all the same.
      if (aborting.aborted || this.#closing.signal.aborted) throw interruptionError(state)
      await this.#retryOrThrow(state, result)
    }
  }

  /** Signs and sends a request once. Returns how that ended. */
  async #attempt(
    { request, attempts, signedAt }: RequestState,
    aborting: AbortSignal,
  ): Promise<AttemptResult> {
    const { host, messages, timeout } = this.#options
    const { method, body, retryClass } = request
    const path = this.#basePath + request.path
    const headers = this.#headersFor(body, signedAt)
    const sentAt = host.monotonic()
    // A request that may not be sent again uses no idle connection, which the service may be closing at this moment.
    const needsNewConnection = retryClass === 'once'
    const { exchange, release } = await this.#wire.exchange(
      { method, path, headers, body, needsNewConnection },
      timeout,
      aborting,
    )
    const classified = classify(exchange, request.read)
    // The message is cut after secrets are hidden: half a secret would not be found.
    const result = cutMessage(messages.redactor.hide(classified))
    const isTrusted = result.kind === 'answered' || result.kind === 'refused'
    release(isTrusted)
    const ms = Math.round(host.monotonic() - sentAt)
    messages.log(
      `${method} ${path} ${describeResult(result)} ${ms} ms, attempt ${attempts}`,
    )
    this.#noteClock(result, signedAt)
    return result
  }

  /** Compares this machine's clock with the service's, if the answer tells its time. */
  #noteClock({ headers = {} }: AttemptResult, signedAt: number) {
    const date = httpDate(header(headers, 'date'))
    if (date !== undefined) this.clockOffset = date - signedAt
  }

  #headersFor(body: Buffer, signedAt: number) {
    // The configuration accepts no key that does not fit into a header.
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

  /**
   * Waits until the next attempt may begin, and makes all requests wait if the service asked for it. Throws if the request may
   * not be sent again.
   */
  async #retryOrThrow(state: RequestState, result: FailedAttempt) {
    const { wait, host, profile } = this.#options
    const { request, attempts, wasAmbiguous, signedAt } = state
    const uptime = host.monotonic()
    const decision = decideRetry(request.retryClass, result, {
      retries: state.retries,
      elapsed: uptime - (state.firstAt ?? uptime),
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
    this.#tellOfRetries(result)
    await this.#waitOrStop(state, host.sleep(decision.delay, this.#stopping))
  }

  /** Notes the first retry of this client, because a person would otherwise wait without knowing why. */
  #tellOfRetries({ status, message }: FailedAttempt) {
    if (this.#hasToldOfRetries) return
    this.#hasToldOfRetries = true
    const { messages, wait } = this.#options
    // A 2xx failed by its content, which the message describes.
    const isBadStatus = status !== undefined && status >= 300
    const reason = isBadStatus ? `HTTP ${status}` : message
    messages.note(`${reason}; trying again for up to ${formatDuration(wait)}`)
  }

  /** Waits for `waiting`. Throws the error of an interruption if a signal or `close` ends it. */
  async #waitOrStop(state: RequestState, waiting: Promise<void>) {
    try {
      await waiting
    } catch (error) {
      if (!this.#stopping.aborted) throw error
    }
    if (this.#stopping.aborted) throw interruptionError(state)
  }
}
