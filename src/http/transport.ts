/**
 * Sends requests over HTTP. Each connection is an undici Client, and carries one request at a time. So svc knows of each request
 * whether any of its bytes were sent, on which everything depends that svc says about a failed change. No other file uses undici.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
// The client alone: all of undici takes longer to load.
import Client from 'undici/lib/dispatcher/client.js'
import type {
  Host,
  AnswerHeaders,
  Exchange,
  WireResult,
  Wire,
  WireRequest,
} from '../host.ts'
import { inSeconds } from '../words.ts'
import { header, maxAnswerBytes } from './answer.ts'
import { asError, connectionError } from './failures.ts'
import { endpointOf, proxyFor } from './proxy.ts'
import { connectShare, Route, type RouteHost } from './route.ts'

/** How long an idle connection may be used again. It is short, because the service may close the connection at any time. */
const keepAliveMs = 2_000

export type TransportHost = RouteHost &
  Pick<Host, 'env' | 'monotonic' | 'nodeVersion' | 'after'>

/** The end of a request: its whole answer, or an error. */
type End = (outcome: Exchange | Error) => void

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

  /** Sends a request. Resolves to the whole answer, or to an error and whether any byte of the request was sent. */
  send(request: WireRequest, timeoutMs: number, signal: AbortSignal): Promise<WireResult> {
    if (this.#closed || signal.aborted)
      return Promise.resolve(failed(aborted('the command ends'), false))
    const connection = this.#connectionFor(request)
    return new Promise((resolve) => {
      let hasEnded = false
      const end: End = (outcome) => {
        if (hasEnded) return
        hasEnded = true
        timer.cancel()
        signal.removeEventListener('abort', abort)
        resolve(this.#finish(connection, request, outcome))
      }
      const abort = () => end(aborted('the request was stopped'))
      signal.addEventListener('abort', abort, { once: true })
      // The connection must be open after a third of the time, and the answer be complete at its end.
      const connectMs = timeoutMs * connectShare
      let timer = this.#host.after(connectMs, () => {
        if (!connection.isOpen) return end(this.#route.connectTimeoutError(connectMs))
        const message = `no complete answer within ${inSeconds(timeoutMs)} (--timeout)`
        const late = connectionError(message, 'ETIMEDOUT')
        timer = this.#host.after(timeoutMs - connectMs, () => end(late))
      })
      connection.send(request, end)
    })
  }

  /** Makes the result of a request. Drops the connection after an error; otherwise the caller releases it. */
  #finish(
    connection: Connection,
    { needsNewConnection }: WireRequest,
    outcome: Exchange | Error,
  ): WireResult {
    if (outcome instanceof Error) {
      const { hasSent } = connection
      this.#drop(connection)
      return failed(outcome, hasSent)
    }
    const release = (canReuse: boolean) => {
      if (canReuse && !needsNewConnection && !this.#closed) connection.isIdle = true
      else this.#drop(connection)
    }
    return { exchange: outcome, release }
  }

  /** Closes the connections in use. Idle ones do not keep the process alive, and closing one would take 2 ms. */
  close() {
    this.#closed = true
    for (const connection of this.#connections)
      if (!connection.isIdle) this.#drop(connection)
  }

  /** Returns an idle connection or a new one, which is then in use. */
  #connectionFor({ needsNewConnection }: WireRequest) {
    const idle = [...this.#connections].find(({ isIdle }) => isIdle && !needsNewConnection)
    const connection = idle ?? new Connection(this.#origin, this.#route, this.#host)
    connection.isIdle = false
    this.#connections.add(connection)
    return connection
  }

  #drop(connection: Connection) {
    this.#connections.delete(connection)
    connection.destroy()
  }
}

function failed(error: Error, sent: boolean): WireResult {
  return { exchange: { kind: 'failed', error, sent }, release: () => undefined }
}

function aborted(message: string) {
  return connectionError(message, 'SVC_ABORTED')
}

/** Informational answers that say "100 Continue". undici takes one that nobody asked for as a broken answer. */
const goOn = /^(?:HTTP\/1\.1 100 [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+/
const goOnBegin = 'HTTP/1.1 100 '
/** So many bytes of them are ignored. */
const maxGoOnBytes = 16 * 1024

/** A connection to the service. Its first request opens it. */
class Connection {
  readonly #client: Client
  /** Aborted by `destroy`, to end an attempt to connect. */
  readonly #lifetime = new AbortController()
  /** The open socket. If the service closes it, undici opens another one for the next request. */
  #socket: Socket | undefined
  /** Whether any byte of the last request may have been sent. */
  hasSent = false
  /** Whether no byte of its answer has come. */
  #isBeforeAnswer = false
  isIdle = false

  constructor(origin: string, route: Route, host: TransportHost) {
    this.#client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // No timeouts of undici, which are not exact: the transport has a timer for each request.
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

  send({ method, path, headers, body, needsNewConnection }: WireRequest, end: End) {
    this.hasSent = false
    const options: Dispatcher.DispatchOptions = {
      method,
      path,
      headers,
      body: body.length > 0 ? body : null,
      // Sends `Connection: close`.
      reset: needsNewConnection,
    }
    try {
      this.#client.dispatch(options, answerReader(end))
    } catch (error) {
      end(asError(error))
    }
  }

  destroy() {
    const reason = aborted('the connection is no longer needed')
    this.isIdle = false
    unsubscribe('undici:client:sendHeaders', this.#onSendHeaders)
    this.#lifetime.abort(reason)
    void this.#client.destroy(reason)
  }

  /** Opens a socket for undici, the first one or the next. */
  async #open(route: Route, { nodeVersion }: TransportHost) {
    // The deadlines must see that no connection is open.
    this.#socket = undefined
    // Without this flag, Node 20 optimizes undici's parser in the background, which keeps the process alive for 50 ms more.
    if (nodeVersion.startsWith('20.'))
      (await import('node:v8')).setFlagsFromString('--liftoff-only')
    const socket = await route.connect(this.#lifetime.signal)
    this.#socket = socket
    this.#ignoreGoOn(socket)
    return socket
  }

  #ignoreGoOn(socket: Socket) {
    const read = socket.read.bind(socket)
    let waiting = ''
    let ignored = 0
    socket.read = (size?: number) => {
      const chunk = read(size) as Buffer | null
      if (chunk === null || !this.#isBeforeAnswer) return chunk
      waiting += chunk.toString('latin1')
      const rest = waiting.replace(goOn, '')
      ignored += waiting.length - rest.length
      waiting = rest
      const isPartOfOne = goOnBegin.startsWith(rest) || rest.startsWith(goOnBegin)
      if (isPartOfOne && ignored + rest.length < maxGoOnBytes) return null
      this.#isBeforeAnswer = false
      waiting = ''
      return Buffer.from(rest, 'latin1')
    }
  }

  /** Called right before the first byte of a request on any connection. The socket shows whether it is this one. */
  readonly #onSendHeaders = (message: unknown) => {
    if ((message as { socket: Socket }).socket !== this.#socket) return
    this.hasSent = true
    this.#isBeforeAnswer = true
  }
}

/** Collects the answer to a request for undici, which calls these functions. */
function answerReader(end: End): Dispatcher.DispatchHandler {
  /** Copies of the chunks: each chunk itself would keep undici's whole read buffer in memory. */
  const chunks: Buffer[] = []
  let size = 0
  let status = 0
  let headers: AnswerHeaders = {}
  const refuseOver = (bytes: number) => {
    const message = `the answer is larger than ${maxAnswerBytes >> 20} MiB`
    if (bytes > maxAnswerBytes) end(connectionError(message, 'SVC_TOO_LARGE'))
  }
  return {
    onRequestStart: () => undefined,
    onResponseStart(_controller, statusCode, answerHeaders) {
      status = statusCode
      headers = answerHeaders
      refuseOver(Number(header(headers, 'content-length') ?? 0))
    },
    onResponseData(_controller, chunk) {
      size += chunk.length
      refuseOver(size)
      if (size <= maxAnswerBytes) chunks.push(Buffer.from(chunk))
    },
    onResponseEnd: () =>
      end({ kind: 'response', status, headers, body: Buffer.concat(chunks) }),
    onResponseError: (_controller, error) => end(error),
  }
}
