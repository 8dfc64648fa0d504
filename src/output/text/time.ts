/**
 * Writes times for people, in this machine's time zone (`TZ`): relative on a terminal, exact elsewhere. Times are milliseconds
 * since 1970.
 */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const isoTime = /^\d{4}-\d\d-\d\dT/i

/** Returns the time of an ISO text; undefined if the text is none. */
export function parseTime(text: string): number | undefined {
  const time = isoTime.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const units = [
  [365 * day, 'y'],
  [30 * day, 'mo'],
  [day, 'd'],
  [hour, 'h'],
  [minute, 'm'],
] as const

/** Returns `3d ago`, `in 5m` or `just now`, in the largest unit that fits at least once. */
export function relativeTime(time: number, now: number): string {
  const distance = Math.abs(now - time)
  const unit = units.find(([size]) => distance >= size)
  if (unit === undefined) return 'just now'
  const [size, name] = unit
  const span = `${Math.floor(distance / size)}${name}`
  return time <= now ? `${span} ago` : `in ${span}`
}

/** Returns a text such as `2026-03-01 10:15`. */
export function dateToMinute(time: number): string {
  return localTime(time).slice(0, 16).replace('T', ' ')
}

/** Returns a text such as `2026-03-01T10:15:00+01:00`. */
export function exactTime(time: number): string {
  const offset = -new Date(time).getTimezoneOffset()
  // Writes the offset like a time of day: `01:00`.
  const distance = new Date(Math.abs(offset) * minute)
  const zone = distance.toISOString().slice(11, 16)
  const sign = offset < 0 ? '-' : '+'
  return `${localTime(time)}${sign}${zone}`
}

/** Returns a text such as `2026-03-01T10:15:00`, in this machine's time zone. */
function localTime(time: number) {
  const offset = new Date(time).getTimezoneOffset() * minute
  // Writes local time as if it were UTC: only UTC has a format that no locale changes.
  const shifted = new Date(time - offset)
  return shifted.toISOString().slice(0, 19)
}
