/**
 * The configuration file, read through cosmiconfig, executing nothing. `profile.ts` calls it for a command; the verbs of `profiles`, `svc
 * doctor` and completion read the file alone.
 *
 * cosmiconfig's own entry searches the working directory for a configuration of cosmiconfig itself while it is being
 * constructed, and executes `./.config/config.{js,cjs,mjs,ts}` found there, whatever its options are. Only a `chdir` of the
 * whole process would keep it from there, with no way back into a folder that was deleted or renamed. So the explorer class
 * behind that entry is used: it reads the one absolute path that it is given and never looks at the working directory. The
 * version is pinned; test/config/hostile-folders.test.ts plants the files.
 */
import { basename, extname } from 'node:path'
import type { LoaderSync, OptionsSync } from 'cosmiconfig'
import { fileError } from '../errno.ts'
import { systemCode, type SvcError } from '../errors.ts'
import { distrustError, findDistrust, modeOf, readTrusted } from '../disk/trust.ts'
import type { Host } from '../host.ts'
import { memberOf, proxyUrl } from '../values.ts'
import { shellWord } from '../words.ts'
import { configError, userFilePlace, type ConfigPlace, type PathHost } from './paths.ts'
import type { UserContent } from './schema.ts'
import type { TypedSettings } from './settings.ts'

export interface UserFile {
  readonly path: string
  readonly content: UserContent
  /** The file as it was written, to be written again with a change. */
  readonly raw: Readonly<Record<string, unknown>>
}

type Reader = PathHost & Pick<Host, 'userId' | 'disk'>

/** A configuration is a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024
const wayOut = 'name a file of your own with --config'

/** The user's configuration, checked; undefined if there is none. Throws exit 2 if something is wrong with it. */
export async function readUserFile(host: Reader, options: Pick<TypedSettings, 'config'>) {
  const place = userFilePlace(host, options)
  if (place === undefined || (!place.exists && !place.named)) return undefined
  return readUserFileAt(host, place)
}

/**
 * The file at a place that was found or named. Throws when it is not there, and when others can write or replace it: they would decide where
 * requests go and which command is run.
 */
export async function readUserFileAt(
  host: Reader,
  { path }: ConfigPlace,
): Promise<UserFile> {
  const { stats, bytes } = readTrusted(host, path, { most: largest, wayOut })
  const raw = await load(path, bytes.toString())
  const { checkUserFile } = await import('./schema.ts')
  const { content, problem } = checkUserFile(raw)
  if (problem !== undefined) throw configError(`${path}${problem}`)
  const inline = secretIn(content)
  // Windows has no such modes, and no user ids.
  if (inline !== undefined && host.userId !== undefined && (stats.mode & 0o077) !== 0) {
    throw configError(
      `${path} contains ${inline} and can be read by others (mode ${modeOf(stats)})`,
      `fix it with:\n  chmod 600 ${shellWord(path)}`,
    )
  }
  return { path, content, raw: raw as UserFile['raw'] }
}

/** A secret in the file itself, in words. */
function secretIn({ profiles, defaults }: UserContent): string | undefined {
  const [named] = [...profiles].find(([, profile]) => profile.apiSecret !== undefined) ?? []
  if (named !== undefined) return `the secret of "${named}"`
  const proxies = [defaults, ...profiles.values()].map(({ proxy }) => proxy)
  const hasPassword = proxies.some((proxy) => proxyUrl(String(proxy ?? ''))?.password)
  return hasPassword ? "a proxy's password" : undefined
}

/** The error of a file that was named and is not there. */
export function noSuchFile(path: string): SvcError {
  return configError(`${path} cannot be read: there is no such file`)
}

/** Throws exit 2 when others can change what is in the configuration folder. */
export function checkConfigFolder(owner: Reader, folder: string): void {
  const distrust = findDistrust(owner, folder)
  if (distrust !== undefined) throw distrustError(distrust, wayOut)
}

interface ExplorerModule {
  readonly ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'transform' | 'loaders'>,
  ) => { load(path: string): { config: unknown } | null }
}

/**
 * The unchecked value in the text of a file: the text that was judged, even if the file has changed since. Throws for anything but JSON and
 * YAML. It executes and imports nothing.
 */
async function load(path: string, text: string): Promise<unknown> {
  const extension = extname(path)
  // cosmiconfig takes a file of the name "package" apart and returns one key of it.
  const isOther =
    !/^(?:\.(?:json|ya?ml))?$/.test(extension) || basename(path, extension) === 'package'
  if (isOther)
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  // Node has put U+FFFD where the bytes were no UTF-8: another encoding, or no text at all.
  if (/[\ufffd\0]/.test(text)) throw configError(`${path} is not UTF-8 text`)
  if (text.trim() === '')
    throw configError(`${path} is empty`, 'remove it, or write {} into it')
  const value = await valueOf(path, text.replace(/^\ufeff/, ''))
  // cosmiconfig would read, and for a script execute, whatever `$import` names.
  if (memberOf(value, '$import') !== undefined)
    throw configError(
      `${path} has the key "$import", and svc imports nothing into a configuration`,
    )
  const { ExplorerSync } = await importCosmiconfig<ExplorerModule>(
    () => import('cosmiconfig/dist/ExplorerSync.js'),
  )
  const explorer = new ExplorerSync({
    searchPlaces: [],
    transform: (result) => result,
    loaders: { default: () => value },
  })
  try {
    return explorer.load(path)?.config ?? null
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** JSON by its own rules; YAML, which is the larger part of the library, only where a file is YAML. */
async function valueOf(path: string, text: string): Promise<unknown> {
  if (extname(path) === '.json') {
    const { parseJsonFile } = await import('./json.ts')
    return parseJsonFile(path, text)
  }
  const { loadYaml } = await importCosmiconfig<{ loadYaml: LoaderSync }>(
    () => import('cosmiconfig/dist/loaders.js'),
  )
  try {
    return (loadYaml(path, text) as unknown) ?? null
  } catch (error) {
    throw yamlError(path, error)
  }
}

/** A part of the library: a CommonJS module, built as `default` alone, unbuilt by the names of its exports too. */
async function importCosmiconfig<Module extends object>(
  part: () => Promise<unknown>,
): Promise<Module> {
  try {
    const module = (await part()) as Module & { readonly default?: Module }
    return module.default ?? module
  } catch (error) {
    // One of its parts asks for the home folder while it loads, and fails where the system knows none.
    if (systemCode(error) !== 'ERR_SYSTEM_ERROR') throw error
    const hint = 'set HOME to a folder'
    throw configError('the system knows no home folder for this user', hint, error)
  }
}

/** js-yaml's own message quotes the lines around a mistake, which may hold a secret: only its place and kind are used. */
function yamlError(path: string, error: unknown): SvcError {
  const { reason = '', mark } = error as {
    readonly reason?: string
    readonly mark?: { readonly line: number; readonly column: number }
  }
  const place = mark === undefined ? '' : `:${mark.line + 1}:${mark.column + 1}`
  const [kind = ''] = reason.split(/["'!:<]/)
  return configError(
    `${path}${place}: malformed YAML${kind === '' ? '' : `: ${kind.trim()}`}`,
  )
}
