/**
 * Parsers of values that are typed as options, arguments or settings, then parsers of ids, then checks of JSON. A function
 * `parse…` throws a usage error that says what it accepts; its `name` is what the message calls the value, such as `--limit`.
 */
import { usageError } from './errors.ts'
import { groupDigits, joinOr, quote } from './words.ts'

/** The bounds of a number, both included. */
interface NumberRange {
  min?: number
  max?: number
}

function refusalError(name: string, text: string, accepted: string) {
  return usageError(`${name} takes ${accepted}, not ${quote(text)}`)
}

/** Reads a whole number in plain digits, from 0 unless `min` is set. `alternative` is what else is accepted: `, or "all"`. */
export function parseCount(
  text: string,
  name: string,
  { min = 0, max = Infinity }: NumberRange = {},
  alternative = '',
) {
  // Number() alone would read 1e3, 0x10, 1.0 and spaces too, and it would round a number of more than 15 digits.
  const isWhole = /^[0-9]{1,15}$/.test(text)
  const value = Number(text)
  if (isWhole && value >= min && value <= max) return value
  const range =
    max === Infinity
      ? `, at least ${groupDigits(min)}`
      : ` from ${groupDigits(min)} to ${groupDigits(max)}`
  throw refusalError(name, text, `a whole number${range}${alternative}`)
}

/** Makes a parser of texts whose length, in code points, is in a range. */
export function lengthParser({ min = 0, max = Infinity }: NumberRange) {
  return (text: string, name: string): string => {
    const { length } = Array.from(text)
    if (length >= min && length <= max) return text
    const accepted = `text of ${groupDigits(min)} to ${groupDigits(max)} characters`
    throw usageError(`${name} takes ${accepted}, not ${groupDigits(length)}`)
  }
}

/** Reads how many rows to return at most: a whole number from 1, or `all`. */
export function parseLimit(text: string, name: string): number | 'all' {
  return text === 'all' ? text : parseCount(text, name, { min: 1 }, ', or "all"')
}

export const dayMs = 24 * 60 * 60 * 1000

/** The units of a duration, in milliseconds, the smallest first. */
const durationUnits = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60 * 1000],
  ['h', 60 * 60 * 1000],
  ['d', dayMs],
])

/** Ten years. No age needs more, and now plus or minus ten years is always a valid date. */
const maxDurationMs = 3650 * dayMs

/**
 * Reads a duration such as `500ms`, `30s`, `2m`, `1h` or `7d`. Returns milliseconds, or undefined if the text is not a duration.
 */
function readDuration(text: string): number | undefined {
  const match = /^([0-9]{1,12})([a-z]+)$/.exec(text)
  const unit = durationUnits.get(match?.[2] ?? '')
  if (match === null || unit === undefined) return undefined
  const ms = Number(match[1]) * unit
  return ms > maxDurationMs ? undefined : ms
}

/** Writes milliseconds as a duration, in the largest unit of which they are a multiple: `90s`, `2m`. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of [...durationUnits].reverse()) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

/** Reads a duration in milliseconds. `min` and `max` are in milliseconds too. */
export function parseDuration(
  text: string,
  name: string,
  { min = 0, max = maxDurationMs }: NumberRange = {},
) {
  const value = readDuration(text)
  if (value !== undefined && value >= min && value <= max) return value
  const bounds = `${formatDuration(min)} to ${formatDuration(max)}`
  throw refusalError(name, text, `a duration such as 500ms, 30s, 2m, 1h or 7d (${bounds})`)
}

/** An ISO 8601 date, perhaps with a time, which may have an offset. */
const dateTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** Reads a date, perhaps with a time. Returns milliseconds since 1970, or undefined if the text is neither. */
function readDateTime(text: string) {
  const [, date, clock = '00:00', offset = ''] = dateTime.exec(text) ?? []
  const value = Date.parse(`${date}T${clock}${offset}`)
  if (Number.isNaN(value)) return undefined
  // A day that does not exist is a mistake, but Date makes 2 March of 30 February.
  return new Date(`${date}T00:00Z`).toISOString().startsWith(`${date}T`) ? value : undefined
}

/**
 * Reads a moment, and returns milliseconds since 1970. The text is one of:
 * - an ISO 8601 date, perhaps with a time. Without an offset, the time is local.
 * - an age such as `2d`, which is counted back from `now`
 * - `today` or `yesterday`: the midnight at which the day began
 */
