/**
 * Which profile and settings, and where each came from. Without configuration only this folder's small files load. `program/run.ts`
 * calls it before a verb runs, and hands the answer on by `cli/context.ts`.
 */
import { say, svc, type Message } from '../message.ts'
import { SvcError, exit } from '../errors.ts'
import { checkStateFolder } from '../disk/trust.ts'
import type { Host } from '../host.ts'
import {
  describeSecret,
  readSecret,
  secretPath,
  secretSource,
  type SecretSource,
} from './credentials.ts'
import { readEnvironment, type Environment, type Sourced } from './environment.ts'
import { noSuchFile, readUserFileAt, type UserFile } from './load.ts'
import { originOf, parseBaseUrl, apiKeyRule, isApiKey, namesHint } from './rules.ts'
import {
  checkSandboxOrigin,
  projectFile,
  stateDir,
  userFilePlace,
  type StateDir,
} from './paths.ts'
import {
  resolveSettings,
  withoutFiles,
  type TypedSettings,
  type Layer,
  type Settings,
} from './settings.ts'
import { membersOf } from './table.ts'

/** Base URL, key and secret, which belong together. */
export interface Profile {
  /** Undefined when the credentials came from the environment. */
  readonly name: string | undefined
  /** Why these credentials, in words. */
  readonly source: string
  /** Without a trailing slash; a path prefix is kept. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly protected: boolean
  /** As it is written, unchecked. */
  readonly policy?: Sourced<unknown> | undefined
  /** Where each part is written, in words. */
  readonly sources: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly secret: string
  }
  /** Reads the secret, once; runs the secret command if that is where it lives. Throws exit 4. */
  secret(): Promise<string>
}

export interface Configuration {
  readonly settings: Settings
  /** The journals' folder, perhaps not there yet. Throws exit 2 if none is known, 10 if unusable or not the user's. */
  readonly stateDir: StateDir
  /**
   * Throws exit 4 when there are no credentials, or the profile is unknown, or the secret belongs to another origin;
   * exit 2 when the file that --config names is not there.
   */
  profile(): Profile
  /** Before every change. Throws exit 2 where a file of the current folder chose the profile in 3.1: it could go to another service now. */
  checkChange(): void
}

/** The place whose credentials count, before anything is known about them. `byDefault`: nobody named it for this command. */
type Choice =
  | {
      readonly kind: 'profile'
      readonly name: string
      readonly source: string
      readonly byDefault: boolean
    }
  | { readonly kind: 'environment' }
  | { readonly kind: 'none' }

/** Parts that a profile is made of. */
interface Sources {
  readonly host: Host
  readonly env: Environment
  readonly user: UserFile | undefined
  /** The base URL of this command line. */
  readonly typed: string | undefined
}

/** Reads the configuration file and resolves everything. Throws exit 2 for a wrong file, option or variable. */
export async function readConfiguration(
  host: Host,
  options: TypedSettings,
): Promise<Configuration> {
  const env = readEnvironment(host)
  // In the sandbox's shell a folder outside it is refused even where none is needed.
  if (options.stateDir !== undefined) stateDir(host, options, env)
  const place = userFilePlace(host, options, env)
  const user = place?.exists === true ? await readUserFileAt(host, place) : undefined
  const typed =
    options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl, '--base-url')
  const sources = { host, env, user, typed }
  const choice = chooseProfile(sources, options.profile)
  const settings = resolveSettings(host, options, layersOf(choice, user))
  let profile: Profile | undefined
  return {
    settings,
    get stateDir() {
      const found = stateDir(host, options, env)
      checkStateFolder(host, found.value)
      return found
    },
    profile() {
      // A named file that does not exist yet is what `profiles add` creates; every other command needs it.
      if (place?.named === true && !place.exists) throw noSuchFile(place.path)
      profile ??= chosenProfile(sources, choice)
      checkSandboxOrigin(env, profile.baseUrl, profile.sources.baseUrl)
      return profile
    },
    checkChange() {
      const path =
        choice.kind === 'profile' && choice.byDefault ? projectFile(host) : undefined
      if (path === undefined) return
      throw new SvcError(
        'config',
        `${path} is not read any more, and it may name another service`,
        {
          hint: 'nothing was sent; name the profile with -p or SVC_PROFILE, or remove the file',
        },
      )
    },
  }
}

/** Settings by options and environment alone, for when no file can be read. Throws exit 2 for a wrong option or variable. */
export function builtInSettings(host: Host, options: TypedSettings): Settings {
  return resolveSettings(host, options, [])
}

function credentialVariables({
  baseUrl,
  apiKey,
  apiSecret,
  apiSecretFile,
}: Environment): string[] {
  return [baseUrl, apiKey, apiSecret, apiSecretFile].flatMap((found) =>
    found === undefined ? [] : [found.source],
  )
}

/** The first place that names any of base URL, key and secret gives all of them. */
function chooseProfile({ host, env, user }: Sources, typed: string | undefined): Choice {
  const nameIn = (name: string | undefined, source: string, byDefault = false): Choice => {
    return name === undefined
      ? { kind: 'none' }
      : { kind: 'profile', name, source, byDefault }
  }
  const variable = withoutFiles('profile', host, {})
  const chain: readonly Choice[] = [
    nameIn(typed, '--profile'),
    { kind: credentialVariables(env).length > 0 ? 'environment' : 'none' },
    nameIn(variable?.value, variable?.source ?? ''),
    nameIn(user?.content.current, `current in ${user?.path ?? ''}`, true),
  ]
  return chain.find(({ kind }) => kind !== 'none') ?? { kind: 'none' }
}

