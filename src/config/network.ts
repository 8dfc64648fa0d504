/** The settings of the way to the service, as what opens connections takes them. */
import { SvcError, exit } from '../errors.ts'
import type { Host } from '../host.ts'
import type { NamedProxy } from '../http/proxy.ts'
import type { Network } from '../http/transport.ts'
import { shortestSecret } from '../output/text/redact.ts'
import { proxyUrl } from '../values.ts'
import { readAuthorities } from './certificates.ts'
import type { Settings } from './settings.ts'

/** `passwords`: to be hidden in all output. */
export interface NetworkSettings {
  readonly network: Network
  readonly passwords: readonly string[]
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
    passwords: named === undefined ? [] : passwordsOf(named),
  }
}

/** The proxy that a profile or the defaults name. */
export function namedProxy({ value, source }: Settings['proxy']): NamedProxy | undefined {
  return value === undefined ? undefined : { value, source: `proxy in ${source}` }
}

/** As it is written and as it is sent. */
function passwordsOf({ value, source }: NamedProxy): string[] {
  const written = proxyUrl(value)?.password ?? ''
  if (written === '') return []
  const password = decode(written)
  if (password.length >= shortestSecret) return [written, password]
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
