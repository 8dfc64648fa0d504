/**
 * Finds the proxy that the environment names, unless NO_PROXY excepts the service. Connections to loopback never go through a
 * proxy.
 */
import { BlockList, isIP } from 'node:net'
import { SvcError } from '../errors.ts'
import { isLoopback } from '../host.ts'

/** A server to connect to. */
export interface Endpoint {
  /** Whether it speaks TLS. */
  isSecure: boolean
  /** A name, or an address without brackets. */
  hostname: string
  port: number
}

export interface Proxy extends Endpoint {
  /** The value of the header `Proxy-Authorization`; undefined if the proxy needs no login. */
  authorization: string | undefined
  /** The environment variable that names the proxy. */
  variable: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the endpoint of a URL. If the URL has no port, it is the usual one. */
export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const isSecure = protocol === 'https:'
  const usualPort = isSecure ? 443 : 80
  return {
    isSecure,
    // An IPv6 address has brackets in a URL.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? usualPort : Number(port),
  }
}

/**
 * Returns the proxy that HTTPS_PROXY or ALL_PROXY (in either letter case) names; undefined if there is none or NO_PROXY excepts
 * the target. Throws a config error if the variable is not the URL of a proxy.
 */
export function proxyFor(target: Endpoint, env: Environment): Proxy | undefined {
  // http is only for loopback, so a target without TLS is loopback, whatever its spelling.
  if (!target.isSecure || isLoopback(target.hostname)) return undefined
  const variables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  const variable = variables.find((name) => valueOf(env, name) !== '')
  const isExcepted = exceptionsOf(env).some(
    (text) => readException(text)?.(target) === true,
  )
  if (variable === undefined || isExcepted) return undefined
  return parseProxy(variable, valueOf(env, variable))
}

function valueOf(env: Environment, variable: string) {
  return env[variable]?.trim() ?? ''
}

/** Parses the URL of a proxy, whose scheme may be left out. Throws a config error for any other text. */
function parseProxy(variable: string, value: string): Proxy {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
  try {
    const url = new URL(hasScheme ? value : `http://${value}`)
    const { protocol, hostname, username, password } = url
    if (!/^https?:$/.test(protocol) || hostname === '') throw new TypeError('no proxy')
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const encoded = Buffer.from(credentials).toString('base64')
    const authorization = credentials === ':' ? undefined : `Basic ${encoded}`
    return { ...endpointOf(url), authorization, variable }
  } catch {
    // The value is not shown, because it may contain a password.
    const hint = 'it must look like http://proxy.example.com:3128'
    throw new SvcError('config', `${variable} is not the URL of a proxy`, { hint })
  }
}

/** Returns the entries of NO_PROXY that cover nothing, because they are neither `*` nor a name, an address or a network. */
export function wrongExceptions(env: Environment) {
  return exceptionsOf(env).filter((text) => readException(text) === undefined)
}

/** The entries of NO_PROXY, which commas or spaces separate. */
function exceptionsOf(env: Environment) {
  const value = valueOf(env, 'no_proxy') || valueOf(env, 'NO_PROXY')
  return value.split(/[\s,]+/).filter((text) => text !== '')
}

/** An exception with a port after it. An IPv6 address then has brackets. */
const portPattern = /^([^:]+|\[[^[\]]+\](?:\/\d+)?):0*(\d{1,5})$/

/** A host name in NO_PROXY: `example.com`, `.example.com` or `*.example.com`. The group is `example.com`. */
const namePattern = /^(?:\*?\.)?([\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*)\.?$/u

/**
 * Reads an exception: `*`, an address, a network (`192.0.2.0/24`), or a host name, which covers its subdomains too. With a port,
 * it covers that port alone. Returns undefined for any other text.
 */
function readException(text: string): ((target: Endpoint) => boolean) | undefined {
  const [, host = text, digits] = portPattern.exec(text) ?? []
  const onlyPort = digits === undefined ? undefined : Number(digits)
  const covers = readHosts(host)
  if (covers === undefined || onlyPort === 0 || Number(onlyPort) > 65_535) return undefined
  return ({ hostname, port }) => port === (onlyPort ?? port) && covers(hostname)
}

/** Reads the hosts of an exception. */
function readHosts(text: string): ((hostname: string) => boolean) | undefined {
  if (text === '*') return () => true
  const network = readNetwork(text.replace(/^\[(.*:.*)\](?=\/|$)/, '$1'))
  if (network !== undefined)
    return (hostname) => isIP(hostname) !== 0 && network.check(hostname, familyOf(hostname))
  const name = namePattern.exec(text)?.[1]?.toLowerCase()
  if (name === undefined) return undefined
  return (hostname) => {
    const host = hostname.toLowerCase()
    const isSubdomain = isIP(hostname) === 0 && host.endsWith(`.${name}`)
    return host === name || isSubdomain
  }
}

/** Reads an address or a network, in any spelling. Returns undefined for any other text. */
function readNetwork(text: string) {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  const maxBits = version === 4 ? 32 : 128
  // An address alone is a network of one.
  const bits = prefix === undefined ? maxBits : Number(prefix)
  if (version === 0 || bits > maxBits) return undefined
  const network = new BlockList()
  network.addSubnet(address, bits, familyOf(address))
  return network
}

function familyOf(address: string) {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
