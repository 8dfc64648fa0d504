/**
 * The configuration files, read through cosmiconfig, executing nothing. `profile.ts` calls it for a command; the verbs of `profiles`, `svc
 * doctor` and completion read the user's file alone.
 *
 * cosmiconfig's own entry searches the working directory for a configuration of cosmiconfig itself while it is being
 * constructed, and executes `./.config/config.{js,cjs,mjs,ts}` found there, whatever its options are. Only a `chdir` of the
 * whole process would keep it from there, with no way back into a folder that was deleted or renamed. So the explorer class
 * behind that entry is used: it reads the one absolute path that it is given and never looks at the working directory. The
 * version is pinned; test/config/hostile-folders.test.ts plants the files.
 */
import type { Message } from '../message.ts'
import { basename, extname } from 'node:path'
import type { LoadersSync, OptionsSync } from 'cosmiconfig'
import { fileError } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { distrustError, findDistrust, modeOf, readRegular, readTrusted } from '../disk/trust.ts'
import type { Host } from '../host.ts'
import { memberOf, proxyUrl } from '../values.ts'
import { shellWord } from '../words.ts'
import { projectFilePath, userFilePlace, type ConfigPlace, type PathHost } from './paths.ts'
import type { Checked, ProjectContent, UserContent } from './schema.ts'
import type { TypedSettings } from './settings.ts'

export interface UserFile {
  readonly path: string
  readonly format: 'json' | 'yaml'
  readonly content: UserContent
  /** The file as it was written, to be written again with a change. */
  readonly raw: Readonly<Record<string, unknown>>
}

export interface ProjectFile {
  readonly path: string
  readonly content: ProjectContent
}

type Reader = PathHost & Pick<Host, 'userId' | 'disk'>

/** A configuration is a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024

const executable: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts'])

function configError(message: string, hint?: Message, cause?: unknown): SvcError {
  return new SvcError('config', message, { hint, cause })
}

/** The user's configuration, checked; undefined when there is none. Throws what is wrong with it (exit 2). */
export async function readUserFile(host: Reader, options: Pick<TypedSettings, 'config'>) {
  const place = userFilePlace(host, options)
  if (place === undefined || (!place.exists && !place.named)) return undefined
  return readUserFileAt(host, place)
}

/** The file at a place that was found or named. Throws when it is not there. */
export async function readUserFileAt(host: Reader, place: ConfigPlace): Promise<UserFile> {
  const { path } = place
  const { stats, bytes } = readOwn(host, path)
  const raw = await load(path, bytes)
  const { checkUserFile } = await import('./schema.ts')
  const content = check(path, checkUserFile(raw))
  const inline = secretIn(content)
  if (inline !== undefined && host.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw configError(
      `${path} contains ${inline} and can be read by others (mode ${modeOf(stats)})`,
      `fix it with:\n  chmod 600 ${shellWord(path)}`,
    )
  }
  return {
    path,
    format: extname(path).toLowerCase() === '.json' ? 'json' : 'yaml',
    content,
    raw: raw as UserFile['raw'],
  }
}

/** A secret that stands in the file itself, in words. */
function secretIn({ profiles, defaults }: UserContent): string | undefined {
  const [named] = [...profiles].find(([, profile]) => profile.apiSecret !== undefined) ?? []
  if (named !== undefined) return `the secret of "${named}"`
  const proxies = [defaults, ...profiles.values()].map(({ proxy }) => proxy)
  const hasPassword = proxies.some((proxy) => proxyUrl(String(proxy ?? ''))?.password)
  return hasPassword ? "a proxy's password" : undefined
}

/** The project file that counts, checked; undefined when there is none. */
export async function readProjectFile(
  host: Reader,
  user: ConfigPlace | undefined,
): Promise<ProjectFile | undefined> {
  const path = projectFilePath(host, user)
  if (path === undefined) return undefined
  const hint = `no file of the current folder may redirect svc; if it is meant: --config ${shellWord(path)}`
  const raw = await load(path, readProject(host, path))
  const { checkProjectFile } = await import('./schema.ts')
  return { path, content: check(path, checkProjectFile(raw), hint) }
}

function check<T>(path: string, result: Checked<T>, hint?: string): T {
  if (result.ok) return result.value
  throw configError(`${path}: ${result.problem}`, result.hint ?? hint)
}

/** The error of a file that was named and is not there. */
export function noSuchFile(path: string): SvcError {
  return configError(`${path} cannot be read: there is no such file`)
}

/** A configuration of the user, which nobody else may write or replace: they would decide where requests go and which command is run. */
function readOwn(host: Reader, path: string) {
  const owner = host.platform === 'win32' ? { ...host, userId: undefined } : host
  return readTrusted(owner, path, {
    most: largest,
    wayOut: 'name a file of your own with --config',
  })
}

