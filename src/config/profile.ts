/**
 * Which profile and settings a command has, and where each came from. Without a configuration file only the
 * small files of this folder are loaded.
 */
import { dirname } from 'node:path'
import { SvcError, exit } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc, type Message } from '../message.ts'
import { describeSecret, readSecret, secretPath, type SecretSource } from './credentials.ts'
import { variable, type Sourced } from './environment.ts'
import { readUserFileAt, type UserFile } from './load.ts'
import { configError, stateDir, userFilePlace } from './paths.ts'
import { originOf, parseBaseUrl, apiKeyRule, isApiKey, type Rules } from './rules.ts'
import {
  resolveSettings,
  fromVariable,
  type TypedSettings,
  type Settings,
} from './settings.ts'
import { profileSettings } from './table.ts'
import { checkStateFolder } from './trust.ts'

/** Base URL, key and secret, which belong together. */
export interface Profile {
  /** Undefined when the credentials came from the environment. */
  name: string | undefined
  /** The option, variable or file that chose these credentials, in words. */
  chosenBy: string
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
  const profiles = [...(user?.content.profiles.values() ?? [])]
  let profile: Profile | undefined
  return {
    settings: resolveSettings(host, options, layersOf(choice, user)),
    secrets: profiles.flatMap(({ apiSecret }) => apiSecret ?? []),
    get stateDir() {
      const found = stateDir(host, options)
      checkStateFolder(host, found.value)
      return found
    },
    profile() {
      // Only `profiles add` can do without a file that --config names: it creates the file.
      if (place?.named === true && !place.exists)
        throw configError(`${place.path} cannot be read: there is no such file`)
      if (choice === undefined) throw noneChosen(user)
      profile ??= profileOf(host, choice, user, typedUrl)
      checkSandboxOrigin(host, profile)
      return profile
    },
  }
}

/** Where the credentials come from; they are not read yet. */
interface ProfileChoice {
  /** Undefined for the environment. */
  name?: string | undefined
  chosenBy: string
}

/**
 * The first of these that is there gives base URL, key and secret: `--profile`, the variables of credentials, `SVC_PROFILE`,
 * and `current` of the file.
 */
function chooseProfile(
  host: Host,
  user: UserFile | undefined,
  typed: string | undefined,
): ProfileChoice | undefined {
  if (typed !== undefined) return { name: typed, chosenBy: '--profile' }
  if (credentialVariables(host).length > 0) return { chosenBy: 'the environment' }
  const named = fromVariable('profile', host)
  if (named !== undefined) return { name: named.value, chosenBy: named.source }
  const name = user?.content.current
  return name === undefined
    ? undefined
    : { name, chosenBy: `current in ${user?.path ?? ''}` }
}

