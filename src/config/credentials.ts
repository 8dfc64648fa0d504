/**
 * Where an API secret lives, and reading it. No message has the secret, nor a secret command's words or
 * output.
 */
import type { Message } from '../message.ts'
import { dirname, isAbsolute, join, posix, win32 } from 'node:path'
import { fileProblem } from '../errno.ts'
import { readTrusted } from './trust.ts'
import { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shortestSecret } from '../redactor.ts'
import { homeFolder, variable } from './environment.ts'
import { homeProblem, resolvePath, type PathHost } from './paths.ts'
import { hasBlank } from './rules.ts'
import type { FileProfile } from './schema.ts'

export type SecretSource =
  | { readonly kind: 'inline'; readonly secret: string; readonly place: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** `path` is absolute, or begins with `~/`. */
  | { readonly kind: 'file'; readonly path: string }
  /** `folder` is where the command runs: never the current one, whose files could steer it. */
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly folder: string }

type SecretHost = PathHost & Pick<Host, 'run' | 'userId'>

/** Characters. HMAC takes any length; what is longer than this is another file. */
const longest = 4096
const mostBytes = 4 * longest
const mostInFile = 2 ** 20

function secretError(message: string, hint?: Message, cause?: unknown): SvcError {
  return new SvcError('config', message, { exitCode: 4, hint, cause })
}

/** The source in words, for `svc profiles show`. A command's words may hold anything, so only its name is given. */
export function describeSecret(source: SecretSource): string {
  switch (source.kind) {
    case 'inline':
      return source.place
    case 'variable':
      return `the variable ${source.name}`
    case 'file':
      return `the file ${source.path}`
    case 'command':
      return `the command ${source.words[0] ?? ''}${source.words.length > 1 ? ' …' : ''}`
  }
}

/** Where a profile of the file at `path` has its secret. Throws nothing: a schema has seen that it has exactly one. */
export function secretSource(
  profile: FileProfile,
  name: string,
  path: string,
): SecretSource {
  const folder = dirname(path)
  if (profile.secretEnv !== undefined) return { kind: 'variable', name: profile.secretEnv }
  if (profile.secretFile !== undefined) {
    const here = isAbsolute(profile.secretFile) || isInHome(profile.secretFile)
    return {
      kind: 'file',
      path: here ? profile.secretFile : join(folder, profile.secretFile),
    }
  }
  if (profile.secretCommand !== undefined)
    return { kind: 'command', words: profile.secretCommand, folder }
  return {
    kind: 'inline',
    secret: profile.apiSecret ?? '',
    place: `profiles.${name}.apiSecret in ${path}`,
  }
}

/**
 * Reads the secret. `timeoutMs` is for a secret command. Throws exit 4 when it cannot be had: missing, empty, of several lines, with blanks or control
 * characters, too short, or larger than 4,096 characters; a command also when it fails or takes too long.
 */
