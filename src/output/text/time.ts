/** Times for people: relative on a terminal, exact elsewhere. */

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Milliseconds since 1970 of an ISO date-time, or undefined when it is none. */
export function parseTime(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\dT/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** `3d ago`, `in 5m`, `in 72h`, `just now`. */
export function relativeTime(time: number, now: number): string {
  const distance = Math.abs(now - time)
  if (distance < minute) return 'just now'
  if (time <= now) return `${span(distance)} ago`
  // A deadline is near to the hour, not to the day that is over: `in 72h`, a minute later too.
  return `in ${distance < hour || distance > 4 * day ? span(distance) : `${Math.round(distance / hour)}h`}`
}

/** How old it is within the hour, then date and time to the minute, by which rows can be told apart. */
export function ageOrDate(time: number, now: number): string {
  return Math.abs(now - time) < hour ? relativeTime(time, now) : dateToMinute(time)
}

/** Date and time to the minute, local. */
export function dateToMinute(time: number): string {
  const at = dateAndTime(time, false)
  return `${at.date} ${at.time.slice(0, 5)}`
}

/** Clocks of machines that share a folder differ by less than this. */
const mostDifference = 5 * minute

/** Whether a time that was recorded says nothing: the clock was wrong then, or is now. */
export function isFuture(time: number, now: number): boolean {
  return time > now + mostDifference
}

/** ` (future)` behind such a time. */
export function futureWord(time: number, now: number): string {
  return isFuture(time, now) ? ' (future)' : ''
}

function span(ms: number): string {
  if (ms < hour) return `${Math.floor(ms / minute)}m`
  if (ms < day) return `${Math.floor(ms / hour)}h`
  if (ms < 30 * day) return `${Math.floor(ms / day)}d`
  if (ms < 365 * day) return `${Math.floor(ms / (30 * day))}mo`
  return `${Math.floor(ms / (365 * day))}y`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** `2026-03-01` and `10:15:00` of a time, local or UTC. */
export function dateAndTime(time: number, utc: boolean): { date: string; time: string } {
  const date = new Date(utc ? time : time - new Date(time).getTimezoneOffset() * minute)
  const iso = date.toISOString()
  const at = iso.indexOf('T')
  return { date: iso.slice(0, at), time: iso.slice(at + 1, at + 9) }
}

/** `2026-03-01T10:15:00+01:00`, or with `Z` in UTC. */
export function exactTime(time: number, utc: boolean): string {
  const parts = dateAndTime(time, utc)
  if (utc) return `${parts.date}T${parts.time}Z`
  const offset = -new Date(time).getTimezoneOffset()
  const size = Math.abs(offset)
  return `${parts.date}T${parts.time}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
