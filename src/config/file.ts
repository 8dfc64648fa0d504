/**
 * Reads the configuration file with cosmiconfig, and executes nothing.
 *
 * When cosmiconfig's own entry constructs an explorer, it executes `./.config/config.{js,cjs,mjs,ts}` of the current folder,
 * whatever its options are. So svc imports the explorer class behind that entry, which reads the one absolute path that it is
 * given. The version is pinned, and test/config/hostile-folders.test.ts plants such files.
 */
import { extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import { configError } from '../errors.ts'
import { fileError } from '../system-errors.ts'
import type { Host } from '../host.ts'
import { say, svc } from '../message.ts'
import { memberOf } from '../json.ts'
import { findConfigPath } from './paths.ts'
import type { UserContent } from './schema.ts'
import { readTrusted, refuseReadable } from './trust.ts'

export interface UserFile {
  path: string
  content: UserContent
  /** The unchecked content. To change the file, svc writes this again with a change. */
  raw: Readonly<Record<string, unknown>>
}

/** Reads and checks the user's configuration file. Returns undefined if there is none; throws a config error. */
export async function readUserFile(host: Host): Promise<UserFile | undefined> {
  const found = findConfigPath(host)
  return found?.exists === true ? readUserFileAt(host, found.path) : undefined
}

/**
 * Reads and checks the file at a path. Throws a config error if it cannot be read, if others can write to it (they would
 * decide where requests go and which command runs), and if others can read a secret in it.
 */
export async function readUserFileAt(host: Host, path: string): Promise<UserFile> {
  // Before cosmiconfig opens the file, because it would wait for a named pipe.
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
    options: Pick<OptionsSync, 'searchPlaces' | 'packageProp' | 'transform' | 'loaders'>,
  ) => { load(path: string): CosmiconfigResult }
}

/** The unchecked value of a JSON or YAML file. Throws a config error for any other file. */
async function load(path: string): Promise<unknown> {
  const extension = extname(path)
  if (!['.json', '.yaml', '.yml'].includes(extension))
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  try {
    const [{ ExplorerSync }, { loadYaml }] = await Promise.all([
      exportsOf<ExplorerModule>(import('cosmiconfig/dist/ExplorerSync.js')),
      exportsOf<{ loadYaml: LoaderSync }>(import('cosmiconfig/dist/loaders.js')),
    ])
    const parse: LoaderSync =
      extension === '.json' ? (_, text) => JSON.parse(text) : loadYaml
    const explorer = new ExplorerSync({
      searchPlaces: [],
      // Otherwise cosmiconfig reads only one key of a package.json.
      packageProp: [],
      transform: (result) => result,
      loaders: { [extension]: (_: string, text: string) => parseFile(path, text, parse) },
    })
    return explorer.load(path)?.config ?? null
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The exports of a CommonJS module. In the build they are under `default`; in tests they are named exports too. */
async function exportsOf<Module extends object>(part: Promise<unknown>): Promise<Module> {
  const module = (await part) as Module & { default?: Module }
  return module.default ?? module
}

/** The value of a text. Throws a config error that quotes nothing of the text, because it may contain a secret. */
function parseFile(path: string, text: string, parse: LoaderSync): unknown {
  let value: unknown
  try {
    value = parse(path, text.replace(/^\ufeff/, ''))
  } catch (error) {
    // The parsers' own messages quote the text around a mistake.
    const { mark } = error as { mark?: { line: number } }
    const line = mark === undefined ? '' : `:${mark.line + 1}`
    const format = extname(path) === '.json' ? 'JSON' : 'YAML'
    const hint = say`for examples:\n  ${svc`help configuration`}`
    throw configError(`${path}${line} is not valid ${format}`, hint)
  }
  // cosmiconfig would read the files that `$import` names, and execute scripts among them.
  if (memberOf(value, '$import') === undefined) return value ?? null
  throw configError(
    `${path} has the key "$import", and svc imports nothing into a configuration`,
  )
}
