/**
 * Every setting as one row: its option, its variables, its member in files, how it is read and what it is
 * without any of them. The declaration of the option, `help environment`, the checks of files, what is known
 * before parsing and what `profiles show` tells derive from it.
 */
import type { ValueKind } from '../values.ts'
import { formats } from '../output/format.ts'
import {
  absolutePath,
  count,
  country,
  isTrue,
  limit,
  oneOf,
  proxyAddress,
  rate,
  text,
  wait,
  type ValueReader,
} from './kinds.ts'

/** Headings of the options that every command takes, in the order of the help. */
export const headings = {
  service: 'Which service:',
  output: 'Output:',
  messages: 'Messages:',
  requests: 'Requests:',
  phones: 'Phone numbers:',
  confirmations: 'Confirmations:',
} as const

interface Places {
  /** The option; its name is the key. `value` is the word for its value, absent where it takes none; `group` the heading among the
   * global options, absent where verbs declare it. */
  readonly option?: {
    readonly short?: string
    readonly value?: string
    readonly takes?: ValueKind
    readonly isNegated?: true
    readonly group?: (typeof headings)[keyof typeof headings]
  }
  /** The variables, the first that is set counting; `NAME=value` is one that says this value by being set. */
  readonly variables?: readonly string[]
  /**
   * Where the file may have it: under `defaults`; there and as a member of a profile; or nowhere.
   */
  readonly files: 'defaults' | 'own' | 'profile' | 'none'
  readonly summary: string
  /** The default in words, where there is one. */
  readonly byDefault?: string
}

export interface Setting<SettingValue> extends ValueReader<SettingValue>, Places {
  readonly builtIn: SettingValue
}

function setting<SettingValue>(
  kind: ValueReader<SettingValue>,
  builtIn: SettingValue,
  places: Places,
): Setting<SettingValue> {
  return { ...kind, ...places, builtIn }
}

/** In the order in which they are shown. `undefined`: nothing was set, and each format or command has a default of its own. */
export const settings = {
  output: setting(oneOf(formats), 'table', {
    option: { short: 'o', value: 'format', group: 'Output:' },
    variables: ['SVC_OUTPUT'],
    files: 'defaults',
    summary: formats.join(', '),
    byDefault: 'table',
  }),
  limit: setting<number | 'all' | undefined>(limit, undefined, {
    option: { value: 'n|all' },
    files: 'defaults',
    summary: 'the maximum number of rows',
    byDefault: '50 for table, all for other formats',
  }),
  concurrency: setting<number | undefined>(count({ min: 1, max: 32 }), undefined, {
    option: { value: 'n' },
    files: 'defaults',
    summary: 'requests in flight, 1 to 32',
  }),
  color: setting(oneOf(['auto', 'always', 'never']), 'auto', {
    option: { value: 'when', group: 'Output:' },
    variables: ['NO_COLOR=never', 'FORCE_COLOR=auto'],
    files: 'defaults',
    summary: 'auto, always or never',
    byDefault: 'auto',
  }),
  progress: setting(oneOf(['auto', 'bar', 'plain', 'json', 'none']), 'auto', {
    option: { value: 'how', group: 'Messages:' },
    variables: ['SVC_PROGRESS'],
    files: 'defaults',
    summary: 'auto, bar, plain, json or none',
    byDefault: 'auto',
  }),
  utc: setting(isTrue, false, {
    option: { group: 'Output:' },
    files: 'defaults',
    summary: 'times in UTC',
    byDefault: 'local times',
  }),
  /** Milliseconds, as the other durations. */
  timeout: setting(wait, 30_000, {
    option: { value: 'duration', group: 'Requests:' },
    variables: ['SVC_TIMEOUT'],
    files: 'defaults',
    summary: 'timeout of one attempt',
    byDefault: '30s',
  }),
  retries: setting(count({ min: 0, max: 100 }), 3, {
    option: { value: 'n', group: 'Requests:' },
    variables: ['SVC_RETRIES'],
    files: 'defaults',
    summary: 'attempts after the first',
    byDefault: '3',
  }),
  maxRetryWait: setting(wait, 60_000, {
    option: { value: 'duration', group: 'Requests:' },
    files: 'defaults',
    summary: 'longest wait between attempts',
    byDefault: '60s',
  }),
  /** Requests per second, retries included. */
  rate: setting<number | undefined>(rate, undefined, {
    variables: ['SVC_RATE'],
    files: 'defaults',
    summary: 'at most n requests per second, retries included',
  }),
  /** Country of phone numbers without `+` or `00`, in two letters. */
  country: setting<string | undefined>(country, undefined, {
    option: { value: 'CC', group: 'Phone numbers:' },
    variables: ['SVC_COUNTRY'],
    files: 'profile',
    summary: 'country of numbers without + or 00, such as DE',
  }),
  /** Certificate authorities to trust in addition to Node's own. */
  caFile: setting<string | undefined>(absolutePath, undefined, {
    variables: ['SVC_CA_FILE'],
    files: 'profile',
    summary: 'a PEM file of more certificate authorities to trust',
  }),
  /** It comes before the variables that programs share. */
  proxy: setting<string | undefined>(proxyAddress, undefined, {
    files: 'profile',
    summary: 'the proxy to the service, in place of HTTPS_PROXY',
  }),
}

