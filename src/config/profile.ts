/**
 * Which profile, which settings, and where each came from. Without a configuration file nothing but this folder's own
 * small files is loaded.
 */
import { dirname, isAbsolute, join } from 'node:path'
import { SvcError, exit, usageError } from '../errors.ts'
import { checkStateFolder } from '../folder.ts'
import type { Host } from '../host.ts'
import type { Format } from '../output/result.ts'
import { noSuchFile, readProjectFile, readUserFile, userFilePlace, type ProjectFile, type UserFile } from './load.ts'
import { originOf, parseBaseUrl } from './origin.ts'
import { resolvePath, stateFolder, variable } from './paths.ts'
import { apiKeyRule, isApiKey, namesHint } from './rules.ts'
import type { FileProfile } from './schema.ts'
import { describeSecret, readSecret, type SecretSource } from './credentials.ts'
import { checkSandboxOrigin, checkSandboxPath, sandboxFolder } from './sandbox.ts'
import { settle, type Layer } from './settings.ts'

export interface GlobalOptions {
  profile?: string
  config?: string
  stateDir?: string
  baseUrl?: string
  output?: string
  json?: boolean
  fields?: string
  header?: boolean
  csvRaw?: boolean
  jsonRaw?: boolean
  truncate?: boolean
  utc?: boolean
  color?: string
  progress?: string
  quiet?: boolean
  verbose?: number
  errorFormat?: string
  timeout?: string
  retries?: string
  maxRetryWait?: string
  yes?: boolean
  input?: boolean
}

/** A value and where it came from, in words for `svc profiles show`. */
export interface Sourced<T> {
  readonly value: T
  readonly source: string
}

export interface Settings {
  readonly output: Sourced<Format>
  /** Rows; 'all', or undefined when nothing was set (each format has its own default). */
  readonly limit: Sourced<number | 'all' | undefined>
  readonly concurrency: Sourced<number | undefined>
  readonly batchSize: Sourced<number>
  readonly color: Sourced<'auto' | 'always' | 'never'>
  readonly progress: Sourced<'auto' | 'bar' | 'json' | 'none'>
  readonly utc: Sourced<boolean>
  /** Milliseconds. */
  readonly timeout: Sourced<number>
  readonly retries: Sourced<number>
  /** Milliseconds. */
  readonly maxRetryWait: Sourced<number>
}

/** Base URL, key and secret as one unit. */
export interface Profile {
  /** Undefined when the unit came from the environment. */
  readonly name: string | undefined
  /** Why this unit, in words. */
  readonly source: string
  /** Without a trailing slash; a path prefix is kept. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly protected: boolean
  /** Where each part is written, in words. */
  readonly sources: { readonly baseUrl: string; readonly apiKey: string; readonly secret: string }
  /**
   * Reads the secret, once; runs the secret command if that is where it lives. Throws exit 4. `shortest`: 8 characters unless
   * whoever reads it shows nothing in which it would have to be hidden.
   */
  secret(shortest?: number): Promise<string>
}

export interface Configuration {
  readonly settings: Settings
  /**
   * The folder where journals go, perhaps not there yet. Throws exit 2 when no folder is known, exit 10 when it cannot be used
   * or is not this user's alone.
   */
  readonly stateDir: Sourced<string>
  /** Notes to show once, for example that a project file's profile is used. */
  readonly notes: readonly string[]
  /**
   * Throws exit 4 when there are no credentials, or the profile is unknown, or the secret belongs to another origin;
   * exit 2 when the file that --config names is not there, or a project file names a protected profile.
   */
  profile(): Profile
}

/** Which unit counts, before anything is known about it. */
type Choice =
  | { readonly kind: 'profile'; readonly name: string; readonly source: string; readonly fromProject: boolean }
  | { readonly kind: 'environment' }
  | { readonly kind: 'none' }

/** Reads the configuration files and settles everything. Throws exit 2 for a wrong file, option or variable. */
export async function readConfiguration(host: Host, options: GlobalOptions): Promise<Configuration> {
  // In the sandbox's shell a folder outside it is refused even where none is needed.
  if (options.stateDir !== undefined) stateDir(host, options)
  const place = userFilePlace(host, options)
  // A named file that is not there yet is what `profiles add` makes; whoever needs a profile is told.
  const absent = place?.named === true && !place.exists
  const user = absent ? undefined : await readUserFile(host, options)
  const project = await readProjectFile(host, place)
  const baseUrl = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl, '--base-url')
  const choice = choose(host, options, project, user)
  const settings = settle(host, options, layers(choice, project, user))
  let profile: Profile | undefined
  return {
    settings,
    get stateDir() {
      const found = stateDir(host, options)
      checkStateFolder(host, found.value)
      return found
    },
    notes:
      choice.kind === 'profile' && choice.fromProject ? [`profile "${choice.name}" (named by ${choice.source})`] : [],
    profile() {
      if (absent) throw noSuchFile(place.path)
      profile ??= unit(host, choice, user, baseUrl)
      checkSandboxOrigin(host, profile.baseUrl, profile.sources.baseUrl)
      return profile
    },
  }
}