function layersOf(choice: Choice, user: UserFile | undefined): Layer[] {
  if (user === undefined) return []
  const { content, path } = user
  const own = { source: `defaults in ${path}`, defaults: content.defaults }
  const profile = choice.kind === 'profile' ? content.profiles.get(choice.name) : undefined
  if (choice.kind !== 'profile' || profile === undefined) return [own]
  const members = membersOf('profile').map((key) => [key, profile[key]] as const)
  const defaults = { ...profile.defaults, ...Object.fromEntries(members) }
  return [{ source: `profile "${choice.name}"`, defaults }, own]
}

function noCredentials(message: string, hint: Message, profile?: string): SvcError {
  return new SvcError('config', message, { exitCode: exit.auth, hint, profile })
}

const bothWays = say`try it against the sandbox, or add a profile:\n  ${svc`sandbox exec -- svc lists list`}\n  ${svc`profiles add <name>`}`

function chosenProfile(sources: Sources, choice: Choice): Profile {
  switch (choice.kind) {
    case 'none':
      throw noneChosen(sources)
    case 'environment':
      return environmentProfile(sources)
    case 'profile':
      return fileProfile(sources, choice)
  }
}

const byVariables =
  'set SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE)'

function noneChosen({ user, host }: Sources): SvcError {
  const names = [...(user?.content.profiles.keys() ?? [])]
  if (names.length === 0)
    return noCredentials(
      'there is no profile and there are no credentials',
      host.isTerminal.stderr ? bothWays : say`${byVariables}, or ${bothWays}`,
    )
  return noCredentials(
    'no profile is chosen',
    say`choose one, here with -p <name> or from now on:\n  ${svc`profiles use <name>`}\nprofiles: ${names.join(', ')}`,
  )
}

function fileProfile(
  { host, user, typed }: Sources,
  { name, source }: Extract<Choice, { kind: 'profile' }>,
): Profile {
  const written = user?.content.profiles.get(name)
  if (user === undefined || written === undefined) {
    const by = source === '--profile' ? '' : ` (named by ${source})`
    throw noCredentials(
      `there is no profile "${name}"${by}`,
      namesHint(name, [...(user?.content.profiles.keys() ?? [])]),
    )
  }
  const secret = secretSource(written, name, user.path)
  const stored = parseBaseUrl(written.baseUrl, `profiles.${name}.baseUrl in ${user.path}`)
  const { path } = user
  return {
    name,
    source,
    apiKey: written.apiKey,
    protected: written.protected === true,
    policy:
      written.policy === undefined
        ? undefined
        : { value: written.policy, source: `profile "${name}" in ${user.path}` },
    baseUrl: sameOrigin(stored, typed, `profile "${name}"`, name),
    sources: {
      baseUrl: typed === undefined ? path : '--base-url',
      apiKey: path,
      secret: describeSecret(secret),
    },
    secret: once(() => readSecret(secret, host)),
  }
}

function environmentProfile({ host, env, typed }: Sources): Profile {
  const apiKey = env.apiKey?.value.replace(/\r?\n$/, '')
  const secret = environmentSecret(host, env)
  // A base URL that was typed completes key and secret of the environment: it was typed to say where they go.
  const missing = [
    env.baseUrl === undefined && typed === undefined ? 'SVC_BASE_URL' : undefined,
    apiKey === undefined ? 'SVC_API_KEY' : undefined,
    secret === undefined ? 'SVC_API_SECRET (or SVC_API_SECRET_FILE)' : undefined,
  ].filter((name) => name !== undefined)
  if (missing.length > 0 || apiKey === undefined || secret === undefined) {
    const present = credentialVariables(env)
    throw noCredentials(
      `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set, but not ${missing.join(' and ')}`,
      'base URL, key and secret come together: set all of them, or unset these and use a profile (-p <name>)',
    )
  }
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  const stored =
    env.baseUrl === undefined ? undefined : parseBaseUrl(env.baseUrl.value, 'SVC_BASE_URL')
  const from = typed === undefined ? 'SVC_BASE_URL' : '--base-url'
  return {
    name: undefined,
    source: 'the environment',
    apiKey,
    protected: false,
    baseUrl: sameOrigin(stored, typed, 'SVC_BASE_URL', undefined),
    sources: { baseUrl: from, apiKey: 'SVC_API_KEY', secret: describeSecret(secret) },
    secret: once(() => readSecret(secret, host)),
  }
}

function environmentSecret(
  host: Host,
  { apiSecret, apiSecretFile }: Environment,
): SecretSource | undefined {
  if (apiSecret !== undefined && apiSecretFile !== undefined) {
    throw noCredentials(
      'SVC_API_SECRET and SVC_API_SECRET_FILE are both set',
      'unset one of them',
    )
  }
  if (apiSecret !== undefined) return { kind: 'variable', name: apiSecret.source }
  if (apiSecretFile === undefined) return undefined
  const { value, source } = apiSecretFile
  return { kind: 'file', path: secretPath(host, value, source) }
}

/** A secret belongs to the origin that it is stored with: another base URL does not get it. */
function sameOrigin(
  stored: string | undefined,
  typed: string | undefined,
  of: string,
  profile: string | undefined,
) {
  if (typed === undefined || stored === undefined) return typed ?? stored ?? ''
  if (originOf(typed) === originOf(stored)) return typed
  throw noCredentials(
    `--base-url is at ${originOf(typed)}, but the secret belongs to ${originOf(stored)} (${of}) and is sent nowhere else`,
    say`add a profile for that address:\n  ${svc`profiles add <name>`}`,
    profile,
  )
}

/** A secret is read once: for all readings the first one counts. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= read())
}

/** An API key as it may be shown: its last four characters; nothing of one so short that they would be half of it. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}
