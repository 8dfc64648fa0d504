/**
 * The configuration file, read by cosmiconfig, executing nothing.
 *
 * cosmiconfig's own entry, `cosmiconfigSync`, executes `./.config/config.{js,cjs,mjs,ts}` of the working
 * directory when it constructs an explorer, whatever its options are. A safe working directory in its place
 * would be the whole process's, and some folders have no way back. So the explorer class behind that entry
 * is used: it reads the one absolute path that it is given, and our loaders parse what it read. The version
 * is pinned; test/config/hostile-folders.test.ts plants such files.
 */
import type { Stats } from 'node:fs'
import { basename, extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import { fileError } from '../errno.ts'
import { systemCode, type SvcError } from '../errors.ts'
import { distrustError, findFolderDistrust, modeOf, readTrusted } from './trust.ts'
import type { Host } from '../host.ts'
import { shortestSecret } from '../redactor.ts'
import { isJson, memberOf, proxyUrl } from '../values.ts'
import { shellWord } from '../words.ts'
import { parseJsonFile } from './json.ts'
import { configError, userFilePlace, type ConfigPlace, type PathHost } from './paths.ts'
import type { UserContent } from './schema.ts'
import type { TypedSettings } from './settings.ts'

export interface UserFile {
  readonly path: string
  readonly content: UserContent
  /** The file as it was written, to be written again with a change. */
  readonly raw: Readonly<Record<string, unknown>>
}

type ConfigHost = PathHost & Pick<Host, 'userId' | 'disk'>

/** A configuration is a few kilobytes; what is larger is another file. */
const largest = 1024 * 1024
const wayOut = 'name a file of your own with --config'

/** The user's configuration, checked; undefined if there is none. Throws exit 2 if something is wrong with it. */
export async function readUserFile(
  host: ConfigHost,
  options: Pick<TypedSettings, 'config'>,
) {
  const place = userFilePlace(host, options)
  if (place === undefined || (!place.exists && !place.named)) return undefined
  return readUserFileAt(host, place)
}

/**
 * The file at a place that was found or named. Throws when it is not there, and when others can write or replace it: they would decide where
 * requests go and which command is run.
 */
export async function readUserFileAt(
  host: ConfigHost,
  { path }: ConfigPlace,
): Promise<UserFile> {
  const { stats, value: raw } = await load(host, path)
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

/** A secret as JSON or YAML has it: in double quotes, in single ones, or bare. */
const writtenSecret =
  /\bapiSecret["']?\s*:\s*(?:("(?:[^"\\]|\\.)*")|'((?:[^']|'')*)'|([^\s,}#]+))/g

/**
 * The secrets in the text of the configuration file, also when it cannot be read as one: an error before that may quote what was typed. Throws as
 * `readUserFileAt` does when it cannot be trusted.
 */
export function writtenSecrets(
  host: ConfigHost,
  options: Pick<TypedSettings, 'config'>,
): string[] {
  const place = userFilePlace(host, options)
  if (place?.exists !== true) return []
  const { bytes } = readTrusted(host, place.path, { most: largest, wayOut })
  const found = [...bytes.toString().matchAll(writtenSecret)]
  const secrets = found.map(([, double = '', single = '', bare = '']) => {
    if (double !== '')
      return isJson(double) ? String(JSON.parse(double)) : double.slice(1, -1)
    return single.replaceAll("''", "'") || bare
  })
  return secrets.filter((secret) => secret.length >= shortestSecret)
}

/** The error of a file that was named and is not there. */
export function noSuchFile(path: string): SvcError {
  return configError(`${path} cannot be read: there is no such file`)
}

/** Throws exit 2 when others can change what is in the configuration folder. */
export function checkConfigFolder(owner: ConfigHost, folder: string): void {
  const distrust = findFolderDistrust(owner, folder)
  if (distrust !== undefined) throw distrustError(distrust, wayOut)
}

interface ExplorerModule {
  readonly ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'transform' | 'loaders'>,
  ) => { load(path: string): CosmiconfigResult }
}

/** How often a file is read that others replace meanwhile, as `svc profiles` does. */
const mostReads = 5

/**
 * The unchecked value of a file, which was judged before cosmiconfig read it and is still the same. Throws for anything but JSON and YAML. It
 * executes and imports nothing.
 */
async function load(host: ConfigHost, path: string) {
  const { ExplorerSync } = await importCosmiconfig<ExplorerModule>(
    () => import('cosmiconfig/dist/ExplorerSync.js'),
  )
  const yaml = await yamlLoader()
  const changed = configError(`${path} changes while it is read`, 'run the command again')
  const read = (): { stats: Stats; value: unknown } => {
    const { stats } = readTrusted(host, path, { most: largest, wayOut })
    const loader =
      (parse: LoaderSync): LoaderSync =>
      (_, text) => {
        const now = host.disk.statSync(path)
        const isSame = now.ino === stats.ino && now.dev === stats.dev
        if (!isSame || now.mtimeMs !== stats.mtimeMs) throw changed
        return parseChecked(path, text, parse)
      }
    const explorer = new ExplorerSync({
      searchPlaces: [],
      transform: (result) => result,
      loaders: {
        '.json': loader(parseJsonFile),
        '.yaml': loader(yaml),
        '.yml': loader(yaml),
        noExt: loader(yaml),
        default: () => refuseFormat(path),
      },
    })
    const result = explorer.load(path)
    if (result?.isEmpty === true)
      throw configError(`${path} is empty`, 'remove it, or write {} into it')
    return { stats, value: result?.config ?? null }
  }
  for (let reads = 1; ; reads += 1) {
    try {
      return read()
    } catch (error) {
      if (error === changed && reads < mostReads) continue
      if (systemCode(error) === undefined) throw error
      throw fileError('config', `${path} cannot be read`, error)
    }
  }
}

/** cosmiconfig's own, with errors that quote nothing. */
async function yamlLoader(): Promise<LoaderSync> {
  const { loadYaml } = await importCosmiconfig<{ loadYaml: LoaderSync }>(
    () => import('cosmiconfig/dist/loaders.js'),
  )
  return (path, text) => {
    try {
      return loadYaml(path, text) as unknown
    } catch (error) {
      throw yamlError(path, error)
    }
  }
}

function refuseFormat(path: string): never {
  throw configError(`${path} is not .json or .yaml, and svc executes no configuration file`)
}

/** The value of a text, if cosmiconfig does nothing more with it. */
function parseChecked(path: string, text: string, parse: LoaderSync): unknown {
  // cosmiconfig takes a file of the name "package" apart and returns one key of it.
  if (basename(path, extname(path)) === 'package') refuseFormat(path)
  // Node has put U+FFFD where the bytes were no UTF-8: another encoding, or no text at all.
  if (/[\ufffd\0]/.test(text)) throw configError(`${path} is not UTF-8 text`)
  const value: unknown = parse(path, text.replace(/^\ufeff/, '')) ?? null
  // cosmiconfig would read, and for a script execute, whatever `$import` names.
  if (memberOf(value, '$import') === undefined) return value
  throw configError(
    `${path} has the key "$import", and svc imports nothing into a configuration`,
  )
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
