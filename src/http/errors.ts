/**
 * From the last result of a request to the error that a person reads. Hints depend on the status and on what the request
 * brings along for its refusals, never on the service's words.
 */
import { say, svc, type Message } from '../message.ts'
import { SvcError, type Category } from '../errors.ts'
import { formatDuration } from '../values.ts'
import { inSeconds } from '../words.ts'
import type { FailedAttempt } from './attempt.ts'
import { causeOf, type Cause } from './connection-errors.ts'
import type { AskedWait, RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  forbidden: Message
  /** Every other refusal by the service. */
  rejected: Message
}

export interface Failure {
  result: FailedAttempt
  request: {
    method: string
    path: string
    retryClass: RetryClass
    hints: RefusalHints
  }
  attempts: number
  /** An attempt of this request was ambiguous, this one or an earlier. */
  everAmbiguous: boolean
  askedWait?: AskedWait | undefined
  /** When the attempt was signed, and by how many milliseconds the service's clock is ahead. */
  signedAt: number
  clockOffset: number | undefined
  /** The setting `--wait`, in milliseconds. */
  wait: number
  profile: string | undefined
  serviceHost: string
}

/** The words and the hint, and a category other than `unavailable`. */
interface Explained {
  category?: Category
  message: string
  hint: Message
}

/** Failures before a byte was sent, by their cause. */
const connections: Readonly<
  Record<Cause, (failure: Failure, said: string, code: string) => Explained>
> = {
  certificate: ({ serviceHost }, said) => ({
    category: 'final',
    message: `the certificate of ${serviceHost} was not accepted: ${said}`,
    hint: 'certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS',
  }),
  // OpenSSL's own sentence has addresses in its memory and files of its source.
  handshake: (failure, _said, code) => ({
    category: 'final',
    message: `no TLS connection with ${failure.serviceHost}: ${code}`,
    hint: checkBaseUrl(failure),
  }),
  'unknown host': (failure) => ({
    category: 'final',
    message: `unknown host name: ${failure.serviceHost}`,
    hint: checkBaseUrl(failure),
  }),
  proxy: (_failure, message) => ({
    category: 'final',
    message,
    hint: 'check HTTPS_PROXY, or add this host to NO_PROXY',
  }),
  local: (failure, said) => ({
    category: 'local',
    message: `no connection to ${failure.serviceHost}: ${said}`,
    hint: triedHint(failure),
  }),
  connection: (failure, said) => ({
    message: `cannot reach ${failure.serviceHost}: ${said}`,
    hint: triedHint(failure),
  }),
}

/** The error of a request that will not be sent again: exit code, words, hint, and whether the change may have been made. */
export function explain(failure: Failure): SvcError {
  const { attempts, request, result, askedWait } = failure
  const { method, path, retryClass } = request
  const { status, code } = result
  const isUnknown = failure.everAmbiguous && retryClass !== 'read'
  const explained = isUnknown ? explainUnknown(failure) : explainResult(failure)
  const { category = 'unavailable', message, hint } = explained
  return new SvcError(category, message, {
    hint,
    httpStatus: status,
    code,
    request: { method, path, attempts },
    ambiguous: isUnknown,
    retryAfter: askedWait?.isTooLong === true ? askedWait.ms : undefined,
  })
}

/** A change was perhaps made and no answer said so. */
function explainUnknown({ request, result, askedWait }: Failure): Explained {
  const { status, message = '' } = result
  const words = new Set([status === undefined ? '' : `HTTP ${status}`, message])
  words.delete('')
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made; it is safe to repeat the command'
  return {
    message: `the outcome is unknown: the request was sent and no clear answer came back (${[...words].join(', ')})`,
    hint: askedWait === undefined ? advice : `${advice}\n${asksToWait(askedWait)}`,
  }
}

function explainResult(failure: Failure): Explained {
  const { result, serviceHost } = failure
  const { status = 0, message: said = '' } = result
  if (result.kind === 'never-sent')
    return connections[causeOf(result.systemCode)](failure, said, result.systemCode ?? '')
  if (status >= 400) return explainStatus(failure, status)
  const message = `${serviceHost}: ${said}`
  return status === 0 && result.kind === 'ambiguous' && !result.isOdd
    ? { message, hint: triedHint(failure) }
    : { category: 'final', message, hint: somebodyElse(failure) }
}

/** A refusal, or a failure of the service. */
function explainStatus(failure: Failure, status: number): Explained {
  const { code, message = `HTTP ${status}` } = failure.result
  if (status >= 500 || status === 408 || status === 429)
    return { message, hint: waitHint(failure) }
  if (status === 401) return { category: 'auth', message, hint: credentialsHint(failure) }
  const category = status === 403 ? 'forbidden' : 'rejected'
  // API: Errors. Every error of the service has a code.
  const hint = code === undefined ? somebodyElse(failure) : failure.request.hints[category]
  return { category, message, hint }
}

/** The command that shows the base URL in use and where it is from: `svc doctor -p prod`. */
function doctor({ profile }: Failure) {
  return { ...svc`doctor`, ...(profile !== undefined && { profile }) }
}

function checkBaseUrl(failure: Failure) {
  return say`check the base URL: ${doctor(failure)}`
}

/** The hint for an answer that is none of the service. */
function somebodyElse(failure: Failure) {
  return say`this is no answer of the service's API; a proxy or a login page may have answered, or the base URL is wrong: ${doctor(failure)}`
}

function triedHint(failure: Failure) {
  return `${tried(failure)}; try again later, or add -v to see each attempt`
}

/** Not the number of attempts, which chance decides. */
function tried({ attempts, wait }: Failure) {
  return attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
}

function waitHint(failure: Failure) {
  const { askedWait } = failure
  if (askedWait === undefined) return triedHint(failure)
  const asks = asksToWait(askedWait)
  return askedWait.isTooLong
    ? `${asks}; try again then, or with a longer --wait`
    : `${asks}; ${tried(failure)}, try again then`
}

function asksToWait({ ms }: AskedWait) {
  return `the service asked svc to wait ${inSeconds(ms)}`
}

function credentialsHint(failure: Failure): Message {
  const { clockOffset, signedAt, profile } = failure
  if (isClockWrong(clockOffset))
    return `${describeClock(clockOffset, signedAt)}; ${setClock}`
  const clock =
    clockOffset === undefined
      ? "; or this machine's clock is wrong by more than 5 minutes"
      : ''
  const again =
    profile === undefined
      ? ''
      : say`\nto type the secret again:\n  ${svc`profiles add ${profile} --replace`}`
  return say`the key or the secret is wrong, or they belong to another host: ${doctor(failure)}${clock}${again}`
}

/**
 * Whether this machine's clock is so far off, in milliseconds, that it explains a 401. API: Authentication, rule 1: a
 * signature is valid for 5 minutes.
 */
export function isClockWrong(offset: number | undefined): offset is number {
  return offset !== undefined && Math.abs(offset) >= 240_000
}

/** Both clocks at the time `now` of this machine's, in milliseconds since 1970. */
export function describeClock(offset: number, now: number): string {
  const [here = '', there = ''] = [now, now + offset].map((time) =>
    new Date(time).toISOString().replace(/\.\d+/, ''),
  )
  return `this machine's clock says ${here}, the service's ${there}`
}

export const setClock = 'set the clock: a request is valid for 5 minutes'
