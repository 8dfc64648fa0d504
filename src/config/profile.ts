/**
 * Which profile and settings a command has, and where each came from. Without a configuration file only the
 * small files of this folder are loaded.
 */
import { dirname } from 'node:path'
import { say, svc, type Message } from '../message.ts'
import { SvcError, exit } from '../errors.ts'
import { shortestSecret } from '../redactor.ts'
import { checkStateFolder } from './trust.ts'
import type { Host } from '../host.ts'
import { describeSecret, readSecret, secretPath, type SecretSource } from './credentials.ts'
import { variable, type Sourced } from './environment.ts'
import { readUserFileAt, type UserFile } from './load.ts'
import {
  originOf,
  parseBaseUrl,
  apiKeyRule,
  isApiKey,
  namesHint,
  type Rules,
} from './rules.ts'
import { configError, stateDir, userFilePlace } from './paths.ts'
import {
  resolveSettings,
  fromOptionOrVariable,
  type TypedSettings,
  type Layer,
  type Settings,
} from './settings.ts'
import { profileSettings } from './table.ts'

/** Base URL, key and secret, which belong together. */
export interface Profile {
  /** Undefined when the credentials came from the environment. */
  name: string | undefined
  /** Why these credentials, in words. */
  source: string
  /** Without a trailing slash; a path prefix is kept. */
  baseUrl: string
  apiKey: string
  protected: boolean
  /** The changes that it allows. */
  rules: Rules
  /** Where each part is written, in words. */
  sources: {
    baseUrl: string
    apiKey: string
    secret: string
  }
  /** Reads the secret, once; runs the secret command if that is where it lives. Throws exit 4. */
  secret(): Promise<string>
}

export interface Configuration {
  settings: Settings
  /** Secrets that the configuration file itself contains, of every profile: none of them is shown. */
  secrets: readonly string[]
  /**
   * The folder for records of runs, which may not exist yet. Throws exit 2 if none is known, 10 if it is unusable or not the
   * user's.
   */
  stateDir: Sourced<string>
  /**
   * Throws exit 4 when there are no credentials, or the profile is unknown, or the secret belongs to another origin;
   * exit 2 when the file that --config names is not there.
   */
  profile(): Profile
}

/** Where the credentials come from; they are not read yet. */
interface ProfileChoice {
  /** Undefined for the environment. */
  name?: string | undefined
  source: string
}

/** Reads the configuration file and resolves everything. Throws exit 2 for a wrong file, option or variable. */
export async function readConfiguration(
  host: Host,
  options: TypedSettings,
): Promise<Configuration> {
  const place = userFilePlace(host, options)
  const user = place?.exists === true ? await readUserFileAt(host, place.path) : undefined
  const typedUrl =
    options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl, '--base-url')
  const choice = chooseProfile(host, user, options.profile)
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
      if (place?.named === true && !place.exists)
        throw configError(`${place.path} cannot be read: there is no such file`)
      if (choice === undefined) throw noneChosen(host, user)
      profile ??= profileOf(
        host,
        choice,
        credentialsOf(host, choice, user, typedUrl),
        typedUrl,
      )
      checkSandboxOrigin(host, profile)
      return profile
    },
  }
}

