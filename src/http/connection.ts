/**
 * A connection to the service: an undici Client that carries one request at a time. So svc knows of each request whether any of its
 * bytes were sent, on which everything depends that svc says about a failed change. No other file uses undici.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
// The client alone: all of undici takes longer to load.
import Client from 'undici/lib/dispatcher/client.js'
import type { Host, AnswerHeaders, Exchange, WireRequest } from '../host.ts'
import { header, maxAnswerBytes } from './answer.ts'
import { asError, connectionError } from './connection-errors.ts'
import type { Route } from './route.ts'

/** How long an idle connection may be used again. It is short, because the service may close the connection at any time. */
const keepAliveMs = 2_000

/** Called at the end of a request, with its whole answer or an error. It may be called again, which means nothing. */
export type EndRequest = (outcome: Exchange | Error) => void

/** A connection, which its first request opens. */
export class Connection {
  readonly #client: Client
  /** Aborted by `destroy`, to end an attempt to connect. */
  readonly #lifetime = new AbortController()
  /** The open socket. If the service closes it, undici opens another one for the next request. */
  #socket: Socket | undefined
  /** Whether any byte of the last request may have been sent. */
  hasSent = false
  /** Whether the last request was sent, and no byte of its answer has come. */
  #awaitsAnswer = false
  /** Whether it is open and carries no request. */
  isIdle = false

  constructor(origin: string, route: Route, host: Pick<Host, 'nodeVersion'>) {
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
  async #open(route: Route, { nodeVersion }: Pick<Host, 'nodeVersion'>) {
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

  /** Keeps answers that say "100 Continue" from undici, which takes one that nobody asked for as a broken answer. */
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
/** How many bytes of them are skipped. */
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
