/**
 * Parsers of values that people type as options, arguments or settings: numbers, texts, times, rates and words. A function `parse…`
 * throws a usage error that says what it accepts; its `name` is what the message calls the value, such as `--limit`.
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