export function parseMoment(text: string, now: number, name = 'the time'): number {
  const age = readDuration(text)
  if (age !== undefined) return now - age
  if (text === 'today' || text === 'yesterday') {
    const day = new Date(now)
    const daysAgo = text === 'today' ? 0 : 1
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime()
  }
  const moment = readDateTime(text)
  if (moment !== undefined) return moment
  const accepted =
    'a date (2026-03-01), a date and time (2026-03-01T10:15:00Z), an age (30m, 12h, 2d), today or yesterday'
  throw refusalError(name, text, accepted)
}

/** Reads requests per second: `10/s`, `10`, `0.5/s`. */
export function parseRate(text: string, name: string): number {
  const digits = /^([0-9]{1,6}(?:\.[0-9]{1,3})?)(?:\/s)?$/.exec(text)?.[1]
  const rate = Number(digits ?? 0)
  if (rate > 0) return rate
  throw refusalError(name, text, 'requests per second, for example 10/s or 0.5/s')
}

/** Reads one of `choices`. */
export function parseChoice<C extends string>(
  text: string,
  name: string,
  choices: readonly C[],
): C {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw refusalError(name, text, joinOr(choices))
}

/** An id of the service has 24 hexadecimal digits (API description: Resources). */
export const idPattern = /^[0-9a-fA-F]{24}$/

/** Whether a value is a text that is an id, without anything around it. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

/** Whether two values are texts that differ at most in letter case, as two forms of an id do. */
export function isSameId(one: unknown, other: unknown) {
  return (
    typeof one === 'string' &&
    typeof other === 'string' &&
    one.toLowerCase() === other.toLowerCase()
  )
}

/** The error for a text that must be an id. */
export function notAnIdError(text: string) {
  return usageError(`"${text}" is not an id: ids have 24 hexadecimal digits`)
}

/** The result of a search for an id: the id, or the reason why there is none. */
export type IdFinding =
  { id: string; reason?: undefined } | { id?: undefined; reason: string }

/** An id that is no rounded number of 24 digits. */
const soundId = /^(?!\d{15}0{9}$)[0-9a-f]{24}$/i

/** A number that a spreadsheet rounded to 15 digits. Zeros or an exponent replace the other digits. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators, in a text that has more than this id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Finds the id in a text, which may have spaces and quotes around it. Keeps its letter case. A damaged id is never repaired. */
export function findId(text: string): IdFinding {
  // Most texts are bare ids, and an input can have a million of them.
  if (soundId.test(text)) return { id: text }
  const id = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  if (soundId.test(id)) return { id }
  if (id === '') return { reason: 'empty' }
  if (roundedPattern.test(id))
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (/^[0-9a-f]+$/i.test(id))
    return { reason: `${id.length} hexadecimal digits; an id has 24` }
  if (idAmongOthers.test(id))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(id) ?? []
  return { reason: `contains "${wrong}", not a hexadecimal digit` }
}

/** The beginning of an address: `https://`, or a host with a dot in it and a slash. */
const addressStart =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?\/)/i

/** Finds a ticket's id in a text: the id alone, or an address that contains it. */
export function findTicket(text: string): IdFinding {
  const address = text.trim()
  if (!addressStart.test(address)) return findId(text)
  // In `%2F64…`, the digits `2F` of the escape would look like a part of the id.
  const withoutEscapes = address.replaceAll(/%[0-9a-f]{2}/gi, '/')
  const ids = withoutEscapes.match(/(?<![0-9a-z])[0-9a-f]{24}(?![0-9a-z])/gi) ?? []
  const [id, ...others] = new Map(ids.map((each) => [each.toLowerCase(), each])).values()
  if (id === undefined)
    return { reason: 'the address has no ticket id in it: 24 hexadecimal digits' }
  if (others.length === 0) return { id }
  const count = others.length + 1
  return { reason: `the address has ${count} ids in it: give only the ticket's id` }
}

/** Makes a parser of texts in which `find` finds an id. */
const idParser = (find: typeof findId) => (text: string, name: string) => {
  const { id, reason } = find(text)
  if (id !== undefined) return id
  throw usageError(`${name} is not an id: ${quote(text)}: ${reason}`)
}

export const parseId = idParser(findId)
export const parseTicket = idParser(findTicket)

/** Whether a value is an object with members: no array, and no date, which YAML can have. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date)
  )
}

/** The member of an object, if it is the object's own; undefined for every other value. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The index of the quote that ends a JSON string, or the length of the text if none does. `start` is behind the first quote. */
export function endOfString(json: string, start: number): number {
  for (
    let index = json.indexOf('"', start);
    index >= 0;
    index = json.indexOf('"', index + 1)
  ) {
    let backslashes = 0
    while (json.charAt(index - 1 - backslashes) === '\\') backslashes += 1
    // Two backslashes stand for one. An odd one escapes the quote.
    if (backslashes % 2 === 0) return index
  }
  return json.length
}
