/**
 * The settings of the way to the service, as what opens connections takes them. `cli/context.ts` calls it when the first request is to be
 * sent, and `svc doctor` to look at each part.
 */
import { SvcError, exit } from '../errors.ts'
import type { Host } from '../host.ts'
import type { NamedProxy } from '../http/proxy.ts'
import type { Network } from '../http/transport.ts'
import { shortestSecret } from '../output/text/redact.ts'
import { proxyUrl } from '../values.ts'
import type { Settings } from './settings.ts'
import { X509Certificate } from 'node:crypto'
import { readRegular, readTrusted } from '../disk/trust.ts'
import { expandHome } from './credentials.ts'
import { variable, type Sourced } from './environment.ts'
import type { PathHost } from './paths.ts'

/** `secrets`: the proxy's user name and password, to be hidden in all output. */
interface NetworkSettings {
  readonly network: Network
  readonly secrets: readonly string[]
}

/** Throws exit 2 for a certificate file that cannot be used, exit 4 for a password too short to be hidden. */
export function networkOf(
  host: Host,
  { proxy, caFile }: Pick<Settings, 'proxy' | 'caFile'>,
): NetworkSettings {
  const files = readAuthorities(host, caFile)
  const named = namedProxy(proxy)
  // Without a file of our own Node reads what it is told to read by itself.
  const authorities =
    caFile.value === undefined ? undefined : files.flatMap(({ certificates }) => certificates)
  return {
    network: { proxy: named, authorities },
    secrets: named === undefined ? [] : secretsOf(named),
  }
}

/** The proxy that a profile or the defaults name. */
export function namedProxy({ value, source }: Settings['proxy']): NamedProxy | undefined {
  return value === undefined ? undefined : { value, source: `proxy in ${source}` }
}

/** As they are written and as they are sent. A short user name cannot be hidden, and is left out wherever a proxy is shown. */
function secretsOf({ value, source }: NamedProxy): string[] {
  const { username = '', password: written = '' } = proxyUrl(value) ?? {}
  const names = [username, decode(username)].filter((name) => name.length >= shortestSecret)
  if (written === '') return names
  const password = decode(written)
  if (password.length >= shortestSecret) return [...names, written, password]
  throw new SvcError(
    'config',
    `the password of the proxy (${source}) has fewer than ${shortestSecret} characters, so it could not be hidden in what svc shows`,
    { exitCode: exit.auth, hint: 'choose a longer one, or name the proxy in HTTPS_PROXY' },
  )
}

/** A text without its percent signs; one that is no encoding stands for itself, and connecting refuses it. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The certificates of one file, in PEM: authorities that are trusted besides those that Node brings.
 */
interface AuthorityFile {
  readonly path: string
  /** The setting or variable that names the file, in words. */
  readonly source: string
  readonly certificates: readonly string[]
}

type Reader = PathHost & Pick<Host, 'userId'>

/** Largest file that is read, in bytes: the authorities of all browsers take a quarter of a megabyte. */
const largest = 4 * 1024 * 1024

/**
 * Reads the file of the setting, and beside it the one that Node is told to read. Throws exit 2 when the setting's cannot be used. Where
 * Node's cannot be read, Node says so in a line of its own, and svc goes on without it.
 */
export function readAuthorities(host: Reader, caFile: Sourced<string | undefined>) {
  const files = [...extraAuthorities(host)]
  if (caFile.value === undefined) return files
  const { value, source } = caFile
  const words = source === 'SVC_CA_FILE' ? source : `caFile in ${source}`
  files.push(readTrustedAuthorities(host, expandHome(value, host), words))
  return files
}

function extraAuthorities(host: Reader): AuthorityFile[] {
  const path = variable(host, 'NODE_EXTRA_CA_CERTS')
  if (path === undefined) return []
  const source = 'NODE_EXTRA_CA_CERTS'
  try {
    const { bytes } = readRegular(host, path, largest)
    return bytes === undefined ? [] : [{ path, source, certificates: certificatesIn(bytes) }]
  } catch {
    // Node has warned of it.
    return []
  }
}

/** A file that others can write or replace decides whom svc believes. */
function readTrustedAuthorities(host: Reader, path: string, source: string): AuthorityFile {
  const wayOut = `name a PEM file in ${source}, with lines of -----BEGIN CERTIFICATE-----, or unset it`
  const { bytes } = readTrusted(host, path, { most: largest, wayOut })
  try {
    return { path, source, certificates: certificatesIn(bytes) }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const what = `the certificate file ${path} (${source}) cannot be used`
    throw new SvcError('config', `${what}: ${error.message}`, { hint: wayOut })
  }
}

/** A file that can be read, but not as certificates. */
class Malformed extends Error {}

function certificatesIn(bytes: Buffer): string[] {
  const blocks =
    bytes.toString().match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Malformed('it contains no certificate in PEM')
  for (const [at, block] of blocks.entries()) {
    if (!isCertificate(block)) throw new Malformed(`its certificate ${at + 1} is damaged`)
  }
  return blocks
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
