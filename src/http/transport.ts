/**
 * Requests on connections: one undici Client per connection, one request per connection at a time. A
 * request's deadline and the question whether its bytes left are answered for that very request, since all
 * that is said of a failed change rests on it. The only place of undici.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import type { AnswerHeaders, Exchange, Exchanged, Wire, WireRequest } from '../world.ts'
import { header, maxAnswerBytes } from './answer.ts'
import { asError, connectionError } from './connection-errors.ts'
import { proxyFor, targetOf } from './proxy.ts'
import { connectShare, Route, type RouteHost } from './route.ts'
import { inSeconds } from '../words.ts'

/** Idle connections are not trusted for longer, in milliseconds. */
const keepAlive = 2_000
const wrongLength = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
/** A timer with more than this many milliseconds would fire at once. */
const longestTimer = 2 ** 31 - 1
export type TransportHost = RouteHost &
  Pick<Host, 'env' | 'monotonic' | 'nodeVersion' | 'after'>

export class Transport implements Wire {
  readonly #origin: string
  readonly #route: Route
  readonly #host: TransportHost
  /** Connections; idle ones in the order of their last answers. */
  readonly #connections = new Set<Connection>()
  #closed = false

  /** Throws exit 2 when the variable of a proxy is broken. */
  constructor(baseUrl: string, host: TransportHost) {
    const url = new URL(baseUrl)
    const target = targetOf(url)
    this.#origin = url.origin
    this.#host = host
    this.#route = new Route(target, proxyFor(target, host.env), host)
  }

  exchange(request: WireRequest, timeout: number, signal: AbortSignal): Promise<Exchanged> {
    if (this.#closed || signal.aborted)
      return Promise.resolve(failedExchange({ error: abortError(), sent: false }))
    const connection = this.#take(request)
    const connectTime = timeout * connectShare
    return new Promise((resolve) => {
      const abort = () => answer.end(abortError())
      const noAnswer = () => {
        const words = `no complete answer within ${inSeconds(timeout)} (--timeout)`
        answer.end(connectionError(words, 'ETIMEDOUT'))
      }
      let timer = this.#host.after(connectTime, () => {
        if (!connection.isOpen) answer.end(this.#route.delayError(connectTime))
        else
          timer = this.#host.after(Math.min(timeout - connectTime, longestTimer), noAnswer)
      })
      const answer = new WireAnswer((outcome) => {
        timer.cancel()
        signal.removeEventListener('abort', abort)
        if (outcome instanceof Error) {
          resolve(failedExchange({ error: outcome, sent: connection.hasSent }))
          this.#drop(connection)
          return
        }
        const release = (isTrusted: boolean) =>
          this.#release(connection, request, isTrusted)
        resolve({ exchange: outcome, release })
      })
      signal.addEventListener('abort', abort, { once: true })
      connection.send(request, answer)
    })
  }

  /** Leaves a connection to the next request, unless it is not to be used again. */
  #release(connection: Connection, request: WireRequest, isTrusted: boolean) {
    if (!isTrusted || request.isAlone || this.#closed) this.#drop(connection)
    else connection.isIdle = true
  }

  /**
   * Leaves idle connections to the end of the process, which they do not delay: closing one makes Node open stderr, which
   * takes 2 ms.
   */
  close() {
    this.#closed = true
    for (const connection of this.#connections)
      if (!connection.isIdle) this.#drop(connection)
  }

  /** An idle connection, or a new one: one of its own for a request that may not be sent again. */
  #take({ isAlone }: WireRequest) {
    const idle = isAlone ? undefined : [...this.#connections].find((each) => each.isIdle)
    const connection = idle ?? new Connection(this.#origin, this.#route, this.#host)
    connection.isIdle = false
    this.#connections.add(connection)
    return connection
  }

  #drop(connection: Connection) {
    this.#connections.delete(connection)
    connection.destroy(connectionError('the connection is no longer needed', 'SVC_ABORTED'))
  }
}

function failedExchange(failure: { error: Error; sent: boolean }): Exchanged {
  return { exchange: { kind: 'failed', ...failure }, release: () => undefined }
}

/** A connection to the service, which is opened by its first request. */
class Connection {
  readonly #client: Client
  readonly #gone = new AbortController()
  /** The socket of the request in flight; undici opens another one when an idle one was closed. */
  #socket: Socket | undefined
  /** Whether bytes of the request in flight have left, or are just leaving. */
  hasSent = false
  /** Nobody uses it. */
  isIdle = false

