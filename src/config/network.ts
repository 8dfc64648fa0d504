/** The settings of the way to the service, as the transport takes them. */
import { X509Certificate } from 'node:crypto'
import { SvcError, exit } from '../errors.ts'
import type { Host } from '../host.ts'
import type { NamedProxy } from '../http/proxy.ts'
import type { Network } from '../http/transport.ts'
import { shortestSecret } from '../redactor.ts'
import { proxyUrl } from '../values.ts'
import { expandHome } from './credentials.ts'
import { configError } from './paths.ts'
import type { Settings } from './settings.ts'
import { readTrusted } from './trust.ts'

/**
 * `secrets`: the proxy's user name and password, to be hidden in all output. Throws exit 2 for a certificate file that
 * cannot be used, exit 4 for a password too short to be hidden.
 */
export function networkOf(
  host: Host,
  { proxy, caFile }: Pick<Settings, 'proxy' | 'caFile'>,
): { network: Network; secrets: readonly string[] } {
  const authorities = authoritiesOf(host, caFile)
  if (proxy.value === undefined) return { network: { authorities }, secrets: [] }
  const named = { value: proxy.value, source: `proxy in ${proxy.source}` }
  return { network: { proxy: named, authorities }, secrets: secretsOf(named) }
}

/**
 * As they are written and as they are sent. A short user name cannot be hidden, and is left out wherever a proxy is shown.
 */
function secretsOf({ value, source }: NamedProxy) {
  const { username = '', password = '' } = proxyUrl(value) ?? {}
  const secrets = [username, decode(username), password, decode(password)]
  if (password === '' || decode(password).length >= shortestSecret) return secrets
  throw new SvcError(
    'config',
    `the password of the proxy (${source}) has fewer than ${shortestSecret} characters, so it could not be hidden in what svc shows`,
    { exitCode: exit.auth, hint: 'choose a longer one, or name the proxy in HTTPS_PROXY' },
  )
}

/** A text with its percent signs decoded. An invalid encoding stays as it is, and connecting refuses it. */
function decode(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Largest file that is read, in bytes: the authorities of all browsers take a quarter of a megabyte. */
const largest = 4 * 1024 * 1024

/**
 * The certificates of the setting's file, in PEM; undefined without the setting. Others who can write the file would decide
 * whom svc believes. Throws exit 2.
 */
function authoritiesOf(
  host: Host,
  { value, source }: Settings['caFile'],
): readonly string[] | undefined {
  if (value === undefined) return undefined
  const words = source === 'SVC_CA_FILE' ? source : `caFile in ${source}`
  const wayOut = `name a PEM file in ${words}, with lines of -----BEGIN CERTIFICATE-----, or unset it`
  const path = expandHome(value, host)
  const { bytes } = readTrusted(host, path, { most: largest, wayOut })
  const blocks = bytes.toString().match(certificateBlock) ?? []
  if (blocks.length > 0 && blocks.every(isCertificate)) return blocks
  throw configError(
    `the certificate file ${path} (${words}) contains no certificate in PEM, or a damaged one`,
    wayOut,
  )
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function isCertificate(block: string) {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
