/**
 * Which profile a command uses, with its credentials and settings. A command without a configuration file loads no reader of it.
 */
import { dirname, resolve } from 'node:path'
import { configError, exitCodes, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { UserFile, FileProfile } from './file.ts'
import { absolute, expandHome, findConfigPath, variable } from './paths.ts'
import { describeSecret, readSecret, type SecretSource } from './secret.ts'
import {
  parseApiKey,
  parseBaseUrl,
  type Rules,
  resolveSettings,
  type SettingOptions,
  type Settings,
} from './settings.ts'

/**
 * The connection of a command: base URL, key and secret, and the rules for changes. All come from the file, or all from
 * variables.
 */
export interface Profile {
  /** Undefined if the credentials come from the environment. */
  name: string | undefined
  /** The option, variable or file that chose this profile, in words. */
  chosenBy: string
  /** Where base URL and key are written, in words. */
  place: string
  /** Where the secret is, in words. */
  secretPlace: string
  /** May have a path, but no trailing slash. */
  baseUrl: string
  apiKey: string
  /** Whether svc asks before every change. */
  protected: boolean
  rules: Rules
  /** Reads the secret the first time, and may run a command for that. Throws a config error (exit 4). */
  secret(): Promise<string>
}

export interface Configuration {
  settings: Settings
  /** The secrets that the configuration file itself contains. svc shows none of them. */
  secrets: readonly string[]
  /** Returns the profile of the command. Throws a config error: exit 4 without credentials, exit 2 for an unknown profile. */
  profile(): Profile
}

/** Reads the configuration file and resolves the settings. Throws a usage or config error (exit 2) for a wrong file or variable. */
export async function readConfiguration(
  host: Host,
  options: SettingOptions & { profile?: string },
): Promise<Configuration> {
  const found = findConfigPath(host)
  let file: UserFile | undefined
  if (found?.exists === true) {
    const { readUserFileAt } = await import('./file.ts')
    file = await readUserFileAt(host, found.path)
  }
  const choice = chooseProfile(host, file, options.profile)
  const profiles = file?.content.profiles ?? new Map<string, FileProfile>()
  const chosen = choice?.name === undefined ? undefined : profiles.get(choice.name)
  const secrets = [...profiles.values()].map(({ apiSecret }) => apiSecret)
  let profile: Profile | undefined
  return {
    settings: resolveSettings(host, options, chosen),
    secrets: secrets.filter((secret) => secret !== undefined),
    profile() {
      // SVC_CONFIG may name a file that is not there yet only for `profiles add`, which creates it.
      if (found?.isFromVariable === true && !found.exists)
        throw configError(`${found.path} cannot be read: there is no such file`)
      if (choice === undefined) throw noneSelectedError(file)
      profile ??= readProfile(host, file, choice)
      checkSandboxOrigin(host, profile)
      return profile
    },
  }
}

/** Which profile a command uses, and what chose it. The file may not have this profile. */
interface ProfileChoice {
  /** Undefined for the credentials of the environment. */
  name?: string
  chosenBy: string
}

/**
 * Chooses by the first of these that is set: `--profile`, a variable of credentials, SVC_PROFILE, and `current` of the file.
 * Returns undefined if none is.
 */
function chooseProfile(
  host: Host,
  file: UserFile | undefined,
  typed: string | undefined,
): ProfileChoice | undefined {
  if (typed !== undefined) return { name: typed, chosenBy: '--profile' }
  if (credentialVariables(host).length > 0) return { chosenBy: 'the environment' }
  const named = variable(host, 'SVC_PROFILE')
  if (named !== undefined) return { name: named, chosenBy: 'SVC_PROFILE' }
  const current = file?.content.current
  if (file === undefined || current === undefined) return undefined
  return { name: current, chosenBy: `current in ${file.path}` }
}

/** The variables of credentials that are set. Any of them comes before SVC_PROFILE and `current`. */
export function credentialVariables(host: Host) {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

function readProfile(
  host: Host,
  file: UserFile | undefined,
  { name, chosenBy }: ProfileChoice,
): Profile {
  const { secretSource, ...credentials } =
    name === undefined
      ? environmentCredentials(host)
      : fileCredentials(host, file, { name, chosenBy })
  let secret: Promise<string> | undefined
  return {
    name,
    chosenBy,
    ...credentials,
    secretPlace: describeSecret(secretSource),
    secret: () => (secret ??= readSecret(secretSource, host)),
  }
}

/** The parts of a profile that the file or the environment gives. */
type Credentials = Pick<Profile, 'baseUrl' | 'apiKey' | 'place' | 'protected' | 'rules'> & {
  secretSource: SecretSource
}

/** The credentials of a profile in the file. Throws a config error if the file does not have the profile. */
function fileCredentials(
  host: Host,
  file: UserFile | undefined,
  { name, chosenBy }: Required<ProfileChoice>,
): Credentials {
  const written = file?.content.profiles.get(name)
  if (file === undefined || written === undefined)
    throw unknownProfileError(file, name, chosenBy)
  const { path } = file
  const { baseUrl, apiKey, readOnly, maxDelete } = written
  return {
    baseUrl,
    apiKey,
    place: path,
    secretSource: secretSourceOf(host, written, { name, path }),
    protected: written.protected === true,
    rules: { readOnly, maxDelete },
  }
}

/** Where the secret of a profile is. `path` is the configuration file; a relative path begins at its folder. */
export function secretSourceOf(
  host: Host,
  {
    // The schema ensures that one of the three is there.
    apiSecret = '',
    secretFile,
    secretCommand,
  }: Pick<FileProfile, 'apiSecret' | 'secretFile' | 'secretCommand'>,
  { name, path }: { name: string; path: string },
): SecretSource {
  const folder = dirname(path)
  if (secretFile !== undefined)
    return { kind: 'file', path: resolve(folder, expandHome(secretFile, host)) }
  if (secretCommand !== undefined) return { kind: 'command', words: secretCommand, folder }
  const place = `profiles.${name}.apiSecret in ${path}`
  return { kind: 'value', value: apiSecret, place }
}

/** The credentials in the environment. Throws a config error (exit 4) unless base URL, key and exactly one secret are set. */
function environmentCredentials(host: Host): Credentials {
  const url = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')
  const secretSource = environmentSecret(host)
  if (url === undefined || apiKey === undefined || secretSource === undefined)
    throw credentialsError(
      `the credentials in the environment are not complete, or ambiguous: ${credentialVariables(host).join(', ')}`,
      'set SVC_BASE_URL, SVC_API_KEY and one of SVC_API_SECRET and SVC_API_SECRET_FILE, or unset them and use a profile (-p <name>)',
    )
  return {
    baseUrl: parseBaseUrl(url, 'SVC_BASE_URL'),
    apiKey: parseApiKey(apiKey, 'SVC_API_KEY'),
    place: 'the environment',
    secretSource,
    protected: false,
    rules: {},
  }
}

/** Where the secret is by the environment. Returns undefined unless exactly one variable says so. */
function environmentSecret(host: Host): SecretSource | undefined {
  const value = variable(host, 'SVC_API_SECRET')
  const file = variable(host, 'SVC_API_SECRET_FILE')
  if (value !== undefined && file === undefined)
    return { kind: 'value', value, place: 'the variable SVC_API_SECRET' }
  if (file !== undefined && value === undefined)
    return { kind: 'file', path: absolute(host, expandHome(file, host)) }
  return undefined
}

/** Throws a config error in the shell of a sandbox if the profile is for another service. */
function checkSandboxOrigin(host: Host, { baseUrl, place }: Profile) {
  const sandbox = variable(host, 'SVC_SANDBOX')
  const { origin } = new URL(baseUrl)
  if (sandbox === undefined || sandbox === origin) return
  throw configError(
    `the base URL in ${place} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`,
    'this shell can reach only its sandbox; type exit to leave it first',
  )
}

/** The error for credentials that are absent or unusable: exit 4. */
function credentialsError(message: string, hint: string) {
  return new SvcError('config', message, { exitCode: exitCodes.auth, hint })
}

/** The error for a profile that the file does not have. `chosenBy` is what named the profile. */
export function unknownProfileError(
  file: UserFile | undefined,
  name: string,
  chosenBy?: string,
) {
  const source = chosenBy === undefined ? '' : ` (named by ${chosenBy})`
  return configError(`there is no profile "${name}"${source}`, profilesHint(file))
}

function noneSelectedError(file: UserFile | undefined) {
  const choose =
    file === undefined
      ? ''
      : 'choose one here with -p <name>, or from now on:\n  svc profiles use <name>\n'
  return credentialsError('no profile is selected', choose + profilesHint(file))
}

/** Lists the profiles in the file, or says how to add one. */
function profilesHint(file: UserFile | undefined): string {
  const names = [...(file?.content.profiles.keys() ?? [])]
  if (names.length > 0) return `profiles: ${names.join(', ')}`
  return 'add a profile:\n  svc profiles add <name>\nor try svc in the sandbox:\n  svc sandbox exec -- svc lists list'
}

/** The last characters of an API key, by which people recognize it. None of a short key, which they would give away. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}

/** Says in a question which service and key are used: `"prod" (api.example.com, key …a1b2)`. */
export function describeProfile({ name, baseUrl, apiKey }: Profile): string {
  return describeService({ profile: name ?? null, baseUrl, keyEnding: keyEnding(apiKey) })
}

/** Says the same about a recorded run, whose key itself is not recorded. */
export function describeService(service: {
  profile: string | null
  baseUrl: string
  keyEnding: string
}): string {
  const { host } = new URL(service.baseUrl)
  const key = `key ${service.keyEnding}`
  return service.profile === null
    ? `${host} (${key})`
    : `"${service.profile}" (${host}, ${key})`
}
