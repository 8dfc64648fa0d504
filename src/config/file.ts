/**
 * Reads the configuration file with cosmiconfig, and checks it by a schema with a message for each mistake. Executes nothing.
 *
 * When cosmiconfig's own entry constructs an explorer, it executes `./.config/config.{js,cjs,mjs,ts}` of the current folder,
 * whatever its options are. So svc imports the explorer class behind that entry, which reads the one absolute path that it is
 * given. The version is pinned, and test/config/hostile-folders.test.ts plants such files.
 */
import { extname } from 'node:path'
import type { CosmiconfigResult, LoaderSync, OptionsSync } from 'cosmiconfig'
import * as v from 'valibot'
import { configError, fileError, messageOf } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { isObject, parseRate } from '../values.ts'
import { joinOr, nearest } from '../words.ts'
import { brokenLine, lineOfKey } from './places.ts'
import { findConfigPath, readTrusted, refuseOthersReading } from './paths.ts'
import {
  isProfileName,
  parseApiKey,
  parseBaseUrl,
  profileNameRule,
  secretKeys,
  parseCountry,
} from './settings.ts'

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
  // This refuses a named pipe. It comes first, because cosmiconfig would wait for the other end of the pipe.
  const { stats, bytes } = readTrusted(host, path)
  const text = bytes.toString().replace(/^\ufeff/, '')
  const raw = await load(path, text)
  const content = checkUserFile(path, raw, text)
  const hasSecret = [...content.profiles.values()].some(({ apiSecret }) => apiSecret)
  if (hasSecret) refuseOthersReading(host, path, stats)
  return { path, content, raw: raw as UserFile['raw'] }
}

interface ExplorerModule {
  ExplorerSync: new (
    options: Pick<OptionsSync, 'searchPlaces' | 'packageProp' | 'transform' | 'loaders'>,
  ) => { load(path: string): CosmiconfigResult }
}

/** The unchecked value of a JSON or YAML text. Throws a config error for any other file. */
async function load(path: string, text: string): Promise<unknown> {
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
    const explorer = new ExplorerSync({
      searchPlaces: [],
      // Otherwise cosmiconfig reads only one key of a package.json.
      packageProp: [],
      transform: (result) => result,
      // The key of svc hides `$import`: cosmiconfig would read the files that it names, and execute scripts among them.
      loaders: { [extension]: () => ({ content: parseFile(path, text, loadYaml) }) },
    })
    return explorer.load(path)?.config?.content ?? null
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** The exports of a CommonJS module. In the build they are under `default`; in tests they are named exports too. */
async function exportsOf<Module extends object>(part: Promise<unknown>): Promise<Module> {
  const module = (await part) as Module & { default?: Module }
  return module.default ?? module
}

/** The value of a text. Throws a config error that quotes nothing of the text but a key, because it may contain a secret. */
function parseFile(path: string, text: string, loadYaml: LoaderSync): unknown {
  const isJson = extname(path) === '.json'
  const refusal = (line: number, mistake = `not valid ${isJson ? 'JSON' : 'YAML'}`) => {
    const hint = 'for examples:\n  svc help configuration'
    return configError(`${path} line ${line}: ${mistake}`, hint)
  }
  let value: unknown
  try {
    if (isJson) value = JSON.parse(text)
  } catch {
    throw refusal(brokenLine(text))
  }
  try {
    // JSON is YAML, whose parser refuses a repeated key.
    const yaml: unknown = loadYaml(path, text)
    return isJson ? value : yaml
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { position: number } }
    // The error for a second document has no mark.
    const position = mark?.position ?? text.lastIndexOf('\n---') + 1
    const line = text.slice(0, position).split('\n').length
    if (reason !== 'duplicated mapping key') throw refusal(line)
    const [key] = /[^\s"':,{}?]+/.exec(text.slice(position)) ?? []
    throw refusal(line, `the key "${key}" is repeated`)
  }
}

// Each schema has its own message, because valibot's messages quote the value, which can be a secret.
const object = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
const text = v.string('must be text; put it in quotes')
const nonEmptyText = v.pipe(text, v.nonEmpty('must not be empty'))
const flag = v.boolean('must be true or false')
const count = v.custom<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be a whole number from 0',
)

