/**
 * Sends requests to a service: gives each a connection of its own for the time, and ends it at its deadlines. No other file uses
 * undici.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
// The client alone: all of undici takes longer to load.
import Client from 'undici/lib/dispatcher/client.js'
import type {
  AnswerHeaders,
  Exchange,
  Host,
  Wire,
  WireRequest,
  WireResult,
} from '../host.ts'
import { inSeconds } from '../words.ts'
import { asError, connectionError, header, maxAnswerBytes } from './attempt.ts'
import { endpointOf, proxyFor } from './proxy.ts'
import { Route } from './route.ts'

/** The part of an attempt's time that connecting may take, with the proxy's CONNECT and the TLS handshakes. */
const connectShare = 1 / 3

/** Called at the end of a request, with its whole answer or an error. It may be called again, which means nothing. */
type EndRequest = (outcome: Exchange | Error) => void

export class Transport implements Wire {
  readonly #origin: string
  readonly #route: Route
  readonly #host: Host
  /** All connections, in use and idle. */
  readonly #connections = new Set<Connection>()
  #isClosed = false

  /** Throws a config error if a variable of the environment names an unusable proxy. */
  constructor(baseUrl: string, host: Host) {
    const url = new URL(baseUrl)
    const target = endpointOf(url)
    this.#origin = url.origin
    this.#host = host
    this.#route = new Route(target, proxyFor(target, host.env), host)
  }

  /** Sends a request. Resolves to the whole answer, or to an error and whether any byte of the request was sent. */
  send(request: WireRequest, timeoutMs: number, signal: AbortSignal): Promise<WireResult> {
    if (this.#isClosed || signal.aborted)
      return Promise.resolve(failed(abortError('the command ends'), false))
    const mayBeIdle = !request.needsNewConnection
    const idle = [...this.#connections].find(({ isIdle }) => isIdle && mayBeIdle)
    const connection = idle ?? new Connection(this.#origin, this.#route, this.#host)
    connection.isIdle = false
    this.#connections.add(connection)
    return new Promise((resolve) => {
      let hasEnded = false
      const end: EndRequest = (outcome) => {
        if (hasEnded) return
        hasEnded = true
        cancelDeadlines()
        signal.removeEventListener('abort', abort)
        resolve(this.#finish(connection, request, outcome))
      }
      const abort = () => end(abortError('the request was stopped'))
      signal.addEventListener('abort', abort, { once: true })
      const cancelDeadlines = this.#startDeadlines(connection, timeoutMs, end)
      connection.send(request, end)
    })
  }

  /**
   * Ends a request whose connection is not open after a third of the time, or whose answer is not complete at its end. Returns a
   * function that cancels both deadlines.
   */
  #startDeadlines(connection: Connection, timeoutMs: number, end: EndRequest) {
    const connectMs = timeoutMs * connectShare
    let timer = this.#host.after(connectMs, () => {
      if (!connection.isOpen) return end(this.#route.connectTimeoutError(connectMs))
      const message = `no complete answer within ${inSeconds(timeoutMs)} (--timeout)`
      const late = connectionError(message, 'ETIMEDOUT')
      timer = this.#host.after(timeoutMs - connectMs, () => end(late))
    })
    return () => timer.cancel()
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
      if (canReuse && !needsNewConnection && !this.#isClosed) connection.isIdle = true
      else this.#drop(connection)
    }
    return { exchange: outcome, release }
  }

  /** Closes the connections in use. Idle ones do not keep the process alive, and closing one would take 2 ms. */
  close() {
    this.#isClosed = true
    for (const connection of this.#connections)
      if (!connection.isIdle) this.#drop(connection)
  }

  #drop(connection: Connection) {
    this.#connections.delete(connection)
    connection.destroy()
  }
}

function failed(error: Error, sent: boolean): WireResult {
  return { exchange: { kind: 'failed', error, sent }, release: () => undefined }
}

function abortError(message: string) {
  return connectionError(message, 'SVC_ABORTED')
}

/** How long an idle connection may be used again. It is short, because the service may close the connection at any time. */
const keepAliveMs = 2_000

/**
 * A connection, which its first request opens: an undici Client that carries one request at a time. So svc knows of each request
 * whether any of its bytes were sent, on which everything depends that svc says about a failed change.
 */
class Connection {
  readonly #client: Client
  /** Aborted by `destroy`, to end an attempt to connect. */
  readonly #lifetime = new AbortController()
  /** The open socket. If the service closes it, undici opens another one for the next request. */
  #socket: Socket | undefined
  /** Whether any byte of the last request may have been sent. */
  hasSent = false
  /** Whether the last request was sent, and no byte of its answer has come. */
  #awaitsAnswer = false
  /** Whether it has carried a request and can carry the next. Its socket may have been closed since. */
  isIdle = false

  constructor(origin: string, route: Route, host: Host) {
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

  send({ method, path, headers, body, needsNewConnection }: WireRequest, end: EndRequest) {
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
    const reason = connectionError('the connection is no longer needed', 'SVC_ABORTED')
    this.isIdle = false
    unsubscribe('undici:client:sendHeaders', this.#onSendHeaders)
    this.#lifetime.abort(reason)
    void this.#client.destroy(reason)
  }

  /** Opens a socket for undici, the first one or the next. */
  async #open(route: Route, { nodeVersion }: Host) {
    // The deadlines must see that no connection is open.
    this.#socket = undefined
    // Without this flag, Node 20 optimizes undici's parser in the background, which keeps the process alive for 50 ms more.
    if (nodeVersion.startsWith('20.'))
      (await import('node:v8')).setFlagsFromString('--liftoff-only')
    const socket = await route.connect(this.#lifetime.signal)
    this.#socket = socket
    this.#skipContinues(socket)
    return socket
  }

  /** Called right before the first byte of a request on any connection. The socket shows whether it is this one. */
  readonly #onSendHeaders = (message: unknown) => {
    if ((message as { socket: Socket }).socket !== this.#socket) return
    this.hasSent = true
    this.#awaitsAnswer = true
  }

  /**
   * Keeps answers that say "100 Continue" from undici, which takes one that nobody asked for as a broken answer. Bytes that may still
   * become one are held back: `read` returns null, as if they had not come.
   */
  #skipContinues(socket: Socket) {
    const read = socket.read.bind(socket)
    /** The beginning of an answer that may be a Continue. */
    let begun = ''
    let skippedBytes = 0
    socket.read = (size?: number) => {
      const chunk = read(size) as Buffer | null
      if (chunk === null || !this.#awaitsAnswer) return chunk
      begun += chunk.toString('latin1')
      const rest = begun.replace(continues, '')
      skippedBytes += begun.length - rest.length
      begun = rest
      const mayContinue = continueStart.startsWith(rest) || rest.startsWith(continueStart)
      if (mayContinue && skippedBytes + rest.length < maxContinueBytes) return null
      this.#awaitsAnswer = false
      begun = ''
      return Buffer.from(rest, 'latin1')
    }
  }
}

const continues = /^(?:HTTP\/1\.1 100 [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+/
const continueStart = 'HTTP/1.1 100 '
/** How many bytes may be skipped or held back. After that, undici reads what is there. */
const maxContinueBytes = 16 * 1024

/** Collects the answer to a request for undici, which calls these functions. */
function answerReader(end: EndRequest): Dispatcher.DispatchHandler {
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
