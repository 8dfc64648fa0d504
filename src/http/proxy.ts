/**
 * How a connection comes about: TLS always verified, loopback dialled as written and never through a proxy, and a
 * CONNECT of our own (undici's proxy agents wait for ever on a proxy that drops it).
 */
import type { LookupAddress } from 'node:dns'
import { BlockList, connect as connectTcp, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type * as TlsModule from 'node:tls'
import { messageOf, SvcError } from '../errors.ts'
import { isLoopback } from '../loopback.ts'
import { codeOf, describeFailure, isFinalFailure } from './attempt.ts'
import { HostName, type NameHost } from './lookup.ts'

/** Time for the connection, the proxy's CONNECT and the TLS handshake together, in milliseconds. */
export const connectDeadline = 10_000

export interface Target {
  readonly secure: boolean
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
}

export interface Proxy {
  readonly secure: boolean
  readonly hostname: string
  readonly port: number
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined
  /** Which variable named it. */
  readonly variable: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function targetOf(url: URL): Target {
  const secure = url.protocol === 'https:'
  return { secure, hostname: bare(url.hostname), port: url.port === '' ? (secure ? 443 : 80) : Number(url.port) }
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Throws exit 2 when the environment switches certificate checks off. */
export function refuseDisabledVerification(env: Environment): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new SvcError('config', 'NODE_TLS_REJECT_UNAUTHORIZED=0 would switch certificate checks off', {
      hint: 'unset it; to trust a certificate of your own, name its CA file in NODE_EXTRA_CA_CERTS',
    })
  }
}

/** The proxy for a target, from HTTPS_PROXY or ALL_PROXY (either case) unless NO_PROXY covers it. Throws exit 2 on a broken one. */
export function proxyFor(target: Target, env: Environment): Proxy | undefined {
  // Plain http goes to loopback only, and loopback is never proxied.
  if (!target.secure || isLoopback(target.hostname)) return undefined
  const found = firstSet(env, ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])
  if (found === undefined || bypasses(firstSet(env, ['no_proxy', 'NO_PROXY'])?.value ?? '', target)) return undefined
  return parseProxy(found.value, found.name)
}

function firstSet(env: Environment, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = env[name]?.trim() ?? ''
    if (value !== '') return { name, value }
  }
  return undefined
}

function parseProxy(value: string, variable: string): Proxy {
  const problem = (what: string): SvcError =>
    new SvcError('config', `${variable} ${what}`, { hint: 'it must look like http://proxy.example.com:3128' })
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  } catch {
    throw problem('is not a URL')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw problem(`has the scheme ${url.protocol}, which svc does not speak`)
  }
  if (url.hostname === '') throw problem('names no host')
  const secure = url.protocol === 'https:'
  let authorization: string | undefined
  if (url.username !== '' || url.password !== '') {
    let user: string
    try {
      user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    } catch {
      throw problem('has a user or password that is not URL-encoded')
    }
    authorization = `Basic ${Buffer.from(user).toString('base64')}`
  }
  return {
    secure,
    hostname: bare(url.hostname),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization,
    variable,
  }
}

/** NO_PROXY: `*`, names (also of their subdomains), addresses, CIDR ranges, each with an optional port. */
export function bypasses(list: string, target: Target): boolean {
  const host = target.hostname.toLowerCase()
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), host, target.port))
}

function matches(entry: string, host: string, port: number): boolean {
  const range = /^(.+)\/(\d{1,3})$/.exec(entry)
  if (range) return inRange(bare(range[1] ?? ''), Number(range[2]), host)
  const withPort = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry)
  if (withPort && Number(withPort[2]) !== port) return false
  const name = bare(withPort?.[1] ?? entry).replace(/^\*?\./, '')
  // Addresses have several spellings: compared as ranges of one.
  if (isIP(name) !== 0) return inRange(name, isIPv4(name) ? 32 : 128, host)
  return name !== '' && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)))
}

function inRange(network: string, prefix: number, host: string): boolean {
  const bits = isIPv4(network) ? 32 : 128
  if (isIP(network) === 0 || isIP(host) === 0 || prefix > bits) return false
  const block = new BlockList()
  block.addSubnet(network, prefix, bits === 32 ? 'ipv4' : 'ipv6')
  return block.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
}

/** An error of ours with a code, so that the retry rules can tell it. */
function connectError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

/** A type only: the module itself is loaded when TLS is spoken. */
type Tls = typeof TlsModule

/** The way to a target, through a proxy or not: any number of connections, and one look-up of the first host's name. */
export class Route {
  readonly #target: Target
  readonly #proxy: Proxy | undefined
  readonly #name: HostName

  constructor(target: Target, proxy: Proxy | undefined, host: NameHost) {
    this.#target = target
    this.#proxy = proxy
    this.#name = new HostName((proxy ?? target).hostname, host)
  }

  /** What there is to say when this takes longer than so many milliseconds. */
  describeDelay(within: number): Error {
    const proxy = this.#proxy
    const time = `within ${within / 1000} s`
    if (!this.#name.isBusy) {
      return connectError(
        `no connection${proxy === undefined ? '' : ` through the proxy (${proxy.variable})`} ${time}`,
        'ETIMEDOUT',
      )
    }
    const silent = `the name server did not answer ${time}`
    return proxy === undefined
      ? connectError(silent, 'EAI_AGAIN')
      : connectError(`the proxy (${proxy.variable}) cannot be reached: ${silent}`, 'SVC_PROXY')
  }

