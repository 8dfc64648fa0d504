/** How the values of settings are read, in options, variables and files alike. */
import {
  formatDuration,
  parseChoice,
  parseCount,
  parseDuration,
  parseLimit,
  parseRate,
  proxyUrl,
  type NumberRange,
} from '../values.ts'
import { usageError } from '../errors.ts'

/** How a value is read. `what` names it in errors. */
export interface ValueReader<Value> {
  readonly parse: (text: string, what: string) => Value
  /** A value as it is typed. */
  readonly example: string
  /** The only values, or some that are usual. */
  readonly choices?: readonly string[]
  readonly suggestions?: readonly string[]
  /** A value as it is typed, where it is not shown as it is. */
  inWords?(this: void, value: Value & {}): string
}

export function oneOf<const T extends string>(choices: readonly T[]): ValueReader<T> {
  const parse = (text: string, what: string): T => parseChoice(text, what, choices)
  return { parse, example: choices[0] ?? '', choices }
}

export function count(range: NumberRange & { readonly min: number }): ValueReader<number> {
  const parse = (text: string, what: string): number => parseCount(text, what, range)
  return { parse, example: String(range.min + 1) }
}

function duration(range: NumberRange, example: string): ValueReader<number> {
  const parse = (text: string, what: string): number => parseDuration(text, what, range)
  return { parse, example, inWords: formatDuration }
}

const day = 24 * 60 * 60 * 1000
export const wait = duration({ min: 1, max: day }, '30s')

export const limit: ValueReader<number | 'all'> = {
  parse: parseLimit,
  example: '10',
  suggestions: ['all'],
}

export const isTrue: ValueReader<boolean> = {
  parse: (text, what) => parseChoice(text, what, ['true', 'false']) === 'true',
  example: 'true',
}

export const rate: ValueReader<number> = { parse: parseRate, example: '10/s' }

export const country: ValueReader<string> = {
  // Whether there is such a country is known where phone numbers are read.
  parse(text, what) {
    if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
    throw usageError(`${what} takes a country in two letters, such as DE, not "${text}"`)
  },
  example: 'DE',
}

/** A path that is the same from every folder. */
export const absolutePath: ValueReader<string> = {
  parse(text, what) {
    if (/^(?:\/|~[/\\]|[A-Za-z]:[/\\]|\\\\)/.test(text)) return text
    throw usageError(
      `${what} takes an absolute path, or one that begins with ~/, not "${text}"`,
    )
  },
  example: '/etc/ssl/company.pem',
}

/** No message quotes it: it may hold a password. */
export const proxyAddress: ValueReader<string> = {
  parse(text, what) {
    if (/[.:/]/.test(text) && proxyUrl(text) !== undefined) return text
    throw usageError(
      `${what} takes the URL of a proxy, such as http://proxy.example.com:3128`,
    )
  },
  example: 'http://proxy.example.com:3128',
  inWords(value) {
    const url = proxyUrl(value)
    if (url === undefined || url.username + url.password === '') return value
    return `${url.protocol}//[hidden]@${url.host}`
  },
}

export const text: ValueReader<string> = { parse: (words) => words, example: 'x' }
