/**
 * Every setting as one row: its option, its variables, its member in files, how it is read and what it is without any of them. The
 * declaration of the option, `help environment`, the checks of files and what `profiles show` tells derive from it.
 */
import { durationMs, parseChoice, parseCount, parseDuration, parseLimit, parseRate, type Range } from '../values.ts'
import { usageError } from '../errors.ts'
import { listed } from '../words.ts'
import { bounds, colors, countryPattern, formats, longestWait, progresses, shortestKept } from './rules.ts'

/** How a value is read, as text and in a file. `what` names the text in errors. */
interface Kind<Value> {
  readonly parse: (text: string, what: string) => Value
  /** What is wrong with a value in a file, as the end of a sentence; undefined when nothing is. */
  readonly problem: (value: unknown) => string | undefined
  /** A value as it is typed. */
  readonly example: string
}

interface Places {
  /** The option as it is declared, and its heading among the global options; bulk commands declare theirs themselves. */
  readonly option?: string
  readonly heading?: string
  /** The variables, the first that is set counting; `NO_COLOR` and `FORCE_COLOR` say what they say by being there. */
  readonly variables?: readonly string[]
  /** Which `defaults` may have it: those of every file and profile, those of the user's own file, or none. */
  readonly files: 'every' | 'own' | 'none'
  readonly summary: string
  /** The default in words, where there is one. */
  readonly byDefault?: string
}

export interface Setting<Value> extends Kind<Value>, Places {
  readonly builtIn: Value
}

function setting<Value>(kind: Kind<Value>, builtIn: Value, places: Places): Setting<Value> {
  return { ...kind, ...places, builtIn }
}

function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  const isOne = (value: unknown): boolean => choices.some((choice) => choice === value)
  return {
    parse: (text, what) => parseChoice(text, what, choices),
    problem: (value) => (isOne(value) ? undefined : `must be ${listed(choices)}`),
    example: choices[0] ?? '',
  }
}

function count(range: Range): Kind<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = range
  const isOne = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  return {
    parse: (text, what) => parseCount(text, what, range),
    problem: (value) => (isOne(value) ? undefined : `must be a whole number from ${min} to ${max}`),
    example: String(min + 1),
  }
}

/** `rule`: what a duration must be that is not within the range. */
function duration(range: Range, example: string, rule: string): Kind<number> {
  const { min = 0, max = Infinity } = range
  return {
    parse: (text, what) => parseDuration(text, what, range),
    problem(value) {
      if (typeof value !== 'string') return `must be a duration in quotes, such as "${example}"`
      const ms = durationMs(value) ?? -1
      return ms >= min && ms <= max ? undefined : `must be a duration ${rule}`
    },
    example,
  }
}

const wait = duration({ min: 1, max: longestWait }, '30s', 'such as "500ms", "30s" or "2m", at most 1d')

const limit: Kind<number | 'all'> = {
  parse: parseLimit,
  problem: (value) =>
    value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 1)
      ? undefined
      : 'must be a whole number, at least 1, or "all"',
  example: '10',
}

const isTrue: Kind<boolean> = {
  parse: (text) => text === 'true',
  problem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  example: 'true',
}

const rate: Kind<number> = {
  parse: parseRate,
  problem: (value) =>
    ['string', 'number'].includes(typeof value) &&
    /^(?=.*[1-9])[0-9]{1,6}(?:\.[0-9]{1,3})?(?:\/s)?$/.test(String(value))
      ? undefined
      : 'must be requests per second, such as "10/s"',
  example: '10/s',
}

const country: Kind<string> = {
  parse(text, what) {
    if (countryPattern.test(text)) return text.toUpperCase()
    throw usageError(`${what} takes a country in two letters, such as DE; got "${text}"`)
  },
  problem(value) {
    if (typeof value !== 'string') return 'must be text; put it in quotes'
    return countryPattern.test(value) ? undefined : 'must be a country in two letters, such as "DE"'
  },
  example: 'DE',
}

