/** How the values of settings are read, in options, variables and files alike. */
import {
  formatDuration,
  parseChoice,
  parseCount,
  parseDuration,
  proxyUrl,
  type NumberRange,
} from '../values.ts'
import { usageError } from '../errors.ts'

/** How a value is read. `what` names it in errors. */
export interface ValueReader<Value> {
  readonly parse: (text: string, what: string) => Value
  /** The only values, or some that are usual. */
  readonly choices?: readonly string[]
  readonly suggestions?: readonly string[]
  /** A value as it is typed, where it is not shown as it is. */
  inWords?(this: void, value: Value & {}): string
}

export function oneOf<const T extends string>(choices: readonly T[]): ValueReader<T> {
  const parse = (text: string, what: string): T => parseChoice(text, what, choices)
  return { parse, choices }
}

export function count(range: NumberRange): ValueReader<number> {
  const parse = (text: string, what: string): number => parseCount(text, what, range)
  return { parse }
}

const day = 24 * 60 * 60 * 1000
/** A duration that nobody waits longer for. */
export const wait: ValueReader<number> = {
  parse: (text, what) => parseDuration(text, what, { min: 1, max: day }),
  inWords: formatDuration,
}

export const isTrue: ValueReader<boolean> = {
  parse: (text, what) => parseChoice(text, what, ['true', 'false']) === 'true',
}

export const country: ValueReader<string> = {
  // Whether there is such a country is known where phone numbers are read.
  parse(text, what) {
    if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
    throw usageError(`${what} takes a country in two letters, such as DE, not "${text}"`)
  },
}

/** A path that is the same from every folder. */
export const absolutePath: ValueReader<string> = {
  parse(text, what) {
    if (/^(?:\/|~[/\\]|[A-Za-z]:[/\\]|\\\\)/.test(text)) return text
    throw usageError(
      `${what} takes an absolute path, or one that begins with ~/, not "${text}"`,
    )
  },
}

/** No message quotes it: it may hold a password. */
export const proxyAddress: ValueReader<string> = {
  parse(text, what) {
    if (/[.:/]/.test(text) && proxyUrl(text) !== undefined) return text
    throw usageError(
      `${what} takes the URL of a proxy, such as http://proxy.example.com:3128`,
    )
  },
  inWords(value) {
    const url = proxyUrl(value)
    if (url === undefined || url.username + url.password === '') return value
    return `${url.protocol}//[hidden]@${url.host}`
  },
}

export const text: ValueReader<string> = { parse: (words) => words }
