/**
 * The settings of the way to the service, as the transport takes them. `cli/context.ts` calls it when the first request is to be sent, and
 * `svc doctor` to check them.
 */
import { SvcError, exit, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import type { NamedProxy } from '../http/proxy.ts'
import type { Network } from '../http/transport.ts'
import { shortestSecret } from '../output/text/redact.ts'
import { proxyUrl } from '../values.ts'
import type { Settings } from './settings.ts'
import { X509Certificate } from 'node:crypto'
import { readRegular, readTrusted } from '../disk/trust.ts'
import { expandHome } from './credentials.ts'
import { variable } from './environment.ts'

/**
 * `secrets`: the proxy's user name and password, to be hidden in all output. Throws exit 2 for a certificate file that cannot be used, exit 4
 * for a password too short to be hidden.
 */
export function networkOf(
  host: Host,
  { proxy, caFile }: Pick<Settings, 'proxy' | 'caFile'>,
): { readonly network: Network; readonly secrets: readonly string[] } {
  const authorities = authoritiesOf(host, caFile)
  if (proxy.value === undefined) return { network: { authorities }, secrets: [] }
  const named = { value: proxy.value, source: `proxy in ${proxy.source}` }
  return { network: { proxy: named, authorities }, secrets: secretsOf(named) }
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

/** Largest file that is read, in bytes: the authorities of all browsers take a quarter of a megabyte. */
const largest = 4 * 1024 * 1024

/**
 * The certificates of the setting's file, in PEM, and those that Node is told to read beside its own; undefined without the setting: Node reads
 * them by itself then. Others who can write the file would decide whom svc believes. Throws exit 2.
 */
function authoritiesOf(
  host: Host,
  { value, source }: Settings['caFile'],
): string[] | undefined {
  if (value === undefined) return undefined
  const words = source === 'SVC_CA_FILE' ? source : `caFile in ${source}`
  const wayOut = `name a PEM file in ${words}, with lines of -----BEGIN CERTIFICATE-----, or unset it`
  const path = expandHome(value, host)
  const { bytes } = readTrusted(host, path, { most: largest, wayOut })
  const { certificates, problem } = certificatesIn(bytes)
  if (problem === undefined) return [...extraAuthorities(host), ...certificates]
  const what = `the certificate file ${path} (${words}) cannot be used`
  throw new SvcError('config', `${what}: ${problem}`, { hint: wayOut })
}

/** Certificates of NODE_EXTRA_CA_CERTS; Node has warned of a file that cannot be read. */
function extraAuthorities(host: Host): readonly string[] {
  const path = variable(host, 'NODE_EXTRA_CA_CERTS')
  try {
    const bytes = path === undefined ? undefined : readRegular(host, path, largest).bytes
    return bytes === undefined ? [] : (certificatesIn(bytes).certificates ?? [])
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return []
  }
}

type Certificates =
  | { readonly certificates: readonly string[]; readonly problem?: undefined }
  | { readonly certificates?: undefined; readonly problem: string }

function certificatesIn(bytes: Buffer): Certificates {
  const certificates =
    bytes.toString().match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ??
    []
  if (certificates.length === 0) return { problem: 'it contains no certificate in PEM' }
  const damaged = certificates.findIndex((block) => !isCertificate(block))
  return damaged < 0
    ? { certificates }
    : { problem: `its certificate ${damaged + 1} is damaged` }
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
