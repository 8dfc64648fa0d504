/**
 * How a connection is made: directly, or through the proxy that the environment names. Connections to loopback never go
 * through one.
 */
import { BlockList, isIP } from 'node:net'
import { SvcError } from '../errors.ts'
import { isLoopback, proxyUrl } from '../values.ts'

export interface Target {
  secure: boolean
  /** Without brackets. */
  hostname: string
  port: number
}

export interface Proxy extends Target {
  /** Value of Proxy-Authorization. */
  authorization: string | undefined
  /** The variable that names it. */
  source: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The host and port that a URL leads to, with the usual port where it names none. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  const secure = protocol === 'https:'
  const usualPort = secure ? 443 : 80
  return { secure, hostname: bare(hostname), port: port === '' ? usualPort : Number(port) }
}

/** An address without the brackets that it has in a URL. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The proxy of HTTPS_PROXY or ALL_PROXY (either case), unless NO_PROXY covers the target. Throws exit 2 on a broken one.
 */
export function proxyFor(target: Target, env: Environment): Proxy | undefined {
  // Plain http goes to loopback only, and loopback is never proxied.
  if (!target.secure || isLoopback(target.hostname)) return undefined
  const fromVariables = firstSet(env, [
    'https_proxy',
    'HTTPS_PROXY',
    'all_proxy',
    'ALL_PROXY',
  ])
  const exceptions = firstSet(env, ['no_proxy', 'NO_PROXY'])?.value ?? ''
  return fromVariables === undefined || bypasses(exceptions, target)
    ? undefined
    : parseProxy(fromVariables)
}

/** A proxy as it is written, and where. */
interface NamedProxy {
  value: string
  source: string
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

/** Whether an entry of NO_PROXY covers the target; entries have commas or blanks between them. */
export function bypasses(list: string, target: Target): boolean {
  return list.split(/[\s,]+/).some((entry) => covers(entry, target))
}

/** A name in NO_PROXY, perhaps after `*.` or a dot. */
const namePattern = /^(?:\*?\.)?([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)\.?$/u

/**
 * Whether an entry of NO_PROXY covers a target: `*`, a name that covers its subdomains too, an address, or a network
 * (`192.0.2.0/24`). An entry that is none of these covers nothing.
 */
function covers(entry: string, { hostname }: Target) {
  if (entry === '*') return true
  const network = readNetwork(bare(entry))
  if (network !== undefined)
    return isIP(hostname) !== 0 && network.check(hostname, familyOf(hostname))
  const name = namePattern.exec(entry)?.[1]?.toLowerCase()
  const host = hostname.toLowerCase()
  return (
    name !== undefined && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)))
  )
}

/** An address or a network, in any spelling; undefined if it is neither. */
function readNetwork(text: string): BlockList | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  const longest = family === 4 ? 32 : 128
  const prefix = length === undefined ? longest : Number(length)
  if (family === 0 || prefix > longest) return undefined
  const network = new BlockList()
  network.addSubnet(address, prefix, familyOf(address))
  return network
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
