/**
 * Every setting as one row: its option, its variables, its member in files, how it is read, and its default.
 * The declaration of the option, `help environment`, the checks of files, the settings that count before
 * parsing, and the output of `doctor` all come from it.
 */
import { usageError } from '../errors.ts'
import type { Option, TypedValue } from '../options.ts'
import { formats } from '../output/format.ts'
import {
  formatDuration,
  parseCount,
  parseDuration,
  parseLimit,
  parseRate,
  proxyUrl,
} from '../values.ts'

/** An option that can also be set by variables and files. Its key is its name. A `group` makes it global. */
export interface Setting extends Option {
  /** The value if nothing sets it, which `default` has in words; absent if each format or command has its own. */
  builtIn?: unknown
  /** The meaning of variables that count if they are set. `hasColors` looks at the value of FORCE_COLOR. */
  meanings?: Record<string, string>
  /** Profiles may have it too, not only `defaults` of the file. */
  isOfProfile?: true
  /** A value as it is shown, if not unchanged. */
  inWords?: (value: unknown) => string
}

/** The rows of a table: their own types, and all that a setting can have. */
function defineSettings<const Rows extends Readonly<Record<string, Setting>>>(
  rows: Rows,
): { readonly [Key in keyof Rows]: Rows[Key] & Omit<Setting, keyof Rows[Key]> } {
  return rows
}

const day = 24 * 60 * 60 * 1000
/** Durations of waits, of one day at most. */
const wait = {
  parse: (text: string, what: string) => parseDuration(text, what, { min: 1, max: day }),
  inWords: (ms: unknown) => formatDuration(Number(ms)),
}

function parseCountry(text: string, what: string) {
  // The reader of phone numbers checks that there is such a country.
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw usageError(`${what} takes a country in two letters, such as DE, not "${text}"`)
}

/** A path that does not depend on the current folder. */
function parseAbsolutePath(text: string, what: string) {
  if (/^(?:\/|~[/\\]|[A-Za-z]:[/\\]|\\\\)/.test(text)) return text
  throw usageError(
    `${what} takes an absolute path, or one that begins with ~/, not "${text}"`,
  )
}

/** No message quotes the address of a proxy: it may hold a password. */
function parseProxy(text: string, what: string) {
  if (/[.:/]/.test(text) && proxyUrl(text) !== undefined) return text
  throw usageError(
    `${what} takes the URL of a proxy, such as http://proxy.example.com:3128`,
  )
}

function withoutPassword(proxy: string) {
  const url = proxyUrl(proxy)
  if (url === undefined || url.username + url.password === '') return proxy
  return `${url.protocol}//[hidden]@${url.host}`
}

/** The settings that `defaults` of the file may have, in the order in which they are shown. */
export const settings = defineSettings({
  output: {
    choices: formats,
    builtIn: 'table',
    short: 'o',
    value: 'format',
    group: 'Output:',
    environment: ['SVC_OUTPUT'],
    summary: formats.join(', '),
    default: 'table',
  },
  limit: {
    parse: parseLimit,
    suggestions: ['all'],
    value: 'n|all',
    summary: 'the maximum number of rows',
    default: '50 for table, all for other formats',
  },
  concurrency: {
    parse: (text, what) => parseCount(text, what, { min: 1, max: 32 }),
    value: 'n',
    summary: 'requests in flight, 1 to 32',
  },
  color: {
    choices: ['auto', 'always', 'never'],
    builtIn: 'auto',
    value: 'when',
    group: 'Output:',
    environment: ['NO_COLOR', 'FORCE_COLOR'],
    meanings: { NO_COLOR: 'never', FORCE_COLOR: 'auto' },
    summary: 'auto, always or never',
    default: 'auto',
  },
  progress: {
    choices: ['auto', 'bar', 'plain', 'json', 'none'],
    builtIn: 'auto',
    value: 'how',
    group: 'Messages:',
    environment: ['SVC_PROGRESS'],
    summary: 'auto, bar, plain, json or none',
    default: 'auto',
  },
  /** Milliseconds, as the other durations. */
  timeout: {
    ...wait,
    builtIn: 30_000,
    value: 'duration',
    group: 'Requests:',
    environment: ['SVC_TIMEOUT'],
    summary: 'timeout of one attempt',
    default: '30s',
  },
  retries: {
    parse: (text, what) => parseCount(text, what, { min: 0, max: 100 }),
    builtIn: 3,
    value: 'n',
    group: 'Requests:',
    environment: ['SVC_RETRIES'],
    summary: 'attempts after the first',
    default: '3',
  },
  maxRetryWait: {
    ...wait,
    builtIn: 60_000,
    value: 'duration',
    group: 'Requests:',
    summary: 'longest wait between attempts',
    default: '60s',
  },
  /** Requests per second, retries included. */
  rate: {
    parse: parseRate,
    environment: ['SVC_RATE'],
    summary: 'at most n requests per second, retries included',
  },
  /** Country of phone numbers without `+` or `00`, in two letters. */
  country: {
    parse: parseCountry,
    value: 'CC',
    group: 'Phone numbers:',
    environment: ['SVC_COUNTRY'],
    isOfProfile: true,
    summary: 'country of numbers without + or 00, such as DE',
  },
  /** Certificate authorities to trust in addition to Node's own. */
  caFile: {
    parse: parseAbsolutePath,
    environment: ['SVC_CA_FILE'],
    isOfProfile: true,
    summary: 'a PEM file of more certificate authorities to trust',
  },
  /** It overrides the variables that programs share, such as HTTPS_PROXY. */
  proxy: {
    parse: parseProxy,
    inWords: (value) => withoutPassword(String(value)),
    isOfProfile: true,
    summary: 'the proxy to the service, in place of HTTPS_PROXY',
  },
})

