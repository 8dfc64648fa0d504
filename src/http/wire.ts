/**
 * Requests on the wire: one undici Client a connection, one request a connection at a time. A request's deadline and the
 * question whether its bytes left are answered for that very request.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Client } from 'undici'
import { header, maxAnswerBytes, type AnswerHeaders, type Exchange } from './attempt.ts'
import { open, proxyFor, targetOf, type Proxy, type Target } from './connect.ts'

/** Idle connections are not trusted for longer, in milliseconds. */
const keepAlive = 2_000

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

export interface Wire {
  /** Never rejects. `deadline` in milliseconds from now; the signal aborts at once. */
  exchange(request: WireRequest, deadline: number, signal: AbortSignal | undefined): Promise<Exchange>
  close(): void
}

class Connection {
  readonly client: Client
  private readonly gone = new AbortController()
  idle = true

  constructor(origin: string, target: Target, proxy: Proxy | undefined) {
    this.client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      // Both are coarse; the deadline of an attempt is a timer of ours.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        open(target, proxy, this.gone.signal).then(
          (socket: Socket) => {
            callback(null, socket)
          },
          (error: unknown) => {
            callback(error instanceof Error ? error : new Error(String(error)), null)
          },
        )
      },
    })
  }

  destroy(reason: Error): void {
    this.gone.abort(reason)
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

export class TooLate extends Error {
  readonly code = 'ETIMEDOUT'
}

export class TooLarge extends Error {
  readonly code = 'SVC_TOO_LARGE'
}

/** Throws exit 2 when a proxy variable is broken. */
export function createWire(baseUrl: string, env: Readonly<Record<string, string | undefined>>): Wire {
  const url = new URL(baseUrl)
  const target = targetOf(url)
  const proxy = proxyFor(target, env)
  const connections = new Set<Connection>()
  watch()
  let closed = false

  function take(fresh: boolean): Connection {
    if (!fresh) {
      for (const connection of connections) {
        if (connection.idle) {
          connection.idle = false
          return connection
        }
      }
    }
    const connection = new Connection(url.origin, target, proxy)
    connection.idle = false
    connections.add(connection)
    return connection
  }

  function drop(connection: Connection, reason: Error): void {
    connections.delete(connection)
    connection.destroy(reason)
  }

  return {
    exchange(request, deadline, signal) {
      const connection = take(request.fresh)
      return new Promise((resolve) => {
        const sending: Sending = { sent: false }
        let timer: NodeJS.Timeout | undefined
        let settled = false

        function settle(exchange: Exchange, reusable: boolean): void {
          if (settled) return
          settled = true
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          if (reusable && !request.fresh && !closed) connection.idle = true
          else drop(connection, new Error('the connection is no longer needed'))
          resolve(exchange)
        }
        function fail(error: Error): void {
          settle({ kind: 'failed', sent: sending.sent, error }, false)
        }
        function onAbort(): void {
          fail(Object.assign(new Error('aborted'), { code: 'SVC_ABORTED' }))
        }
        if (signal?.aborted === true) {
          onAbort()
          return
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        timer = setTimeout(() => {
          fail(new TooLate(`no complete answer within ${deadline / 1000} s`))
        }, deadline)

        let status = 0
        let headers: AnswerHeaders = {}
        const chunks: Buffer[] = []
        let size = 0
        handing = sending
        try {
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
                // The abort goes through the connection, which also covers the time before this moment.
              },
              onResponseStart(_controller, statusCode, answerHeaders) {
                status = statusCode
                headers = answerHeaders
                const length = Number(header(headers, 'content-length') ?? 0)
                if (length > maxAnswerBytes) fail(tooLarge())
              },
              onResponseData(_controller, chunk) {
                size += chunk.length
                if (size > maxAnswerBytes) fail(tooLarge())
                else if (!settled) chunks.push(chunk)
              },
              onResponseEnd() {
                settle({ kind: 'response', status, headers, body: Buffer.concat(chunks, size) }, true)
              },
              onResponseError(_controller, error) {
                fail(error)
              },
            },
          )
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)))
        } finally {
          handing = undefined
        }
      })
    },
    close() {
      if (closed) return
      closed = true
      unwatch()
      for (const connection of [...connections]) drop(connection, new Error('closed'))
    },
  }
}

function tooLarge(): TooLarge {
  return new TooLarge(`the answer is larger than ${maxAnswerBytes / 1024 / 1024} MiB`)
}
