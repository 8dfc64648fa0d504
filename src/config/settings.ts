/** Settings: each comes from its option, its variable or the profile, in this order. */
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { formats, type Format } from '../output/format.ts'
import { parseChoice, parseDuration, parseRate } from '../values.ts'
import { variable } from './environment.ts'

const day = 24 * 60 * 60 * 1000

/** The duration of `--timeout`, in milliseconds. */
export function parseTimeout(text: string, what: string): number {
  return parseDuration(text, what, { min: 1, max: day })
}

/** The duration of `--wait`, in milliseconds; with 0 nothing is tried again. */
export function parseWait(text: string, what: string): number {
  return parseDuration(text, what, { max: day })
}

/** A country in upper case. The reader of phone numbers checks that there is such a country. */
export function parseCountry(text: string, what: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw usageError(`${what} takes a country in two letters, such as DE, not "${text}"`)
}

/** Settings with an option. */
export interface TypedSettings {
  /** Milliseconds of one attempt. */
  timeout?: number
  /** Milliseconds for which a request that failed for now is tried again. */
  wait?: number
  /** Country of phone numbers without `+` or `00`. */
  country?: string | undefined
  /** Requests in flight of a bulk run. */
  concurrency?: number
}

export interface Settings extends TypedSettings {
  timeout: number
  wait: number
  /** The format of `SVC_OUTPUT`, which a command ignores if it does not have it. */
  output: Format | undefined
  /** At most so many requests per second, retries included. */
  rate: number | undefined
}

/** The settings of a command. Throws exit 2 for a wrong variable. */
export function resolveSettings(
  host: Pick<Host, 'env'>,
  { timeout, wait, country, concurrency }: TypedSettings,
  profile: { rate?: number | undefined; country?: string | undefined } = {},
): Settings {
  const fromVariable = <T>(name: string, parse: (text: string, what: string) => T) => {
    const text = variable(host, name)
    return text === undefined ? undefined : parse(text, name)
  }
  return {
    timeout: timeout ?? fromVariable('SVC_TIMEOUT', parseTimeout) ?? 30_000,
    wait: wait ?? fromVariable('SVC_WAIT', parseWait) ?? 30_000,
    output: fromVariable('SVC_OUTPUT', (text, what) => parseChoice(text, what, formats)),
    rate: fromVariable('SVC_RATE', parseRate) ?? profile.rate,
    country: country ?? fromVariable('SVC_COUNTRY', parseCountry) ?? profile.country,
    ...(concurrency !== undefined && { concurrency }),
  }
}

/** Whether questions may be asked: not with `--no-input`, nor with `SVC_NO_INPUT` set to anything but `0` and `false`. */
export function mayAsk(host: Pick<Host, 'env'>, typed: { input?: false }): boolean {
  const forbidden = variable(host, 'SVC_NO_INPUT') ?? '0'
  return typed.input !== false && (forbidden === '0' || forbidden === 'false')
}
