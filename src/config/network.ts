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
import type { Stats } from 'node:fs'
import { fileProblem } from '../errno.ts'
import { hintOf, writersProblem, type Distrust } from '../disk/folder.ts'
import { expandHome } from './credentials.ts'
import { variable, type Sourced } from './environment.ts'
import type { PathHost } from './paths.ts'

/** `passwords`: to be hidden in all output. */
interface NetworkSettings {
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
 * Reads the file that Node is told to read, and the one of the setting. Throws exit 2 when one of them cannot be used: where
 * Node's cannot be read, Node would say so in a line of its own, which is no JSON, and go on without it.
 */
export function readAuthorities(host: Reader, caFile: Sourced<string | undefined>) {
  const files: AuthorityFile[] = []
  const extra = variable(host, 'NODE_EXTRA_CA_CERTS')
  if (extra !== undefined) files.push(readAuthorityFile(host, extra, 'NODE_EXTRA_CA_CERTS'))
  if (caFile.value === undefined) return files
  const { value, source } = caFile
  const words = source === 'SVC_CA_FILE' ? source : `caFile in ${source}`
  const path = expandHome(value, host)
  files.push(
    readAuthorityFile(host, path, words, (stats) => writersProblem(host, path, stats, 'named')),
  )
  return files
}

function readAuthorityFile(
  host: Reader,
  path: string,
  source: string,
  distrust: (stats: Stats) => Distrust | undefined = () => undefined,
): AuthorityFile {
  const what = `the certificate file ${path} (${source})`
  try {
    const stats = host.disk.statSync(path)
    if (!stats.isFile()) throw new Malformed('it is not a regular file')
    if (stats.size > largest) throw new Malformed('it is larger than 4 MB')
    const problem = distrust(stats)
    if (problem !== undefined) {
      const hint = hintOf(problem, `name another file in ${source}`)
      throw new SvcError('config', `${what} is not used: ${problem.problem}`, { hint })
    }
    return { path, source, certificates: certificatesIn(host.disk.readFileSync(path, 'utf8')) }
  } catch (error) {
    if (error instanceof SvcError) throw error
    const why = error instanceof Malformed ? error.message : fileProblem(error)
    const hint = `name a PEM file in ${source}, with lines of -----BEGIN CERTIFICATE-----, or unset it`
    throw new SvcError('config', `${what} cannot be read: ${why}`, { hint, cause: error })
  }
}

/** A file that can be read, but not as certificates. */
class Malformed extends Error {}

function certificatesIn(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
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
