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
import { checkTrust, expandHome, readTrusted } from './paths.ts'
import type { FileProfile } from './file.ts'
import { hasBlank, type SecretKey } from './settings.ts'

/**
 * Returns where the secret of a profile is, in words, and how to read it. `path` is the configuration file, or the variable that holds
 * the secret. A relative path begins at the folder of the configuration file. `read` throws a config error: exit 4 if there is no
 * usable secret, exit 2 if others can read or write its file.
 */
export function secretOf(
  host: Host,
  { apiSecret, secretFile, secretCommand }: Partial<Pick<FileProfile, SecretKey>>,
  path = 'SVC_API_SECRET',
  commandLimitMs = 30_000,
) {
  const folder = dirname(path)
  const from = (place: string, text: () => string | undefined | Promise<string>) => ({
    place,
    // The schema ensures that one of the three is there.
    read: async () => checkSecret((await text()) ?? '', `the secret from ${place}`),
  })
  if (secretFile !== undefined) {
    const file = resolve(folder, expandHome(secretFile, host))
    return from(`the file ${file}`, () => readSecretFile(host, file))
  }
  if (secretCommand !== undefined) {
    // Only the first word is shown, because the others may contain anything.
    const place = `the command ${secretCommand[0]}${secretCommand.length > 1 ? ' …' : ''}`
    return from(place, () => runSecretCommand(host, secretCommand, folder, commandLimitMs))
  }
  return from(path, () => apiSecret)
}

function readSecretFile(host: Host, path: string) {
  if (!host.disk.existsSync(path)) throw secretError(`there is no secret file ${path}`)
  const { stats, bytes } = readTrusted(host, path)
  // Containers mount secrets as files of root that others can read.
  checkTrust(host, path, stats, stats.uid !== 0)
  return bytes.toString()
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
export function checkSecret(text: string, name: string): string {
  const secret = text.replace(/\r?\n$/, '')
  const hasLength = secret.length >= minSecretLength && secret.length <= maxLength
  // Text that is not UTF-8 has U+FFFD in it.
  if (hasLength && !hasBlank(secret) && !secret.includes('\ufffd')) return secret
  throw secretError(
    `${name} is not one line of ${minSecretLength} to 4,096 characters without spaces and invisible characters`,
    'it must be the whole secret and nothing else; a shorter one could not be hidden in what svc shows',
  )
}

/** Reads the text of a stream. Stops as soon as the text is too long to be a secret. */
export async function readSecretText(
  stream: AsyncIterable<Buffer | string>,
): Promise<string> {
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
 * Runs a command without a shell, and returns what it prints. Files of the current folder could change what it does, so it runs in
 * `folder`. A password manager that has to ask opens the terminal itself. Throws a config error
 * (exit 4). svc drops what it prints on stderr, which could contain the secret.
 */
async function runSecretCommand(
  host: Host,
  [program = '', ...args]: readonly string[],
  folder: string,
  ms: number,
) {
  const timeLimit = AbortSignal.timeout(ms)
  // Only absolute folders, because a relative one means another place in each folder.
  const PATH = host.env['PATH']?.split(delimiter).filter(isAbsolute).join(delimiter)
  const child = host.spawn(expandHome(program, host), args, {
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
      ? `did not end within ${ms / 1000} s`
      : `cannot be run: ${fileReason(error)}`
    throw secretError(`the secret command ${program} ${problem}`, undefined, error)
  })
  // svc stops reading too long a text, which can make the command fail. `checkSecret` refuses the text.
  if (code === 0 || text.length > maxLength) return text
  const hint = 'run it yourself to see what it says'
  const ending = signal ?? `exit code ${code}`
  throw secretError(`the secret command ${program} ended with ${ending}`, hint)
}
