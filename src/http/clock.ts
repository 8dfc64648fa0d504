/** A wrong clock on this machine: whether it explains a 401, and what to tell the person. Times are in milliseconds. */

/**
 * The service refuses a signature that is 5 minutes off (API: Authentication, rule 1). A minute less, because the service's
 * `Date` tells its time only roughly: its answer takes a while to arrive.
 */
const maxOffset = 4 * 60 * 1000

/**
 * Describes both clocks if they differ so much that the service refuses every signature; otherwise returns undefined.
 * `offset`: how far the service's clock is ahead, if known. `now`: the time of this machine's clock, since 1970.
 */
export function clockProblem(offset: number | undefined, now: number) {
  if (offset === undefined || Math.abs(offset) < maxOffset) return undefined
  const here = toSecond(now)
  const there = toSecond(now + offset)
  return {
    message: `this machine's clock says ${here}, the service's ${there}`,
    hint: 'set the clock: a request is valid for 5 minutes',
  }
}

/** A time without its milliseconds: `2026-03-01T10:15:00Z`. */
function toSecond(time: number) {
  return new Date(time).toISOString().replace(/\.\d+/, '')
}
