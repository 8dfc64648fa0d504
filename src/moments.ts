/** Moments that people type: dates, times and ages. */
import type { Host } from './host.ts'
import { usageError } from './errors.ts'
import { dayMs, valueError } from './parsing.ts'
import { hasTimeZone, zoneProblem } from './wording.ts'

/** An ISO 8601 date, perhaps with a time, which may have an offset. */
const dateTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/**
 * Reads a date, perhaps with a time. Returns milliseconds since 1970, or undefined if the text is
 * neither.
 */
function readDateTime(text: string) {
  const [, date, clock = '00:00', offset = ''] = dateTime.exec(text) ?? []
  const value = Date.parse(`${date}T${clock}${offset}`)
  if (Number.isNaN(value)) return undefined
  // A day that does not exist is a mistake, but Date makes 2 March of 30 February.
  return new Date(`${date}T00:00Z`).toISOString().startsWith(`${date}T`) ? value : undefined
}

/** The days that have a name, and how many days ago they were. */
const namedDays = new Map([
  ['today', 0],
  ['yesterday', 1],
])

/**
 * Reads a moment, and returns milliseconds since 1970; undefined if none was typed. The text is one
 * of:
 * - an ISO 8601 date, `today` or `yesterday`: the first or the last moment of this day in local
 *   time
 * - a date with a time, which is local without an offset
 * - an age such as `2d`, which is counted back from now
 */
export function momentOf(
  text: string | undefined,
  { host }: { host: Pick<Host, 'env' | 'now'> },
  name: string,
  ofDay: 'first' | 'last' = 'first',
) {
  if (text === undefined) return undefined
  const [, age] = /^([0-9]{1,4})d$/.exec(text) ?? []
  if (age !== undefined) return host.now() - Number(age) * dayMs
  const daysAgo = namedDays.get(text)
  const moment = daysAgo === undefined ? readDateTime(text) : host.now()
  if (moment === undefined)
    throw valueError(
      name,
      text,
      'a date (2026-03-01), a date and time (2026-03-01T10:15:00Z), an age in days ' +
        '(7d), today, or yesterday',
    )
  if (!/(?:Z|[+-]\d\d:\d\d)$/.test(text) && !hasTimeZone(host))
    throw usageError(zoneProblem(host), 'set TZ, for example: Europe/Berlin')
  if (daysAgo === undefined && text.length > '2026-03-01'.length) return moment
  const day = new Date(moment)
  const dayOfMonth = day.getDate() - (daysAgo ?? 0) + (ofDay === 'last' ? 1 : 0)
  const midnight = new Date(day.getFullYear(), day.getMonth(), dayOfMonth).getTime()
  return ofDay === 'last' ? midnight - 1 : midnight
}
