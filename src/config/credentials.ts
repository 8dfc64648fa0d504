/** Where an API secret lives, and reading it. No message has the secret, nor a secret command's words or output. */
import type { Message } from '../message.ts'
import { once } from 'node:events'
import { isAbsolute, join, posix, resolve, win32 } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { readTrusted } from './trust.ts'
import { SvcError, fileProblem } from '../errors.ts'
import type { Host } from '../host.ts'
import { shortestSecret } from '../redactor.ts'
import { homeFolder, homeVariable, variable } from './environment.ts'
import { resolvePath } from './paths.ts'
import { hasBlank, type secretKeys } from './rules.ts'
import type { FileProfile } from './schema.ts'

/** The member of a profile that has its secret, or says where it is. */
export type SecretMember = Partial<Pick<FileProfile, (typeof secretKeys)[number]>>

/** A profile's secret. */
export interface SecretSource {
  member: SecretMember
  /**
   * The folder that a relative path begins in, and in which a command runs: never the current one, whose files could steer
   * it.
   */
  folder: string
  /** Where the member is written, in words. */
  place: string
}

/** Characters. HMAC takes any length; what is longer than this is another file. */
const longest = 4096
const mostBytes = 4 * longest
const mostInFile = 2 ** 20

function secretError(message: string, hint?: Message, cause?: unknown) {
  return new SvcError('config', message, { exitCode: 4, hint, cause })
}

/** The source in words, for `svc doctor`. A command's words may hold anything, so only its name is given. */
export function describeSecret({ member, folder, place }: SecretSource) {
  const { secretEnv, secretFile, secretCommand } = member
  if (secretEnv !== undefined) return `the variable ${secretEnv}`
  if (secretFile !== undefined) return `the file ${fileIn(folder, secretFile)}`
  if (secretCommand === undefined) return place
  const [word = '', ...more] = secretCommand
  return `the command ${word}${more.length > 0 ? ' …' : ''}`
}

/**
 * Reads the secret. `timeoutMs` is for a secret command. Throws exit 4 when it cannot be had: missing, empty, of several
 * lines, with blanks or control characters, too short, or larger than 4,096 characters; a command also when it fails or
 * takes too long.
 */
export async function readSecret(
  source: SecretSource,
  host: Host,
  timeoutMs = 30_000,
): Promise<string> {
  const text = await readSource(source, host, timeoutMs)
  return checkSecret(text, `the secret from ${describeSecret(source)}`)
}

async function readSource({ member, folder }: SecretSource, host: Host, timeoutMs: number) {
  const { apiSecret = '', secretEnv, secretFile, secretCommand } = member
  if (secretFile !== undefined)
    return readSecretFile(host, expandHome(fileIn(folder, secretFile), host))
  if (secretCommand !== undefined)
    return runSecretCommand(secretCommand, folder, host, timeoutMs)
  if (secretEnv === undefined) return apiSecret
  const value = variable(host, secretEnv)
  if (value !== undefined) return value
  throw secretError(`${secretEnv} is not set, and the API secret comes from it`)
}

/** The secret that a text holds: one line, its line end dropped. `what` names the text in errors. */
export function checkSecret(text: string, what: string): string {
  const secret = text.replace(/\r?\n$/, '')
  if (secret.trim() === '') throw secretError(`${what} is empty`)
  if (secret.length > longest || secret.includes('\ufffd') || hasBlank(secret))
    throw secretError(
      `${what} is not one line of at most 4,096 characters without spaces and invisible characters`,
      'it must be the secret and nothing else',
    )
  if (Array.from(secret).length >= shortestSecret) return secret
  throw secretError(
    `${what} has fewer than ${shortestSecret} characters, so it could not be hidden in what svc shows`,
    'is it the whole secret? copy it again, or make a new API key',
  )
}

function isInHome(path: string) {
  return /^~[/\\]/.test(path)
}

/** The path of a file from this folder on; `~/` stays as it is. */
function fileIn(folder: string, path: string) {
  return isInHome(path) ? path : resolve(folder, path)
}

/** The path of a secret file that an option or a variable names; `~/` stays as it is. */
export function secretPath(host: Host, path: string, what: string): string {
  return isInHome(path) ? path : resolvePath(host, path, what)
}

/** A path of a file, with the home folder for its `~`. Throws exit 4 when that is not known. */
export function expandHome(path: string, host: Host): string {
  if (!isInHome(path)) return path
  const home = homeFolder(host)
  if (home !== undefined) return join(home, path.slice(2))
  throw secretError(`${homeVariable(host)} is not set, and ${path} begins with it`)
}

function readSecretFile(host: Host, path: string) {
  if (!host.disk.existsSync(path)) throw secretError(`there is no secret file ${path}`)
  const wayOut = 'name a file of your own as secretFile'
  // Mounted secrets are links and readable by a group or by all, but no other user may choose the secret.
  return readTrusted(host, path, { most: mostInFile, wayOut }).bytes.toString()
}

/** The text of a stream. It stops reading once the text is too long for a secret. */
export async function readStart(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    length += chunk.length
    if (length > mostBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The program that a secret command begins with. A bare word is looked up in the absolute folders of PATH. Throws exit 4.
 */
export function findProgram(word: string, host: Host): string {
  const { sep, delimiter } = host.platform === 'win32' ? win32 : posix
  const program = expandHome(word, host)
  if (isAbsolute(program)) return program
  if (program.includes('/') || program.includes(sep)) {
    throw secretError(
      `the secret command ${word} is relative to the current folder, and svc runs nothing from there`,
      'write its absolute path, or its bare name if it is on PATH',
    )
  }
  const { env, disk } = host
  const folders = (env.PATH ?? env['Path'] ?? '').split(delimiter).filter(isAbsolute)
  // On Windows its ending is part of the name.
  const found = folders
    .map((folder) => join(folder, program))
    .find((path) => disk.existsSync(path) && disk.statSync(path).isFile())
  if (found !== undefined) return found
  throw secretError(`the secret command ${word} was not found in the folders of PATH`)
}

/** No shell, and no word of its stderr, which could hold the secret. Password managers ask on the terminal itself. */
async function runSecretCommand(
  [word = '', ...words]: readonly string[],
  folder: string,
  host: Host,
  ms: number,
) {
  const program = findProgram(word, host)
  const limit = AbortSignal.timeout(ms)
  const child = host.spawn(program, words, {
    cwd: folder,
    env: { ...withoutSecret(host.env), PWD: folder },
    windowsHide: true,
    // A process that the command leaves behind could keep stderr open forever.
    stdio: ['ignore', 'pipe', 'ignore'],
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
  const problem =
    code === null ? `was ended by ${signal ?? 'a signal'}` : `failed with exit code ${code}`
  const hint = 'run it yourself to see what it says'
  throw secretError(`the secret command ${word} ${problem}`, hint)
}

/** The environment of a program that svc starts. Windows takes a variable in any letter case. */
function withoutSecret(env: Host['env']): Host['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.toUpperCase() !== 'SVC_API_SECRET'),
  )
}
