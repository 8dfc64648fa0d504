/**
 * This machine's clock against the service's. API: Errors, code 40121 is a wrong key, a wrong secret or a
 * stale time: the `Date` of the answer tells which.
 */
import type { Host } from '../host.ts'
import type { AnswerHeaders } from '../world.ts'
import { header, httpDate } from './answer.ts'

/** Below this an offset does not explain a 401: the window is 5 minutes. */
const explainingOffset = 240_000
/**
 * The longest round trip that shows an offset. A process that was stopped in the middle of a request learns nothing from it.
 */
const longestTrip = 10_000
/** A doctor tells of a clock that is this far off. */
const worthWarning = 60_000

/** The service's clock, according to its answers. */
export class ServiceClock {
  readonly #host: Pick<Host, 'now' | 'monotonic'>
  /** Milliseconds by which it is ahead of this machine's, from the last answer that had a `Date`. */
  offset: number | undefined

  constructor(host: Pick<Host, 'now' | 'monotonic'>) {
    this.#host = host
  }

  /**
   * By how many milliseconds an answer shows the service to be ahead; undefined without a `Date`, and after a trip that took
   * too long. `sentAt`: by this machine's clock, and by uptime, which may stand still while a laptop sleeps.
   */
  observe(
    headers: AnswerHeaders,
    sentAt: { wall: number; monotonic: number },
  ): number | undefined {
    const time = answerTime(headers)
    const now = this.#host.now()
    const trip = Math.max(
      Math.abs(now - sentAt.wall),
      this.#host.monotonic() - sentAt.monotonic,
    )
    if (time === undefined || trip >= longestTrip) return undefined
    this.offset = time - (sentAt.wall + now) / 2
    return this.offset
  }
}

/** The service's time when it answered, in milliseconds since 1970: `Date` with `Age`. Undefined without a `Date`. */
function answerTime(headers: AnswerHeaders) {
  const date = httpDate(header(headers, 'date'))
  const age = header(headers, 'age')?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(age) ? Number(age) : 0
  return date === undefined ? undefined : date + seconds * 1000
}

/** Whether an offset, in milliseconds, explains a 401; otherwise the credentials are wrong. */
export function explainsRefusal(offset: number): boolean {
  return Math.abs(offset) >= explainingOffset
}

/** Whether an offset in milliseconds deserves a warning. */
export function clockIsOff(offset: number | undefined): boolean {
  return offset !== undefined && Math.abs(offset) > worthWarning
}

/** `7m12s behind` or `3h4m ahead of`, in the two largest units: this machine against the service. */
export function describeOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor(seconds / 3600) % 24
  const minutes = Math.floor(seconds / 60) % 60
  const all = `${days}d${hours}h${minutes}m${seconds % 60}s`
  const [largest = ''] = /[1-9]\d*[dhm]\d+[hms]|\d+s$/.exec(all) ?? []
  return `${largest} ${offset > 0 ? 'behind' : 'ahead of'} the service`
}
