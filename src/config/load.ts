/**
 * The configuration file, read by cosmiconfig, executing nothing.
 *
 * cosmiconfig's own entry, `cosmiconfigSync`, executes `./.config/config.{js,cjs,mjs,ts}` of the working
 * directory when it constructs an explorer, whatever its options are. A safe working directory in its place
 * would be the whole process's, and some folders have no way back. So the explorer class behind that entry
 * is used: it reads the one absolute path that it is given, and our loader parses what it read. The version
 * is pinned; test/config/hostile-folders.test.ts plants such files.
 */
import type { Stats } from 'node:fs'
import { basename, extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import { SvcError, systemCode, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isJson, memberOf, proxyUrl } from '../values.ts'
import { shellWord } from '../words.ts'
import { configError, userFilePlace } from './paths.ts'
import type { UserContent } from './schema.ts'
import type { TypedSettings } from './settings.ts'
import { modeOf, readTrusted } from './trust.ts'

export interface UserFile {
  path: string
  content: UserContent
  /** The file as it was written, to be written again with a change. */
  raw: Record<string, unknown>
}

/** A configuration is a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024
const wayOut = 'name a file of your own with --config'

/** The user's configuration, checked; undefined if there is none. Throws exit 2 if something is wrong with it. */
export async function readUserFile(host: Host, options: Pick<TypedSettings, 'config'>) {
  const place = userFilePlace(host, options)
  if (place === undefined || (!place.exists && !place.named)) return undefined
  return readUserFileAt(host, place.path)
}

/**
 * The file at a path. Throws when it is not there, and when others can write or replace it: they would decide where
 * requests go and which command is run.
 */
export async function readUserFileAt(host: Host, path: string): Promise<UserFile> {
  const { stats, value: raw } = await load(host, path)
  const { checkUserFile } = await import('./schema.ts')
  const { content, problemSuffix } = checkUserFile(raw)
  if (problemSuffix !== undefined) throw configError(`${path}${problemSuffix}`)
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
function secretIn({ profiles, defaults }: UserContent) {
  const [named] = [...profiles].find(([, profile]) => profile.apiSecret !== undefined) ?? []
  if (named !== undefined) return `the secret of "${named}"`
  const proxies = [defaults, ...profiles.values()].map(({ proxy }) => proxy)
  const hasPassword = proxies.some((proxy) => proxyUrl(String(proxy ?? ''))?.password)
  return hasPassword ? "a proxy's password" : undefined
}

/** A secret as JSON or YAML has it: in double quotes, in single ones, or bare. */
const writtenSecret =
  /\bapiSecret["']?\s*:\s*(?:("(?:[^"\\]|\\.)*")|'((?:[^']|'')*)'|([^\s,}#]+))/g

/** Secrets in the text of the configuration file, also when it cannot be read as one. Throws when it cannot be trusted. */
export function writtenSecrets(
  host: Host,
  options: Pick<TypedSettings, 'config'>,
): string[] {
  const place = userFilePlace(host, options)
  if (place?.exists !== true) return []
  const { bytes } = readTrusted(host, place.path, { most: largest, wayOut })
  const found = [...bytes.toString().matchAll(writtenSecret)]
  return found.map(([, double = '', single = '', bare = '']) => {
    if (double !== '')
      return isJson(double) ? String(JSON.parse(double)) : double.slice(1, -1)
    return single.replaceAll("''", "'") || bare
  })
}

interface ExplorerModule {
  ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'transform' | 'loaders'>,
  ) => { load(path: string): CosmiconfigResult }
}

/**
 * The unchecked value of a file, which was judged before cosmiconfig read it and is still the same. Throws for anything but
 * JSON and YAML. It executes and imports nothing.
 */
