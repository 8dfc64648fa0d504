/** Every setting, and the place in words that gave it: option, environment, project, profile, defaults, built-in. */
import { usageError } from '../errors.ts'
import { parseChoice, parseCount, parseDuration, parseLimit, parseRate, type Range } from '../values.ts'
import type { Format } from '../output/result.ts'
import type { Environment, Sourced } from './environment.ts'
import { bounds, colors, countryPattern, formats, longestWait, progresses, shortestKept } from './rules.ts'
import type { Defaults } from './schema.ts'

export interface GlobalOptions {
  profile?: string
  config?: string
  stateDir?: string
  baseUrl?: string
  output?: string
  json?: boolean
  out?: string
  replaceOut?: boolean
  fields?: string
  header?: boolean
  csvRaw?: boolean
  truncate?: boolean
  utc?: boolean
  color?: string
  progress?: string
  quiet?: boolean
  verbose?: number
  errorFormat?: string
  timeout?: string
  retries?: string
  maxRetryWait?: string
  country?: string
  yes?: boolean
  input?: boolean
  /** The command has a `--limit`, and it was typed. */
  isLimited?: boolean
}

/** The `defaults` of one file or profile. */
export interface Layer {
  readonly source: string
  readonly defaults: Defaults
}

/** Options that set the setting of their name. */
const setters = ['output', 'color', 'progress', 'timeout', 'retries', 'maxRetryWait', 'country'] as const
/** What a job sets for good; bulk commands have options of their own for two of them. */
const jobKeys = ['keepRuns', 'rate', 'maxDelete'] as const
type Key = keyof Defaults | (typeof setters)[number]

/** The settings of a command line; `layers` in order of precedence. Throws exit 2 for a wrong option or variable. */
export function resolveSettings(env: Partial<Environment>, options: GlobalOptions, layers: readonly Layer[]) {
  const typed = new Map<Key, Sourced<string>>()
  for (const key of setters) {
    const value = options[key]
    const source = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const found = value === undefined ? key !== 'maxRetryWait' && env[key] : { value, source }
    if (found) typed.set(key, found)
  }
  for (const key of jobKeys) if (env[key] !== undefined) typed.set(key, env[key])
  if (options.json === true) typed.set('output', { value: 'json', source: '--json' })
  if (options.utc === true) typed.set('utc', { value: 'true', source: '--utc' })
  function setting<T>(key: Key, parse: Parse<T>, builtIn: T): Sourced<T> {
    const found = typed.get(key) ?? fromFiles(layers, key)
    if (found === undefined) return { value: builtIn, source: 'built-in' }
    return { value: parse(found.value, found.source), source: found.source }
  }
  // In the order in which they are shown.
  return {
    output: setting<Format>('output', oneOf(formats), 'table'),
    /** Rows; undefined when nothing was set (each format has its own default). */
    limit: setting<number | 'all' | undefined>('limit', parseLimit, undefined),
    concurrency: setting<number | undefined>('concurrency', count(bounds.concurrency), undefined),
    batchSize: setting('batchSize', count(bounds.batchSize), bounds.batchSize.max),
    color: setting<(typeof colors)[number]>('color', oneOf(colors), 'auto'),
    progress: setting<(typeof progresses)[number]>('progress', oneOf(progresses), 'auto'),
    utc: setting('utc', (text) => text === 'true', false),
    /** Milliseconds, as the other durations. */
    timeout: setting('timeout', duration({ min: 1, max: longestWait }), 30_000),
    retries: setting('retries', count(bounds.retries), 3),
    maxRetryWait: setting('maxRetryWait', duration({ min: 1, max: longestWait }), 60_000),
    /** The age at which a new run removes those that have ended; undefined: never. */
    keepRuns: setting<number | undefined>('keepRuns', duration({ min: shortestKept }), undefined),
    /** Requests per second of a bulk run, and the most contacts that one may delete. */
    rate: setting<number | undefined>('rate', parseRate, undefined),
    maxDelete: setting<number | undefined>('maxDelete', count({ min: 0 }), undefined),
    /** That of phone numbers without `+` or `00`, in two letters. */
    country: setting<string | undefined>('country', parseCountry, undefined),
  }
}

export type Settings = Readonly<ReturnType<typeof resolveSettings>>

export const settingNames = Object.keys(resolveSettings({}, {}, []))

function fromFiles(layers: readonly Layer[], key: Key): Sourced<string> | undefined {
  for (const { source, defaults } of layers) {
    const value = key === 'maxRetryWait' ? undefined : defaults[key]
    if (value !== undefined) return { value: String(value), source }
  }
  return undefined
}

/** Turns a text into a value. `what` names the text in errors. */
type Parse<T> = (text: string, what: string) => T

function oneOf<const T extends string>(choices: readonly T[]): Parse<T> {
  return (text, what) => parseChoice(text, what, choices)
}

function count(range: Range): Parse<number> {
  return (text, what) => parseCount(text, what, range)
}

function duration(range: Range): Parse<number> {
  return (text, what) => parseDuration(text, what, range)
}

function parseCountry(text: string, what: string): string {
  if (countryPattern.test(text)) return text.toUpperCase()
  throw usageError(`${what} takes a country in two letters, such as DE; got "${text}"`)
}
