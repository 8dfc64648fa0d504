/**
 * How a connection comes about: TLS always verified, loopback dialled as written and never through a proxy, and a
 * CONNECT of our own (undici's proxy agents wait for ever on a proxy that drops it).
 */
import { isIP, isIPv4, isIPv6, BlockList, connect as connectTcp, type Socket } from 'node:net'
import { SvcError } from '../errors.ts'

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

/** 127.0.0.0/8, ::1 and the name localhost: dialled as those, never resolved, never proxied. */
export function isLoopback(hostname: string): boolean {
  const name = bare(hostname)
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
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
  const found = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].find((name) => (env[name] ?? '').trim() !== '')
  if (found === undefined) return undefined
  if (bypasses(env['no_proxy'] ?? env['NO_PROXY'] ?? '', target)) return undefined
  return parseProxy((env[found] ?? '').trim(), found)
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
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw problem(`has the scheme ${url.protocol}, which svc does not speak`)
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
  if (range) return inRange(range[1] ?? '', Number(range[2]), host)
  const withPort = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry)
  if (withPort && Number(withPort[2]) !== port) return false
  const name = bare(withPort?.[1] ?? entry).replace(/^\*?\./, '')
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
}

function inRange(network: string, prefix: number, host: string): boolean {
  const address = bare(network)
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
  if (family === undefined || isIP(host) === 0 || prefix > (family === 'ipv4' ? 32 : 128)) return false
  const block = new BlockList()
  block.addSubnet(address, prefix, family)
  return block.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
}

/** An error of ours with a code, so that the retry rules can tell it. */
function connectError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Opens a connection ready for HTTP. Rejects within the connect deadline, or at once when the signal is aborted. */
export async function open(target: Target, proxy: Proxy | undefined, signal: AbortSignal): Promise<Socket> {
  const deadline = AbortSignal.timeout(connectDeadline)
  const ended = AbortSignal.any([signal, deadline])
  try {
    if (proxy === undefined) {
      if (target.secure) return await secure(target.hostname, ended, { port: target.port })
      return await plain(target, ended)
    }
    const tunnel = await connectThrough(proxy, target, ended)
    return await secure(target.hostname, ended, { socket: tunnel })
  } catch (error) {
    if (deadline.aborted && !signal.aborted) {
      throw connectError(`no connection within ${connectDeadline / 1000} seconds`, 'ETIMEDOUT')
    }
    throw error
  }
}

async function plain(target: Target, signal: AbortSignal): Promise<Socket> {
  if (target.hostname !== 'localhost') return tcp(target.hostname, target.port, signal)
  try {
    return await tcp('127.0.0.1', target.port, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return tcp('::1', target.port, signal)
  }
}

function tcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return ready(connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }), 'connect', signal)
}

async function secure(hostname: string, signal: AbortSignal, via: { port: number } | { socket: Socket }): Promise<Socket> {
  const tls = await import('node:tls')
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname
  const socket = tls.connect({
    ...('socket' in via ? { socket: via.socket } : { host, port: via.port }),
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
    // Said here so that no environment variable can unsay it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(hostname, certificate),
  })
  socket.setNoDelay(true)
  return ready(socket, 'secureConnect', signal)
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
      socket.on('error', ignore)
      socket.destroy()
      reject(error)
    }
    function onClose(): void {
      fail(connectError('the connection was closed while it was being set up', 'ECONNRESET'))
    }
    function onAbort(): void {
      fail(connectError('given up before the connection was there', 'SVC_ABORTED'))
    }
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

/** A destroyed socket may still report an error; what mattered has been reported. */
function ignore(): void {
  // Nothing is left to do for a socket that was given up.
}

/** CONNECT by hand: one request, one answer of at most 16 KiB, no body expected. */
async function connectThrough(proxy: Proxy, target: Target, signal: AbortSignal): Promise<Socket> {
  const socket = proxy.secure
    ? await secure(proxy.hostname, signal, { port: proxy.port })
    : await tcp(proxy.hostname, proxy.port, signal)
  const authority = `${isIPv6(target.hostname) ? `[${target.hostname}]` : target.hostname}:${target.port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (proxy.authorization !== undefined) lines.push(`Proxy-Authorization: ${proxy.authorization}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const head = await readHead(socket, signal)
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
  if (status < 200 || status > 299) {
    socket.destroy()
    throw connectError(
      `the proxy (${proxy.variable}) answered ${status === 0 ? 'with something that is not HTTP' : status} to CONNECT`,
      // A proxy that refuses or asks for a password does so again; a busy one may not.
      status >= 500 ? 'SVC_PROXY' : 'SVC_PROXY_REFUSED',
    )
  }
  return socket
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
      socket.on('error', ignore)
      socket.destroy()
      reject(error)
    }
    function onClose(): void {
      fail(connectError('the proxy closed the connection', 'ECONNRESET'))
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
