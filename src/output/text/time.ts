/**
 * Times for people, in this machine's time zone (`TZ`): relative on a terminal, exact elsewhere. Times come in as
 * milliseconds since 1970.
 */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const month = 30 * day
const year = 365 * day

/** The milliseconds since 1970 of an ISO date-time, or undefined if the text is not one. */
export function parseTime(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\dT/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** `3d ago`, `in 5m`, `just now`. */
export function relativeTime(time: number, now: number): string {
  const distance = Math.abs(now - time)
  if (distance < minute) return 'just now'
  return time <= now ? `${span(distance)} ago` : `in ${span(distance)}`
}

/** `2026-03-01 10:15`. */
export function dateToMinute(moment: number): string {
  const { date, time } = dateAndTime(moment)
  return `${date} ${time.slice(0, 5)}`
}

const units = [
  [year, 'y'],
  [month, 'mo'],
  [day, 'd'],
  [hour, 'h'],
] as const

/** `5m`, `3h`, `2d`, `4mo`, `1y`: in the largest unit that fits at least once. */
function span(ms: number) {
  const [unit, name] = units.find(([size]) => ms >= size) ?? [minute, 'm']
  return `${Math.floor(ms / unit)}${name}`
}

/** `2026-03-01` and `10:15:00` of a time in this machine's time zone. */
export function dateAndTime(time: number): { date: string; time: string } {
  const shift = new Date(time).getTimezoneOffset() * minute
  // Writes local time as if it were UTC: only UTC has a format that no locale changes.
  const [date = '', clock = ''] = new Date(time - shift).toISOString().split('T')
  return { date, time: clock.slice(0, '10:15:00'.length) }
}

/** `2026-03-01T10:15:00+01:00`. */
export function exactTime(time: number): string {
  const moment = dateAndTime(time)
  const offset = -new Date(time).getTimezoneOffset()
  // Writes the offset like a time of day: `01:00`.
  const zone = new Date(Math.abs(offset) * minute).toISOString().slice(11, 16)
  return `${moment.date}T${moment.time}${offset < 0 ? '-' : '+'}${zone}`
}
