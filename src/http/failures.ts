/**
 * Makes the error that a person reads when a request has failed for good. The hint depends on the status and the request, never
 * on the service's words.
 */
import { SvcError, type Category } from '../errors.ts'
import { formatDuration } from '../values.ts'
import { inSeconds, shellWord } from '../words.ts'
import { finalCauseOf, type FailedAttempt } from './attempt.ts'
import { isTemporaryStatus, type AskedWait, type RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  /** For a 403. */
  forbidden: string
  /** For every other refusal by the service. */
  rejected: string
}

/** A request that has failed for good, and what is known about it. */
export interface Failure {
  request: { retryClass: RetryClass; hints: RefusalHints }
  attempts: number
  /** Whether a change may have been made, and no answer shows whether it was. */
  isUnknown: boolean
  /** The result of the last attempt. */
  result: FailedAttempt
  /** Undefined if the last answer asked for no wait. */
  askedWait: AskedWait | undefined
  /** When the last attempt was signed, in milliseconds since 1970. */
  signedAt: number
  /** How many milliseconds the service's clock is ahead of this machine's; undefined if no answer had a `Date`. */
  clockOffset: number | undefined
  /** The setting `--wait`, in milliseconds. */
  wait: number
  /** The name of the profile; undefined if the credentials came from the environment. */
  profile: string | undefined
  serviceHost: string
}

/** Makes the error of a failed request. Its details say whether a change may have been made. */
export function requestError(failure: Failure): SvcError {
  const { result, askedWait, isUnknown } = failure
  const [category, message, hint] = isUnknown ? unknownOutcome(failure) : explain(failure)
  return new SvcError(category, message, {
    hint,
    httpStatus: result.status,
    code: result.code,
    retryAfter: askedWait?.isTooLong === true ? askedWait.ms : undefined,
    ambiguous: isUnknown,
  })
}

/** The category, the message and the hint of an error. */
type Explanation = readonly [Category, message: string, hint: string]

/** Explains a change that may have been made: no attempt brought a clear answer. */
function unknownOutcome({ request, result, askedWait }: Failure): Explanation {
  const { status, message } = result
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made'
  const statusText = status === undefined ? [] : [`HTTP ${status}`]
  const reason = [...new Set([...statusText, message ?? []].flat())].join(', ')
  return [
    'unavailable',
    `the outcome is unknown: the request was sent and no clear answer came back (${reason})`,
    askedWait === undefined ? advice : `${advice}\n${askedWaitText(askedWait)}`,
  ]
}

/** Explains every other failure by the first `if` that fits. */
function explain(failure: Failure): Explanation {
  const { result, serviceHost, request, attempts, wait, askedWait } = failure
  const { status = 0, code, message = `HTTP ${status}` } = result
  // The number of attempts would differ from run to run.
  const tried = attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
  const later = `${tried}; try again later, or add -v to see each attempt`
  if (result.kind === 'never-sent') {
    const cause = finalCauseOf(result.systemCode)
    if (cause !== undefined)
      return ['final', cause.say(serviceHost, result.message), cause.hint]
    return ['unavailable', `cannot reach ${serviceHost}: ${message}`, later]
  }
  if (isTemporaryStatus(status))
    return ['unavailable', message, askedWaitHint(askedWait, tried) ?? later]
  if (status === 401) return ['auth', message, credentialsHint(failure)]
  if (status >= 400) {
    const category = status === 403 ? 'forbidden' : 'rejected'
    // Every error of the service has a code (API: Errors).
    return [category, message, code === undefined ? notTheService : request.hints[category]]
  }
  // The rest is ambiguous: the connection was lost, or an answer came that is not one of the service's API.
  const isLost = result.kind === 'ambiguous' && status === 0 && !result.isForeign
  const problem = `${serviceHost}: ${message}`
  return isLost ? ['unavailable', problem, later] : ['final', problem, notTheService]
}

const notTheService = `this answer does not come from the service's API; a proxy or a login page may have answered, or the base URL is wrong:\n  svc doctor`

function askedWaitHint(askedWait: AskedWait | undefined, tried: string) {
  if (askedWait === undefined) return undefined
  const advice = askedWait.isTooLong
    ? 'try again then, or with a longer --wait'
    : `${tried}, try again then`
  return `${askedWaitText(askedWait)}; ${advice}`
}

function askedWaitText({ ms }: AskedWait) {
  return `the service asked svc to wait ${inSeconds(ms)}`
}

/** Returns the hint for a 401: both clocks if they explain it, or else what may be wrong. */
function credentialsHint({ clockOffset, signedAt, profile }: Failure): string {
  const problem = clockProblem(clockOffset, signedAt)
  if (problem !== undefined) return `${problem.message}; ${problem.hint}`
  const orClock =
    clockOffset === undefined
      ? "; or this machine's clock is wrong by more than 5 minutes"
      : ''
  const typeAgain =
    profile === undefined
      ? '\nor set SVC_API_KEY and SVC_API_SECRET again'
      : `\nto type the secret again:\n  svc profiles add ${shellWord(profile)} --replace`
  return `the key or the secret is wrong, or they belong to another host${orClock}:\n  svc doctor${typeAgain}`
}

/**
 * How far the clocks may differ. The service refuses a signature that is 5 minutes off (API: Authentication, rule 1). This is a
 * minute less: an answer takes a while to arrive, so its `Date` tells the service's time only roughly.
 */
const maxClockOffsetMs = 4 * 60 * 1000

/**
 * Returns what a person reads if the clocks differ so much that this explains a refused signature; otherwise undefined.
 * `offset` is how many milliseconds the service's clock is ahead; `now` is this machine's time in milliseconds since 1970.
 */
export function clockProblem(offset: number | undefined, now: number) {
  if (offset === undefined || Math.abs(offset) < maxClockOffsetMs) return undefined
  const toSecond = (time: number) => new Date(time).toISOString().replace(/\.\d+/, '')
  return {
    message: `this machine's clock says ${toSecond(now)}, the service's ${toSecond(now + offset)}`,
    hint: 'set the clock: a request is valid for 5 minutes',
  }
}
