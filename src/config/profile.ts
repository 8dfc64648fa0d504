/**
 * Which profile and settings a command has, and where each came from. Without a configuration file only the
 * small files of this folder are loaded.
 */
import { say, svc, type Message } from '../message.ts'
import { SvcError, exit } from '../errors.ts'
import { shortestSecret } from '../redactor.ts'
import { checkStateFolder } from './trust.ts'
import type { Host } from '../host.ts'
import {
  describeSecret,
  readSecret,
  secretPath,
  secretSource,
  type SecretSource,
} from './credentials.ts'
import { variable, type Sourced } from './environment.ts'
import { noSuchFile, readUserFileAt, type UserFile } from './load.ts'
import type { Rules } from './permission.ts'
import { originOf, parseBaseUrl, apiKeyRule, isApiKey, namesHint } from './rules.ts'
import { stateDir, userFilePlace } from './paths.ts'
import {
  resolveSettings,
  withoutFiles,
  type TypedSettings,
  type Layer,
  type Settings,
} from './settings.ts'
import { profileSettings } from './table.ts'

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
  /** The changes that it allows. */
  readonly rules: Rules
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
  /** Secrets that the configuration file itself contains, of every profile: none of them is shown. */
  readonly secrets: readonly string[]
  /** The journals' folder, perhaps not there yet. Throws exit 2 if none is known, 10 if unusable or not the user's. */
  readonly stateDir: Sourced<string>
  /**
   * Throws exit 4 when there are no credentials, or the profile is unknown, or the secret belongs to another origin;
   * exit 2 when the file that --config names is not there.
   */
  profile(): Profile
}

/** Where the credentials come from, before anything is known about them. */
interface ProfileChoice {
  /** Undefined for the environment. */
  readonly name?: string | undefined
  readonly source: string
}

/** Parts that a profile is made of. */
interface Sources {
  readonly host: Host
  readonly user: UserFile | undefined
  /** The base URL of this command line. */
  readonly typed: string | undefined
}

/** Reads the configuration file and resolves everything. Throws exit 2 for a wrong file, option or variable. */
export async function readConfiguration(
  host: Host,
  options: TypedSettings,
): Promise<Configuration> {
  const place = userFilePlace(host, options)
  const user = place?.exists === true ? await readUserFileAt(host, place) : undefined
  const typed =
    options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl, '--base-url')
  const sources = { host, user, typed }
  const choice = chooseProfile(sources, options.profile)
  const settings = resolveSettings(host, options, layersOf(choice, user))
  let profile: Profile | undefined
  const profiles = [...(user?.content.profiles.values() ?? [])]
  const written = profiles.flatMap(({ apiSecret }) => apiSecret ?? [])
  return {
    settings,
    secrets: written.filter((secret) => secret.length >= shortestSecret),
    get stateDir() {
      const found = stateDir(host, options)
      checkStateFolder(host, found.value)
      return found
    },
    profile() {
      // A named file that does not exist yet is what `profiles add` creates; every other command needs it.
      if (place?.named === true && !place.exists) throw noSuchFile(place.path)
      profile ??= chosenProfile(sources, choice)
      checkSandboxOrigin(host, profile)
      return profile
    },
  }
}

