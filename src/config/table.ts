/**
 * Every setting as one row: its option, its variables, its member in files, how it is read and what it is
 * without any of them. The declaration of the option, `help environment`, the checks of files, what is known
 * before parsing and what `profiles show` tells derive from it.
 */
import type { ValueKind } from '../values.ts'
import { formats } from '../output/format.ts'
import { parseLimit, parseRate } from '../values.ts'
import {
  absolutePath,
  count,
  country,
  isTrue,
  oneOf,
  proxyAddress,
  text,
  wait,
  type ValueReader,
} from './kinds.ts'

/** The facts of a row besides the reader of its value. */
interface SettingRow<Value> {
  /** Absent where each format or command has a default of its own. */
  readonly builtIn?: Value
  /** The name of the option is the key. False where there is none. */
  readonly isOption?: false
  readonly short?: string
  /** The word for the value of the option, absent where it takes none. */
  readonly value?: string
  readonly takes?: ValueKind
  readonly isNegated?: true
  /** The heading among the global options, absent where verbs declare it. */
  readonly group?: string
  /** The variables, the first that is set counting. */
  readonly environment?: readonly string[]
  /** Variables that say one thing by being set. */
  readonly meanings?: Readonly<Record<string, string>>
  /** Where the file may have it: under `defaults`; there and as a member of a profile; or nowhere. */
  readonly files: 'defaults' | 'profile' | 'none'
  readonly summary: string
  /** The default in words, where there is one. */
  readonly default?: string
}

export type Setting<Value> = ValueReader<Value & {}> & SettingRow<Value>

type ValueWith<Value, Row> = Row extends { readonly builtIn: Value }
  ? Value
  : Value | undefined

function setting<Value, const Row extends SettingRow<NoInfer<Value>>>(
  kind: ValueReader<Value & {}>,
  row: Row,
): Setting<ValueWith<Value, Row>> {
  return { ...kind, ...row }
}

/** In the order in which they are shown. */
export const settings = {
  output: setting(oneOf(formats), {
    builtIn: 'table',
    short: 'o',
    value: 'format',
    group: 'Output:',
    environment: ['SVC_OUTPUT'],
    files: 'defaults',
    summary: formats.join(', '),
    default: 'table',
  }),
  limit: setting(
    { parse: parseLimit, suggestions: ['all'] },
    {
      value: 'n|all',
      files: 'defaults',
      summary: 'the maximum number of rows',
      default: '50 for table, all for other formats',
    },
  ),
  concurrency: setting(count({ min: 1, max: 32 }), {
    value: 'n',
    files: 'defaults',
    summary: 'requests in flight, 1 to 32',
  }),
  color: setting(oneOf(['auto', 'always', 'never']), {
    builtIn: 'auto',
    value: 'when',
    group: 'Output:',
    environment: ['NO_COLOR', 'FORCE_COLOR'],
    meanings: { NO_COLOR: 'never', FORCE_COLOR: 'auto' },
    files: 'defaults',
    summary: 'auto, always or never',
    default: 'auto',
  }),
  progress: setting(oneOf(['auto', 'bar', 'plain', 'json', 'none']), {
    builtIn: 'auto',
    value: 'how',
    group: 'Messages:',
    environment: ['SVC_PROGRESS'],
    files: 'defaults',
    summary: 'auto, bar, plain, json or none',
    default: 'auto',
  }),
  utc: setting(isTrue, {
    builtIn: false,
    group: 'Output:',
    files: 'defaults',
    summary: 'times in UTC',
    default: 'local times',
  }),
  /** Milliseconds, as the other durations. */
  timeout: setting(wait, {
    builtIn: 30_000,
    value: 'duration',
    group: 'Requests:',
    environment: ['SVC_TIMEOUT'],
    files: 'defaults',
    summary: 'timeout of one attempt',
    default: '30s',
  }),
  retries: setting(count({ min: 0, max: 100 }), {
    builtIn: 3,
    value: 'n',
    group: 'Requests:',
    environment: ['SVC_RETRIES'],
    files: 'defaults',
    summary: 'attempts after the first',
    default: '3',
  }),
  maxRetryWait: setting(wait, {
    builtIn: 60_000,
    value: 'duration',
    group: 'Requests:',
    files: 'defaults',
    summary: 'longest wait between attempts',
    default: '60s',
  }),
  /** Requests per second, retries included. */
  rate: setting(
    { parse: parseRate },
    {
      isOption: false,
      environment: ['SVC_RATE'],
      files: 'defaults',
      summary: 'at most n requests per second, retries included',
    },
  ),
  /** Country of phone numbers without `+` or `00`, in two letters. */
  country: setting(country, {
    value: 'CC',
    group: 'Phone numbers:',
    environment: ['SVC_COUNTRY'],
    files: 'profile',
    summary: 'country of numbers without + or 00, such as DE',
  }),
  /** Certificate authorities to trust in addition to Node's own. */
  caFile: setting(absolutePath, {
    isOption: false,
    environment: ['SVC_CA_FILE'],
    files: 'profile',
    summary: 'a PEM file of more certificate authorities to trust',
  }),
  /** It comes before the variables that programs share. */
  proxy: setting(proxyAddress, {
    isOption: false,
    files: 'profile',
    summary: 'the proxy to the service, in place of HTTPS_PROXY',
  }),
}