export async function readSecret(
  source: SecretSource,
  host: SecretHost,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<string> {
  const text = await readSource(source, host, timeoutMs)
  return checkSecret(text, `the secret from ${describeSecret(source)}`)
}

async function readSource(
  source: SecretSource,
  host: SecretHost,
  timeoutMs: number,
): Promise<string> {
  switch (source.kind) {
    case 'inline':
      return source.secret
    case 'variable': {
      const value = variable(host, source.name)
      if (value !== undefined) return value
      throw secretError(`${source.name} is not set, but the API secret should come from it`)
    }
    case 'file':
      return readSecretFile(host, expandHome(source.path, host))
    case 'command':
      return runSecretCommand(source, host, timeoutMs)
  }
}

/** The secret that a text holds: one line, its line end dropped. `what` names the text in errors. */
export function checkSecret(text: string, what: string): string {
  const secret = text.replace(/\r?\n$/, '')
  const whole = 'it must be the secret and nothing else'
  if (secret.includes('\ufffd')) throw secretError(`${what} is not UTF-8 text`)
  if (secret.trim() === '') throw secretError(`${what} is empty`)
  if (secret.length > longest)
    throw secretError(`${what} is longer than 4,096 characters, so it is not an API secret`)
  if (/[\r\n]/.test(secret)) throw secretError(`${what} has more than one line`, whole)
  if (hasBlank(secret))
    throw secretError(`${what} contains a space or an invisible character`, whole)
  if (Array.from(secret).length >= shortestSecret) return secret
  throw secretError(
    `${what} has fewer than ${shortestSecret} characters, so it could not be hidden in what svc shows`,
    'is it the whole secret? copy it again, or make a new API key',
  )
}

function isInHome(path: string): boolean {
  return /^~[/\\]/.test(path)
}

/** The path of a secret file that an option or a variable names; `~/` stays as it is. */
export function secretPath(host: PathHost, path: string, what: string): string {
  return isInHome(path) ? path : resolvePath(host, path, what)
}

/** A path of a file, with the home folder for its `~`. Throws exit 4 when that is not known. */
export function expandHome(path: string, host: PathHost): string {
  if (!isInHome(path)) return path
  const home = homeFolder(host)
  if (home !== undefined) return join(home, path.slice(2))
  throw secretError(`${homeProblem(host)}, and ${path} begins with it`)
}

function readSecretFile(host: SecretHost, path: string): string {
  try {
    host.disk.statSync(path)
  } catch (error) {
    const problem = `the secret file ${path} cannot be read: ${fileProblem(error)}`
    throw secretError(problem, undefined, error)
  }
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

/** The program that a secret command begins with. A bare word is looked up in the absolute folders of PATH. Throws exit 4. */
export function findProgram(word: string, host: PathHost): string {
  const { sep } = host.platform === 'win32' ? win32 : posix
  const program = expandHome(word, host)
  if (isAbsolute(program)) return program
  if (program.includes('/') || program.includes(sep)) {
    throw secretError(
      `the secret command ${word} is relative to the current folder, and svc runs nothing from there`,
      'write its absolute path, or its bare name if it is on PATH',
    )
  }
  const found = programOnPath(program, host)
  if (found !== undefined) return found
  throw secretError(`the secret command ${word} was not found in the folders of PATH`)
}

/** A program by its bare name, in the absolute folders of PATH. On Windows its ending is part of the name. */
function programOnPath(
  name: string,
  { env, platform, disk }: PathHost,
): string | undefined {
  const { delimiter } = platform === 'win32' ? win32 : posix
  const folders = (env.PATH ?? env['Path'] ?? '').split(delimiter)
  const paths = folders
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
  return paths.find((path) => {
    try {
      disk.accessSync(path, disk.constants.X_OK)
      return disk.statSync(path).isFile()
    } catch {
      return false
    }
  })
}

/** The environment of a program that svc starts, without the secret. */
export function envOfChild({ env }: Pick<PathHost, 'env'>): PathHost['env'] {
  // Windows takes any letter case.
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.toUpperCase() !== 'SVC_API_SECRET'),
  )
}

/** No shell, and no word of its stderr, which could hold the secret. Password managers ask on the terminal itself. */
async function runSecretCommand(
  { words: [word = '', ...words], folder }: Extract<SecretSource, { kind: 'command' }>,
  host: SecretHost,
  ms: number,
) {
  const what = `the secret command ${word}`
  const program = {
    path: findProgram(word, host),
    words,
    cwd: folder,
    env: { ...envOfChild(host), PWD: folder },
    limits: { ms, bytes: mostBytes },
  }
  const ended = await host.run(program).catch((error: unknown) => {
    throw secretError(`${what} cannot be run: ${fileProblem(error)}`, undefined, error)
  })
  const { code, signal, stdout, exceeded } = ended
  if (exceeded === 'time') throw secretError(`${what} did not end within ${ms / 1000} s`)
  if (exceeded === 'output')
    throw secretError(
      `${what} printed more than 4,096 characters, so it is not an API secret`,
    )
  if (code === 0) return stdout
  const ending =
    code === null ? `was ended by ${signal ?? 'a signal'}` : `failed with exit code ${code}`
  throw secretError(`${what} ${ending}`, 'run it yourself to see what it says')
}
