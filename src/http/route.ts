/**
 * Opens connections to the service for undici, directly or through a proxy. TLS certificates are always verified. svc sends
 * CONNECT to the proxy itself, because undici's proxy agent waits forever if the proxy does not answer. Every failure here comes
 * before the first byte of a request is sent, and has a code that `attempt.ts` explains.
 */
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as openTcp, isIP, isIPv6, type Socket } from 'node:net'
import { systemCode } from '../errors.ts'
import { type Host, localhost } from '../host.ts'
import { inSeconds } from '../words.ts'
import { asError, connectionError, describeFailure, finalCauseOf } from './attempt.ts'
import type { Endpoint, Proxy } from './proxy.ts'

/** The part of an attempt's time that connecting may take, with the proxy's CONNECT and the TLS handshakes. */
export const connectShare = 1 / 3

/** The maximum size of the head of a proxy's answer to CONNECT. */
const maxHeadBytes = 16_384

export type RouteHost = Pick<Host, 'lookup'>

/** The way to the service, with or without a proxy. */
export class Route {
  readonly #target: Endpoint
  readonly #proxy: Proxy | undefined
  readonly #host: RouteHost
  #pendingLookup: Promise<readonly LookupAddress[]> | undefined

  constructor(target: Endpoint, proxy: Proxy | undefined, host: RouteHost) {
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
    const connectToTarget = () =>
      proxy === undefined
        ? this.#connectTcp(this.#target, signal)
        : this.#connectThrough(proxy, signal)
    return this.#target.isSecure
      ? this.#connectTls(this.#target.hostname, connectToTarget, signal)
      : connectToTarget()
  }

  /** Opens a connection with `connect`, and then makes the TLS handshake with the host. */
  async #connectTls(hostname: string, connect: () => Promise<Socket>, signal: AbortSignal) {
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

  async #connectThrough(proxy: Proxy, signal: AbortSignal) {
    const socket = await this.#connectToProxy(proxy, signal)
    socket.write(connectRequest(this.#target, proxy.authorization))
    try {
      checkTunnel(proxy, await readHead(socket, signal))
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** Connects to the proxy. The code of an error is `SVC_PROXY_REFUSED` if another attempt would fail too. */
  async #connectToProxy(proxy: Proxy, signal: AbortSignal) {
    const connect = () => this.#connectTcp(proxy, signal)
    try {
      return await (proxy.isSecure
        ? this.#connectTls(proxy.hostname, connect, signal)
        : connect())
    } catch (error) {
      // The message names the proxy. Without it, this would look like a failure of the service.
      const reason = describeFailure(asError(error))
      const message = `the proxy (${proxy.variable}) cannot be reached: ${reason}`
      const isFinal = finalCauseOf(systemCode(error)) !== undefined
      throw connectionError(message, isFinal ? 'SVC_PROXY_REFUSED' : 'SVC_PROXY')
    }
  }
}

/** Waits until a connection is open. If that fails or is aborted, no socket stays open. */
async function waitUntilConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
) {
  // An `error` event without a listener would crash the process. This listener stays, for the times when nobody else listens.
  socket.on('error', () => undefined)
  await waitForEvent(socket, event, signal, 'stopped before the connection was open')
  return socket
}

/** Waits for an event of a socket. If that fails or is aborted, destroys the socket, which would outlive the attempt. */
async function waitForEvent(
  socket: Socket,
  event: string,
  signal: AbortSignal,
  abortMessage: string,
) {
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? connectionError(abortMessage, 'SVC_ABORTED') : error
  }
}

/** Returns the request that asks a proxy for a tunnel to the target. */
function connectRequest({ hostname, port }: Endpoint, authorization: string | undefined) {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname
  const authority = `${host}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Reads the head of a proxy's answer to CONNECT. The bytes after it come from the service, and stay in the socket. */
async function readHead(socket: Socket, signal: AbortSignal) {
  let bytes = Buffer.alloc(0)
  for (;;) {
    await waitForEvent(socket, 'readable', signal, 'stopped before the proxy answered')
    const chunk = socket.read() as Buffer | null
    if (chunk === null)
      throw connectionError(
        'the proxy closed the connection without an answer to CONNECT',
        'SVC_PROXY',
      )
    bytes = Buffer.concat([bytes, chunk])
    const end = bytes.indexOf('\r\n\r\n')
    if (end >= 0) {
      const rest = bytes.subarray(end + 4)
      if (rest.length > 0) socket.unshift(rest)
      return bytes.subarray(0, end).toString('latin1')
    }
    if (bytes.length > maxHeadBytes)
      throw connectionError(
        'the proxy sent too long an answer to CONNECT',
        'SVC_PROXY_REFUSED',
      )
  }
}

/** Throws an error if the proxy's answer to CONNECT opens no tunnel. */
function checkTunnel({ variable }: Proxy, head: string) {
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1])
  if (status >= 200 && status < 300) return
  const answer = Number.isNaN(status) ? 'no HTTP' : status
  // A busy proxy may accept the next request. One that refuses or asks for a password will do so again.
  const code = status >= 500 ? 'SVC_PROXY' : 'SVC_PROXY_REFUSED'
  throw connectionError(`the proxy (${variable}) answered ${answer} to CONNECT`, code)
}
