/**
 * Parsers of typed values, in options, arguments and configuration: each takes a text and its name
 * (`--limit`), and throws exit 2 with what it accepts. Also checks of values that several folders share: is
 * it an object, JSON, a host on this machine.
 */
import { usageError } from './errors.ts'
import { groupDigits, joinOr, quote } from './words.ts'

/**
 * Kinds of typed values that completion and messages treat in their own way. `text` is a person's own words, the only value
 * that may begin with a dash.
 */
export type ValueKind =
  'text' | 'file' | 'list' | 'contact' | 'ticket' | 'employee' | 'profile' | 'run'

export type NumberRange = Readonly<Partial<Record<'min' | 'max', number>>>

/** The error of a value that `what` does not take. */
function refusalOf(what: string, text: string, accepted: string) {
  return usageError(`${what} takes ${accepted}, not ${quote(text)}`)
}

/**
 * A whole number in plain digits, within `range` (from 0 unless it says otherwise). `or`: what else is accepted, in words.
 */
export function parseCount(
  text: string,
  what: string,
  { min = 0, max = Infinity }: NumberRange = {},
  or = '',
) {
  // Number() alone would take 1e3, 0x10, 1.0 and blanks.
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  const range =
    max === Infinity
      ? `, at least ${groupDigits(min)}`
      : ` from ${groupDigits(min)} to ${groupDigits(max)}`
  throw refusalOf(what, text, `a whole number${range}${or}`)
}

/** A parser of a person's own words. `min` and `max`: their length in code points. */
export function textOfLength({ min = 0, max = Infinity }: NumberRange) {
  return (text: string, what: string): string => {
    const { length } = Array.from(text)
    if (length >= min && length <= max) return text
    const accepted = `text of ${groupDigits(min)} to ${groupDigits(max)} characters`
    throw usageError(`${what} takes ${accepted}, not ${groupDigits(length)}`)
  }
}

/** The most rows to return: a whole number from 1, or `all`. */
export function parseLimit(text: string, what: string): number | 'all' {
  return text === 'all' ? text : parseCount(text, what, { min: 1 }, ', or "all"')
}

const unitMs = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60 * 1000],
  ['h', 60 * 60 * 1000],
  ['d', 24 * 60 * 60 * 1000],
])

/** Ten years: far enough for every age, and no sum of a time and a duration leaves the range of dates. */
const longestMs = 3650 * 24 * 60 * 60 * 1000

/** A duration in milliseconds, or undefined if the text is not a duration: `500ms`, `30s`, `2m`, `1h`, `7d`. */
export function durationMs(text: string): number | undefined {
  const match = /^([0-9]{1,12})(ms|s|m|h|d)$/.exec(text)
  const unit = unitMs.get(match?.[2] ?? '')
  if (match?.[1] === undefined || unit === undefined) return undefined
  const value = Number(match[1]) * unit
  return value > longestMs ? undefined : value
}

/** Milliseconds as they are typed: the largest unit that divides them. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of [...unitMs].reverse()) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

/** A duration such as `500ms`, `30s`, `2m`, `1h` or `7d`, in milliseconds; `range` is in milliseconds too. */
export function parseDuration(
  text: string,
  what: string,
  { min = 0, max = longestMs }: NumberRange = {},
) {
  const value = durationMs(text)
  if (value !== undefined && value >= min && value <= max) return value
  const bounds = `${formatDuration(min)} to ${formatDuration(max)}`
  throw refusalOf(what, text, `a duration such as 500ms, 30s, 2m, 1h or 7d (${bounds})`)
}

const dateTime =
  /^(?<date>\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[Tt ](?<clock>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?)(?<zone>Z|z|[+-]\d{2}:?\d{2})?)?$/

function dateTimeMs(text: string) {
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const { date = '', clock = '00:00', zone = '' } = match.groups ?? {}
  // Date.parse rolls 30 February over into March; a day that does not exist is a mistake.
  if (!new Date(`${date}T00:00Z`).toISOString().startsWith(date)) return undefined
  const offset = zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const value = Date.parse(`${date}T${clock.replace(',', '.')}${offset}`)
  return Number.isNaN(value) ? undefined : value
}

/**
 * A moment, in milliseconds since 1970: an ISO 8601 date or date-time, an age such as `2d` or `1w` counted back from `now`,
 * or `today` or `yesterday`, which is its midnight. Without an offset it is local time, as the tables show it.
 */
