/**
 * The configuration file, read by cosmiconfig, executing nothing.
 *
 * cosmiconfig's own entry executes `./.config/config.{js,cjs,mjs,ts}` of the current folder when it constructs an explorer,
 * whatever its options are. So the explorer class behind that entry is used: it reads the one absolute path that it is
 * given. The version is pinned; test/config/hostile-folders.test.ts plants such files.
 */
import { extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import { fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc } from '../message.ts'
import { memberOf } from '../values.ts'
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
  return place?.exists === true ? readUserFileAt(host, place.path) : undefined
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

interface Explorer {
  load(path: string): CosmiconfigResult
}
interface ExplorerModule {
  ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'packageProp' | 'transform' | 'loaders'>,
  ) => Explorer
}

/** The unchecked value of a file of JSON or YAML. Throws exit 2 for any other. */
async function load(path: string): Promise<unknown> {
  const ending = extname(path)
  if (!/^\.(?:json|ya?ml)$/.test(ending))
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  try {
    const [{ ExplorerSync }, { loadYaml }] = await Promise.all([
      partOf<ExplorerModule>(import('cosmiconfig/dist/ExplorerSync.js')),
      partOf<{ loadYaml: LoaderSync }>(import('cosmiconfig/dist/loaders.js')),
    ])
    const parse: LoaderSync = ending === '.json' ? (_, text) => JSON.parse(text) : loadYaml
    const explorer = new ExplorerSync({
      searchPlaces: [],
      // A package.json would be read by one of its members.
      packageProp: [],
      transform: (result) => result,
      loaders: { [ending]: (_: string, text: string) => read(path, text, parse) },
    })
    return explorer.load(path)?.config ?? null
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** A part of the library: a CommonJS module, built as `default` alone, unbuilt by the names of its exports too. */
async function partOf<Module extends object>(part: Promise<unknown>): Promise<Module> {
  const module = (await part) as Module & { default?: Module }
  return module.default ?? module
}

function read(path: string, text: string, parse: LoaderSync): unknown {
  let value: unknown
  try {
    value = parse(path, text.replace(/^\ufeff/, ''))
  } catch (error) {
    // The messages of both parsers quote the text around a mistake, which may hold a secret.
    const { mark } = error as { mark?: { line: number } }
    const line = mark === undefined ? '' : `:${mark.line + 1}`
    const format = extname(path) === '.json' ? 'JSON' : 'YAML'
    const hint = say`for examples:\n  ${svc`help configuration`}`
    throw configError(`${path}${line} is not valid ${format}`, hint)
  }
  // cosmiconfig would read, and for a script execute, whatever `$import` names.
  if (memberOf(value, '$import') === undefined) return value ?? null
  throw configError(
    `${path} has the key "$import", and svc imports nothing into a configuration`,
  )
}
