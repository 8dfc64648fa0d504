/**
 * Signatures, made and checked by OpenSSH's ssh-keygen, as git does it: the format is not ours to read. `write-plan.ts`, `approve.ts` and
 * `evidence.ts` sign here, and `approvals.ts` checks. Plans and evidence have a namespace each, so that a signature of one is never one of the other.
 *
 * Keys are named by the SHA-256 of their public half, as ssh-keygen has it, in hexadecimal digits. No private key is ever read by svc.
 */
import { envOfChild, programOnPath } from '../config/credentials.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { exactTime } from '../output/text/time.ts'
import type { Signer } from './policy.ts'

export const namespaces = { plan: 'svc-plan', evidence: 'svc-evidence' } as const

/** In bytes; that of the longest key takes 6 KB. */
export const longestSignature = 64 << 10

/** The surroundings of a command, and who hears what it says on stderr. */
interface KeygenTools {
  readonly host: Host
  readonly signal: AbortSignal
  readonly note?: ((text: string) => void) | undefined
}

/** Runs ssh-keygen. Returns its exit code and what it wrote; throws exit 2 where there is none. */
async function run(
  { host, signal, note }: KeygenTools,
  words: readonly string[],
  input: Uint8Array,
) {
  const path = programOnPath('ssh-keygen', host)
  if (path === undefined) {
    throw usageError(
      'ssh-keygen was not found in the folders of PATH',
      'it comes with OpenSSH, which signs and checks plans',
    )
  }
  return host.run({
    path,
    words,
    input,
    signal,
    // Times in a file of signers are those of UTC: the variable TZ must not make a key valid for longer.
    env: { ...envOfChild(host), TZ: 'UTC0' },
    onLine: (line) => {
      if (line !== 'Signing data on standard input') note?.(line)
    },
  })
}

/** A fingerprint as ssh-keygen writes it, in hexadecimal digits. */
function hexOf(fingerprint: string): string {
  const bytes = Buffer.from(fingerprint, 'base64')
  return bytes.toString('hex')
}

/** SHA-256 of a public key, by the file of its private or public half. Throws exit 2. */
export async function keyOf(tools: KeygenTools, path: string): Promise<string> {
  const { code, stdout } = await run(tools, ['-l', '-E', 'sha256', '-f', path], new Uint8Array())
  const [, fingerprint] = / SHA256:([A-Za-z0-9+/]{43}) /.exec(stdout) ?? []
  if (code === 0 && fingerprint !== undefined) return hexOf(fingerprint)
  throw usageError(
    `"${path}" is no SSH key that ssh-keygen can read`,
    'name a key, or the public half of one in the agent, with --key',
  )
}

/** SHA-256 of public keys, each as a file of keys has it; undefined for what ssh-keygen cannot read. */
export async function fingerprints(
  tools: KeygenTools,
  keys: readonly string[],
): Promise<(string | undefined)[]> {
  // The comment says which one it is: a key that cannot be read is skipped.
  const lines = keys.map((key, n) => `${key} ${n}\n`).join('')
  const { stdout } = await run(
    { ...tools, note: undefined },
    ['-l', '-E', 'sha256', '-f', '-'],
    Buffer.from(lines),
  )
  const sums = new Map<number, string>()
  const pattern = /^\d+ SHA256:(?<fingerprint>[A-Za-z0-9+/]{43}) (?<position>\d+) /gm
  for (const { groups } of stdout.matchAll(pattern)) {
    const { fingerprint = '', position } = groups ?? {}
    sums.set(Number(position), hexOf(fingerprint))
  }
  return keys.map((_, position) => sums.get(position))
}

interface Signing {
  /** Path of the key, or of its public half where an agent has the private one. */
  readonly key: string
  readonly namespace: string
  readonly bytes: Uint8Array
}

/** Signs bytes with a key file, or with the agent or hardware that has its private half. Throws exit 2. */
export async function sign(
  tools: KeygenTools,
  { key, namespace, bytes }: Signing,
): Promise<string> {
  const { code, stdout } = await run(tools, ['-Y', 'sign', '-f', key, '-n', namespace], bytes)
  if (code === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return stdout
  throw new SvcError('usage', `ssh-keygen could not sign with "${key}"; nothing was written`)
}

/**
 * The signer of these bytes in this namespace, by a file of allowed signers; undefined when nobody in it did. `at`: the
 * time at which keys must be valid, in milliseconds since 1970.
 */
export async function verify(
  { host, signal }: KeygenTools,
  { signers, signature, bytes, namespace, at }: Signed,
): Promise<Pick<Signer, 'principal' | 'key'> | undefined> {
  // A note on a signature that counts for nothing would not be about the command.
  const tools = { host, signal }
  // git can give a file other line ends, which ssh-keygen does not take.
  const files = { signers, signature: signature.replaceAll('\r\n', '\n') }
  return host.withFiles(files, async (pathOf) => {
    const time = exactTime(at, true).slice(0, 19).replace(/[-T:]/g, '')
    const common = ['-f', pathOf('signers'), '-s', pathOf('signature'), `-Overify-time=${time}`]
    const search = await run(tools, ['-Y', 'find-principals', ...common], new Uint8Array())
    if (search.code !== 0) return undefined
    const [principal = ''] = search.stdout.split(/[\r\n,]/)
    // A name that begins with a dash would be an option.
    if (principal === '' || principal.startsWith('-')) return undefined
    const words = ['-Y', 'verify', '-I', principal, '-n', namespace, ...common]
    const { code, stdout } = await run(tools, words, bytes)
    const [, key] = / key SHA256:([A-Za-z0-9+/]{43})\s*$/.exec(stdout) ?? []
    if (code !== 0 || key === undefined) return undefined
    return { principal, key: hexOf(key) }
  })
}

interface Signed {
  readonly signers: string
  readonly signature: string
  readonly bytes: Uint8Array
  readonly namespace: string
  readonly at: number
}