export function parseTime(text: string, now: number, what = 'the time'): number {
  const weeks = /^([0-9]{1,4})w$/.exec(text)?.[1]
  const age = durationMs(weeks === undefined ? text : `${Number(weeks) * 7}d`)
  if (age !== undefined) return now - age
  if (text === 'today' || text === 'yesterday') {
    const day = new Date(now)
    const daysAgo = text === 'today' ? 0 : 1
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime()
  }
  const moment = dateTimeMs(text)
  if (moment === undefined) {
    const accepted =
      'a date (2026-03-01), a date and time (2026-03-01T10:15:00Z), an age (30m, 12h, 2d, 1w), today or yesterday'
    throw refusalOf(what, text, accepted)
  }
  return moment
}

/** Methods of a request. */
export const httpMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** API: Resources, all identifiers. */
export const idPattern = /^[0-9a-fA-F]{24}$/

export const isSameId = (one: unknown, other: unknown) =>
  typeof one === 'string' &&
  typeof other === 'string' &&
  one.toLowerCase() === other.toLowerCase()

/**
 * API: Resources, all identifiers: 24 hexadecimal digits in either case. Returned as it was written, without the spaces
 * around it.
 */
export function parseId(text: string, what: string): string {
  // As it was pasted: with blanks or quotes around it.
  const bare = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  if (idPattern.test(bare)) return bare
  const mistake = /^[0-9a-fA-F]+$/.test(text)
    ? `; ${quote(text)} has ${text.length}`
    : `, not ${quote(text)}`
  const message = `${what} must be 24 hexadecimal digits${mistake}`
  throw usageError(message)
}

/** The beginning of a URL, with or without its scheme. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?\/)/i

/** A ticket's id, in its letter case: typed alone, or the only id in a pasted address. */
export function parseTicket(text: string): string {
  const ticket = ticketInAddress(text)
  if (ticket === undefined) return parseId(text, 'the ticket')
  if (ticket.reason !== undefined) throw usageError(ticket.reason)
  return ticket.id
}

export type InAddress = { id: string; reason?: undefined } | { reason: string }

/** The only id in an address, or why it has none; undefined if the text is not an address. */
export function ticketInAddress(text: string): InAddress | undefined {
  const bare = text.trim()
  if (!address.test(bare)) return undefined
  // An escaped character ends in a digit that could pass for one of the id.
  const unescaped = bare.replaceAll(/%[0-9a-f]{2}/gi, '/')
  const ids = unescaped.match(/(?<![0-9a-z])[0-9a-f]{24}(?![0-9a-z])/gi) ?? []
  const distinct = new Map(ids.map((text) => [text.toLowerCase(), text]))
  const [id, ...others] = distinct.values()
  if (id === undefined)
    return { reason: 'the address has no ticket id in it: 24 hexadecimal digits' }
  if (others.length === 0) return { id }
  return {
    reason: `the address has ${others.length + 1} ids in it: give only the ticket's id`,
  }
}

/** Requests per second: `10/s`, `10`, `0.5/s`. */
export function parseRate(text: string, what: string): number {
  const rate = Number(/^([0-9]{1,6}(?:\.[0-9]{1,3})?)(?:\/s)?$/.exec(text)?.[1] ?? 0)
  if (rate === 0)
    throw refusalOf(what, text, 'requests per second, for example 10/s or 0.5/s')
  return rate
}

/** One of `choices`. Throws exit 2, naming all of them. */
export function parseChoice<C extends string>(
  text: string,
  what: string,
  choices: readonly C[],
): C {
  const choice = choices.find((name) => name === text)
  if (choice !== undefined) return choice
  throw usageError(`${what} takes ${joinOr(choices)}, not ${quote(text)}`)
}

/** Whether a value that was read is an object with members, neither an array nor a date of YAML. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date)
  )
}

/** A member of an object that is its own; undefined for every other value. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/**
 * The position of the quote that ends a JSON string, or the end of the text if the string is not closed. `start` is just
 * after the opening quote.
 */
export function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at
    while (json.charCodeAt(before - 1) === 0x5c) before -= 1
    if ((at - before) % 2 === 0) return at
  }
  return json.length
}

/** Whether a text is one JSON value, however large its numbers. */
export function isJson(text: string) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The URL of a proxy, typed with or without a scheme; undefined if it is not an http or https proxy. */
export function proxyUrl(text: string): URL | undefined {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  return /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

const loopback = /^(?:localhost|::1|\[::1\]|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/

/**
 * Whether a host is this machine by definition: 127.0.0.0/8, ::1 (with or without brackets) and the name localhost. Such a
 * host may be spoken to in the clear, is dialled as it is written, and is never resolved or proxied: one rule for all of it.
 */
export function isLoopback(hostname: string) {
  return loopback.test(hostname)
}
