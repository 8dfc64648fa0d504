/**
 * Makes the error that a person reads when a request has failed for good. The hint depends on the status and the request, never
 * on the service's words.
 */
import { SvcError, type Category } from '../errors.ts'
import { formatDuration } from '../values.ts'
import { inSeconds, shellWord } from '../words.ts'
import { type FailedAttempt, type NeverSent, causeOf, type Cause } from './attempt.ts'
import { isTemporaryStatus, type AskedWait, type RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  /** For a 403. */
  forbidden: string
  /** For every other refusal by the service. */
  rejected: string
}

/** A request that is not sent again, after a failure or an interruption. */
interface EndedRequest {
  request: { method: string; path: string; retryClass: RetryClass }
  attempts: number
  /** Whether any of the attempts was ambiguous. */
  wasAmbiguous: boolean
}

/** A request that has failed for good, and what is known about it. */
export interface Failure extends EndedRequest {
  request: EndedRequest['request'] & { hints: RefusalHints }
  /** The result of the last attempt. */
  result: FailedAttempt
  /** Undefined if the last answer asked for no wait. */
  askedWait: AskedWait | undefined
  clock: {
    /** When the last attempt was signed, in milliseconds since 1970. */
    signedAt: number
    /** How many milliseconds the service's clock is ahead of this machine's; undefined if no answer had a `Date`. */
    offset: number | undefined
  }
  /** The setting `--wait`, in milliseconds. */
  wait: number
  /** The name of the profile; undefined if the credentials came from the environment. */
  profile: string | undefined
  serviceHost: string
}

/** A failure as a person reads it. */
interface Explanation {
  /** Absent for `unavailable`. */
  category?: Category
  message: string
  hint: string
}

/** Explains a failure before any byte was sent, by its cause. */
const explainByCause: Readonly<
  Record<Cause, (failure: Failure & { result: NeverSent }) => Explanation>
> = {
  certificate: ({ serviceHost, result }) => ({
    category: 'final',
    message: `the certificate of ${serviceHost} was not accepted: ${result.message}`,
    hint: 'certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS',
  }),
  // The code replaces OpenSSL's message, which contains memory addresses and names of source files.
  handshake: (failure) => ({
    category: 'final',
    message: `no TLS connection with ${failure.serviceHost}: ${failure.result.systemCode}`,
    hint: baseUrlHint,
  }),
  'unknown host': (failure) => ({
    category: 'final',
    message: `unknown host name: ${failure.serviceHost}`,
    hint: baseUrlHint,
  }),
  proxy: ({ result }) => ({
    category: 'final',
    message: result.message,
    hint: 'check HTTPS_PROXY, or add this host to NO_PROXY',
  }),
  local: (failure) => ({
    category: 'local',
    message: `no connection to ${failure.serviceHost}: ${failure.result.message}`,
    hint: triedHint(failure),
  }),
  connection: (failure) => ({
    message: `cannot reach ${failure.serviceHost}: ${failure.result.message}`,
    hint: triedHint(failure),
  }),
}

/** Makes the error of a failed request. Its details say whether a change may have been made. */
export function requestError(failure: Failure): SvcError {
  const { result, askedWait } = failure
  const explain = isUnknown(failure) ? explainUnknown : explainResult
  const { category = 'unavailable', message, hint } = explain(failure)
  return new SvcError(category, message, {
    hint,
    httpStatus: result.status,
    code: result.code,
    retryAfter: askedWait?.isTooLong === true ? askedWait.ms : undefined,
    ...detailsOf(failure),
  })
}

/** Makes the error of a request that was ended by a signal or by the end of the command. */
export function interruptionError(ended: EndedRequest): SvcError {
  const outcome = isUnknown(ended) ? ': the outcome of the request is unknown' : ''
  return new SvcError('interrupted', `interrupted${outcome}`, detailsOf(ended))
}

/** Whether a change may have been made, and no answer shows whether it was. */
function isUnknown({ request, wasAmbiguous }: EndedRequest) {
  return wasAmbiguous && request.retryClass !== 'read'
}

