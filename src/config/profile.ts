/**
 * Which profile a command uses, with its credentials and settings. A command without a configuration file loads no reader of it.
 */
import { configError, exitCodes, SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { UserFile, FileProfile } from './file.ts'
import { absolute, findConfigPath, variable } from './paths.ts'
import { secretOf } from './secret.ts'
import {
  parseApiKey,
  parseBaseUrl,
  type Rules,
  resolveSettings,
  type SettingOptions,
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

export type Configuration = Awaited<ReturnType<typeof readConfiguration>>

/** Reads the configuration file and resolves the settings. Throws a usage or config error (exit 2) for a wrong file or variable. */
export async function readConfiguration(
  host: Host,
  options: SettingOptions & { profile?: string },
) {
  const found = findConfigPath(host)
  let file: UserFile | undefined
  if (found?.exists === true) {
    const { readUserFileAt } = await import('./file.ts')
    file = readUserFileAt(host, found.path)
  }
  const { name, chosenBy } = chooseProfile(host, file, options.profile)
  const profiles = file?.content.profiles ?? new Map<string, FileProfile>()
  const chosen = name === undefined ? undefined : profiles.get(name)
  let profile: Profile | undefined
  return {
    settings: resolveSettings(host, options, chosen),
    /** The secrets that the configuration file itself contains. svc shows none of them. */
    secrets: [...profiles.values()].flatMap(({ apiSecret }) => apiSecret ?? []),
    /**
     * Returns the profile of the command. Throws a config error: exit 4 without credentials, exit 2 for an unknown profile, and in
     * the shell of a sandbox for one of another service.
     */
    profile() {
      // Only `profiles add` may use an SVC_CONFIG that does not exist yet: it creates the file.
      if (found?.exists === false && variable(host, 'SVC_CONFIG') !== undefined)
        throw configError(`${found.path} cannot be read: there is no such file`)
      if (chosenBy === undefined)
        throw noProfileError(file, 'no profile is selected', exitCodes.auth)
      if (name !== undefined && chosen === undefined)
        throw noProfileError(file, `there is no profile "${name}" (named by ${chosenBy})`)
      profile ??= { name, chosenBy, ...profileOf(host, chosen, file?.path) }
      const sandbox = variable(host, 'SVC_SANDBOX')
      const { origin } = new URL(profile.baseUrl)
      if (sandbox !== undefined && sandbox !== origin)
        throw configError(
          `the base URL in ${profile.place} leads to ${origin}, but SVC_SANDBOX allows only ${sandbox}`,
          'this shell can reach only its sandbox; type exit to leave it first',
        )
      return profile
    },
  }
}

/**
 * Chooses by the first of these that is set: `--profile`, a variable of credentials, SVC_PROFILE, and `current` of the file.
 * Returns the name, which the file may not have, and what chose it. The credentials of the environment have no name.
 */
function chooseProfile(host: Host, file: UserFile | undefined, typed: string | undefined) {
  if (typed !== undefined) return { name: typed, chosenBy: '--profile' }
  if (credentialVariables(host).length > 0) return { chosenBy: 'the environment' }
  const named = variable(host, 'SVC_PROFILE')
  if (named !== undefined) return { name: named, chosenBy: 'SVC_PROFILE' }
  const current = file?.content.current
  return current === undefined
    ? {}
    : { name: current, chosenBy: `current in ${file?.path}` }
}

/** The variables of credentials that are set. Any of them comes before SVC_PROFILE and `current`. */
export function credentialVariables(host: Host) {
  const names = ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'SVC_API_SECRET_FILE']
  return names.filter((name) => variable(host, name) !== undefined)
}

/**
 * The profile that the variables make, as a file would have it. Throws a config error (exit 4) unless base URL, key and exactly one
 * secret are set.
 */
function environmentProfile(host: Host): FileProfile {
  const baseUrl = variable(host, 'SVC_BASE_URL')
  const apiKey = variable(host, 'SVC_API_KEY')
  const apiSecret = variable(host, 'SVC_API_SECRET')
  const secretFile = variable(host, 'SVC_API_SECRET_FILE')
  const hasOneSecret = (apiSecret === undefined) !== (secretFile === undefined)
  if (baseUrl === undefined || apiKey === undefined || !hasOneSecret)
    throw new SvcError(
      'config',
      `the credentials in the environment are not complete, or ambiguous; these have values: ${credentialVariables(host).join(', ')}`,
      {
        exitCode: exitCodes.auth,
        hint: 'set SVC_BASE_URL, SVC_API_KEY and one of SVC_API_SECRET and SVC_API_SECRET_FILE, or unset them and use a profile (-p <name>)',
      },
    )
  return {
    baseUrl: parseBaseUrl(baseUrl, 'SVC_BASE_URL'),
    apiKey: parseApiKey(apiKey, 'SVC_API_KEY'),
    apiSecret,
    secretFile: secretFile && absolute(host, secretFile),
  }
}

/** Returns a profile of the file at a path, or the one of the environment, without its name. */
function profileOf(host: Host, chosen: FileProfile | undefined, filePath?: string) {
  const written = chosen ?? environmentProfile(host)
  const path = chosen && filePath
  const { baseUrl, apiKey, readOnly, maxDelete } = written
  const source = secretOf(host, written, path)
  let secret: Promise<string> | undefined
  return {
    baseUrl,
    apiKey,
    place: path ?? 'the environment',
    secretPlace: source.place,
    protected: written.protected === true,
    rules: { readOnly, maxDelete },
    secret: () => (secret ??= source.read()),
  }
}

/** The error for a profile that is not there. It lists the profiles in the file, or says how to add one. */
export function noProfileError(
  file: UserFile | undefined,
  message: string,
  exitCode?: number,
) {
  const names = [...(file?.content.profiles.keys() ?? [])]
  const choose = `choose one with -p <name>, or from now on:\n  svc profiles use <name>\nprofiles: ${names.join(', ')}`
  const add =
    'add a profile:\n  svc profiles add <name>\nor try svc in the sandbox:\n  svc sandbox exec -- svc lists list'
  return new SvcError('config', message, {
    exitCode,
    hint: names.length > 0 ? choose : add,
  })
}

/** The last characters of an API key, by which people recognize it. A short key shows none. */
export function keyEnding(apiKey: string) {
  return apiKey.length < 8 ? '…' : `…${apiKey.slice(-4)}`
}

/** Says in a question which service and key are used: `"prod" (api.example.com, key …a1b2)`. */
export function describeProfile({ name, baseUrl, apiKey }: Profile) {
  const { host } = new URL(baseUrl)
  const key = `key ${keyEnding(apiKey)}`
  return name === undefined ? `${host} (${key})` : `"${name}" (${host}, ${key})`
}