/** Options with a variable that no file can set: they choose the file, or apply before it is read. */
export const beforeFiles = defineSettings({
  profile: {
    short: 'p',
    value: 'name',
    takes: 'profile',
    group: 'Which service:',
    environment: ['SVC_PROFILE'],
    summary: 'which profile',
    default: 'the current one',
  },
  config: {
    value: 'file',
    takes: 'file',
    group: 'Which service:',
    environment: ['SVC_CONFIG'],
    summary: 'use exactly this configuration file',
  },
  baseUrl: {
    value: 'url',
    group: 'Which service:',
    environment: ['SVC_BASE_URL'],
    summary: 'where the service is',
    default: "the profile's",
  },
  stateDir: {
    value: 'folder',
    takes: 'file',
    group: 'Which service:',
    environment: ['SVC_STATE_DIR'],
    summary: 'the folder that records bulk runs',
  },
  errorFormat: {
    choices: ['text', 'json'],
    builtIn: 'text',
    value: 'format',
    group: 'Messages:',
    environment: ['SVC_ERROR_FORMAT'],
    summary: 'text or json',
    default: 'text',
  },
  /** Whether questions may be asked: not with `SVC_NO_INPUT=1`, or anything but `0` and `false`. */
  input: {
    parse: (noInput) => noInput === '0' || noInput === 'false',
    builtIn: true,
    isNegated: true,
    group: 'Confirmations:',
    environment: ['SVC_NO_INPUT'],
    summary: 'never ask; exit 9 instead',
  },
})

type SettingRows = typeof beforeFiles & typeof settings
export type SettingKey = keyof typeof settings
export type OptionKey = keyof SettingRows

/** The value of a setting. It may be undefined unless its row has a built-in value. */
export type SettingValue<Key extends OptionKey> =
  | TypedValue<SettingRows[Key]>
  | (SettingRows[Key] extends { builtIn: {} } ? never : undefined)

export const settingNames = Object.keys(settings) as SettingKey[]
export const rows: SettingRows = { ...beforeFiles, ...settings }
/** The options that every command takes: those that have a group. */
export const globalNames = (Object.keys(rows) as OptionKey[]).filter(
  (key) => rows[key].group !== undefined,
)
/** The settings that a profile may have. */
export const profileSettings = settingNames.filter((key) => settings[key].isOfProfile)

/** The option of a setting, as commands declare options. `own`: what is different for this command. */
export function optionOf<Key extends OptionKey>(
  key: Key,
  own: { summary?: string; default?: string; group?: string } = {},
) {
  const {
    builtIn: _builtIn,
    isOfProfile: _isOfProfile,
    inWords: _inWords,
    meanings: _meanings,
    ...option
  } = rows[key]
  return { ...option, ...own }
}