/** In the order in which they are shown. `undefined`: nothing was set, and each format or command has a default of its own. */
export const settings = {
  output: setting(oneOf(formats), 'table', {
    option: '-o, --output <format>',
    heading: 'Output:',
    variables: ['SVC_OUTPUT'],
    files: 'every',
    summary: formats.join(', '),
    byDefault: 'table',
  }),
  /** The most rows. */
  limit: setting<number | 'all' | undefined>(limit, undefined, {
    option: '--limit <n|all>',
    files: 'every',
    summary: 'the maximum number of rows of a table',
  }),
  concurrency: setting<number | undefined>(count(bounds.concurrency), undefined, {
    option: '--concurrency <n>',
    files: 'every',
    summary: 'requests in flight',
  }),
  color: setting(oneOf(colors), 'auto', {
    option: '--color <when>',
    heading: 'Output:',
    variables: ['NO_COLOR', 'FORCE_COLOR'],
    files: 'every',
    summary: 'auto, always or never',
    byDefault: 'auto',
  }),
  progress: setting(oneOf(progresses), 'auto', {
    option: '--progress <how>',
    heading: 'Messages:',
    variables: ['SVC_PROGRESS'],
    files: 'every',
    summary: 'auto, bar, plain, json or none',
    byDefault: 'auto',
  }),
  utc: setting(isTrue, false, {
    option: '--utc',
    heading: 'Output:',
    files: 'every',
    summary: 'times in UTC',
    byDefault: 'local times',
  }),
  /** Milliseconds, as the other durations. */
  timeout: setting(wait, 30_000, {
    option: '--timeout <duration>',
    heading: 'Requests:',
    variables: ['SVC_TIMEOUT'],
    files: 'every',
    summary: 'timeout of one attempt',
    byDefault: '30s',
  }),
  retries: setting(count(bounds.retries), 3, {
    option: '--retries <n>',
    heading: 'Requests:',
    variables: ['SVC_RETRIES'],
    files: 'every',
    summary: 'attempts after the first',
    byDefault: '3',
  }),
  maxRetryWait: setting(wait, 60_000, {
    option: '--max-retry-wait <duration>',
    heading: 'Requests:',
    files: 'none',
    summary: 'longest wait between attempts',
    byDefault: '60s',
  }),
  /** The age at which a new run removes those that have ended. */
  keepRuns: setting<number | undefined>(
    duration({ min: shortestKept }, '90d', 'of at least 1d, such as "90d"'),
    undefined,
    {
      variables: ['SVC_KEEP_RUNS'],
      files: 'own',
      summary: 'how long ended runs are kept, such as 90d',
    },
  ),
  /** Requests per second of a bulk run. */
  rate: setting<number | undefined>(rate, undefined, {
    option: '--rate <n/s>',
    variables: ['SVC_RATE'],
    files: 'own',
    summary: 'at most n requests per second of bulk commands',
  }),
  /** The most contacts that one run may delete. */
  maxDelete: setting<number | undefined>(count({ min: 0 }), undefined, {
    option: '--max-delete <n>',
    variables: ['SVC_MAX_DELETE'],
    files: 'own',
    summary: 'the most contacts that a command may delete',
  }),
  /** Country of phone numbers without `+` or `00`, in two letters. */
  country: setting<string | undefined>(country, undefined, {
    option: '--country <CC>',
    heading: 'Phone numbers:',
    variables: ['SVC_COUNTRY'],
    files: 'own',
    summary: 'country of numbers without + or 00, such as DE',
  }),
}

/** Options with a variable that no file can set: they say which file it is, or hold before any is read. */
export const beforeFiles = {
  profile: {
    option: '-p, --profile <name>',
    heading: 'Which service:',
    variables: ['SVC_PROFILE'],
    summary: 'which profile',
    byDefault: 'the current one',
  },
  config: {
    option: '--config <file>',
    heading: 'Which service:',
    variables: ['SVC_CONFIG'],
    summary: 'use exactly this configuration file',
  },
  baseUrl: {
    option: '--base-url <url>',
    heading: 'Which service:',
    variables: ['SVC_BASE_URL'],
    summary: 'where the service is',
    byDefault: "the profile's",
  },
  stateDir: {
    option: '--state-dir <folder>',
    heading: 'Which service:',
    variables: ['SVC_STATE_DIR'],
    summary: 'the folder that records bulk runs',
  },
  errorFormat: {
    option: '--error-format <format>',
    heading: 'Messages:',
    variables: ['SVC_ERROR_FORMAT'],
    summary: 'text or json',
    byDefault: 'json with -o json and ndjson',
  },
  input: {
    option: '--no-input',
    heading: 'Confirmations:',
    variables: ['SVC_NO_INPUT'],
    summary: 'never ask; exit 9 instead',
  },
} as const satisfies Readonly<Record<string, Omit<Places, 'files'>>>

export type SettingKey = keyof typeof settings
export const settingNames = Object.keys(settings) as SettingKey[]

type OptionKey = SettingKey | keyof typeof beforeFiles
const rows: Readonly<Record<OptionKey, Omit<Places, 'files'>>> = { ...beforeFiles, ...settings }

/** A global option as the commands declare theirs. */
export function globalOption(key: OptionKey) {
  const { heading, option = '', variables, summary, byDefault } = rows[key]
  const [, short, negation, value] = /^(?:-(\w), )?--(no-)?[\w-]+(?: <(.+)>)?$/.exec(option) ?? []
  return {
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    summary,
    ...(variables === undefined ? {} : { environment: variables }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(negation === undefined ? {} : { isNegated: true }),
    group: heading,
  }
}

/** `--output` of `-o, --output <format>`. */
export function longOf(key: OptionKey): string | undefined {
  return /--[a-z-]+/.exec(rows[key].option ?? '')?.[0]
}

/** Each variable that stands for an option, or for a setting without one, as a line of `help environment`. */
export function variableLines(): string {
  const named = (Object.keys(rows) as OptionKey[]).filter(
    (key) => key !== 'baseUrl' && rows[key].variables !== undefined,
  )
  return named
    .map((key) => {
      const { variables = [], option, summary } = rows[key]
      return `  ${variables.join(', ').padEnd(21)} ${option?.replace(/ <.*/, '') ?? summary}`
    })
    .join('\n')
}
