/**
 * The way to the service: opens connections, directly or through a proxy. TLS certificates are always verified. svc sends CONNECT to
 * a proxy itself, because undici's proxy agent waits forever if the proxy does not answer. Every failure here comes before the first
 * byte of a request is sent, and has a code that `attempt.ts` explains.
 */
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { connect as openTcp, isIP, isIPv6, type Socket } from 'node:net'
import { systemCode } from '../errors.ts'
import { type Host, localhost } from '../host.ts'
import { inSeconds } from '../words.ts'
import { asError, connectionError, connectionFailure, reasonOf } from './attempt.ts'
import type { Endpoint, Proxy } from './proxy.ts'

/** The way to the service, with or without a proxy. */
export class Route {
  readonly #target: Endpoint
  readonly #proxy: Proxy | undefined
  readonly #host: Host
  #pendingLookup: Promise<readonly LookupAddress[]> | undefined

  constructor(target: Endpoint, proxy: Proxy | undefined, host: Host) {
    this.#target = target
    this.#proxy = proxy
    this.#host = host
  }

  /** Makes the error for a connection that was not open after `ms` milliseconds. */
  connectTimeoutError(ms: number): Error {
    const through =
      this.#proxy === undefined ? '' : ` through the proxy (${this.#proxy.variable})`
    const time = `within ${inSeconds(ms)} (a third of --timeout)`
    return connectionError(`no connection${through} ${time}`, 'ETIMEDOUT')
  }

  /** Opens a connection that is ready for HTTP. If the signal is aborted, rejects and leaves no socket open. */
  connect(signal: AbortSignal): Promise<Socket> {
    const proxy = this.#proxy
    const target = this.#target
    const open = () =>
      proxy === undefined
        ? this.#connectTcp(target, signal)
        : this.#openTunnel(proxy, signal)
    return this.#secure(target, open, signal)
  }

  /** Opens a connection with `connect`, and then makes the TLS handshake if the endpoint speaks TLS. */
  async #secure(
    { hostname, isSecure }: Endpoint,
    connect: () => Promise<Socket>,
    signal: AbortSignal,
  ) {
    if (!isSecure) return connect()
    // Loaded before connecting: nobody would notice if the connection failed during the load.
    const tls = await import('node:tls')
    const socket = await connect()
    const secured = tls.connect({
      socket,
      // TLS allows only names here, and no addresses (RFC 6066, section 3).
      servername: isIP(hostname) === 0 ? hostname : undefined,
      ALPNProtocols: ['http/1.1'],
      // Given explicitly, so that no environment variable can turn it off.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // Without a server name, Node would compare the certificate with the name of the proxy.
      checkServerIdentity: (_name, certificate) =>
        tls.checkServerIdentity(hostname, certificate),
    })
    secured.once('close', () => socket.destroy())
    return waitUntilConnected(secured, 'secureConnect', signal)
  }

  #connectTcp({ hostname, port }: Endpoint, signal: AbortSignal) {
    const socket = openTcp({
      host: hostname,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      // Makes Node ask `lookup` for all addresses.
      autoSelectFamily: true,
      lookup: (name, _options, callback) => {
        this.#addressesOf(name).then(
          (addresses) => callback(null, [...addresses]),
          (error: unknown) => callback(asError(error), []),
        )
      },
    })
    return waitUntilConnected(socket, 'connect', signal)
  }

  /**
   * Looks up the name that this route connects to, which is the proxy's or the service's. Connections share a lookup, because it
   * cannot be canceled and occupies one of the few threads that file access needs too.
   */
  #addressesOf(name: string): Promise<readonly LookupAddress[]> {
    if (name === 'localhost') return Promise.resolve(localhost)
    return (this.#pendingLookup ??= this.#host
      .lookup(name)
      .finally(() => (this.#pendingLookup = undefined)))
  }

  /** Connects to the proxy, and asks it for a tunnel to the service. */
  async #openTunnel(proxy: Proxy, signal: AbortSignal): Promise<Socket> {
    // Loaded before connecting, as above.
    const { request } = await import('node:http')
    const socket = await this.#connectToProxy(proxy, signal)
    const { hostname, port } = this.#target
    const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
    const { authorization } = proxy
    const connect = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        Host: authority,
        ...(authorization !== undefined && { 'Proxy-Authorization': authorization }),
      },
      createConnection: () => socket,
      signal,
    })
    connect.removeHeader('Connection')
    connect.end()
    const { status, rest } = await answerToConnect(connect, proxy, signal)
    if (status < 200 || status > 299) {
      socket.destroy()
      // A busy proxy may accept the next request. One that refuses or asks for a password will do so again.
      const code = status >= 500 ? 'SVC_PROXY' : 'SVC_PROXY_REFUSED'
      throw connectionError(`${nameOf(proxy)} answered ${status} to CONNECT`, code)
    }
    // These bytes come from the service.
    if (rest.length > 0) socket.unshift(rest)
    return socket
  }

  async #connectToProxy(proxy: Proxy, signal: AbortSignal) {
    try {
      return await this.#secure(proxy, () => this.#connectTcp(proxy, signal), signal)
    } catch (error) {
      // The message names the proxy. Without it, this would look like a failure of the service.
      const message = `${nameOf(proxy)} cannot be reached: ${reasonOf(asError(error))}`
      const isFinal = connectionFailure(error) !== 'unreachable'
      throw connectionError(message, isFinal ? 'SVC_PROXY_REFUSED' : 'SVC_PROXY')
    }
  }
}

function nameOf({ variable }: Proxy) {
  return `the proxy (${variable})`
}

/** Returns the status of a proxy's answer, and the bytes that came after its head. */
async function answerToConnect(connect: ClientRequest, proxy: Proxy, signal: AbortSignal) {
  try {
    const answered = once(connect, 'connect') as Promise<[IncomingMessage, Socket, Buffer]>
    const answer = await answered
    return { status: answer[0].statusCode ?? 0, rest: answer[2] }
  } catch (error) {
    if (signal.aborted)
      throw connectionError('stopped before the proxy answered', 'SVC_ABORTED')
    if (systemCode(error)?.startsWith('HPE_') === true)
      throw connectionError(
        `${nameOf(proxy)} answered no HTTP to CONNECT`,
        'SVC_PROXY_REFUSED',
      )
    throw connectionError(
      `${nameOf(proxy)} closed the connection without an answer`,
      'SVC_PROXY',
    )
  }
}

/** Waits until a connection is open. If that fails or is aborted, destroys the socket, which would outlive the attempt. */
async function waitUntilConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
) {
  // An `error` event without a listener would crash the process. This listener stays, for the times when nobody else listens.
  socket.on('error', () => undefined)
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted
      ? connectionError('stopped before the connection was open', 'SVC_ABORTED')
      : error
  }
}
