/**
 * The settings of a command. Each comes from the first place that has it: its option, its variable, the profile, and its
 * default.
 */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { formats, type Format } from '../output/result.ts'
import { parseChoice, parseDuration, parseRate } from '../values.ts'
import { variable } from './paths.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Reads the time limit of an attempt, and returns milliseconds. Throws a usage error. */
export function parseTimeout(text: string, name: string): number {
  return parseDuration(text, name, { min: 1, max: dayMs })
}

/** Reads how long a request that failed temporarily is retried, and returns milliseconds. Throws a usage error. */
export function parseWait(text: string, name: string): number {
  return parseDuration(text, name, { max: dayMs })
}

/** Reads a country, and returns it in upper case. The reader of phone numbers checks that the country exists. */
export function parseCountry(text: string, name: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw usageError(`${name} takes a country in two letters, such as DE, not "${text}"`)
}

export interface Settings {
  /** The time limit of one attempt, in milliseconds. */
  timeout: number
  /** How long a request that failed temporarily is retried, in milliseconds. */
  wait: number
  /** The preferred format. A command that does not have it uses its own. */
  output: Format | undefined
  /** The maximum number of requests per second, retries included. */
  rate: number | undefined
  /** The country of phone numbers without `+` or `00`. */
  country: string | undefined
}

/** The settings that were typed as options. */
export type SettingOptions = Partial<Pick<Settings, 'timeout' | 'wait' | 'country'>>

/** Finds the settings of a command. Throws a usage error for a variable that cannot be read. */
export function resolveSettings(
  host: Pick<Host, 'env'>,
  options: SettingOptions,
  profile: { rate?: number | undefined; country?: string | undefined } = {},
): Settings {
  const fromVariable = <T>(name: string, parse: (text: string, name: string) => T) => {
    const text = variable(host, name)
    return text === undefined ? undefined : parse(text, name)
  }
  const parseFormat = (text: string, name: string) => parseChoice(text, name, formats)
  return {
    timeout: options.timeout ?? fromVariable('SVC_TIMEOUT', parseTimeout) ?? 30_000,
    wait: options.wait ?? fromVariable('SVC_WAIT', parseWait) ?? 30_000,
    output: fromVariable('SVC_OUTPUT', parseFormat),
    rate: fromVariable('SVC_RATE', parseRate) ?? profile.rate,
    country:
      options.country ?? fromVariable('SVC_COUNTRY', parseCountry) ?? profile.country,
  }
}

/** Whether svc may ask questions: `--no-input` forbids it, and so does any SVC_NO_INPUT except `0` and `false`. */
export function mayAsk(host: Pick<Host, 'env'>, typed: { input?: false }): boolean {
  const noInput = variable(host, 'SVC_NO_INPUT') ?? '0'
  return typed.input !== false && ['0', 'false'].includes(noInput)
}
