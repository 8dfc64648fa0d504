/**
 * Which profile a command uses, and its settings. Without a configuration file only the small files of this folder are
 * loaded.
 */
import { dirname, resolve } from 'node:path'
import { SvcError, exit } from '../errors.ts'
import type { Host } from '../host.ts'
import { join, say, svc, type Message } from '../message.ts'
import { variable } from './environment.ts'
import { readUserFileAt, type UserFile } from './file.ts'
import { absolute, configError, findConfigPath, stateFolder } from './paths.ts'
import { apiKeyRule, isApiKey, originOf, parseBaseUrl, type Rules } from './rules.ts'
import type { FileProfile } from './schema.ts'
import { describeSecret, expandHome, readSecret, type SecretSource } from './secret.ts'
import { resolveSettings, type Settings, type TypedSettings } from './settings.ts'
import { checkStateFolder } from './trust.ts'

/** Base URL, key and secret, which belong together. */
export interface Profile {
  /** Undefined when the credentials came from the environment. */
  name: string | undefined
  /** The option, variable or file that chose these credentials, in words. */
  chosenBy: string
  /** Where base URL and key are written, and where the secret is, in words. */
  place: string
  secretPlace: string
  /** Without a trailing slash; a path prefix is kept. */
  baseUrl: string
  apiKey: string
  protected: boolean
  /** The changes that it allows. */
  rules: Rules
  /** Reads the secret, once; runs the secret command if that is where it is. Throws exit 4. */
  secret(): Promise<string>
}

export interface Configuration {
  settings: Settings
  /** Secrets that the configuration file itself contains, of every profile: none of them is shown. */
  secrets: readonly string[]
  /** The folder in which runs are kept, which may not exist yet. Throws exit 2 if none is known or it cannot be used. */
  stateDir: string
  /** Throws exit 4 when there are no credentials, and exit 2 for an unknown profile. */
  profile(): Profile
}

/** Reads the configuration file and resolves everything. Throws exit 2 for a wrong file, option or variable. */
export async function readConfiguration(
  host: Host,
  options: TypedSettings & { profile?: string },
): Promise<Configuration> {
  const place = findConfigPath(host)
  const file = place?.exists === true ? await readUserFileAt(host, place.path) : undefined
  const choice = chooseProfile(host, file, options.profile)
  const profiles = file?.content.profiles ?? new Map<string, FileProfile>()
  let profile: Profile | undefined
  return {
    settings: resolveSettings(host, options, profiles.get(choice?.name ?? '')),
    secrets: [...profiles.values()].flatMap(({ apiSecret }) => apiSecret ?? []),
    get stateDir() {
      const folder = stateFolder(host)
      checkStateFolder(host, folder)
      return folder
    },
    profile() {
      // Only `profiles add` can do without a file that SVC_CONFIG names: it creates the file.
      if (place?.isNamed === true && !place.exists)
        throw configError(`${place.path} cannot be read: there is no such file`)
      if (choice === undefined) throw noneChosen(file)
      profile ??= profileOf(host, file, choice)
      checkSandboxOrigin(host, profile)
      return profile
    },
  }
}

/** Where the credentials come from; they are not read yet. */
interface ProfileChoice {
  /** Undefined for the environment. */
  name?: string
  chosenBy: string
}

