/** An API secret: where it is kept, and reading it. No message has the secret, nor a secret command's words or output. */
import { once } from 'node:events'
import { delimiter, isAbsolute } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { SvcError, fileProblem } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Message } from '../message.ts'
import { shortestSecret } from '../redactor.ts'
import { homeFolder } from './environment.ts'
import { hasBlank } from './rules.ts'
import { readTrusted, refuseReadable } from './trust.ts'

export type SecretSource =
  /** `place`: where it is written, in words. */
  | { kind: 'value'; value: string; place: string }
  | { kind: 'file'; path: string }
  /** It runs in this folder, never in the current one, whose files could steer it. */
  | { kind: 'command'; words: readonly string[]; folder: string }

/** The source in words. Of a command only its first word is given: the others may hold anything. */
export function describeSecret(source: SecretSource): string {
  if (source.kind === 'value') return source.place
  if (source.kind === 'file') return `the file ${source.path}`
  const [program = '', ...more] = source.words
  return `the command ${program}${more.length > 0 ? ' …' : ''}`
}

function secretError(message: string, hint?: Message, cause?: unknown) {
  return new SvcError('config', message, { exitCode: 4, hint, cause })
}

/**
 * Reads the secret. `timeout`: milliseconds for a secret command. Throws exit 4 when it cannot be had, and exit 2 for a file
 * that others can read or write.
 */
export async function readSecret(
  source: SecretSource,
  host: Host,
  timeout = 30_000,
): Promise<string> {
  const what = `the secret from ${describeSecret(source)}`
  switch (source.kind) {
    case 'value':
      return checkSecret(source.value, what)
    case 'file':
      return checkSecret(readSecretFile(host, source.path), what)
    case 'command':
      return checkSecret(await runSecretCommand(source, host, timeout), what)
  }
}

/** In characters. HMAC takes any length; what is longer than this is another file. */
const longest = 4096

/** The secret that a text holds: one line, its line end dropped. `what` names the text in errors. Throws exit 4. */
export function checkSecret(text: string, what: string): string {
  const secret = text.replace(/\r?\n$/, '')
  const isText = secret !== '' && !secret.includes('\ufffd') && !hasBlank(secret)
  if (secret.length > longest || !isText)
    throw secretError(
      `${what} is empty, or not one line of at most 4,096 characters without spaces and invisible characters`,
      'it must be the secret and nothing else',
    )
  if (secret.length >= shortestSecret) return secret
  throw secretError(
    `${what} has fewer than ${shortestSecret} characters, so it could not be hidden in what svc shows`,
    'is it the whole secret? copy it again, or make a new API key',
  )
}

function readSecretFile(host: Host, path: string) {
  if (!host.disk.existsSync(path)) throw secretError(`there is no secret file ${path}`)
  const { stats, bytes } = readTrusted(host, path)
  refuseReadable(host, path, stats)
  return bytes.toString()
}

/** The text of a stream. It stops reading once the text is too long for a secret. */
export async function readStart(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    length += chunk.length
    if (length > 4 * longest) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A path with the home folder for its `~`. */
export function expandHome(path: string, host: Host): string {
  return path.replace(/^~(?=[/\\])/, () => homeFolder(host) ?? '~')
}

/**
 * No shell, and no word of its stderr, which could hold the secret. A relative path begins in the folder of the
 * configuration; those in PATH are left out. Password managers ask on the terminal itself.
 */
async function runSecretCommand(
  { words: [word = '', ...words], folder }: SecretSource & { kind: 'command' },
  host: Host,
  ms: number,
) {
  const limit = AbortSignal.timeout(ms)
  const PATH = host.env['PATH']?.split(delimiter).filter(isAbsolute).join(delimiter)
  const child = host.spawn(expandHome(word, host), words, {
    cwd: folder,
    // A process that the command leaves behind could keep stderr open forever.
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...host.env, PATH, PWD: folder, SVC_API_SECRET: undefined },
    signal: limit,
    killSignal: 'SIGKILL',
  })
  const stdout = addAbortSignal(limit, child.stdout ?? Readable.from([]))
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  // After too long a text it is no longer read, which ends the command.
  const ended = await Promise.all([readStart(stdout), closed]).catch((error: unknown) => {
    const problem = limit.aborted
      ? `did not end within ${ms / 1000} s`
      : `cannot be run: ${fileProblem(error)}`
    throw secretError(`the secret command ${word} ${problem}`, undefined, error)
  })
  const [text, [code, signal]] = ended
  if (code === 0 || text.length > longest) return text
  const hint = 'run it yourself to see what it says'
  const ending = signal ?? `exit code ${code}`
  throw secretError(`the secret command ${word} ended with ${ending}`, hint)
}
