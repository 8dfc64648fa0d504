/**
 * The error that a person reads when a request has failed for good. Its hint depends on the status and on the request, never
 * on the service's words.
 */
import { SvcError, type Category } from '../errors.ts'
import { join, say, svc, type Message } from '../message.ts'
import { formatDuration } from '../values.ts'
import { inSeconds } from '../words.ts'
import type { FailedAttempt, NeverSent } from './attempt.ts'
import { clockProblem } from './clock.ts'
import { causeOf, type Cause } from './connection-errors.ts'
import type { AskedWait, RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  /** For a 403. */
  forbidden: Message
  /** For every other refusal by the service. */
  rejected: Message
}

/** A request that is not sent again, and what is known about it. */
export interface Failure {
  request: {
    method: string
    path: string
    retryClass: RetryClass
    hints: RefusalHints
  }
  /** The result of the last attempt. */
  result: FailedAttempt
  attempts: number
  /** Whether any of the attempts was ambiguous. */
  wasAmbiguous: boolean
  /** Undefined if the last answer asked for no wait. */
  askedWait: AskedWait | undefined
  /** When the last attempt was signed, in milliseconds since 1970. */
  signedAt: number
  /** How far the service's clock is ahead, in milliseconds; undefined if it never told its time. */
  clockOffset: number | undefined
  /** The setting `--wait`, in milliseconds. */
  wait: number
  profile: string | undefined
  serviceHost: string
}

interface Explanation {
  /** `unavailable` if it is absent. */
  category?: Category
  message: string
  hint: Message
}

/** Explains a failure before any byte was sent, by its cause. */
const explainByCause: Readonly<
  Record<Cause, (failure: Failure, result: NeverSent) => Explanation>
> = {
  certificate: ({ serviceHost }, { message: reason }) => ({
    category: 'final',
    message: `the certificate of ${serviceHost} was not accepted: ${reason}`,
    hint: 'certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS',
  }),
  // The code, because OpenSSL's message contains memory addresses and names of its source files.
  handshake: (failure, { systemCode }) => ({
    category: 'final',
    message: `no TLS connection with ${failure.serviceHost}: ${systemCode}`,
    hint: baseUrlHint(failure),
  }),
  'unknown host': (failure) => ({
    category: 'final',
    message: `unknown host name: ${failure.serviceHost}`,
    hint: baseUrlHint(failure),
  }),
  proxy: (_failure, { message }) => ({
    category: 'final',
    message,
    hint: 'check HTTPS_PROXY, or add this host to NO_PROXY',
  }),
  local: (failure, { message: reason }) => ({
    category: 'local',
    message: `no connection to ${failure.serviceHost}: ${reason}`,
    hint: triedHint(failure),
  }),
  connection: (failure, { message: reason }) => ({
    message: `cannot reach ${failure.serviceHost}: ${reason}`,
    hint: triedHint(failure),
  }),
}

/** The error of a failed request: its exit code, message and hint, and whether a change may have been made. */
export function requestError(failure: Failure): SvcError {
  const { attempts, request, result, askedWait } = failure
  const { method, path, retryClass } = request
  const isUnknown = failure.wasAmbiguous && retryClass !== 'read'
  const explanation = isUnknown ? explainUnknown(failure) : explainResult(failure)
  const { category = 'unavailable', message, hint } = explanation
  return new SvcError(category, message, {
    hint,
    httpStatus: result.status,
    code: result.code,
    request: { method, path, attempts },
    ambiguous: isUnknown,
    retryAfter: askedWait?.isTooLong === true ? askedWait.ms : undefined,
  })
}

/** Explains a change that may have been made: no attempt brought a clear answer. */
function explainUnknown({ request, result, askedWait }: Failure): Explanation {
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made; it is safe to repeat the command'
  return {
    message: `the outcome is unknown: the request was sent and no clear answer came back (${reasonOf(result)})`,
    hint: askedWait === undefined ? advice : `${advice}\n${waitRequest(askedWait)}`,
  }
}

/** The status and the message of a result. */
function reasonOf({ status, message }: FailedAttempt) {
  if (status === undefined) return message
  const statusText = `HTTP ${status}`
  const isStatusAlone = message === undefined || message === statusText
  return isStatusAlone ? statusText : `${statusText}, ${message}`
}

function explainResult(failure: Failure): Explanation {
  const { result, serviceHost } = failure
  if (result.kind === 'never-sent')
    return explainByCause[causeOf(result.systemCode)](failure, result)
  if (result.kind === 'refused') return explainStatus(failure, result.status)
  const { status, isOdd } = result
  if (status !== undefined && status >= 400) return explainStatus(failure, status)
  const message = `${serviceHost}: ${result.message}`
  // The connection broke off, which may be temporary. Otherwise an answer came that is not one of the service.
  const isLost = status === undefined && !isOdd
  return isLost
    ? { message, hint: triedHint(failure) }
    : { category: 'final', message, hint: notTheServiceHint(failure) }
}

/** Explains a status from 400: a failure of the service, or a refusal. */
function explainStatus(failure: Failure, status: number): Explanation {
  const { code, message = `HTTP ${status}` } = failure.result
  const isTemporary = status >= 500 || status === 408 || status === 429
  if (isTemporary) return { message, hint: waitHint(failure) }
  if (status === 401) return { category: 'auth', message, hint: credentialsHint(failure) }
  const category = status === 403 ? 'forbidden' : 'rejected'
  // Every error of the service has a code (API: Errors).
  const isOfService = code !== undefined
  const hint = isOfService ? failure.request.hints[category] : notTheServiceHint(failure)
  return { category, message, hint }
}

/** The command that shows the base URL in use and where it was set: `svc doctor -p prod`. */
function doctorCommand({ profile }: Failure) {
  return { ...svc`doctor`, profile }
}

function baseUrlHint(failure: Failure) {
  return say`check the base URL: ${doctorCommand(failure)}`
}

function notTheServiceHint(failure: Failure) {
  return say`this answer does not come from the service's API; a proxy or a login page may have answered, or the base URL is wrong: ${doctorCommand(failure)}`
}

function triedHint(failure: Failure) {
  return `${effort(failure)}; try again later, or add -v to see each attempt`
}

/** Says how long svc tried. The number of attempts would differ from run to run. */
function effort({ attempts, wait }: Failure) {
  return attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
}

function waitHint(failure: Failure) {
  const { askedWait } = failure
  if (askedWait === undefined) return triedHint(failure)
  const request = waitRequest(askedWait)
  return askedWait.isTooLong
    ? `${request}; try again then, or with a longer --wait`
    : `${request}; ${effort(failure)}, try again then`
}

function waitRequest({ ms }: AskedWait) {
  return `the service asked svc to wait ${inSeconds(ms)}`
}

/** The hint for a 401. */
function credentialsHint(failure: Failure): Message {
  const { clockOffset, signedAt, profile } = failure
  const clock = clockProblem(clockOffset, signedAt)
  if (clock !== undefined) return `${clock.message}; ${clock.hint}`
  const wrongKey = say`the key or the secret is wrong, or they belong to another host: ${doctorCommand(failure)}`
  const wrongClock =
    clockOffset === undefined
      ? "or this machine's clock is wrong by more than 5 minutes"
      : undefined
  const typeAgain =
    profile === undefined
      ? undefined
      : say`to type the secret again:\n  ${svc`profiles add ${profile} --replace`}`
  return join([join([wrongKey, wrongClock], '; '), typeAgain], '\n')
}