function list<Item extends v.GenericSchema>(item: Item) {
  return v.array(item, 'must be a list')
}

/** An object of which no key is refused. `problemOf` says what is wrong with a key. valibot's own check overlooks `__proto__`. */
function objectOfKeys(problemOf: (key: string) => string | undefined) {
  return v.pipe(
    object,
    v.rawCheck(({ dataset: { value: input, typed }, addIssue }) => {
      if (!typed) return
      const key = Object.keys(input).find((key) => problemOf(key) !== undefined)
      if (key === undefined) return
      const place = {
        type: 'object',
        origin: 'key',
        input,
        key,
        value: input[key],
      } as const
      addIssue({ message: problemOf(key), path: [place] })
    }),
  )
}

/** An object that has no other keys than `entries`. */
function strictObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries)
  const withKnownKeys = objectOfKeys((key) => {
    const suggestion = nearest(key, known)[0] ?? joinOr(known)
    return known.includes(key)
      ? undefined
      : `is an unknown key; did you mean ${suggestion}?`
  })
  return v.pipe(withKnownKeys, v.object(entries))
}

/**
 * A text with the parser of the option or variable of that name. The parser gets no name, because the message begins with the
 * key.
 */
function parsed<T>(parse: (text: string, name: string) => T) {
  return v.pipe(
    text,
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      try {
        return parse(dataset.value, '')
      } catch (error) {
        addIssue({ message: messageOf(error).trim() })
        return NEVER
      }
    }),
  )
}

const FileProfile = v.pipe(
  strictObject({
    baseUrl: parsed(parseBaseUrl),
    apiKey: parsed(parseApiKey),
    apiSecret: v.optional(nonEmptyText),
    secretFile: v.optional(nonEmptyText),
    secretCommand: v.optional(list(nonEmptyText)),
    country: v.optional(parsed(parseCountry)),
    rate: v.optional(parsed(parseRate)),
    protected: v.optional(flag),
    readOnly: v.optional(flag),
    maxDelete: v.optional(count),
  }),
  v.check(
    (profile) => secretKeys.filter((key) => profile[key] !== undefined).length === 1,
    `must contain exactly one of ${joinOr(secretKeys)}`,
  ),
)

const notProfileName = `is not a profile name: ${profileNameRule}`

const UserFileContent = strictObject({
  current: v.optional(text),
  profiles: v.optional(
    v.pipe(
      objectOfKeys((name) => (isProfileName(name) ? undefined : notProfileName)),
      v.record(v.string(), FileProfile),
    ),
  ),
})

export type FileProfile = v.InferOutput<typeof FileProfile>

export interface UserContent {
  current: string | undefined
  profiles: ReadonlyMap<string, FileProfile>
}

/** Checks the content of the file at a path. Throws a config error that names the first wrong key, and its line in the text of the file. */
export function checkUserFile(path: string, value: unknown, text?: string): UserContent {
  const result = v.safeParse(UserFileContent, value, { abortEarly: true })
  if (result.success) {
    const { current, profiles = {} } = result.output
    return { current, profiles: new Map(Object.entries(profiles)) }
  }
  const [issue] = result.issues
  const keys = issue.path?.map(({ key }) => String(key)) ?? []
  // valibot reports a required key that is absent as an issue of its object. A value that is no object has the type `custom`.
  const isMissing = issue.type === 'object'
  const written = isMissing ? keys.slice(0, -1) : keys
  const place = text === undefined ? path : `${path} line ${lineOfKey(text, written)}`
  const name = keys.length === 0 ? '' : `${shorten(keys.join('.'), 100)} `
  throw configError(`${place}: ${name}${isMissing ? 'is missing' : issue.message}`)
}
