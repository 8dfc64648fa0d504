/**
 * Every setting from the first place that gives it: option, environment, project file, profile, the user's defaults,
 * built-in. Each comes with the place, in words.
 */
import { usageError } from '../errors.ts'
import { parseChoice, parseCount, parseDuration } from '../values.ts'
import type { Format } from '../output/result.ts'
import type { Environment, Sourced } from './environment.ts'
import {
  colors,
  countryPattern,
  formats,
  longestWait,
  mostBatchSize,
  mostRetries,
  progresses,
  shortestKept,
} from './rules.ts'
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
  jsonRaw?: boolean
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
}

export interface Settings {
  readonly output: Sourced<Format>
  /** Rows; 'all', or undefined when nothing was set (each format has its own default). */
  readonly limit: Sourced<number | 'all' | undefined>
  readonly concurrency: Sourced<number | undefined>
  readonly batchSize: Sourced<number>
  readonly color: Sourced<'auto' | 'always' | 'never'>
  readonly progress: Sourced<'auto' | 'bar' | 'json' | 'none'>
  readonly utc: Sourced<boolean>
  /** Milliseconds. */
  readonly timeout: Sourced<number>
  readonly retries: Sourced<number>
  /** Milliseconds. */
  readonly maxRetryWait: Sourced<number>
  /** Milliseconds after which a new run removes those that have ended; undefined: never. */
  readonly keepRuns: Sourced<number | undefined>
  /** That of phone numbers without `+` or `00`, in two letters. */
  readonly country: Sourced<string | undefined>
}

/** In the order in which they are shown. */
export const settingNames = Object.keys(resolveSettings({}, {}, []))

/** The `defaults` of one file or profile. */
export interface Layer {
  readonly source: string
  readonly defaults: Defaults
}

/** The settings of a command line; `layers` in order of precedence. Throws exit 2 for a wrong option or variable. */
export function resolveSettings(env: Partial<Environment>, options: GlobalOptions, layers: readonly Layer[]): Settings {
  const file = <K extends keyof Defaults>(key: K) => fromFiles(layers, key)
  const output = options.json === true ? { value: 'json', source: '--json' } : typed(options.output, '--output')
  const timeout = typed(options.timeout, '--timeout', env.timeout)
  const retries = typed(options.retries, '--retries', env.retries)
  return {
    output: first(parsed(output ?? env.output, oneOf(formats)), file('output'), 'table'),
    limit: first(undefined, file('limit'), undefined),
    concurrency: first(undefined, file('concurrency'), undefined),
    batchSize: first(undefined, file('batchSize'), mostBatchSize),
    color: first(parsed(typed(options.color, '--color', env.color), oneOf(colors)), file('color'), 'auto'),
    progress: first(
      parsed(typed(options.progress, '--progress', env.progress), oneOf(progresses)),
      file('progress'),
      'auto',
    ),
    utc: first(options.utc === true ? { value: true, source: '--utc' } : undefined, file('utc'), false),
    timeout: first(parsed(timeout, parseWait), parsed(file('timeout'), parseWait), 30_000),
    retries: first(parsed(retries, parseRetries), file('retries'), 3),
    maxRetryWait: first(parsed(typed(options.maxRetryWait, '--max-retry-wait'), parseWait), undefined, 60_000),
    keepRuns: first(undefined, parsed(file('keepRuns'), parseKept), undefined),
    country: first(parsed(typed(options.country, '--country', env.country), parseCountry), file('country'), undefined),
  }
}

/** What was typed: the option, else the variable. */
function typed(option: string | undefined, source: string, variable?: Sourced<string>): Sourced<string> | undefined {
  return option === undefined ? variable : { value: option, source }
}

function fromFiles<K extends keyof Defaults>(
  layers: readonly Layer[],
  key: K,
): Sourced<NonNullable<Defaults[K]>> | undefined {
  for (const { source, defaults } of layers) {
    const value = defaults[key]
    if (value !== undefined) return { value, source }
  }
  return undefined
}

function first<T>(given: Sourced<T> | undefined, file: Sourced<T> | undefined, builtIn: T): Sourced<T> {
  return given ?? file ?? { value: builtIn, source: 'built-in' }
}

/** Turns a text into a value. `what` names the text in errors. */
type Parse<T> = (text: string, what: string) => T

function parsed<T>(found: Sourced<string> | undefined, parse: Parse<T>): Sourced<T> | undefined {
  return found === undefined ? undefined : { value: parse(found.value, found.source), source: found.source }
}

function oneOf<const T extends string>(choices: readonly T[]): Parse<T> {
  return (text, what) => parseChoice(text, what, choices)
}

function parseWait(text: string, what: string): number {
  return parseDuration(text, what, { min: 1, max: longestWait })
}

function parseKept(text: string, what: string): number {
  return parseDuration(text, what, { min: shortestKept })
}

function parseCountry(text: string, what: string): string {
  if (countryPattern.test(text)) return text.toUpperCase()
  throw usageError(`${what} takes a country in two letters, such as DE; got "${text}"`)
}

function parseRetries(text: string, what: string): number {
  return parseCount(text, what, { min: 0, max: mostRetries })
}