  constructor(origin: string, route: Route, host: TransportHost) {
    this.#client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      // Both are coarse; the deadline of an attempt is a timer of ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) =>
        void this.#open(route, host).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(asError(error), null),
        ),
    })
    subscribe('undici:client:sendHeaders', this.#onSendHeaders)
  }

  get isOpen() {
    return this.#socket !== undefined
  }

  send(request: WireRequest, answer: WireAnswer) {
    const { method, path, headers, body, isAlone } = request
    this.hasSent = false
    const options = { method, path, headers, body: body.length > 0 ? body : null }
    const closing = isAlone ? { reset: true } : {}
    try {
      this.#client.dispatch({ ...options, ...closing }, answer)
    } catch (error) {
      answer.end(asError(error))
    }
  }

  destroy(reason: Error) {
    this.isIdle = false
    unsubscribe('undici:client:sendHeaders', this.#onSendHeaders)
    this.#gone.abort(reason)
    void this.#client.destroy(reason)
  }

  async #open(route: Route, { nodeVersion }: TransportHost) {
    this.#socket = undefined
    // On Node 20 the optimizing compile of undici's parser keeps a process alive some 50 ms longer; baseline code is as fast
    // here.
    if (nodeVersion.startsWith('20.'))
      (await import('node:v8')).setFlagsFromString('--liftoff-only')
    const socket = await route.open(this.#gone.signal)
    this.#socket = socket
    return socket
  }

  /** Published right before the first byte is written: one request at a time, so the socket tells which one it is. */
  readonly #onSendHeaders = (message: unknown) => {
    if ((message as { socket: Socket }).socket === this.#socket) this.hasSent = true
  }
}

/** The answer to one request while it comes in. Ends once, as a response or as an error. */
class WireAnswer implements Dispatcher.DispatchHandler {
  readonly #onEnd: (outcome: Exchange | Error) => void
  /** Its first `#size` bytes are the body: what comes is copied, since each piece would keep all that was read with it. */
  #body = Buffer.alloc(0)
  #size = 0
  #status = 0
  #headers: AnswerHeaders = {}
  #ended = false

  constructor(onEnd: (outcome: Exchange | Error) => void) {
    this.#onEnd = onEnd
  }

  onRequestStart() {
    // An abort goes through the connection, which also covers the time before this moment.
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ) {
    this.#status = status
    this.#headers = headers
    if (Number(header(headers, 'content-length') ?? 0) > maxAnswerBytes)
      this.end(tooLarge())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    const size = this.#size + chunk.length
    if (size > maxAnswerBytes) this.end(tooLarge())
    if (this.#ended) return
    if (size > this.#body.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#body.length))
      this.#body.copy(larger)
      this.#body = larger
    }
    chunk.copy(this.#body, this.#size)
    this.#size = size
  }

  onResponseEnd() {
    const body = this.#body.subarray(0, this.#size)
    this.end({ kind: 'response', status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    // undici names the wrong length wherever an answer breaks off, also within its headers.
    const isHead = this.#status === 0 && systemCode(error) === wrongLength
    this.end(isHead ? connectionError('', 'SVC_BAD_HEAD') : error)
  }

  end(outcome: Exchange | Error) {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd(outcome)
  }
}

function tooLarge() {
  return connectionError('the answer is larger than 8 MiB', 'SVC_TOO_LARGE')
}

function abortError() {
  return connectionError('aborted', 'SVC_ABORTED')
}
