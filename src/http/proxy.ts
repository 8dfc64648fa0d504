/**
 * The way of a connection: directly or through the proxy that a setting or the environment names; never to loopback through one. Decided
 * once by `transport.ts`; `doctor` shows it.
 */
import { isIP } from 'node:net'
import { SvcError } from '../errors.ts'
import { isLoopback, proxyUrl } from '../values.ts'

export interface Target {
  readonly secure: boolean
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
}

export interface Proxy extends Target {
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined
  /** The setting or variable that names it, in words. */
  readonly source: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The host and port that a URL leads to, with the usual port where it names none. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  const secure = protocol === 'https:'
  const usualPort = secure ? 443 : 80
  return { secure, hostname: bare(hostname), port: port === '' ? usualPort : Number(port) }
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Throws exit 2 when the environment switches certificate checks off. */
export function refuseDisabledVerification(env: Environment): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new SvcError(
      'config',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set, which turns off certificate checks',
      {
        hint: 'unset it; to trust a certificate of your own, name its CA file as caFile in the profile, or in SVC_CA_FILE',
      },
    )
  }
}

/** The proxy of a setting, or else that of HTTPS_PROXY or ALL_PROXY (either case) unless NO_PROXY covers the target. Throws exit 2 on a broken one. */
export function proxyFor(
  target: Target,
  env: Environment,
  setting?: NamedProxy,
): Proxy | undefined {
  // Plain http goes to loopback only, and loopback is never proxied.
  if (!target.secure || isLoopback(target.hostname)) return undefined
  if (setting !== undefined) return parseProxy(setting)
  const shared = firstSet(env, ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])
  const excepted = firstSet(env, ['no_proxy', 'NO_PROXY'])?.value ?? ''
  if (shared === undefined || bypasses(excepted, target)) return undefined
  return parseProxy(shared)
}

/** A proxy as it is written, and where. */
export interface NamedProxy {
  readonly value: string
  readonly source: string
}

/** The first variable that is set. */
function firstSet(env: Environment, names: readonly string[]): NamedProxy | undefined {
  for (const source of names) {
    const value = env[source]?.trim() ?? ''
    if (value !== '') return { source, value }
  }
  return undefined
}

function parseProxy({ value, source }: NamedProxy): Proxy {
  const url = proxyUrl(value)
  try {
    if (url === undefined) throw new TypeError('no address')
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    const authorization =
      user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`
    return { ...targetOf(url), authorization, source }
  } catch {
    // The cause would repeat a password.
    const hint = 'it must look like http://proxy.example.com:3128'
    throw new SvcError('config', `${source} is not the URL of a proxy`, { hint })
  }
}

/** NO_PROXY: `*`, and hosts by their exact name or address; a name covers its subdomains too. */
export function bypasses(list: string, { hostname }: Target): boolean {
  const host = hostname.toLowerCase()
  const entries = list.toLowerCase().split(/[\s,]+/)
  return entries.some((entry) => {
    const name = bare(entry).replace(/^\*?\./, '')
    const isSubdomain = name !== '' && isIP(host) === 0 && host.endsWith(`.${name}`)
    return entry === '*' || host === name || isSubdomain
  })
}
