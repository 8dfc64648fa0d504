/** Sends requests to a service: gives each a connection of its own for the time, and ends it at its deadlines. */
import type { Host, Exchange, WireResult, Wire, WireRequest } from '../host.ts'
import { inSeconds } from '../words.ts'
import { Connection, type EndRequest } from './connection.ts'
import { connectionError } from './connection-errors.ts'
import { endpointOf, proxyFor } from './proxy.ts'
import { connectShare, Route, type RouteHost } from './route.ts'

export type TransportHost = RouteHost &
  Pick<Host, 'env' | 'monotonic' | 'nodeVersion' | 'after'>

export class Transport implements Wire {
  readonly #origin: string
  readonly #route: Route
  readonly #host: TransportHost
  /** All connections, in use and idle. */
  readonly #connections = new Set<Connection>()
  #isClosed = false

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
    if (this.#isClosed || signal.aborted)
      return Promise.resolve(failed(abortError('the command ends'), false))
    const connection = this.#connectionFor(request)
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

function abortError(message: string) {
  return connectionError(message, 'SVC_ABORTED')
}
