/**
 * Sends requests to the service, and returns checked data or throws an `SvcError`. Signs each attempt when it is sent, and tries
 * again as the retry rules allow. The error of a failed change says whether the change may have been made, and the caller
 * decides what to do about that. This file knows no operation.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { SvcError } from '../errors.ts'
import type { Host, Wire } from '../host.ts'
import { safe, type Redactor } from '../safe-text.ts'
import { formatDuration } from '../values.ts'
import {
  classify,
  header,
  httpDate,
  type AttemptResult,
  type ReadAnswer,
} from './attempt.ts'
import {
  requestError,
  type FailedAttempt,
  type RefusalHints,
  type RetryClass,
} from './failures.ts'
import { Pace } from './pace.ts'
import { decideRetry } from './retry.ts'
import { signedHeaders } from './sign.ts'
import { Transport } from './transport.ts'

export interface ClientOptions {
  profile: {
    /** Undefined if the credentials came from the environment. */
    name: string | undefined
    /** Has no trailing slash, and may have a path. */
    baseUrl: string
    apiKey: string
  }
  secret: string
  host: Host
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
  }
  /** Called before each change. Throws if nobody has checked that the profile permits the change. */
  beforeChange: () => void
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

/** How a caller follows the attempts of its request. If one of these functions throws, its error ends the request. */
export interface SendOptions {
  /** Called before each wait for the rate limit (`Pace`). It throws if the request must not begin. */
  beforeWait?: () => void
  /** Called right before the first byte of an attempt may be sent. If it throws, nothing is sent. */
  beforeAttempt?: () => Promise<void>
  /** Called after an attempt, before svc decides whether to try again. */
  afterAttempt?: (result: AttemptResult) => void
}

/** The maximum length of the service's message, in UTF-16 units. */
const maxMessageLength = 16_384

/** Sends requests to one service. All of them share a pace and connections. */
export class Client {
  readonly pace: Pace
  readonly #options: ClientOptions
  readonly #key: KeyObject
  readonly #wire: Wire
  readonly #base: URL
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
    this.#base = new URL(baseUrl)
    this.#stopping = AbortSignal.any([signals.cancelled, this.#closing.signal])
    // Every waiting request listens to this signal. Without this line, Node would warn of a leak.
    setMaxListeners(0, this.#stopping)
  }

  /**
   * Sends a request until it is answered or may not be sent again. Returns what `readAnswer` of the request returns. Throws an
   * SvcError, whose `details.ambiguous` says whether a change may have been made.
   */
  send(request: ApiRequest, sendOptions: SendOptions = {}): Promise<unknown> {
    if (request.retryClass !== 'read') this.#options.beforeChange()
    return this.#sendUntilAnswered(request, sendOptions)
  }

  close() {
    this.#closing.abort()
    this.#wire.close()
  }

  async #sendUntilAnswered(
    request: ApiRequest,
    { beforeWait, beforeAttempt, afterAttempt }: SendOptions,
  ) {
    const { host, signals, wait, profile } = this.#options
    const isRead = request.retryClass === 'read'
    const abortSignal = isRead ? this.#stopping : signals.aborted
    /** Whether a change may have been made without an answer, after any attempt. It stays true. */
    let isUnknown = false
    /** When the first attempt began, in milliseconds of uptime. */
    let firstAt: number | undefined
    for (let attempts = 1; ; attempts += 1) {
      await this.#awaitPause(this.pace.waitForTurn(this.#stopping, beforeWait), isUnknown)
      // The service refuses a signature that is 5 minutes old. The time of the signature is one from before the record of the attempt,
      // so that what is said of a lost request, from its record on, is true.
      const signedAt = Math.round(host.now())
      await beforeAttempt?.()
      firstAt ??= host.monotonic()
      const result = await this.#attempt(request, attempts, signedAt, abortSignal)
      afterAttempt?.(result)
      if (result.kind === 'answered') return result.data
      isUnknown ||= result.kind === 'ambiguous' && !isRead
      // `close` also ends changes, by closing the wire. It does not abort their signal.
      if (abortSignal.aborted || this.#closing.signal.aborted) throw interrupted(isUnknown)
      const decision = decideRetry(request.retryClass, result, {
        retries: attempts - 1,
        elapsed: host.monotonic() - firstAt,
        wait,
        random: host.random(),
        now: host.now(),
      })
      this.pace.hold(decision.hold)
      if (decision.kind === 'stop') {
        const { askedWait } = decision
        const failed = { request, attempts, isUnknown, result, askedWait, signedAt, wait }
        const { clockOffset } = this
        const service = { profile: profile.name, serviceHost: this.#base.host }
        throw requestError({ ...failed, clockOffset, ...service })
      }
      this.#noteFirstRetry(result)
      await this.#awaitPause(host.sleep(decision.delay, this.#stopping), isUnknown)
    }
  }

  /** Signs and sends a request once. Returns how the attempt ended. */
  async #attempt(
    request: ApiRequest,
    attempt: number,
    signedAt: number,
    abortSignal: AbortSignal,
  ) {
    const { host, messages, timeout, profile } = this.#options
    const { method, body, retryClass } = request
    const path = this.#base.pathname.replace(/\/$/, '') + request.path
    const headers = signedHeaders(profile.apiKey, this.#key, signedAt, body)
    // The service may close an idle connection at this moment, and the request would be lost. A `once` request could not be
    // repeated.
    const needsNewConnection = retryClass === 'once'
    const wireRequest = { method, path, headers, body, needsNewConnection }
    const sentAt = host.monotonic()
    const { exchange, release } = await this.#wire.send(wireRequest, timeout, abortSignal)
    const result = classify(exchange, request.readAnswer)
    // Secrets in data are hidden when it is printed. In a message, they are hidden before it is cut: half of one would not be found.
    if (result.message !== undefined)
      result.message = messages.redactor.hide(result.message).slice(0, maxMessageLength)
    release(result.kind === 'answered' || result.kind === 'refused')
    const ms = Math.round(host.monotonic() - sentAt)
    const loss = result.kind === 'never-sent' ? 'never sent' : 'no answer'
    const outcome = result.status ?? `${loss} (${result.message})`
    messages.log(`${method} ${path} ${outcome} ${ms} ms, attempt ${attempt}`)
    const date = httpDate(header(result.headers ?? {}, 'date'))
    if (date !== undefined) this.clockOffset = date - signedAt
    return result
  }

  /** Notes the first retry of this client, because a person would otherwise wait without knowing why. */
  #noteFirstRetry({ status, message }: FailedAttempt) {
    if (this.#hasNotedRetry) return
    this.#hasNotedRetry = true
    const { messages, wait } = this.#options
    // A 2xx does not say what is wrong with the answer. The message does.
    const isBadStatus = status !== undefined && status >= 300
    const reason = isBadStatus ? `HTTP ${status}` : message
    messages.note(`${safe(reason ?? '')}; trying again for up to ${formatDuration(wait)}`)
  }

  /** Awaits a pause between attempts. Throws the error of an interruption if a signal or `close` has ended the pause. */
  async #awaitPause(pause: Promise<void>, isUnknown: boolean) {
    try {
      await pause
    } catch (error) {
      if (!this.#stopping.aborted) throw error
    }
    if (this.#stopping.aborted) throw interrupted(isUnknown)
  }
}

/** Makes the error of a request that was ended by a signal or by the end of the command. */
function interrupted(isUnknown: boolean) {
  const outcome = isUnknown ? ': the outcome of the request is unknown' : ''
  return new SvcError('interrupted', `interrupted${outcome}`, { ambiguous: isUnknown })
}
