/**
 * The clock against the service's. One code (40121) stands for a wrong key, a wrong secret and a stale timestamp; the
 * `Date` header tells them apart. Reliability, section 4.
 */
import { header, type AnswerHeaders } from './attempt.ts'
import { httpDate } from './retry.ts'

/** Below this an offset does not explain a 401: the window is 5 minutes. */
const explains = 240_000
/** Beyond this the clock must be set by hand. */
const tooFar = 24 * 60 * 60 * 1000
/** A good answer this far off deserves a warning. */
const worthWarning = 60_000

/**
 * Milliseconds by which the service's clock is ahead of this machine's; undefined without a readable `Date`.
 * `sentAt` and `answeredAt` are this machine's clock around the exchange.
 */
export function clockOffset(headers: AnswerHeaders, sentAt: number, answeredAt: number): number | undefined {
  const date = httpDate(header(headers, 'date'))
  if (date === undefined) return undefined
  const age = header(headers, 'age')
  const aged = age !== undefined && /^\d{1,9}$/.test(age.trim()) ? Number(age) * 1000 : 0
  return date + aged - (sentAt + answeredAt) / 2
}

export type ClockVerdict = 'unknown' | 'credentials' | 'adjust' | 'set-the-clock'

/** What a 401 means. `adjusted`: an attempt with the service's time was already made. */
export function judgeClock(offset: number | undefined, adjusted: boolean): ClockVerdict {
  if (offset === undefined) return 'unknown'
  const distance = Math.abs(offset)
  if (distance > tooFar) return 'set-the-clock'
  if (distance < explains) return 'credentials'
  return adjusted ? 'credentials' : 'adjust'
}

export function clockIsOff(offset: number | undefined): boolean {
  return offset !== undefined && Math.abs(offset) > worthWarning
}

/** `7m12s behind` or `3h4m ahead of`: this machine against the service. */
export function describeOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor((seconds % 86400) / 3600), Math.floor((seconds % 3600) / 60)]
  const words =
    days > 0 ? `${days}d${hours}h` : hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
  return `${words} ${offset > 0 ? 'behind' : 'ahead of'} the service`
}