/** Throws exit 4 when this is the sandbox's shell and the profile is of another origin. */
function checkSandboxOrigin(host: Host, profile: Profile): void {
  const sandbox = variable(host, 'SVC_SANDBOX')
  if (sandbox === undefined) return
  const origin = originOf(profile.baseUrl)
  if (URL.canParse(sandbox) && originOf(sandbox) === origin) return
  const message = `${profile.sources.baseUrl} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  throw new SvcError('auth', message, { hint })
}

/** The variables of credentials that are set. */
function credentialVariables(host: Host): string[] {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

/** The first of four places that names any of base URL, key and secret gives all of them. */
function chooseProfile(
  { host, user }: Sources,
  typed: string | undefined,
): ProfileChoice | undefined {
  const named = withoutFiles('profile', host, {})
  const hasVariables = credentialVariables(host).length > 0
  const chain = [
    { isHere: typed !== undefined, name: typed, source: '--profile' },
    { isHere: hasVariables, source: 'the environment' },
    { isHere: named !== undefined, name: named?.value, source: named?.source ?? '' },
    {
      isHere: user?.content.current !== undefined,
      name: user?.content.current,
      source: `current in ${user?.path ?? ''}`,
    },
  ]
  return chain.find(({ isHere }) => isHere)
}

function layersOf(choice: ProfileChoice | undefined, user: UserFile | undefined): Layer[] {
  if (user === undefined) return []
  const { content, path } = user
  const own = { source: `defaults in ${path}`, defaults: content.defaults }
  const name = choice?.name ?? ''
  const profile = content.profiles.get(name)
  if (profile === undefined) return [own]
  const members = profileSettings.map((key) => [key, profile[key]] as const)
  return [{ source: `profile "${name}"`, defaults: Object.fromEntries(members) }, own]
}

function noCredentials(message: string, hint: Message, profile?: string): SvcError {
  return new SvcError('config', message, { exitCode: exit.auth, hint, profile })
}

const bothWays = say`try it against the sandbox, or add a profile:\n  ${svc`sandbox exec -- svc lists list`}\n  ${svc`profiles add <name>`}`

function chosenProfile(sources: Sources, choice: ProfileChoice | undefined): Profile {
  if (choice === undefined) throw noneChosen(sources)
  const { name, source } = choice
  return name === undefined
    ? environmentProfile(sources)
    : fileProfile(sources, name, source)
}

function noneChosen({ user, host }: Sources): SvcError {
  const names = [...(user?.content.profiles.keys() ?? [])]
  const byVariables =
    'set SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE)'
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

/** A profile as it is written in one place. */
interface WrittenProfile extends Pick<
  Profile,
  'name' | 'source' | 'apiKey' | 'protected' | 'rules'
> {
  readonly baseUrl: string | undefined
  readonly secret: SecretSource
  /** The place in words, for its base URL, its key, and the secret's origin. */
  readonly places: Readonly<Record<'baseUrl' | 'apiKey' | 'secret', string>>
}

/** Base URL and secret come together: a base URL that was typed has to be of the secret's origin. */
function complete(
  { host, typed }: Sources,
  { baseUrl, places, secret, ...written }: WrittenProfile,
): Profile {
  const isTyped = typed !== undefined
  if (isTyped && baseUrl !== undefined && originOf(typed) !== originOf(baseUrl))
    throw noCredentials(
      `--base-url is at ${originOf(typed)}, but the secret belongs to ${originOf(baseUrl)} (${places.secret}) and is sent nowhere else`,
      say`add a profile for that address:\n  ${svc`profiles add <name>`}`,
      written.name,
    )
  let read: Promise<string> | undefined
  return {
    ...written,
    baseUrl: typed ?? baseUrl ?? '',
    sources: {
      baseUrl: isTyped ? '--base-url' : places.baseUrl,
      apiKey: places.apiKey,
      secret: describeSecret(secret),
    },
    // For all readings the first one counts.
    secret: () => (read ??= readSecret(secret, host)),
  }
}

function fileProfile(sources: Sources, name: string, source: string): Profile {
  const { user } = sources
  const written = user?.content.profiles.get(name)
  if (user === undefined || written === undefined) {
    const by = source === '--profile' ? '' : ` (named by ${source})`
    throw noCredentials(
      `there is no profile "${name}"${by}`,
      namesHint(name, [...(user?.content.profiles.keys() ?? [])]),
    )
  }
  const { path } = user
  const { apiKey, readOnly, allow, maxDelete } = written
  return complete(sources, {
    name,
    source,
    apiKey,
    protected: written.protected === true,
    rules: { readOnly, allow, maxDelete },
    baseUrl: parseBaseUrl(written.baseUrl, `profiles.${name}.baseUrl in ${path}`),
    secret: secretSource(written, name, path),
    places: { baseUrl: path, apiKey: path, secret: `profile "${name}"` },
  })
}

function environmentProfile(sources: Sources): Profile {
  const { host, typed } = sources
  const baseUrl = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')?.replace(/\r?\n$/, '')
  const secret = environmentSecret(host)
  // A base URL that was typed completes key and secret of the environment: it was typed to say where they go.
  const missing = [
    baseUrl === undefined && typed === undefined ? 'SVC_BASE_URL' : undefined,
    apiKey === undefined ? 'SVC_API_KEY' : undefined,
    secret === undefined ? 'SVC_API_SECRET (or SVC_API_SECRET_FILE)' : undefined,
  ].filter((name) => name !== undefined)
  if (missing.length > 0 || apiKey === undefined || secret === undefined) {
    const present = credentialVariables(host)
    throw noCredentials(
      `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set, but not ${missing.join(' and ')}`,
      'base URL, key and secret come together: set all of them, or unset these and use a profile (-p <name>)',
    )
  }
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  return complete(sources, {
    name: undefined,
    source: 'the environment',
    apiKey,
    protected: false,
    rules: {},
    baseUrl: baseUrl && parseBaseUrl(baseUrl, 'SVC_BASE_URL'),
    secret,
    places: { baseUrl: 'SVC_BASE_URL', apiKey: 'SVC_API_KEY', secret: 'SVC_BASE_URL' },
  })
}

function environmentSecret(host: Host): SecretSource | undefined {
  const [name, fileName] = ['SVC_API_SECRET', 'SVC_API_SECRET_FILE'] as const
  const path = variable(host, fileName)
  const isInVariable = variable(host, name) !== undefined
  if (isInVariable && path !== undefined)
    throw noCredentials(`${name} and ${fileName} are both set`, 'unset one of them')
  if (isInVariable) return { kind: 'variable', name }
  if (path === undefined) return undefined
  return { kind: 'file', path: secretPath(host, path, fileName) }
}

/** An API key as it may be shown: its last four characters; nothing of one so short that they would be half of it. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}