/**
 * The first of these that is there gives base URL, key and secret: `--profile`, the variables of credentials, `SVC_PROFILE`,
 * and `current` of the file.
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
  const name = file?.content.current
  return name === undefined
    ? undefined
    : { name, chosenBy: `current in ${file?.path ?? ''}` }
}

/** The variables of credentials that are set: they come before `SVC_PROFILE` and `current`. */
export function credentialVariables(host: Host) {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

function profileOf(
  host: Host,
  file: UserFile | undefined,
  { name, chosenBy }: ProfileChoice,
): Profile {
  const { secretSource, ...credentials } =
    name === undefined
      ? environmentCredentials(host)
      : fileCredentials(host, file, name, chosenBy)
  let secret: Promise<string> | undefined
  return {
    name,
    chosenBy,
    ...credentials,
    secretPlace: describeSecret(secretSource),
    secret: () => (secret ??= readSecret(secretSource, host)),
  }
}

/** Credentials as one place has them. */
type Credentials = Pick<Profile, 'baseUrl' | 'apiKey' | 'place' | 'protected' | 'rules'> & {
  secretSource: SecretSource
}

/** The credentials of a profile of the file. Throws exit 2 if it has no such profile. */
function fileCredentials(
  host: Host,
  file: UserFile | undefined,
  name: string,
  chosenBy: string,
): Credentials {
  const written = file?.content.profiles.get(name)
  if (file === undefined || written === undefined)
    throw noProfile(file, name, ` (named by ${chosenBy})`)
  const { path } = file
  const { baseUrl, apiKey, readOnly, allow, maxDelete } = written
  return {
    baseUrl,
    apiKey,
    place: path,
    secretSource: secretOf(host, written, { name, path }),
    protected: written.protected === true,
    rules: { readOnly, allow, maxDelete },
  }
}

/** The secret of a profile in the file at `path`. A relative path begins in the folder of that file. */
export function secretOf(
  host: Host,
  {
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

/** Throws exit 4 unless base URL, key and one secret are set. */
function environmentCredentials(host: Host): Credentials {
  const url = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')?.trim()
  const value = variable(host, 'SVC_API_SECRET')
  const file = variable(host, 'SVC_API_SECRET_FILE')
  const isOneSecret = (value === undefined) !== (file === undefined)
  if (url === undefined || apiKey === undefined || !isOneSecret)
    throw noCredentials(
      `the credentials in the environment are not complete, or ambiguous: ${credentialVariables(host).join(', ')}`,
      'set SVC_BASE_URL, SVC_API_KEY and one of SVC_API_SECRET and SVC_API_SECRET_FILE, or unset them and use a profile (-p <name>)',
    )
  if (!isApiKey(apiKey)) throw noCredentials(`SVC_API_KEY ${apiKeyRule}`, 'copy it again')
  return {
    baseUrl: parseBaseUrl(url, 'SVC_BASE_URL'),
    apiKey,
    place: 'the environment',
    secretSource:
      file === undefined
        ? { kind: 'value', value: value ?? '', place: 'the variable SVC_API_SECRET' }
        : { kind: 'file', path: absolute(host, expandHome(file, host)) },
    protected: false,
    rules: {},
  }
}

/** Throws exit 2 when this is the sandbox's shell and the profile is of another origin. */
function checkSandboxOrigin(host: Host, { baseUrl, place }: Profile) {
  const sandbox = variable(host, 'SVC_SANDBOX')
  const origin = originOf(baseUrl)
  if (sandbox === undefined || sandbox === origin) return
  throw configError(
    `the base URL in ${place} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`,
    'this shell can reach only its sandbox; type exit to leave it first',
  )
}

function noCredentials(message: string, hint: Message) {
  return new SvcError('config', message, { exitCode: exit.auth, hint })
}

/** The error for a profile that the file does not have: exit 2. `by`: what named it, in words. */
export function noProfile(file: UserFile | undefined, name: string, by = ''): SvcError {
  return configError(`there is no profile "${name}"${by}`, profilesOf(file))
}

/** The profiles that there are, as a hint. */
function profilesOf(file: UserFile | undefined) {
  const names = [...(file?.content.profiles.keys() ?? [])]
  return names.length > 0
    ? `profiles: ${names.join(', ')}`
    : say`add a profile:\n  ${svc`profiles add <name>`}\nor try svc in the sandbox:\n  ${svc`sandbox exec -- svc lists list`}`
}

function noneChosen(file: UserFile | undefined) {
  const choose = say`choose one here with -p <name>, or from now on:\n  ${svc`profiles use <name>`}`
  const hint = join([file && choose, profilesOf(file)], '\n')
  return noCredentials('no profile is selected', hint)
}

/** An API key as it may be shown: its last four characters, or nothing of a short key. */
export function keyEnding(apiKey: string): string {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}

/** ` on "prod" (api.example.com, key …a1b2)`, in questions. */
export const onProfile = ({ name, baseUrl, apiKey }: Profile) =>
  onService({ profile: name ?? null, baseUrl, keyEnding: keyEnding(apiKey) })

/** The same of a recorded run. */
export function onService(service: {
  profile: string | null
  baseUrl: string
  keyEnding: string
}) {
  const { host } = new URL(service.baseUrl)
  const key = `key ${service.keyEnding}`
  return service.profile === null
    ? ` on ${host} (${key})`
    : ` on "${service.profile}" (${host}, ${key})`
}