const place = 'Which service:'

/** Options with a variable that no file can set: they say which file it is, or hold before any is read. */
export const beforeFiles = {
  profile: setting<string | undefined>(text, undefined, {
    option: { short: 'p', value: 'name', takes: 'profile', group: place },
    variables: ['SVC_PROFILE'],
    files: 'none',
    summary: 'which profile',
    byDefault: 'the current one',
  }),
  config: setting<string | undefined>(text, undefined, {
    option: { value: 'file', takes: 'file', group: place },
    variables: ['SVC_CONFIG'],
    files: 'none',
    summary: 'use exactly this configuration file',
  }),
  baseUrl: setting<string | undefined>(text, undefined, {
    option: { value: 'url', group: place },
    variables: ['SVC_BASE_URL'],
    files: 'none',
    summary: 'where the service is',
    byDefault: "the profile's",
  }),
  stateDir: setting<string | undefined>(text, undefined, {
    option: { value: 'folder', takes: 'file', group: place },
    variables: ['SVC_STATE_DIR'],
    files: 'none',
    summary: 'the folder that records bulk runs',
  }),
  errorFormat: setting(oneOf(['text', 'json']), 'text', {
    option: { value: 'format', group: 'Messages:' },
    variables: ['SVC_ERROR_FORMAT'],
    files: 'none',
    summary: 'text or json',
    byDefault: 'text',
  }),
  /** Whether questions may be asked. */
  input: setting(
    { example: '1', parse: (word) => word === '0' || word === 'false' },
    true,
    {
      option: { isNegated: true, group: 'Confirmations:' },
      variables: ['SVC_NO_INPUT'],
      files: 'none',
      summary: 'never ask; exit 9 instead',
    },
  ),
}

type ValueOf<Row> = Row extends Setting<infer SettingValue> ? SettingValue : never
type SettingRows = typeof beforeFiles & typeof settings
export type SettingKey = keyof typeof settings
export type OptionKey = keyof SettingRows
export type SettingValue<Key extends OptionKey> = ValueOf<SettingRows[Key]>

export const settingNames = Object.keys(settings) as SettingKey[]
export const rows: SettingRows = { ...beforeFiles, ...settings }
const optionNames = Object.keys(rows) as OptionKey[]
/** Those that every command takes. */
export const globalNames = optionNames.filter(
  (key) => rows[key].option?.group !== undefined,
)

/** An option as commands declare theirs; `own` is what a verb says differently. */
export function optionOf<Key extends OptionKey>(
  key: Key,
  own: { summary?: string; default?: string; group?: string } = {},
) {
  const {
    option,
    variables = [],
    summary,
    byDefault,
    choices,
    suggestions,
    parse,
  }: Setting<unknown> = rows[key]
  return {
    ...option,
    summary,
    ...(variables.length > 0 && { environment: variables.map(nameOf) }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(choices && { choices }),
    ...(suggestions && { suggestions }),
    ...own,
    // The row of this key reads it.
    parse: parse as (text: string, what: string) => SettingValue<Key> & {},
  }
}

/** `--max-delete` of `maxDelete`. */
export function flagOf(key: OptionKey): string {
  const negation = rows[key].option?.isNegated === true ? 'no-' : ''
  return `--${negation}${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** `NO_COLOR` of `NO_COLOR=never`. */
export function nameOf(variable: string): string {
  return variable.replace(/=.*/, '')
}

/** The settings that a profile may have. */
export const profileSettings = settingNames.filter(
  (key) => settings[key].files === 'profile',
)

/** The settings that `defaults` of the file may have. */
export const defaultSettings = settingNames.filter((key) => settings[key].files !== 'none')