/** Options with a variable that no file can set: they say which file it is, or hold before any is read. */
export const beforeFiles = {
  profile: setting(text, {
    short: 'p',
    value: 'name',
    takes: 'profile',
    group: 'Which service:',
    environment: ['SVC_PROFILE'],
    files: 'none',
    summary: 'which profile',
    default: 'the current one',
  }),
  config: setting(text, {
    value: 'file',
    takes: 'file',
    group: 'Which service:',
    environment: ['SVC_CONFIG'],
    files: 'none',
    summary: 'use exactly this configuration file',
  }),
  baseUrl: setting(text, {
    value: 'url',
    group: 'Which service:',
    environment: ['SVC_BASE_URL'],
    files: 'none',
    summary: 'where the service is',
    default: "the profile's",
  }),
  stateDir: setting(text, {
    value: 'folder',
    takes: 'file',
    group: 'Which service:',
    environment: ['SVC_STATE_DIR'],
    files: 'none',
    summary: 'the folder that records bulk runs',
  }),
  errorFormat: setting(oneOf(['text', 'json']), {
    builtIn: 'text',
    value: 'format',
    group: 'Messages:',
    environment: ['SVC_ERROR_FORMAT'],
    files: 'none',
    summary: 'text or json',
    default: 'text',
  }),
  /** Whether questions may be asked. */
  input: setting(
    { parse: (word) => word === '0' || word === 'false' },
    {
      builtIn: true,
      isNegated: true,
      group: 'Confirmations:',
      environment: ['SVC_NO_INPUT'],
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
/** Those that every command takes. */
export const globalNames = (Object.keys(rows) as OptionKey[]).filter(
  (key) => rows[key].group !== undefined,
)

/** An option as commands declare theirs; `own` is what a verb says differently. */
export function optionOf<Key extends OptionKey>(
  key: Key,
  own: { summary?: string; default?: string; group?: string } = {},
) {
  const row: Setting<unknown> = rows[key]
  const { builtIn: _, files: __, inWords: ___, meanings: ____, parse, ...option } = row
  return {
    ...option,
    ...own,
    // The row of this key reads it.
    parse: parse as (text: string, what: string) => SettingValue<Key> & {},
  }
}

/** `--max-delete` of `maxDelete`. */
export function longFlag(
  key: string,
  { isNegated = false }: { readonly isNegated?: boolean },
): string {
  return `--${isNegated ? 'no-' : ''}${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The settings that a profile may have. */
export const profileSettings = settingNames.filter(
  (key) => settings[key].files === 'profile',
)
