/** How the values of settings are read: as text, which options and variables are, and in files. `table.ts` names one in each row. */
import {
  durationMs,
  formatDuration,
  parseChoice,
  parseCount,
  parseDuration,
  parseLimit,
  parseRate,
  proxyUrl,
  type Range,
} from '../values.ts'
import { usageError } from '../errors.ts'
import { joinOr } from '../words.ts'

/** How a value is read, as text and in a file. `what` names the text in errors. */
export interface Kind<Value> {
  readonly parse: (text: string, what: string) => Value
  /** Problem with a value in a file, as the end of a sentence; undefined when nothing is. */
  readonly problem: (value: unknown) => string | undefined
  /** A value as it is typed. */
  readonly example: string
  /** The only values, or some that are usual. */
  readonly choices?: readonly string[]
  readonly suggestions?: readonly string[]
  /** A value as it is typed, where it is not shown as it is. */
  inWords?(this: void, value: Value & {}): string
}

export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  const isOne = (value: unknown): boolean => choices.some((choice) => choice === value)
  return {
    parse: (text, what) => parseChoice(text, what, choices),
    problem: (value) => (isOne(value) ? undefined : `must be ${joinOr(choices)}`),
    example: choices[0] ?? '',
    choices,
  }
}

export function count(range: Range & { readonly min: number }): Kind<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = range
  const isOne = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
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
    inWords: formatDuration,
  }
}

const day = 24 * 60 * 60 * 1000
export const wait = duration(
  { min: 1, max: day },
  '30s',
  'such as "500ms", "30s" or "2m", at most 1d',
)

/** How old something is before it is removed. */
export const age = duration({ min: day }, '90d', 'of at least 1d, such as "90d"')

export const limit: Kind<number | 'all'> = {
  parse: parseLimit,
  problem: (value) =>
    value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 1)
      ? undefined
      : 'must be a whole number, at least 1, or "all"',
  example: '10',
  suggestions: ['all'],
}

export const isTrue: Kind<boolean> = {
  parse: (text) => text === 'true',
  problem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  example: 'true',
}

export const rate: Kind<number> = {
  parse: parseRate,
  problem: (value) =>
    ['string', 'number'].includes(typeof value) &&
    /^(?=.*[1-9])[0-9]{1,6}(?:\.[0-9]{1,3})?(?:\/s)?$/.test(String(value))
      ? undefined
      : 'must be requests per second, such as "10/s"',
  example: '10/s',
}

/** Two letters; whether there is such a country is known where phone numbers are read. */
export const countryPattern = /^[A-Za-z]{2}$/

export const country: Kind<string> = {
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

/** A path that is the same from every folder. */
export const absolutePath: Kind<string> = {
  parse(text, what) {
    const problem = absolutePath.problem(text)
    if (problem === undefined) return text
    throw usageError(`${what}: the path ${problem}; got "${text}"`)
  },
  problem: (value) =>
    typeof value === 'string' && /^(?:\/|~[/\\]|[A-Za-z]:[/\\]|\\\\)/.test(value)
      ? undefined
      : 'must be a whole path, or begin with ~/',
  example: '/etc/ssl/company.pem',
}

/** No message quotes it: it may hold a password. */
export const proxyAddress: Kind<string> = {
  parse(text, what) {
    const problem = proxyAddress.problem(text)
    if (problem === undefined) return text
    throw usageError(`${what}: the proxy ${problem}`)
  },
  problem: (value) =>
    typeof value === 'string' && /[.:/]/.test(value) && proxyUrl(value) !== undefined
      ? undefined
      : 'must look like "http://proxy.example.com:3128"',
  example: 'http://proxy.example.com:3128',
  inWords(value) {
    const url = proxyUrl(value)
    if (url === undefined || url.username + url.password === '') return value
    return `${url.protocol}//[hidden]@${url.host}`
  },
}

export const text: Kind<string> = {
  parse: (words) => words,
  problem: () => undefined,
  example: 'x',
}
