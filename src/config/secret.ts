/**
 * API secrets: where one is kept, and how it is read. No message contains a secret, the arguments of its command or what the
 * command prints.
 */
import { once } from 'node:events'
import { delimiter, isAbsolute } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { exitCodes, SvcError, fileReason } from '../errors.ts'
import type { Host } from '../host.ts'
import { minSecretLength } from '../safe-text.ts'
import { expandHome, readTrusted, refuseOthersReading } from './paths.ts'
import { hasBlank } from './settings.ts'

export type SecretSource =
  /** `place` says in words where the secret is written. */
  | { kind: 'value'; value: string; place: string }
  | { kind: 'file'; path: string }
  | SecretCommand

interface SecretCommand {
  kind: 'command'
  words: readonly string[]
  /** The folder in which it runs. Files of the current folder could change what it does. */
  folder: string
}

/** Says where a secret is. Only the first word of a command is shown, because the others may contain anything. */
export function describeSecret(source: SecretSource): string {
  if (source.kind === 'value') return source.place
  if (source.kind === 'file') return `the file ${source.path}`
  const [program = '', ...more] = source.words
  return `the command ${program}${more.length > 0 ? ' …' : ''}`
}

function secretError(message: string, hint?: string, cause?: unknown) {
  return new SvcError('config', message, { exitCode: exitCodes.auth, hint, cause })
}

/**
 * Reads the secret. `commandMs` is the time limit of a secret command. Throws a config error: exit 4 if there is no usable
 * secret, exit 2 if others can read or write its file.
 */
export async function readSecret(
  source: SecretSource,
  host: Host,
  commandMs = 30_000,
): Promise<string> {
  const name = `the secret from ${describeSecret(source)}`
  switch (source.kind) {
    case 'value':
      return checkSecret(source.value, name)
    case 'file':
      return checkSecret(readSecretFile(host, source.path), name)
    case 'command':
      return checkSecret(await runSecretCommand(source, host, commandMs), name)
  }
}

/** In characters. HMAC takes any length, but a longer text is no secret. */
const maxLength = 4096

/**
 * The secret in a text: its one line, without the line break. `name` stands for the text in messages. Throws a config error
 * (exit 4).
 */
export function checkSecret(text: string, name: string): string {
  const secret = text.replace(/\r?\n$/, '')
  const isOneWord = secret !== '' && !hasBlank(secret)
  const isUtf8 = !secret.includes('\ufffd')
  if (secret.length > maxLength || !isOneWord || !isUtf8)
    throw secretError(
      `${name} is empty, or not one line of at most 4,096 characters without spaces and invisible characters`,
      'it must be the secret and nothing else',
    )
  if (secret.length >= minSecretLength) return secret
  throw secretError(
    `${name} has fewer than ${minSecretLength} characters, so it could not be hidden in what svc shows`,
    'is it the whole secret? copy it again, or make a new API key',
  )
}

function readSecretFile(host: Host, path: string) {
  if (!host.disk.existsSync(path)) throw secretError(`there is no secret file ${path}`)
  const { stats, bytes } = readTrusted(host, path)
  // Containers mount secrets as files of root that others can read.
  if (stats.uid !== 0) refuseOthersReading(host, path, stats)
  return bytes.toString()
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
 * Runs a secret command without a shell, and returns what it prints. A password manager that has to ask opens the terminal itself.
 * Throws a config error (exit 4). Nobody reads stderr, which could contain the secret.
 */
async function runSecretCommand(
  { words: [program = '', ...args], folder }: SecretCommand,
  host: Host,
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
