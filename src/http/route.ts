/**
 * Connections to the service, opened for undici. TLS is always verified. Loopback is dialed without a name
 * server. CONNECT is our own, because undici's waits forever on a proxy that drops it. Every failure here
 * comes before the first byte of a request is sent, and its code says so (`connection-errors.ts`).
 */
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net'
import { systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import {
  asError,
  causeOf,
  connectionError,
  describeFailure,
  isFinalFailure,
} from './connection-errors.ts'
import type { Proxy, Target } from './proxy.ts'
import { inSeconds } from '../words.ts'

/** Part of an attempt's time for the connection, the proxy's CONNECT and the TLS handshake together. */
export const connectShare = 1 / 3

/** Limit in bytes for the head of a proxy's answer to CONNECT. */
const longestHead = 16_384

/** `localhost` is this machine by definition: no name server is asked for it. */
const thisMachine: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

export type RouteHost = Pick<Host, 'lookup'>

/**
 * The route to a target, with or without a proxy. It can open many connections.
 */
export class Route {
  readonly #target: Target
  readonly #proxy: Proxy | undefined
  readonly #host: RouteHost
  #lookup: Promise<readonly LookupAddress[]> | undefined

  constructor(target: Target, proxy: Proxy | undefined, host: RouteHost) {
    this.#target = target
    this.#proxy = proxy
    this.#host = host
  }

  /** The error if opening a connection takes longer than `within` milliseconds. */
  delayError(within: number): Error {
    const through =
      this.#proxy === undefined ? '' : ` through the proxy (${this.#proxy.source})`
    const time = `within ${inSeconds(within)} (a third of --timeout)`
    return connectionError(`no connection${through} ${time}`, 'ETIMEDOUT')
  }

  /** Opens a connection that is ready for HTTP. Rejects when aborted, and then leaves no socket open. */
  open(signal: AbortSignal): Promise<Socket> {
    const { secure, hostname } = this.#target
    const proxy = this.#proxy
    const connect = () =>
      proxy === undefined
        ? this.#dial(this.#target, signal)
        : this.#connectThrough(proxy, signal)
    return secure ? this.#openTls(hostname, connect, signal) : connect()
  }

  /** Opens TLS to a host over a new connection. */
  async #openTls(hostname: string, connect: () => Promise<Socket>, signal: AbortSignal) {
    // Loaded before connecting: a socket must not wait for it without an error listener.
    const tls = await import('node:tls')
    const socket = await connect()
    const secured = tls.connect({
      socket,
      servername: isIP(hostname) === 0 ? hostname : undefined,
      ALPNProtocols: ['http/1.1'],
      // Set here so that no environment variable can turn it off.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      // For an IP address, Node would check the name of the proxy instead.
      checkServerIdentity: (_name, certificate) =>
        tls.checkServerIdentity(hostname, certificate),
    })
    secured.once('close', () => socket.destroy())
    return ready(secured, 'secureConnect', signal)
  }

  #dial({ hostname, port }: Pick<Target, 'hostname' | 'port'>, signal: AbortSignal) {
    const socket = connectTcp({
      host: hostname,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      // Makes Node ask `lookup` for all addresses.
      autoSelectFamily: true,
      lookup: (name, _options, callback) => {
        const addresses =
          name === 'localhost' ? Promise.resolve(thisMachine) : this.#lookUp(name)
        addresses.then(
          (all) => callback(null, [...all]),
          (error: unknown) => callback(asError(error), []),
        )
      },
    })
    return ready(socket, 'connect', signal)
  }

  /** One lookup at a time: it cannot be canceled, and takes one of the few threads that file access needs too. */
  #lookUp(name: string): Promise<readonly LookupAddress[]> {
    return (this.#lookup ??= this.#host
      .lookup(name)
      .finally(() => (this.#lookup = undefined)))
  }

  /** Sends CONNECT without undici: one request, and one answer with a head of at most 16 KiB and no body. */
  async #connectThrough(proxy: Proxy, signal: AbortSignal) {
    const { hostname, port } = this.#target
    const socket = await this.#reach(proxy, signal)
    const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
    if (proxy.authorization !== undefined)
      lines.push(`Proxy-Authorization: ${proxy.authorization}`)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const head = await readHead(socket, signal)
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
    if (status >= 200 && status < 300) return socket
    socket.destroy()
    const said = status === 0 ? 'with something that is not HTTP' : String(status)
    const offersBasic = /^proxy-authenticate: *basic\b/im.test(head)
    const wanted = offersBasic
      ? 'a user name and a password'
      : 'a way to log in other than Basic'
    const words = status === 407 ? `: it requires ${wanted}` : ''
    // A proxy that refuses or asks for a password will do so again; a busy one may not.
    throw connectionError(
      `the proxy (${proxy.source}) answered ${said} to CONNECT${words}`,
      status >= 500 ? 'SVC_PROXY' : 'SVC_PROXY_REFUSED',
    )
  }

  async #reach(proxy: Proxy, signal: AbortSignal) {
    const connect = () => this.#dial(proxy, signal)
    try {
      return await (proxy.secure
        ? this.#openTls(proxy.hostname, connect, signal)
        : connect())
    } catch (error) {
      // Names the proxy: otherwise this would look like a failure of the service.
      const why = describeFailure(asError(error))
      const message = `the proxy (${proxy.source}) cannot be reached: ${why}`
      const code = systemCode(error) ?? ''
      if (causeOf(code) === 'local') throw connectionError(message, code)
      throw connectionError(
        message,
        isFinalFailure(code) ? 'SVC_PROXY_REFUSED' : 'SVC_PROXY',
      )
    }
  }
}

/** Waits until a connection is open. If it fails or is aborted, no socket is left. */
async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
) {
  // Never removed: an error between two owners, or after the end, would have no listener and crash the process.
  socket.on('error', ignore)
  await occurs(socket, event, signal, 'stopped before the connection was open')
  return socket
}

function ignore() {
  // The owner of the socket listens too, and handles the error.
}

/** Waits for an event of a socket. A failure or abort destroys the socket, so that nothing outlives the attempt. */
async function occurs(socket: Socket, event: string, signal: AbortSignal, stopped: string) {
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? connectionError(stopped, 'SVC_ABORTED') : error
  }
}

/** Reads a proxy's answer to CONNECT. Bytes after its head stay in the socket. */
async function readHead(socket: Socket, signal: AbortSignal) {
  let head = Buffer.alloc(0)
  for (;;) {
    await occurs(socket, 'readable', signal, 'stopped before the proxy answered')
    const chunk = socket.read() as Buffer | null
    if (chunk === null) {
      socket.destroy()
      throw connectionError(
        'the proxy closed the connection without an answer to CONNECT',
        'SVC_PROXY',
      )
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end >= 0) {
      const rest = head.subarray(end + 4)
      if (rest.length > 0) socket.unshift(rest)
      return head.subarray(0, end).toString('latin1')
    }
    if (head.length > longestHead) {
      socket.destroy()
      throw connectionError(
        'the proxy sent too long an answer to CONNECT',
        'SVC_PROXY_REFUSED',
      )
    }
  }
}
