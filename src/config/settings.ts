/**
 * Every setting from the first place that gives it: option, environment, project file, profile, the user's defaults,
 * built-in. Each comes with the place, in words.
 */
import { parseChoice, parseCount, parseDuration } from '../values.ts'
import type { Host } from '../host.ts'
import { variable } from './paths.ts'
import { colors, formats, longestWait, mostBatchSize, mostRetries, progresses } from './rules.ts'
import type { GlobalOptions, Settings, Sourced } from './profile.ts'
import type { Defaults } from './schema.ts'

/** The `defaults` of one file or profile. */
export interface Layer {
  readonly source: string
  readonly defaults: Defaults
}

type OptionName = 'output' | 'color' | 'progress' | 'timeout' | 'retries' | 'maxRetryWait'

const variables = {
  output: 'SVC_OUTPUT',
  progress: 'SVC_PROGRESS',
  timeout: 'SVC_TIMEOUT',
  retries: 'SVC_RETRIES',
} as const

const flags: Record<OptionName, string> = {
  output: '--output',
  color: '--color',
  progress: '--progress',
  timeout: '--timeout',
  retries: '--retries',
  maxRetryWait: '--max-retry-wait',
}

const builtIn = 'built-in'

/** The settings of a command line; `layers` in order of precedence. Throws exit 2 for a wrong option or variable. */
export function settle(host: Pick<Host, 'env'>, options: GlobalOptions, layers: readonly Layer[]): Settings {
  function typed(name: OptionName): Sourced<string> | undefined {
    const option = options[name]
    if (option !== undefined) return { value: option, source: flags[name] }
    const known = name in variables ? variables[name as keyof typeof variables] : undefined
    const value = known === undefined ? undefined : variable(host, known)
    return known === undefined || value === undefined ? undefined : { value, source: known }
  }

  function fromFiles<K extends keyof Defaults>(key: K): Sourced<NonNullable<Defaults[K]>> | undefined {
    for (const { source, defaults } of layers) {
      const value = defaults[key]
      if (value !== undefined) return { value, source }
    }
    return undefined
  }

  /** A typed value parsed, else a file's as `read` turns it, else the built-in one. */
  function setting<T>(
    found: Sourced<string> | undefined,
    parse: (text: string, what: string) => T,
    file: Sourced<T> | undefined,
    fallback: T,
  ): Sourced<T> {
    if (found !== undefined) return { value: parse(found.value, found.source), source: found.source }
    return file ?? { value: fallback, source: builtIn }
  }

  const wait = (text: string, what: string): number => parseDuration(text, what, { min: 1, max: longestWait })
  const timeout = fromFiles('timeout')
  return {
    output: setting(
      options.json === true ? { value: 'json', source: '--json' } : typed('output'),
      (text, what) => parseChoice(text, what, formats),
      fromFiles('output'),
      'table',
    ),
    limit: fromFiles('limit') ?? { value: undefined, source: builtIn },
    concurrency: fromFiles('concurrency') ?? { value: undefined, source: builtIn },
    batchSize: fromFiles('batchSize') ?? { value: mostBatchSize, source: builtIn },
    color: setting(
      typed('color') ?? colorOfEnvironment(host),
      (text, what) => parseChoice(text, what, colors),
      fromFiles('color'),
      'auto',
    ),
    progress: setting(
      typed('progress'),
      (text, what) => parseChoice(text, what, progresses),
      fromFiles('progress'),
      'auto',
    ),
    utc:
      options.utc === true ? { value: true, source: '--utc' } : (fromFiles('utc') ?? { value: false, source: builtIn }),
    timeout: setting(
      typed('timeout'),
      wait,
      timeout === undefined ? undefined : { value: wait(timeout.value, 'timeout'), source: timeout.source },
      30_000,
    ),
    retries: setting(
      typed('retries'),
      (text, what) => parseCount(text, what, { min: 0, max: mostRetries }),
      fromFiles('retries'),
      3,
    ),
    maxRetryWait: setting(typed('maxRetryWait'), wait, undefined, 60_000),
  }
}

/** NO_COLOR and FORCE_COLOR come before any file; `colorLevel` reads how much FORCE_COLOR asks for. */
function colorOfEnvironment(host: Pick<Host, 'env'>): Sourced<string> | undefined {
  if (variable(host, 'NO_COLOR') !== undefined) return { value: 'never', source: 'NO_COLOR' }
  if (host.env.FORCE_COLOR !== undefined) return { value: 'auto', source: 'FORCE_COLOR' }
  return undefined
}