function detailsOf(ended: EndedRequest) {
  const { method, path } = ended.request
  const request = { method, path, attempts: ended.attempts }
  return { request, ambiguous: isUnknown(ended) }
}

/** Explains a change that may have been made: no attempt brought a clear answer. */
function explainUnknown({ request, result, askedWait }: Failure): Explanation {
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made; it is safe to repeat the command'
  return {
    message: `the outcome is unknown: the request was sent and no clear answer came back (${reasonOf(result)})`,
    hint: askedWait === undefined ? advice : `${advice}\n${askedWaitText(askedWait)}`,
  }
}

/** Returns the status and the message of a result, as far as they are known. */
function reasonOf({ status, message }: FailedAttempt) {
  if (status === undefined) return message
  const statusText = `HTTP ${status}`
  const isStatusAlone = message === undefined || message === statusText
  return isStatusAlone ? statusText : `${statusText}, ${message}`
}

function explainResult(failure: Failure): Explanation {
  const { result, serviceHost } = failure
  if (result.kind === 'never-sent')
    return explainByCause[causeOf(result.systemCode)]({ ...failure, result })
  if (result.kind === 'refused') return explainStatus(failure, result.status)
  const { status, isOdd } = result
  if (status !== undefined && status >= 400) return explainStatus(failure, status)
  const message = `${serviceHost}: ${result.message}`
  // The rest is ambiguous: the connection was lost, or an answer came that is not one of the service's API.
  const isConnectionLost = status === undefined && !isOdd
  return isConnectionLost
    ? { message, hint: triedHint(failure) }
    : { category: 'final', message, hint: notTheServiceHint }
}

/** Explains a status of 400 or more: a failure of the service, or a refusal. */
function explainStatus(failure: Failure, status: number): Explanation {
  const { code, message = `HTTP ${status}` } = failure.result
  if (isTemporaryStatus(status)) return { message, hint: waitHint(failure) }
  if (status === 401) return { category: 'auth', message, hint: credentialsHint(failure) }
  const category = status === 403 ? 'forbidden' : 'rejected'
  // Every error of the service has a code (API: Errors).
  const isFromService = code !== undefined
  const hint = isFromService ? failure.request.hints[category] : notTheServiceHint
  return { category, message, hint }
}

const baseUrlHint = 'check the base URL:\n  svc doctor'

const notTheServiceHint = `this answer does not come from the service's API; a proxy or a login page may have answered, or the base URL is wrong:\n  svc doctor`

function triedHint(failure: Failure) {
  return `${howLongTried(failure)}; try again later, or add -v to see each attempt`
}

/** Says how long svc tried. The number of attempts would differ from run to run. */
function howLongTried({ attempts, wait }: Failure) {
  return attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
}

function waitHint(failure: Failure) {
  const { askedWait } = failure
  if (askedWait === undefined) return triedHint(failure)
  const asked = askedWaitText(askedWait)
  return askedWait.isTooLong
    ? `${asked}; try again then, or with a longer --wait`
    : `${asked}; ${howLongTried(failure)}, try again then`
}

function askedWaitText({ ms }: AskedWait) {
  return `the service asked svc to wait ${inSeconds(ms)}`
}

/** Returns the hint for a 401: both clocks if they explain it, or else what may be wrong. */
function credentialsHint(failure: Failure): string {
  const { clock, profile } = failure
  const problem = clockProblem(clock.offset, clock.signedAt)
  if (problem !== undefined) return `${problem.message}; ${problem.hint}`
  const orClock =
    clock.offset === undefined
      ? "; or this machine's clock is wrong by more than 5 minutes"
      : ''
  const typeAgain =
    profile === undefined
      ? ''
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
  const here = toSecond(now)
  const there = toSecond(now + offset)
  return {
    message: `this machine's clock says ${here}, the service's ${there}`,
    hint: 'set the clock: a request is valid for 5 minutes',
  }
}

/** Returns a time without its milliseconds: `2026-03-01T10:15:00Z`. */
function toSecond(time: number) {
  return new Date(time).toISOString().replace(/\.\d+/, '')
}