async function load(host: Host, path: string): Promise<{ stats: Stats; value: unknown }> {
  const ending = extname(path)
  // cosmiconfig takes a file of the name "package" apart and returns one key of it.
  if (
    !['.json', '.yaml', '.yml', ''].includes(ending) ||
    basename(path, ending) === 'package'
  )
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  const [{ ExplorerSync }, { loadYaml }] = await Promise.all([
    importCosmiconfig<ExplorerModule>(() => import('cosmiconfig/dist/ExplorerSync.js')),
    importCosmiconfig<{ loadYaml: LoaderSync }>(
      () => import('cosmiconfig/dist/loaders.js'),
    ),
  ])
  const { stats } = readTrusted(host, path, { most: largest, wayOut })
  const loader = (_: string, text: string): unknown => {
    const now = host.disk.statSync(path)
    if (now.ino !== stats.ino || now.dev !== stats.dev || now.mtimeMs !== stats.mtimeMs)
      throw new SvcError('busy', `${path} changes while it is read`, {
        hint: 'run the command again',
      })
    return parse(path, text, ending === '.json' ? jsonLoader(loadYaml) : loadYaml)
  }
  const explorer = new ExplorerSync({
    searchPlaces: [],
    transform: (result) => result,
    loaders: { default: loader },
  })
  try {
    const result = explorer.load(path)
    if (result?.isEmpty === true)
      throw configError(`${path} is empty`, 'remove it, or write {} into it')
    return { stats, value: result?.config ?? null }
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The value of a text, if cosmiconfig does nothing more with it. */
function parse(path: string, text: string, loader: LoaderSync): unknown {
  // Node has put U+FFFD where the bytes were no UTF-8: another encoding, or no text at all.
  if (/[\ufffd\0]/.test(text)) throw configError(`${path} is not UTF-8 text`)
  let value: unknown
  try {
    value = loader(path, text.replace(/^\ufeff/, '')) ?? null
  } catch (error) {
    throw malformed(path, error)
  }
  // cosmiconfig would read, and for a script execute, whatever `$import` names.
  if (memberOf(value, '$import') !== undefined)
    throw configError(
      `${path} has the key "$import", and svc imports nothing into a configuration`,
    )
  return value
}

/** A part of the library: a CommonJS module, built as `default` alone, unbuilt by the names of its exports too. */
async function importCosmiconfig<Module extends object>(
  part: () => Promise<unknown>,
): Promise<Module> {
  try {
    const module = (await part()) as Module & { default?: Module }
    return module.default ?? module
  } catch (error) {
    // One of its parts asks for the home folder while it loads, and fails where the system knows none.
    if (systemCode(error) !== 'ERR_SYSTEM_ERROR') throw error
    const problem = 'the system knows no home folder for this user'
    throw configError(problem, 'set HOME to a folder', error)
  }
}

/** Strict JSON. `JSON.parse` alone silently keeps the last of two equal keys. */
function jsonLoader(loadYaml: LoaderSync): LoaderSync {
  return (path, text) => {
    const strings = text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)
    const written = [...strings].filter(([, colon]) => colon !== undefined).length
    if (isJson(text) && countKeys(JSON.parse(text)) === written) return JSON.parse(text)
    // Throws with the place of the mistake, unless the text is right as YAML.
    loadYaml(path, text)
    throw configError(
      `${path}: malformed JSON`,
      'JSON has no comments, texts only in double quotes, and no comma at the end of a list',
    )
  }
}

/** How many members a value has, at any depth. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, member) => sum + countKeys(member), own)
}

/** js-yaml's own message quotes the lines around a mistake, which may hold a secret: only its place and kind are used. */
function malformed(path: string, error: unknown) {
  if (error instanceof SvcError) return error
  const { reason = '', mark } = error as {
    reason?: string
    mark?: { line: number; column: number }
  }
  const place = mark === undefined ? '' : `:${mark.line + 1}:${mark.column + 1}`
  const [kind = ''] = reason.split(/["'!:<]/)
  const format = path.endsWith('.json') ? 'JSON' : 'YAML'
  return configError(`${path}${place}: malformed ${format}: ${kind.trim()}`)
}