/** The variables of credentials that are set: they come before `current` of the file. */
export function credentialVariables(host: Host) {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

/** The settings of the file: those of the profile come before the defaults. */
function layersOf(choice: ProfileChoice | undefined, user: UserFile | undefined) {
  if (user === undefined) return []
  const { content, path } = user
  const fileDefaults = { source: `defaults in ${path}`, defaults: content.defaults }
  const { name } = choice ?? {}
  const profile = name === undefined ? undefined : content.profiles.get(name)
  if (profile === undefined) return [fileDefaults]
  const members = profileSettings.map((key) => [key, profile[key]] as const)
  const ofProfile = { source: `profile "${name}"`, defaults: Object.fromEntries(members) }
  return [ofProfile, fileDefaults]
}

/** Credentials as one place has them. */
type Credentials = Pick<Profile, 'baseUrl' | 'apiKey' | 'protected' | 'rules'> & {
  secret: SecretSource
  /** Where the base URL and the key are written, in words. */
  baseUrlSource: string
  apiKeySource: string
}

/** The profile that was chosen. Throws exit 4 if the typed base URL has another origin than the secret. */
function profileOf(
  host: Host,
  { name, chosenBy }: ProfileChoice,
  user: UserFile | undefined,
  typedUrl: string | undefined,
): Profile {
  const credentials =
    name === undefined
      ? environmentCredentials(host, typedUrl)
      : fileCredentials(user, name, chosenBy)
  const { secret, baseUrlSource, apiKeySource, ...written } = credentials
  const baseUrl = typedUrl ?? written.baseUrl
  if (originOf(baseUrl) !== originOf(written.baseUrl)) {
    const place = name === undefined ? baseUrlSource : `profile "${name}"`
    throw noCredentials(
      `--base-url is at ${originOf(baseUrl)}, but the secret belongs to ${originOf(written.baseUrl)} (${place}) and is sent nowhere else`,
      say`add a profile for that address:\n  ${svc`profiles add <name>`}`,
      name,
    )
  }
  let read: Promise<string> | undefined
  return {
    ...written,
    name,
    chosenBy,
    baseUrl,
    sources: {
      baseUrl: typedUrl === undefined ? baseUrlSource : '--base-url',
      apiKey: apiKeySource,
      secret: describeSecret(secret),
    },
    // Read once: the first result counts.
    secret: () => (read ??= readSecret(secret, host)),
  }
}

/** The credentials of a profile of the file. Throws exit 4 if it has no such profile. */
function fileCredentials(
  user: UserFile | undefined,
  name: string,
  chosenBy: string,
): Credentials {
  const written = user?.content.profiles.get(name)
  if (user === undefined || written === undefined) {
    const by = chosenBy === '--profile' ? '' : ` (named by ${chosenBy})`
    throw noProfile(user, name, by)
  }
  const { path } = user
  const { apiKey, readOnly, allow, maxDelete } = written
  return {
    baseUrl: parseBaseUrl(written.baseUrl, `profiles.${name}.baseUrl in ${path}`),
    apiKey,
    secret: secretOf(written, name, path),
    protected: written.protected === true,
    rules: { readOnly, allow, maxDelete },
    baseUrlSource: path,
    apiKeySource: path,
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

/** The credentials of the environment. A typed base URL completes them: it says where to send the key and secret. */
function environmentCredentials(host: Host, typedUrl: string | undefined): Credentials {
  const url = variable(host, 'SVC_BASE_URL')
  const baseUrl = url === undefined ? typedUrl : parseBaseUrl(url, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')?.replace(/\r?\n$/, '')
  const path = variable(host, 'SVC_API_SECRET_FILE')
  const secret = variable(host, 'SVC_API_SECRET')
  if (secret !== undefined && path !== undefined)
    throw noCredentials(
      'SVC_API_SECRET and SVC_API_SECRET_FILE are both set',
      'unset one of them',
    )
  if (baseUrl === undefined || apiKey === undefined || (secret ?? path) === undefined) {
    const needed = {
      SVC_BASE_URL: baseUrl,
      SVC_API_KEY: apiKey,
      'SVC_API_SECRET (or SVC_API_SECRET_FILE)': secret ?? path,
    }
    throw someMissing(credentialVariables(host), needed)
  }
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  const member =
    path === undefined
      ? { secretEnv: 'SVC_API_SECRET' }
      : { secretFile: secretPath(host, path, 'SVC_API_SECRET_FILE') }
  return {
    baseUrl,
    apiKey,
    secret: { member, folder: '/', place: 'the environment' },
    protected: false,
    rules: {},
    baseUrlSource: 'SVC_BASE_URL',
    apiKeySource: 'SVC_API_KEY',
  }
}

/** Throws exit 2 when this is the sandbox's shell and the profile is of another origin. */
function checkSandboxOrigin(host: Host, profile: Profile) {
  const sandbox = variable(host, 'SVC_SANDBOX')
  if (sandbox === undefined) return
  const origin = originOf(profile.baseUrl)
  if (URL.canParse(sandbox) && originOf(sandbox) === origin) return
  const message = `${profile.sources.baseUrl} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`
  const hint = 'this shell can reach only its sandbox; type exit to leave it first'
  throw new SvcError('config', message, { hint })
}

function noCredentials(message: string, hint: Message, profile?: string) {
  return new SvcError('config', message, { exitCode: exit.auth, hint, profile })
}

/** The error for a profile that the file does not have. `by`: what named it, in words. */
export function noProfile(file: UserFile | undefined, name: string, by = ''): SvcError {
  const names = profileNames(file)
  const hint =
    names.length === 0
      ? say`there are no profiles yet; add one:\n  ${svc`profiles add <name>`}`
      : `profiles: ${names.join(', ')}`
  return noCredentials(`there is no profile "${name}"${by}`, hint, name)
}

function profileNames(file: UserFile | undefined) {
  return [...(file?.content.profiles.keys() ?? [])]
}

function noneChosen(user: UserFile | undefined) {
  const names = profileNames(user)
  if (names.length > 0)
    return noCredentials(
      'no profile is selected',
      say`choose one, here with -p <name> or from now on:\n  ${svc`profiles use <name>`}\nprofiles: ${names.join(', ')}`,
    )
  return noCredentials(
    'no profile or credentials are set up',
    say`set SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE), or add a profile:\n  ${svc`profiles add <name>`}\nor try svc in the sandbox:\n  ${svc`sandbox exec -- svc lists list`}`,
  )
}

/** `present`: names of variables. `needed`: the values by their names. */
function someMissing(
  present: readonly string[],
  needed: Readonly<Record<string, string | undefined>>,
) {
  const missing = Object.keys(needed).filter((name) => needed[name] === undefined)
  return noCredentials(
    `${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} set, but not ${missing.join(' and ')}`,
    'base URL, key and secret come together: set all of them, or unset these and use a profile (-p <name>)',
  )
}

/** An API key as it may be shown: its last four characters, or nothing of a short key. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}