/** What options and environment say, for when no file can be read. Throws exit 2 for a wrong option or variable. */
export function builtInSettings(host: Host, options: GlobalOptions): Settings {
  return settle(host, options, [])
}

/** The folder for journals: option, the sandbox's own in its shell, variable, XDG_STATE_HOME, the platform's. */
export function stateDir(host: Host, options: GlobalOptions): Sourced<string> {
  if (options.stateDir === '') throw usageError('--state-dir needs the name of a folder')
  if (options.stateDir !== undefined) {
    const value = resolvePath(host, options.stateDir, '--state-dir')
    checkSandboxPath(host, value, '--state-dir')
    return { value, source: '--state-dir' }
  }
  const own = sandboxFolder(host, 'state')
  if (own !== undefined) return { value: own, source: "the sandbox's own folder" }
  const named = variable(host, 'SVC_STATE_DIR')
  if (named === undefined) return stateFolder(host)
  return { value: resolvePath(host, named, 'SVC_STATE_DIR'), source: 'SVC_STATE_DIR' }
}

const unitVariables = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE'] as const

/** Surface, "Where credentials come from": the first place that names any of them gives all of them. */
function choose(
  host: Host,
  options: GlobalOptions,
  project: ProjectFile | undefined,
  user: UserFile | undefined,
): Choice {
  const named = (name: string, source: string, fromProject = false): Choice => {
    return { kind: 'profile', name, source, fromProject }
  }
  if (options.profile !== undefined) return named(options.profile, '--profile')
  if (unitVariables.some((name) => variable(host, name) !== undefined)) return { kind: 'environment' }
  const wanted = variable(host, 'SVC_PROFILE')
  if (wanted !== undefined) return named(wanted, 'SVC_PROFILE')
  if (project?.content.profile !== undefined) return named(project.content.profile, project.path, true)
  if (user?.content.current !== undefined) return named(user.content.current, `current in ${user.path}`)
  return { kind: 'none' }
}

function layers(choice: Choice, project: ProjectFile | undefined, user: UserFile | undefined): Layer[] {
  const profile = choice.kind === 'profile' ? user?.content.profiles.get(choice.name) : undefined
  const found: Layer[] = []
  if (project !== undefined) found.push({ source: project.path, defaults: project.content.defaults })
  if (choice.kind === 'profile' && profile?.defaults !== undefined) {
    found.push({ source: `profile "${choice.name}"`, defaults: profile.defaults })
  }
  if (user !== undefined) found.push({ source: `defaults in ${user.path}`, defaults: user.content.defaults })
  return found
}

function noCredentials(message: string, hint: string, profile?: string): SvcError {
  return new SvcError('config', message, { exitCode: exit.auth, hint, profile })
}

const bothWays =
  'try it against the sandbox, or add a profile:\n  svc sandbox exec -- svc lists list\n  svc profiles add <name>'

function unit(host: Host, choice: Choice, user: UserFile | undefined, baseUrl: string | undefined): Profile {
  switch (choice.kind) {
    case 'none':
      throw noUnit(user)
    case 'environment':
      return environmentUnit(host, baseUrl)
    case 'profile':
      return fileUnit(host, choice, user, baseUrl)
  }
}

function noUnit(user: UserFile | undefined): SvcError {
  const names = [...(user?.content.profiles.keys() ?? [])]
  if (names.length === 0) return noCredentials('there is no profile and there are no credentials', bothWays)
  return noCredentials(
    'no profile is chosen',
    `choose one, here with -p <name> or from now on:\n  svc profiles use <name>\nprofiles: ${names.join(', ')}`,
  )
}

function fileUnit(
  host: Host,
  choice: Extract<Choice, { kind: 'profile' }>,
  user: UserFile | undefined,
  baseUrl: string | undefined,
): Profile {
  const { name, source } = choice
  const written = user?.content.profiles.get(name)
  if (user === undefined || written === undefined) {
    const by = source === '--profile' ? '' : ` (named by ${source})`
    throw noCredentials(
      `there is no profile "${name}"${by}`,
      namesHint(name, [...(user?.content.profiles.keys() ?? [])]),
    )
  }
  if (choice.fromProject && written.protected === true) {
    throw new SvcError('config', `${source} names the protected profile "${name}", which no project file may`, {
      hint: `name it yourself: -p ${name}`,
    })
  }
  const secret = secretSource(written, name, user.path)
  const stored = parseBaseUrl(written.baseUrl, `profiles.${name}.baseUrl in ${user.path}`)
  return {
    name,
    source,
    baseUrl: sameOrigin(stored, baseUrl, `profile "${name}"`, name),
    apiKey: written.apiKey,
    protected: written.protected === true,
    sources: {
      baseUrl: baseUrl === undefined ? user.path : '--base-url',
      apiKey: user.path,
      secret: describeSecret(secret),
    },
    secret: once((shortest) => readSecret(secret, host, { shortest })),
  }
}

