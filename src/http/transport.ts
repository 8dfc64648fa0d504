/**
 * Requests on the wire: one undici Client a connection, one request a connection at a time. A request's deadline and the
 * question whether its bytes left are answered for that very request.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Client } from 'undici'
import { keepParserSimple, keepYoungSpaceSmall } from '../engine.ts'
import type { Host } from '../host.ts'
import { header, maxAnswerBytes, type AnswerHeaders, type Exchange } from './attempt.ts'
import { connectDeadline, proxyFor, Route, targetOf } from './proxy.ts'
import { InterimAnswers } from './interim.ts'
import type { NameHost } from './lookup.ts'

/** Idle connections are not trusted for longer, in milliseconds. */
const keepAlive = 2_000
/** A timer with more than this many milliseconds would fire at once. */
const longestTimer = 2 ** 31 - 1

export interface WireRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  /** Name, value pairs. */
  readonly headers: string[]
  /** Empty for a request without a body. */
  readonly body: Buffer
  /** A connection of its own: for requests that must not meet a stale socket. */
  readonly fresh: boolean
}

/** What came of a request, and what is to become of its connection: it is not used again until it is released. */
export interface Exchanged {
  readonly exchange: Exchange
  /** `trusted`: the answer made sense, so nothing of it can be left over on the connection. */
  readonly release: (trusted: boolean) => void
}

export interface Wire {
  /** Never rejects. `deadline` in milliseconds from now; the signal aborts at once. */
  exchange(request: WireRequest, deadline: number, signal: AbortSignal): Promise<Exchanged>
  /** Aborts what is under way; nothing is sent any more. */
  close(): void
}

class Connection {
  readonly client: Client
  readonly #gone = new AbortController()
  #interim: InterimAnswers | undefined
  idle = false

  /** `within`: milliseconds that it may take to be there. */
  constructor(origin: string, route: Route, within: number) {
    this.client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      // Both are coarse; the deadline of an attempt is a timer of ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        void this.#open(route, within, callback)
      },
    })
  }

  async #open(
    route: Route,
    within: number,
    callback: (...result: [null, Socket] | [Error, null]) => void,
  ): Promise<void> {
    let socket: Socket
    try {
      socket = await route.open(this.#gone.signal, within)
    } catch (error) {
      callback(asError(error), null)
      return
    }
    this.#interim = new InterimAnswers(socket)
    callback(null, socket)
  }

  get isOpen(): boolean {
    return this.#interim !== undefined
  }

  /** Before each request but the first, which opens the connection. */
  expectAnswer(): void {
    this.#interim?.expectAnswer()
  }

  destroy(reason: Error): void {
    this.idle = false
    this.#gone.abort(reason)
    void this.client.destroy(reason)
  }
}

interface Sending {
  sent: boolean
}

/** The request that is being handed to undici right now; its Request object is created before `dispatch` returns. */
let handing: Sending | undefined
const sendings = new WeakMap<object, Sending>()

function onCreate(message: unknown): void {
  if (handing !== undefined) sendings.set((message as { request: object }).request, handing)
}

/** Published right before the first byte is written. */
function onSendHeaders(message: unknown): void {
  const sending = sendings.get((message as { request: object }).request)
  if (sending !== undefined) sending.sent = true
}

let wires = 0

function watch(): void {
  wires += 1
  if (wires > 1) return
  subscribe('undici:request:create', onCreate)
  subscribe('undici:client:sendHeaders', onSendHeaders)
}

function unwatch(): void {
  wires -= 1
  if (wires > 0) return
  unsubscribe('undici:request:create', onCreate)
  unsubscribe('undici:client:sendHeaders', onSendHeaders)
}

/** Throws exit 2 when a proxy variable is broken. */
export function createWire(baseUrl: string, host: NameHost & Pick<Host, 'nodeVersion'>): Wire {
  const { env } = host
  keepParserSimple(host.nodeVersion)
  keepYoungSpaceSmall(host.nodeVersion)
  const url = new URL(baseUrl)
  const target = targetOf(url)
  const route = new Route(target, proxyFor(target, env), host)
  const connections = new Set<Connection>()
  watch()
  let closed = false

  function take(fresh: boolean, deadline: number): Connection {
    const idle = fresh ? undefined : [...connections].find((connection) => connection.idle)
    if (idle !== undefined) {
      idle.idle = false
      return idle
    }
    const connection = new Connection(url.origin, route, Math.min(deadline, connectDeadline))
    connections.add(connection)
    return connection
  }

  function drop(connection: Connection): void {
    connections.delete(connection)
    connection.destroy(failure('the connection is no longer needed', 'SVC_ABORTED'))
  }

  return {
    exchange(request, deadline, signal) {
      if (closed || signal.aborted) return Promise.resolve(neverSent(failure('aborted', 'SVC_ABORTED')))
      const connection = take(request.fresh, deadline)
      return new Promise((resolve) => {
        const sending: Sending = { sent: false }
        let settled = false
        let status = 0
        let headers: AnswerHeaders = {}
        const chunks: Buffer[] = []
        let size = 0

        const timer = setTimeout(
          () => {
            fail(connection.isOpen ? noAnswer(deadline) : route.describeDelay(deadline))
          },
          Math.min(deadline, longestTimer),
        )
        signal.addEventListener('abort', onAbort, { once: true })

        function settle(exchange: Exchange, release: (trusted: boolean) => void): void {
          if (settled) return
          settled = true
          clearTimeout(timer)
          signal.removeEventListener('abort', onAbort)
          resolve({ exchange, release })
        }
        function fail(error: Error): void {
          if (settled) return
          settle({ kind: 'failed', sent: sending.sent, error }, () => undefined)
          drop(connection)
        }
        function onAbort(): void {
          fail(failure('aborted', 'SVC_ABORTED'))
        }
        function finish(): void {
          settle({ kind: 'response', status, headers, body: Buffer.concat(chunks, size) }, (trusted) => {
            if (trusted && !request.fresh && !closed) connection.idle = true
            else drop(connection)
          })
        }

        handing = sending
        try {
          connection.expectAnswer()
          connection.client.dispatch(
            {
              method: request.method,
              path: request.path,
              headers: request.headers,
              body: request.body.length > 0 ? request.body : null,
              ...(request.fresh ? { reset: true } : {}),
            },
            {
              onRequestStart() {
                // An abort goes through the connection, which also covers the time before this moment.
              },
              onResponseStart(_controller, statusCode, answerHeaders) {
                status = statusCode
                headers = answerHeaders
                if (Number(header(headers, 'content-length') ?? 0) > maxAnswerBytes) fail(tooLarge())
              },
              onResponseData(_controller, chunk) {
                size += chunk.length
                if (size > maxAnswerBytes) fail(tooLarge())
                else if (!settled) chunks.push(chunk)
              },
              onResponseEnd: finish,
              onResponseError(_controller, error) {
                fail(error)
              },
            },
          )
        } catch (error) {
          fail(asError(error))
        } finally {
          handing = undefined
        }
      })
    },
    close() {
      if (closed) return
      closed = true
      unwatch()
      for (const connection of connections) drop(connection)
    },
  }
}

function neverSent(error: Error): Exchanged {
  return { exchange: { kind: 'failed', sent: false, error }, release: () => undefined }
}

/** An error with a code, which the retry rules and the words for it go by. */
function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

function noAnswer(deadline: number): Error {
  return failure(`no complete answer within ${deadline / 1000} s`, 'ETIMEDOUT')
}

function tooLarge(): Error {
  return failure(`the answer is larger than ${maxAnswerBytes / 1024 / 1024} MiB`, 'SVC_TOO_LARGE')
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
