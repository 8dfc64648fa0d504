/**
 * The configuration file, read by cosmiconfig, executing nothing.
 *
 * cosmiconfig's own entry executes `./.config/config.{js,cjs,mjs,ts}` of the current folder when it constructs an explorer,
 * whatever its options are. So the explorer class behind that entry is used: it reads the one absolute path that it is
 * given. The version is pinned; test/config/hostile-folders.test.ts plants such files.
 */
import { basename, extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import { systemCode, fileError, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isJson, memberOf } from '../values.ts'
import { configError, findConfigPath } from './paths.ts'
import type { UserContent } from './schema.ts'
import { readTrusted, refuseReadable } from './trust.ts'

export interface UserFile {
  path: string
  content: UserContent
  /** The file as it was written, to be written again with a change. */
  raw: Readonly<Record<string, unknown>>
}

/** The user's configuration, checked; undefined if there is none. Throws exit 2 if something is wrong with it. */
export async function readUserFile(host: Host): Promise<UserFile | undefined> {
  const place = findConfigPath(host)
  if (place === undefined || (!place.exists && !place.isNamed)) return undefined
  return readUserFileAt(host, place.path)
}

/**
 * The file at a path. Throws exit 2 when it cannot be read, when others can write it (they would decide where requests go
 * and which command is run), and when others can read a secret in it.
 */
export async function readUserFileAt(host: Host, path: string): Promise<UserFile> {
  // cosmiconfig would wait for a pipe, so the file is judged before.
  const { stats } = readTrusted(host, path)
  const raw = await load(path)
  const { checkUserFile } = await import('./schema.ts')
  const content = checkUserFile(path, raw)
  const hasSecret = [...content.profiles.values()].some(({ apiSecret }) => apiSecret)
  if (hasSecret) refuseReadable(host, path, stats)
  return { path, content, raw: raw as UserFile['raw'] }
}

interface ExplorerModule {
  ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'transform' | 'loaders'>,
  ) => { load(path: string): CosmiconfigResult }
}

/** The unchecked value of a file of JSON or YAML. Throws exit 2 for any other. */
async function load(path: string): Promise<unknown> {
  const ending = extname(path)
  // cosmiconfig takes a file of the name "package" apart and returns one key of it.
  if (!/^\.(?:json|ya?ml)$/.test(ending) || basename(path, ending) === 'package')
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  const [{ ExplorerSync }, { loadYaml }] = await Promise.all([
    importCosmiconfig<ExplorerModule>(() => import('cosmiconfig/dist/ExplorerSync.js')),
    importCosmiconfig<{ loadYaml: LoaderSync }>(
      () => import('cosmiconfig/dist/loaders.js'),
    ),
  ])
  const explorer = new ExplorerSync({
    searchPlaces: [],
    transform: (result) => result,
    loaders: { [ending]: (_: string, text: string) => parse(path, text, loadYaml) },
  })
  try {
    const result = explorer.load(path)
    if (result?.isEmpty === true)
      throw configError(`${path} is empty`, 'remove it, or write {} into it')
    return result?.config ?? null
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
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

function parse(path: string, text: string, loadYaml: LoaderSync): unknown {
  // Node has put U+FFFD where the bytes were no UTF-8: another encoding, or no text at all.
  if (/[\ufffd\0]/.test(text)) throw configError(`${path} is not UTF-8 text`)
  const json = text.replace(/^\ufeff/, '')
  const isRight = isJson(json)
  if (path.endsWith('.json') && !isRight) throw malformedJson(path, json, loadYaml)
  const value: unknown = isRight ? JSON.parse(json) : readYaml(path, json, loadYaml)
  // cosmiconfig would read, and for a script execute, whatever `$import` names.
  if (memberOf(value, '$import') !== undefined)
    throw configError(
      `${path} has the key "$import", and svc imports nothing into a configuration`,
    )
  // cosmiconfig would take undefined for an empty file.
  return value ?? null
}

function readYaml(path: string, text: string, loadYaml: LoaderSync): unknown {
  try {
    return loadYaml(path, text)
  } catch (error) {
    const { line, reason } = mistakeIn(error)
    const advice =
      'look at this line and the one above it: indent with spaces, write a space after each colon, and put text with : or # in quotes'
    throw configError(`${path}${line} is not valid YAML: ${reason}`, advice)
  }
}

/** JSON is nearly YAML, so the place of most mistakes is where YAML has one too. */
function malformedJson(path: string, text: string, loadYaml: LoaderSync): SvcError {
  let place = ''
  try {
    loadYaml(path, text)
  } catch (error) {
    place = mistakeIn(error).line
  }
  const advice =
    'JSON has texts and keys in double quotes, a comma between members and none after the last, and no comments'
  return configError(`${path}${place} is not valid JSON`, advice)
}

/** js-yaml's own message quotes the lines around a mistake, which may hold a secret: only its line and kind are used. */
function mistakeIn(error: unknown) {
  const { reason = '', mark } = error as { reason?: string; mark?: { line: number } }
  const [kind = ''] = reason.split(/["'!:<]/)
  return { line: mark === undefined ? '' : `:${mark.line + 1}`, reason: kind.trim() }
}