/** A project file, which may be anybody's: what it can say is harmless. */
function readProject(host: Reader, path: string): Buffer {
  try {
    const { bytes } = readRegular(host, path, largest)
    if (bytes !== undefined) return bytes
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
  throw configError(`${path} is not a regular file of at most 1 MB`)
}

/** Throws exit 2 when others can change what is in the configuration folder. */
export function checkConfigFolder(owner: Reader, folder: string): void {
  const distrust = owner.platform === 'win32' ? undefined : findDistrust(owner, folder)
  if (distrust !== undefined) throw distrustError(distrust, 'name a file of your own with --config')
}

interface Explorer {
  load(path: string): { config: unknown } | null
}

interface ExplorerModule {
  readonly ExplorerSync: new (
    options: Required<Omit<OptionsSync, 'stopDir' | 'packageProp'>> & { moduleName: string },
  ) => Explorer
}

/** The value in the bytes of a file, unchecked. Throws for whatever is not JSON or YAML; executes and imports nothing. */
async function load(path: string, bytes: Buffer): Promise<unknown> {
  const extension = extname(path)
  if (executable.has(extension.toLowerCase())) {
    const why = `${path} would have to be executed, and svc executes no configuration file`
    throw configError(why, 'write it as .json or .yaml')
  }
  // cosmiconfig takes a file of this name apart and returns one key of it.
  if (basename(path, extension) === 'package') {
    throw configError(`${path} is a package file, not a configuration of svc`)
  }
  const { ExplorerSync } = (await importCosmiconfig()) as ExplorerModule
  const explorer = new ExplorerSync({
    moduleName: 'svc',
    searchPlaces: [],
    ignoreEmptySearchPlaces: false,
    cache: false,
    mergeImportArrays: false,
    mergeSearchPlaces: false,
    searchStrategy: 'none',
    transform: (result) => result,
    loaders: await loaders(bytes.toString()),
  })
  let result: ReturnType<Explorer['load']>
  try {
    result = explorer.load(path)
  } catch (error) {
    if (error instanceof SvcError) throw error
    if (systemCode(error) !== undefined) throw fileError('config', `${path} cannot be read`, error)
    throw configError(`${path} ends in ${extension}; svc reads .json and .yaml`)
  }
  if (result === null) return null
  if (result.config === undefined)
    throw configError(`${path} is empty`, 'remove it, or write {} into it')
  return result.config
}

async function importCosmiconfig(): Promise<unknown> {
  try {
    return exportsOf(await import('cosmiconfig/dist/ExplorerSync.js'))
  } catch (error) {
    // One of its parts asks for the home folder while it loads, and fails where the system knows none.
    if (systemCode(error) !== 'ERR_SYSTEM_ERROR') throw error
    throw configError(
      'the system knows no home folder for this user',
      'set HOME to a folder',
      error,
    )
  }
}

/** A CommonJS module's exports: built, they are there as `default` alone; unbuilt, by name too. */
function exportsOf<M extends object>(module: M): M {
  return 'default' in module ? (module.default as M) : module
}

/**
 * Loaders of the text that was judged, whatever lies at its path now. Without one for what would be executed: such a file was refused
 * before.
 */
async function loaders(text: string): Promise<LoadersSync> {
  const { parseJsonFile } = await import('./json.ts')
  const { defaultLoadersSync } = exportsOf(await import('cosmiconfig'))
  const json = guard(text, parseJsonFile)
  const yaml = guard(text, (path, content) => {
    try {
      // Comments alone are null to YAML, and an empty file to the person who wrote them.
      return defaultLoadersSync['.yaml'](path, content) ?? undefined
    } catch (error) {
      throw yamlError(path, error)
    }
  })
  return { '.json': json, '.yaml': yaml, '.yml': yaml, noExt: yaml }
}

/** A loader that is handed text alone, and whose value names no other file. */
function guard(
  text: string,
  parse: (path: string, text: string) => unknown,
): (path: string) => unknown {
  return (path) => {
    // Node has put U+FFFD where the bytes were no UTF-8: another encoding, or no text at all.
    if (/[\ufffd\0]/.test(text)) throw configError(`${path} is not UTF-8 text`)
    const value = parse(path, text.replace(/^\ufeff/, ''))
    // cosmiconfig would read, and for a script execute, whatever `$import` names.
    if (memberOf(value, '$import') !== undefined) {
      throw configError(
        `${path} has the key "$import", and svc imports nothing into a configuration`,
      )
    }
    return value
  }
}

/** js-yaml's own message quotes the lines around a mistake, which may hold a secret: only its place and kind are used. */
function yamlError(path: string, error: unknown): SvcError {
  const { reason, mark } = error as {
    reason?: unknown
    mark?: { line?: unknown; column?: unknown }
  }
  const kind = typeof reason === 'string' ? reason.split(/["'!:<]/)[0]?.trim() : undefined
  const at =
    typeof mark?.line === 'number' && typeof mark.column === 'number'
      ? `:${mark.line + 1}:${mark.column + 1}`
      : ''
  return configError(
    `${path}${at}: malformed YAML${kind === undefined || kind === '' ? '' : `: ${kind}`}`,
  )
}
