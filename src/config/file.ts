/**
 * Reads the configuration file with cosmiconfig, and checks it by a schema, with a message and the line for each mistake. Executes
 * nothing.
 *
 * When cosmiconfig's own entry constructs an explorer, it executes `./.config/config.{js,cjs,mjs,ts}` of the current folder,
 * whatever its options are. So svc imports the explorer class behind that entry, which reads the one absolute path that it is
 * given. The version is pinned, and test/promises/trust/hostile-folders.test.ts plants such files.
 */
import { extname } from 'node:path'
import { ExplorerSync } from 'cosmiconfig/dist/ExplorerSync.js'
import { loadYaml } from 'cosmiconfig/dist/loaders.js'
import * as v from 'valibot'
import { configError, fileError, messageOf } from '../errors.ts'
import type { Host } from '../host.ts'
import { shorten } from '../safe-text.ts'
import { isObject } from '../json.ts'
import { parseRate } from '../values.ts'
import { joinOr } from '../words.ts'
import { checkTrust, findConfigPath, readTrusted } from './paths.ts'
import {
  isProfileName,
  parseApiKey,
  parseBaseUrl,
  profileNameRule,
  secretKeys,
  parseCountry,
} from './settings.ts'

export type UserFile = ReturnType<typeof readUserFileAt>

/** Reads and checks the user's configuration file. Returns undefined if there is none; throws a config error. */
export function readUserFile(host: Host) {
  const found = findConfigPath(host)
  return found?.exists === true ? readUserFileAt(host, found.path) : undefined
}

/**
 * Reads and checks the file at a path. Throws a config error if it cannot be read, if others can write to it (they would
 * decide where requests go and which command runs), and if others can read a secret in it.
 */
export function readUserFileAt(host: Host, path: string) {
  // This refuses a named pipe. It comes first, because cosmiconfig would wait for the other end of the pipe.
  const { stats, bytes } = readTrusted(host, path)
  const text = bytes.toString().replace(/^\ufeff/, '')
  const raw = load(path, text)
  const content = checkUserFile(path, raw, text)
  const hasSecret = [...content.profiles.values()].some(({ apiSecret }) => apiSecret)
  checkTrust(host, path, stats, hasSecret)
  return {
    path,
    content,
    /** The unchecked content. To change the file, svc writes this again with a change. */
    raw: raw as Readonly<Record<string, unknown>>,
  }
}

/** Returns the unchecked value of a JSON or YAML text. Throws a config error for any other file. */
function load(path: string, text: string): unknown {
  // The key `content` hides `$import`: cosmiconfig would read the files that it names, and execute scripts among them.
  const loader = () => ({ content: parseFile(path, text) })
  const loaders = { '.json': loader, '.yaml': loader, '.yml': loader }
  if (!Object.hasOwn(loaders, extname(path)))
    throw configError(
      `${path} is not .json or .yaml, and svc executes no configuration file`,
    )
  try {
    const explorer = new ExplorerSync({
      searchPlaces: [],
      // Otherwise cosmiconfig reads only one key of a package.json.
      packageProp: [],
      transform: (result) => result,
      loaders,
    })
    return explorer.load(path)?.config?.content ?? null
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

/** Returns the value of a text. Throws a config error that quotes nothing of the text but a key, because it may contain a secret. */
function parseFile(path: string, text: string): unknown {
  if (extname(path) !== '.json') return parseYaml(path, text, 'YAML')
  const value = parseJson(path, text)
  // JSON is YAML, whose parser also refuses a repeated key.
  parseYaml(path, text, 'JSON')
  return value
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw mistakeError(path, firstBrokenLine(text), 'not valid JSON')
  }
}

function parseYaml(path: string, text: string, form: 'YAML' | 'JSON'): unknown {
  try {
    return loadYaml(path, text)
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { position: number } }
    // The error for a second document has no mark.
    const position = mark?.position ?? text.lastIndexOf('\n---') + 1
    const [key] = /[^\s"':,{}?]+/.exec(text.slice(position)) ?? []
    const isRepeated = reason === 'duplicated mapping key'
    const mistake = isRepeated ? `the key "${key}" is repeated` : `not valid ${form}`
    throw mistakeError(path, lineOf(text, position), mistake)
  }
}

function mistakeError(path: string, line: number, mistake: string) {
  const hint = 'for examples:\n  svc help configuration'
  return configError(`${path} line ${line}: ${mistake}`, hint)
}

// Each schema has its own message, because valibot's messages quote the value, which can be a secret.
const object = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
const anyText = v.string('must be text; put it in quotes')
const nonEmptyText = v.pipe(anyText, v.nonEmpty('must not be empty'))
const flag = v.boolean('must be true or false')
const count = v.custom<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be a whole number from 0',
)