/** Throws exit 4 when this is the sandbox's shell and the profile is of another origin. */
function checkSandboxOrigin(host: Host, profile: Profile) {
  const sandbox = variable(host, 'SVC_SANDBOX')
  if (sandbox === undefined) return
  const origin = originOf(profile.baseUrl)
  if (URL.canParse(sandbox) && originOf(sandbox) === origin) return
  const message = `${profile.sources.baseUrl} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  throw new SvcError('auth', message, { hint })
}

/** The variables of credentials that are set. */
function credentialVariables(host: Host) {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

/** The first of four places that names any of base URL, key and secret gives all of them. */
function chooseProfile(
  host: Host,
  user: UserFile | undefined,
  typed: string | undefined,
): ProfileChoice | undefined {
  if (typed !== undefined) return { name: typed, source: '--profile' }
  if (credentialVariables(host).length > 0) return { source: 'the environment' }
  const named = fromOptionOrVariable('profile', host, {})
  if (named !== undefined) return { name: named.value, source: named.source }
  const current = user?.content.current
  return current === undefined
    ? undefined
    : { name: current, source: `current in ${user?.path ?? ''}` }
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

function noCredentials(message: string, hint: Message, profile?: string) {
  return new SvcError('config', message, { exitCode: exit.auth, hint, profile })
}

function noneChosen({ isTerminal }: Host, user: UserFile | undefined) {
  const names = [...(user?.content.profiles.keys() ?? [])]
  if (names.length > 0)
    return noCredentials(
      'no profile is selected',
      say`choose one, here with -p <name> or from now on:\n  ${svc`profiles use <name>`}\nprofiles: ${names.join(', ')}`,
    )
  const byVariables = isTerminal.stderr
    ? ''
    : 'set SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE), or '
  return noCredentials(
    'no profile or credentials are set up',
    say`${byVariables}to try svc in the sandbox, or to add a profile:\n  ${svc`sandbox exec -- svc lists list`}\n  ${svc`profiles add <name>`}`,
  )
}

/** Credentials as one place has them. */
type Credentials = Pick<Profile, 'apiKey' | 'protected' | 'rules'> & {
  baseUrl: string | undefined
  secret: SecretSource
  sources: Record<'baseUrl' | 'apiKey', string>
}

/** The profile of these credentials. Throws exit 4 if the typed base URL has another origin than the secret. */
function profileOf(
  host: Host,
  choice: ProfileChoice,
  { baseUrl, secret, sources, ...written }: Credentials,
  typedUrl: string | undefined,
): Profile {
  const { name, source } = choice
  if (
    typedUrl !== undefined &&
    baseUrl !== undefined &&
    originOf(typedUrl) !== originOf(baseUrl)
  ) {
    const place = name === undefined ? sources.baseUrl : `profile "${name}"`
    throw noCredentials(
      `--base-url is at ${originOf(typedUrl)}, but the secret belongs to ${originOf(baseUrl)} (${place}) and is sent nowhere else`,
      say`add a profile for that address:\n  ${svc`profiles add <name>`}`,
      name,
    )
  }
  let read: Promise<string> | undefined
  return {
    ...written,
    name,
    source,
    baseUrl: typedUrl ?? baseUrl ?? '',
    sources: {
      ...sources,
      ...(typedUrl !== undefined && { baseUrl: '--base-url' }),
      secret: describeSecret(secret),
    },
    // Read once: the first result counts.
    secret: () => (read ??= readSecret(secret, host)),
  }
}

/** The credentials of the file or of the environment. Throws exit 4 if they are not there. */
function credentialsOf(
  host: Host,
  { name, source }: ProfileChoice,
  user: UserFile | undefined,
  typedUrl: string | undefined,
): Credentials {
  if (name === undefined) return environmentCredentials(host, typedUrl)
  const written = user?.content.profiles.get(name)
  if (user === undefined || written === undefined) {
    const by = source === '--profile' ? '' : ` (named by ${source})`
    throw noCredentials(
      `there is no profile "${name}"${by}`,
      namesHint(name, [...(user?.content.profiles.keys() ?? [])]),
      name,
    )
  }
  const { path } = user
  const { apiKey, readOnly, allow, maxDelete } = written
  return {
    baseUrl: parseBaseUrl(written.baseUrl, `profiles.${name}.baseUrl in ${path}`),
    apiKey,
    secret: secretOf(written, name, path),
    protected: written.protected === true,
    rules: { readOnly, allow, maxDelete },
    sources: { baseUrl: path, apiKey: path },
  }
}

/** The secret of a profile in the file at `path`. */
export function secretOf(
  member: SecretSource['member'],
  name: string,
  path: string,
): SecretSource {
  return { member, folder: dirname(path), place: `profiles.${name}.apiSecret in ${path}` }
}

function environmentCredentials(host: Host, typedUrl: string | undefined): Credentials {
  const present = credentialVariables(host)
  const baseUrl = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')?.replace(/\r?\n$/, '')
  const path = variable(host, 'SVC_API_SECRET_FILE')
  const secret = variable(host, 'SVC_API_SECRET')
  if (secret !== undefined && path !== undefined)
    throw noCredentials(
      'SVC_API_SECRET and SVC_API_SECRET_FILE are both set',
      'unset one of them',
    )
  const needed = {
    // A typed base URL completes the key and secret of the environment: it says where to send them.
    SVC_BASE_URL: baseUrl ?? typedUrl,
    SVC_API_KEY: apiKey,
    'SVC_API_SECRET (or SVC_API_SECRET_FILE)': secret ?? path,
  }
  const missing = Object.entries(needed).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  )
  if (missing.length > 0 || apiKey === undefined)
    throw noCredentials(
      `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set, but not ${missing.join(' and ')}`,
      'base URL, key and secret come together: set all of them, or unset these and use a profile (-p <name>)',
    )
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  const member =
    path === undefined
      ? { secretEnv: 'SVC_API_SECRET' }
      : { secretFile: secretPath(host, path, 'SVC_API_SECRET_FILE') }
  return {
    baseUrl: baseUrl && parseBaseUrl(baseUrl, 'SVC_BASE_URL'),
    apiKey,
    secret: { member, folder: '/', place: 'the environment' },
    protected: false,
    rules: {},
    sources: { baseUrl: 'SVC_BASE_URL', apiKey: 'SVC_API_KEY' },
  }
}

/** An API key as it may be shown: its last four characters, or nothing of a short key. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}
