/**
 * API secrets: where one is kept, and how it is read. No message contains a secret, the arguments of its command or what the
 * command prints.
 */
import { once } from 'node:events'
import { delimiter, dirname, isAbsolute, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { exitCodes, SvcError, fileReason } from '../errors.ts'
import type { Host } from '../host.ts'
import { minSecretLength } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import type { FileProfile } from './file.ts'
import { checkTrust, expandHome, readTrusted } from './paths.ts'
import { hasBlank, type SecretKey } from './settings.ts'

/**
 * Returns the source of a profile's secret. `configPath` is the file that has the profile, and a relative path in it begins at its
 * folder. Without `configPath`, the profile comes from the environment.
 */
export function secretOf(
  host: Host,
  { apiSecret, secretFile, secretCommand }: Partial<Pick<FileProfile, SecretKey>>,
  configPath?: string,
  commandLimitMs = 30_000,
) {
  // Paths of the environment are absolute by now.
  const folder = dirname(configPath ?? '')
  if (secretFile !== undefined) {
    const path = resolve(folder, expandHome(host, secretFile))
    return sourceOf(`the file ${path}`, () => {
      if (!host.disk.existsSync(path)) throw secretError(`there is no secret file ${path}`)
      const { stats, bytes } = readTrusted(host, path)
      // Containers mount secrets as files of root that others can read.
      checkTrust(host, path, stats, stats.uid !== 0)
      return bytes.toString()
    })
  }
  if (secretCommand !== undefined) {
    // Only the first word is shown, because the others may contain anything.
    const place = `the command ${secretCommand[0]}${secretCommand.length > 1 ? ' …' : ''}`
    return sourceOf(place, () =>
      askSecretCommand(host, secretCommand, folder, commandLimitMs),
    )
  }
  // The schema ensures that one of the three is there.
  return sourceOf(configPath ?? 'SVC_API_SECRET', () => apiSecret ?? '')
}

/** A secret that is not read yet. */
function sourceOf(place: string, readText: () => string | Promise<string>) {
  return {
    /** Where the secret is, in words. */
    place,
    /** Throws a config error: exit 4 if there is no usable secret, exit 2 if others can read or write its file. */
    read: async () => checkSecret(await readText(), `the secret from ${place}`),
  }
}

function secretError(message: string, hint?: string, cause?: unknown) {
  return new SvcError('config', message, { exitCode: exitCodes.auth, hint, cause })
}

/** In characters. HMAC takes any length, but nobody has a longer secret. */
const maxLength = 4096

/**
 * Returns the secret in a text: its one line, without the line break. `name` stands for the text in messages. Throws a config error
 * (exit 4).
 */
export function checkSecret(text: string, name: string) {
  const secret = text.replace(/\r?\n$/, '')
  const hasLength = secret.length >= minSecretLength && secret.length <= maxLength
  // Text that is not UTF-8 has U+FFFD in it.
  if (hasLength && !hasBlank(secret) && !secret.includes('\ufffd')) return secret
  throw secretError(
    `${name} is not one line of ${minSecretLength} to ${groupDigits(maxLength)} characters without spaces and invisible characters`,
    'it must be the whole secret and nothing else; a shorter one could not be hidden in what svc shows',
  )
}

/** Reads the text of a stream. Stops as soon as the text is too long to be a secret. */
export async function readSecretText(stream: AsyncIterable<Buffer | string>) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    // A character has at most four bytes.
    if (bytes > 4 * maxLength) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Starts a command without a shell, and returns what it prints. It starts in `folder`, because files of the current folder could change
 * what it does. A password manager that has to ask opens the terminal itself. What it prints on stderr is dropped: it could contain
 * the secret. Throws a config error (exit 4).
 */
async function askSecretCommand(
  host: Host,
  [program = '', ...args]: readonly string[],
  folder: string,
  limitMs: number,
) {
  const timeLimit = AbortSignal.timeout(limitMs)
  // Only absolute folders, because a relative one means another place in each folder.
  const PATH = host.env['PATH']?.split(delimiter).filter(isAbsolute).join(delimiter)
  const child = host.spawn(expandHome(host, program), args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...host.env, PATH, PWD: folder, SVC_API_SECRET: undefined },
    signal: timeLimit,
    killSignal: 'SIGKILL',
  })
  const stdout = addAbortSignal(timeLimit, child.stdout ?? Readable.from([]))
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  const readAndClosed = Promise.all([readSecretText(stdout), closed])
  const [text, [code, signal]] = await readAndClosed.catch((error: unknown) => {
    const problem = timeLimit.aborted
      ? `did not end within ${limitMs / 1000} s`
      : `cannot be run: ${fileReason(error)}`
    throw secretError(`the secret command ${program} ${problem}`, undefined, error)
  })
  // svc stops reading too long a text, which can make the command fail. `checkSecret` refuses the text.
  if (code === 0 || text.length > maxLength) return text
  const hint = 'run it yourself to see what it says'
  const ending = signal ?? `exit code ${code}`
  throw secretError(`the secret command ${program} ended with ${ending}`, hint)
}