/** Where a profile of the file at `path` has its secret. Throws nothing: a schema has seen that it has exactly one. */
export function secretSource(profile: FileProfile, name: string, path: string): SecretSource {
  const folder = dirname(path)
  if (profile.secretEnv !== undefined) return { kind: 'variable', name: profile.secretEnv }
  if (profile.secretFile !== undefined) {
    const here = isAbsolute(profile.secretFile) || /^~[/\\]/.test(profile.secretFile)
    return { kind: 'file', path: here ? profile.secretFile : join(folder, profile.secretFile) }
  }
  if (profile.secretCommand !== undefined) return { kind: 'command', words: profile.secretCommand, folder }
  return { kind: 'inline', secret: profile.apiSecret ?? '', place: `profiles.${name}.apiSecret in ${path}` }
}

function environmentUnit(host: Host, baseUrl: string | undefined): Profile {
  const url = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')?.replace(/\r?\n$/, '')
  const secret = environmentSecret(host)
  // A base URL that was typed completes key and secret of the environment: whoever typed it chose where they go.
  const missing = [
    url === undefined && baseUrl === undefined ? 'SVC_BASE_URL' : undefined,
    apiKey === undefined ? 'SVC_API_KEY' : undefined,
    secret === undefined ? 'SVC_API_SECRET (or SVC_API_SECRET_FILE)' : undefined,
  ].filter((name) => name !== undefined)
  if (missing.length > 0 || apiKey === undefined || secret === undefined) {
    const present = unitVariables.filter((name) => variable(host, name) !== undefined)
    throw noCredentials(
      `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set, but not ${missing.join(' and ')}`,
      'base URL, key and secret come together: set all of them, or unset these and use a profile (-p <name>)',
    )
  }
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  const stored = url === undefined ? undefined : parseBaseUrl(url, 'SVC_BASE_URL')
  return {
    name: undefined,
    source: 'the environment',
    baseUrl: sameOrigin(stored, baseUrl, 'SVC_BASE_URL', undefined),
    apiKey,
    protected: false,
    sources: {
      baseUrl: baseUrl === undefined ? 'SVC_BASE_URL' : '--base-url',
      apiKey: 'SVC_API_KEY',
      secret: describeSecret(secret),
    },
    secret: once((shortest) => readSecret(secret, host, { shortest })),
  }
}

function environmentSecret(host: Host): SecretSource | undefined {
  const file = variable(host, 'SVC_API_SECRET_FILE')
  const inline = variable(host, 'SVC_API_SECRET') !== undefined
  if (file !== undefined && inline) {
    throw noCredentials('SVC_API_SECRET and SVC_API_SECRET_FILE are both set', 'unset one of them')
  }
  if (inline) return { kind: 'variable', name: 'SVC_API_SECRET' }
  if (file === undefined) return undefined
  return { kind: 'file', path: /^~[/\\]/.test(file) ? file : resolvePath(host, file, 'SVC_API_SECRET_FILE') }
}

/** A secret belongs to the origin that it is stored with: another base URL does not get it. */
function sameOrigin(
  stored: string | undefined,
  typed: string | undefined,
  of: string,
  profile: string | undefined,
): string {
  if (typed === undefined || stored === undefined) return typed ?? stored ?? ''
  if (originOf(typed) === originOf(stored)) return typed
  throw noCredentials(
    `--base-url is at ${originOf(typed)}, but the secret belongs to ${originOf(stored)} (${of}) and is sent nowhere else`,
    'add a profile for that address:\n  svc profiles add <name>',
    profile,
  )
}

/** A command line reads a secret for one purpose only, so for all readings the first one counts. */
function once<A, T>(read: (argument?: A) => Promise<T>): (argument?: A) => Promise<T> {
  let result: Promise<T> | undefined
  return (argument) => (result ??= read(argument))
}

/** An API key as it may be shown: its last four characters; nothing of one so short that they would be half of it. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}

/** How many colours to use. 0: none; 1: 16; 2: 256; 3: all. */
export function colorLevel(setting: 'auto' | 'always' | 'never', env: Host['env'], isTerminal: boolean): 0 | 1 | 2 | 3 {
  if (setting === 'never') return 0
  if (setting === 'always') return colorDepth(env)
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 0
  const forced = env.FORCE_COLOR
  if (forced === '0' || forced === 'false') return 0
  if (forced === '1' || forced === '2' || forced === '3') return Number(forced) as 1 | 2 | 3
  if (forced !== undefined) return colorDepth(env)
  return isTerminal && env.TERM !== 'dumb' ? colorDepth(env) : 0
}

function colorDepth(env: Host['env']): 1 | 2 | 3 {
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit' || env.WT_SESSION !== undefined) return 3
  return env.TERM?.includes('256color') === true ? 2 : 1
}