/** An object that has no other keys than `entries`. */
function strictObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = joinOr(Object.keys(entries))
  return v.pipe(
    object,
    v.strictObject(entries, ({ expected }) =>
      expected === 'never' ? `is an unknown key, not ${known}` : 'is missing',
    ),
  )
}

/** A text read by the parser of an option. The parser gets no name, because the message begins with the key. */
function parsed<T>(parse: (text: string, name: string) => T) {
  return v.pipe(
    anyText,
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
    secretCommand: v.optional(
      v.pipe(v.array(nonEmptyText, 'must be a list'), v.nonEmpty('must not be empty')),
    ),
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

const UserFileContent = strictObject({
  current: v.optional(anyText),
  profiles: v.optional(
    v.pipe(
      object,
      // The names are checked here, because `v.record` overlooks `__proto__`.
      v.check(
        (profiles) => Object.keys(profiles).every(isProfileName),
        `has an invalid name: ${profileNameRule}`,
      ),
      v.record(v.string(), FileProfile),
      v.transform((profiles) => new Map(Object.entries(profiles))),
    ),
    {},
  ),
})

export type FileProfile = v.InferOutput<typeof FileProfile>

/** Checks the content of the file at a path. Throws a config error that names the first wrong key, and its line in the text of the file. */
export function checkUserFile(path: string, value: unknown, text?: string) {
  const result = v.safeParse(UserFileContent, value, { abortEarly: true })
  if (result.success) return result.output
  const [{ path: items, message }] = result.issues
  const keys = items?.map(({ key }) => String(key)) ?? []
  const written = message === 'is missing' ? keys.slice(0, -1) : keys
  const place = text === undefined ? path : `${path} line ${lineOfKey(text, written)}`
  const name = keys.length === 0 ? '' : `${shorten(keys.join('.'), 100)} `
  throw configError(`${place}: ${name}${message}`)
}

/** Returns the line of a position, counted from 1. */
function lineOf(text: string, position: number) {
  return text.slice(0, position).split('\n').length
}

/** Finds the first line with which a text is not JSON anymore. `JSON.parse` does not always name it. */
function firstBrokenLine(json: string) {
  const lines = json.split('\n')
  /** So many lines can begin a JSON text. */
  let sound = 0
  /** So many lines cannot. */
  let broken = lines.length
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    if (canBeginJson(lines.slice(0, middle).join('\n'))) sound = middle
    else broken = middle
  }
  return broken
}

/** Whether a text that follows could make JSON of this beginning: what `JSON.parse` says then depends on what follows. */
function canBeginJson(beginning: string) {
  // An error quotes a few characters around a mistake. The spaces keep the two endings out of such a quotation.
  const oneProblem = jsonProblem(`${beginning}\n${' '.repeat(40)}!`)
  const otherProblem = jsonProblem(`${beginning}\n${' '.repeat(50)}?`)
  return oneProblem !== otherProblem
}

function jsonProblem(text: string) {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Finds the line of the last key of a path in JSON or YAML; if a key is missing, that of the last one that is found. */
function lineOfKey(text: string, path: readonly string[]) {
  let position = 0
  let searchStart = 0
  for (const [n, key] of path.entries()) {
    const name = key.replaceAll(/\W/g, String.raw`\$&`)
    // The value of a key with others below it begins with a brace, or on the next line.
    const value = n === path.length - 1 ? '' : String.raw`\s*(?:\{|#|$)`
    const pattern = String.raw`(?<=^\s*|[{,]\s*)["']?${name}["']?\s*:${value}`
    const match = new RegExp(pattern, 'm').exec(text.slice(searchStart))
    if (match === null) break
    position = searchStart + match.index
    searchStart = position + match[0].length
  }
  return lineOf(text, position)
}
