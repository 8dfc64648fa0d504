/**
 * Sends requests on connections: each connection is an undici Client, and carries one request at a time. Each request has its
 * own deadline, and its own answer to whether bytes of it were sent, because everything that svc says of a failed change
 * depends on that. No other file uses undici.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { inSeconds } from '../words.ts'
import type { AnswerHeaders, Exchange, Exchanged, Wire, WireRequest } from '../world.ts'
import { header, maxAnswerBytes } from './answer.ts'
import { asError, connectionError } from './attempt.ts'
import { endpointOf, proxyFor } from './proxy.ts'
import { connectShare, Route, type RouteHost } from './route.ts'

/** How long an idle connection may be used again: the service may close one at any time. */
const keepAliveMs = 2_000

/** A timer with more than this would fire at once. */
const maxTimerMs = 2 ** 31 - 1

export type TransportHost = RouteHost &
  Pick<Host, 'env' | 'monotonic' | 'nodeVersion' | 'after'>

export class Transport implements Wire {
  readonly #origin: string
  readonly #route: Route
  readonly #host: TransportHost
  /** All connections, in use and idle. */
  readonly #connections = new Set<Connection>()
  #closed = false

  /** Throws a config error if a variable of the environment names an unusable proxy. */
  constructor(baseUrl: string, host: TransportHost) {
    const url = new URL(baseUrl)
    const target = endpointOf(url)
    this.#origin = url.origin
    this.#host = host
    this.#route = new Route(target, proxyFor(target, host.env), host)
  }

  exchange(request: WireRequest, timeout: number, signal: AbortSignal): Promise<Exchanged> {
    if (this.#closed || signal.aborted)
      return Promise.resolve(failedExchange({ error: abortError(), sent: false }))
    const connection = this.#connectionFor(request)
    return new Promise((resolve) => {
      const answer = new WireAnswer((outcome) => {
        deadlines.cancel()
        signal.removeEventListener('abort', abort)
        if (outcome instanceof Error) {
          resolve(failedExchange({ error: outcome, sent: connection.hasSent }))
          this.#drop(connection)
          return
        }
        resolve({
          exchange: outcome,
          release: (isTrusted) => this.#release(connection, request, isTrusted),
        })
      })
      const deadlines = this.#startDeadlines(connection, answer, timeout)
      const abort = () => answer.end(abortError())
      signal.addEventListener('abort', abort, { once: true })
      connection.send(request, answer)
    })
  }

  /** Ends an answer that comes too late. Connecting may take a third of the time, and the answer the rest. */
  #startDeadlines(connection: Connection, answer: WireAnswer, timeout: number) {
    const connectMs = timeout * connectShare
    const answerMs = Math.min(timeout - connectMs, maxTimerMs)
    const endAnswer = () => answer.end(timeoutError(timeout))
    let timer = this.#host.after(Math.min(connectMs, maxTimerMs), () => {
      if (connection.isOpen) timer = this.#host.after(answerMs, endAnswer)
      else answer.end(this.#route.timeoutError(connectMs))
    })
    return { cancel: () => timer.cancel() }
  }

  /** Keeps a connection for the next request, unless it must not be used again. */
  #release(connection: Connection, request: WireRequest, isTrusted: boolean) {
    if (!isTrusted || request.needsNewConnection || this.#closed) this.#drop(connection)
    else connection.isIdle = true
  }

  /** Closes the connections in use. Idle ones do not delay the end of the process, and closing one would take 2 ms. */
  close() {
    this.#closed = true
    for (const connection of this.#connections)
      if (!connection.isIdle) this.#drop(connection)
  }

  /** Returns an idle connection or a new one, which is then in use. */
  #connectionFor({ needsNewConnection }: WireRequest) {
    const idle = needsNewConnection
      ? undefined
      : [...this.#connections].find(({ isIdle }) => isIdle)
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

/** A connection to the service. Its first request opens it. */
class Connection {
  readonly #client: Client
  readonly #destroyed = new AbortController()
  /** The socket of the request in flight. undici opens a new one if the service closed it meanwhile. */
  #socket: Socket | undefined
  /** Whether any byte of the request in flight may have left. */
  hasSent = false
  isIdle = false

  constructor(origin: string, route: Route, host: TransportHost) {
    this.#client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // undici's own timers are coarse; the transport has a timer for each attempt.
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
    const { method, path, headers, body, needsNewConnection } = request
    this.hasSent = false
    const options: Dispatcher.DispatchOptions = {
      method,
      path,
      headers,
      body: body.length > 0 ? body : null,
    }
    // Sends `Connection: close`.
    if (needsNewConnection) options.reset = true
    try {
      this.#client.dispatch(options, answer)
    } catch (error) {
      answer.end(asError(error))
    }
  }

  destroy(reason: Error) {
    this.isIdle = false
    unsubscribe('undici:client:sendHeaders', this.#onSendHeaders)
    this.#destroyed.abort(reason)
    void this.#client.destroy(reason)
  }

  async #open(route: Route, { nodeVersion }: TransportHost) {
    this.#socket = undefined
    // Without this flag, Node 20 optimizes undici's parser in the background, which keeps the process alive for 50 ms more.
    if (nodeVersion.startsWith('20.'))
      (await import('node:v8')).setFlagsFromString('--liftoff-only')
    const socket = await route.connect(this.#destroyed.signal)
    this.#socket = socket
    return socket
  }

  /** Called right before the first byte of any request. The socket tells whose request it is. */
  readonly #onSendHeaders = (message: unknown) => {
    if ((message as { socket: Socket }).socket === this.#socket) this.hasSent = true
  }
}

/** The answer to a request while it arrives. Ends once, with a response or an error. */
class WireAnswer implements Dispatcher.DispatchHandler {
  readonly #onEnd: (outcome: Exchange | Error) => void
  /** The body is its first `#size` bytes. Chunks are copied: a kept chunk would keep undici's whole read buffer in memory. */
  #body = Buffer.alloc(0)
  #size = 0
  /** 0 until the headers have arrived. */
  #status = 0
  #headers: AnswerHeaders = {}
  #ended = false

  constructor(onEnd: (outcome: Exchange | Error) => void) {
    this.#onEnd = onEnd
  }

  onRequestStart() {
    // The transport aborts by destroying the connection, which also works before this moment.
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ) {
    this.#status = status
    this.#headers = headers
    if (Number(header(headers, 'content-length') ?? 0) > maxAnswerBytes)
      this.end(tooLargeError())
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    const size = this.#size + chunk.length
    if (size > maxAnswerBytes) this.end(tooLargeError())
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
    // undici reports a wrong length even if an answer breaks off within its headers.
    const isWrongLength = systemCode(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
    const isBadHead = isWrongLength && this.#status === 0
    this.end(isBadHead ? connectionError('', 'SVC_BAD_HEAD') : error)
  }

  end(outcome: Exchange | Error) {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd(outcome)
  }
}

function timeoutError(timeout: number) {
  return connectionError(
    `no complete answer within ${inSeconds(timeout)} (--timeout)`,
    'ETIMEDOUT',
  )
}

function tooLargeError() {
  return connectionError(
    `the answer is larger than ${maxAnswerBytes >> 20} MiB`,
    'SVC_TOO_LARGE',
  )
}

function abortError() {
  return connectionError('aborted', 'SVC_ABORTED')
}
