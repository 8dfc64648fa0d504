/** Proxies: the one that the environment names, and what svc says when it opens no tunnel to the service. */
import type { Dispatcher, Pool } from 'undici'
import { configError } from '../errors.ts'
import { isLoopback, type Host } from '../host.ts'
import { asError, connectionFailure, reasonOf } from './attempt.ts'

/** A proxy, the variable that names it, and what the environment excepts from it. */
export interface Proxy {
  url: string
  variable: string
  exceptions: string
}

/**
 * Returns the proxy of the environment, undefined for a service on this machine. The first variable that is not empty counts. Throws a
 * config error if it does not name a proxy.
 */
export function proxyFor({ protocol, hostname }: URL, { env }: Host): Proxy | undefined {
  const names = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  const variable = names.find((name) => env[name])
  if (variable === undefined || protocol === 'http:' || isLoopback(hostname))
    return undefined
  const value = env[variable] ?? ''
  const url = /^\w+:\/\//.test(value) ? value : `http://${value}`
  if (isProxyUrl(url))
    return { url, variable, exceptions: env['no_proxy'] ?? env['NO_PROXY'] ?? '' }
  throw configError(
    `${variable} is not the URL of a proxy`,
    'for example http://proxy.example.com:3128',
  )
}

function isProxyUrl(text: string) {
  try {
    const { protocol, username, password } = new URL(text)
    // undici decodes them.
    decodeURIComponent(username + password)
    return /^https?:$/.test(protocol)
  } catch {
    return false
  }
}

/**
 * Makes a pool of connections to a proxy say why it opens no tunnel, in errors with a code of svc. After one of its own kind
 * (UND_ERR_SOCKET), as when a proxy closes, undici would connect again for ever.
 */
export function openTunnels(pool: Pool, variable: string) {
  const connect = pool.connect.bind(pool)
  const refusal = (problem: string, isFinal: boolean) =>
    Object.assign(new Error(`the proxy (${variable}) ${problem}`), {
      code: isFinal ? 'SVC_PROXY_REFUSED' : 'SVC_PROXY',
    })
  return Object.assign(pool, {
    async connect(to: Dispatcher.ConnectOptions) {
      const answer = await connect(to).catch((thrown: unknown) => {
        const cause = asError(thrown)
        const isFinal = connectionFailure(cause) !== 'unreachable'
        throw refusal(`cannot be used: ${reasonOf(cause)}`, isFinal)
      })
      const { statusCode, socket } = answer
      if (statusCode === 200) return answer
      socket.on('error', () => undefined).destroy()
      throw refusal(`answered ${statusCode} to CONNECT`, statusCode < 500)
    },
  })
}