  /**
   * Opens a connection ready for HTTP. Rejects after `within` milliseconds, or at once when the signal is aborted; nothing of
   * it is left then.
   */
  async open(signal: AbortSignal, within = connectDeadline): Promise<Socket> {
    const [target, proxy] = [this.#target, this.#proxy]
    // Loaded before anything is connected: a socket must not wait for it unwatched.
    const tls = target.secure || proxy?.secure === true ? await import('node:tls') : undefined
    const ended = new AbortController()
    let delay: Error | undefined
    const timer = setTimeout(() => {
      delay = this.describeDelay(within)
      ended.abort()
    }, within)
    const end = (): void => {
      ended.abort()
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      const socket =
        proxy === undefined
          ? await this.#dial(target, ended.signal)
          : await this.#connectThrough(proxy, tls, ended.signal)
      return target.secure && tls !== undefined ? await secure(tls, socket, target.hostname, ended.signal) : socket
    } catch (error) {
      throw signal.aborted ? error : (delay ?? error)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  }

  /** `localhost` is this machine by definition: no name server is asked for it. */
  async #dial({ hostname, port }: { hostname: string; port: number }, signal: AbortSignal): Promise<Socket> {
    if (isIP(hostname) !== 0) return tcp(hostname, port, signal)
    if (hostname !== 'localhost') return tcp(hostname, port, signal, await this.#name.addresses(signal))
    try {
      return await tcp('127.0.0.1', port, signal)
    } catch (error) {
      if (signal.aborted) throw error
      return tcp('::1', port, signal)
    }
  }

  /** CONNECT by hand: one request, one answer of at most 16 KiB, no body expected. */
  async #connectThrough(proxy: Proxy, tls: Tls | undefined, signal: AbortSignal): Promise<Socket> {
    const { hostname, port } = this.#target
    const socket = await this.#reach(proxy, tls, signal)
    const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
    if (proxy.authorization !== undefined) lines.push(`Proxy-Authorization: ${proxy.authorization}`)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const head = await readHead(socket, signal)
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
    if (status >= 200 && status < 300) return socket
    socket.destroy()
    const said = status === 0 ? 'with something that is not HTTP' : String(status)
    const words = status === 407 ? ', it wants a user and a password' : ''
    // A proxy that refuses or asks for a password does so again; a busy one may not.
    throw connectError(
      `the proxy (${proxy.variable}) answered ${said} to CONNECT${words}`,
      status >= 500 ? 'SVC_PROXY' : 'SVC_PROXY_REFUSED',
    )
  }

  async #reach(proxy: Proxy, tls: Tls | undefined, signal: AbortSignal): Promise<Socket> {
    try {
      const socket = await this.#dial(proxy, signal)
      return proxy.secure && tls !== undefined ? await secure(tls, socket, proxy.hostname, signal) : socket
    } catch (error) {
      // The words for a failure would otherwise be taken for the service's own.
      const why = error instanceof Error ? describeFailure(error) : messageOf(error)
      throw connectError(
        `the proxy (${proxy.variable}) cannot be reached: ${why}`,
        isFinalFailure(codeOf(error)) ? 'SVC_PROXY_REFUSED' : 'SVC_PROXY',
      )
    }
  }
}

/** To one of these addresses, or to the host that is one. */
function tcp(
  host: string,
  port: number,
  signal: AbortSignal,
  addresses: readonly LookupAddress[] = [],
): Promise<Socket> {
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    lookup: (_name, { all }, found) => {
      const [first] = addresses
      if (all === true || first === undefined) found(null, [...addresses])
      else found(null, first.address, first.family)
    },
  })
  return ready(socket, 'connect', signal)
}

/** TLS over a connection that is there: the certificate must be valid and made out to `hostname`. */
async function secure(tls: Tls, socket: Socket, hostname: string, signal: AbortSignal): Promise<Socket> {
  const secured = tls.connect({
    socket,
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
    // Said here so that no environment variable can unsay it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(hostname, certificate),
  })
  secured.once('close', () => socket.destroy())
  return ready(secured, 'secureConnect', signal)
}

/** Waits for the event; destroys the socket on failure or abort, so that nothing outlives the attempt. */
function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    function clear(): void {
      signal.removeEventListener('abort', onAbort)
      socket.off(event, onReady)
      socket.off('error', fail)
      socket.off('close', onClose)
    }
    function onReady(): void {
      clear()
      resolve(socket)
    }
    function fail(error: Error): void {
      clear()
      socket.destroy()
      reject(error)
    }
    function onClose(): void {
      fail(connectError('the connection was closed while it was being set up', 'ECONNRESET'))
    }
    function onAbort(): void {
      fail(connectError('given up before the connection was there', 'SVC_ABORTED'))
    }
    // For good: an error that comes between two owners, or after the end, must not be one that nobody hears.
    socket.on('error', ignore)
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once(event, onReady)
    socket.once('error', fail)
    socket.once('close', onClose)
  })
}

function ignore(): void {
  // Whoever owns the socket listens as well, and does what is to be done.
}

function readHead(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    function clear(): void {
      signal.removeEventListener('abort', onAbort)
      socket.off('data', onData)
      socket.off('error', fail)
      socket.off('close', onClose)
    }
    function fail(error: Error): void {
      clear()
      socket.destroy()
      reject(error)
    }
    function onClose(): void {
      fail(connectError('the proxy closed the connection without an answer to CONNECT', 'SVC_PROXY'))
    }
    function onAbort(): void {
      fail(connectError('given up before the proxy answered', 'SVC_ABORTED'))
    }
    function onData(chunk: Buffer): void {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end >= 0) {
        clear()
        socket.pause()
        const rest = head.subarray(end + 4)
        if (rest.length > 0) socket.unshift(rest)
        resolve(head.subarray(0, end).toString('latin1'))
      } else if (head.length > 16_384) {
        fail(connectError('the proxy sent too long an answer to CONNECT', 'SVC_PROXY_REFUSED'))
      }
    }
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('data', onData)
    socket.once('error', fail)
    socket.once('close', onClose)
  })
}
