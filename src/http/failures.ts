/**
 * How an attempt can fail: one table of all failures, and the error that a person reads when a request has failed for good. A hint
 * depends on the failure and the request, never on the service's words.
 */
import { SvcError, type Category } from '../errors.ts'
import type { AnswerHeaders } from '../host.ts'
import { formatDuration } from '../values.ts'
import { inSeconds, joinPresent, shellWord } from '../words.ts'

/** The facts about a kind of failure. */
interface FailureFacts {
  /** No byte of the request was sent, the service answered that it did nothing, or it may or may not have done it. */
  kind: 'never-sent' | 'refused' | 'ambiguous'
  /** Whether the same request may succeed later. */
  isTemporary: boolean
  category: Category
  /** Without it, the message is the service's. */
  message?: (host: string, reason: string) => string
  hint: (failed: FailedRequest) => string
}

const neverSent = { kind: 'never-sent', isTemporary: false, category: 'final' } as const
const refused = { kind: 'refused', isTemporary: false } as const
const noService = {
  category: 'final',
  message: withHost,
  hint: () => notTheService,
} as const

/** All failures of an attempt. */
export const failures = {
  certificate: {
    ...neverSent,
    message: (host, reason) => `the certificate of ${host} was not accepted: ${reason}`,
    hint: () =>
      'certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS',
  },
  unknownHost: {
    ...neverSent,
    message: (host) => `unknown host name: ${host}`,
    hint: () => 'check the base URL:\n  svc doctor',
  },
  /** The proxy refused, and will do so again. */
  proxy: {
    ...neverSent,
    message: (_host, reason) => reason,
    hint: () => 'check HTTPS_PROXY, or add this host to NO_PROXY',
  },
  unreachable: {
    kind: 'never-sent',
    isTemporary: true,
    category: 'unavailable',
    message: (host, reason) => `cannot reach ${host}: ${reason}`,
    hint: later,
  },
  /** 429: the service did nothing, because it has too many requests. */
  throttled: { kind: 'refused', isTemporary: true, category: 'unavailable', hint: later },
  /** 401. */
  credentials: { ...refused, category: 'auth', hint: credentialsHint },
  /** 403. */
  forbidden: { ...refused, category: 'forbidden', hint: hintOfRequest('forbidden') },
  /** Any other 4xx but 408. */
  rejected: { ...refused, category: 'rejected', hint: hintOfRequest('rejected') },
  /** 408 or 5xx: a gateway may answer so, while the service behind it has done what the request asks for. */
  unwell: { kind: 'ambiguous', isTemporary: true, category: 'unavailable', hint: later },
  /** The connection ended before the answer was complete. */
  lost: {
    kind: 'ambiguous',
    isTemporary: true,
    category: 'unavailable',
    message: withHost,
    hint: later,
  },
  /** An answer that was cut or damaged on its way. */
  garbled: { kind: 'ambiguous', isTemporary: true, ...noService },
  /** An answer that is not one of the service's API, such as a login page or a redirect. It would only come again. */
  foreign: { kind: 'ambiguous', isTemporary: false, ...noService },
} as const satisfies Record<string, FailureFacts>

export type FailureName = keyof typeof failures

/** Known facts about an answer. Without an answer, there are none but the message. */
export interface AnswerFacts {
  status?: number
  headers?: AnswerHeaders
  /** The service's own error code. */
  code?: number
  /** The service's words for its refusal, or why there is no answer that counts. */
  message?: string
}

export interface FailedAttempt extends AnswerFacts {
  /** The kind of the failure below. */
  kind: FailureFacts['kind']
  failure: FailureName
}

/**
 * Whether a request may be sent again. A `read` changes nothing. A `repeatable` request has the same effect if it is sent twice.
 * A `once` request is never sent again after a lost answer.
 */
export type RetryClass = 'read' | 'repeatable' | 'once'

/** How long the service asked svc to wait. */
export interface AskedWait {
  ms: number
  /** Whether it is longer than what is left of `--wait`. */
  isTooLong: boolean
}

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  /** For a 403. */
  forbidden: string
  /** For every other refusal by the service. */
  rejected: string
}

/** A request that has failed for good, and what is known about it. */
interface FailedRequest {
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
export function requestError(failed: FailedRequest) {
  const { result, askedWait, isUnknown, serviceHost } = failed
  const { failure, status, code, message: reason = `HTTP ${status}` } = result
  const { category, message, hint }: FailureFacts = failures[failure]
  const details = {
    httpStatus: status,
    code,
    retryAfter: askedWait?.isTooLong === true ? askedWait.ms : undefined,
    ambiguous: isUnknown,
  }
  if (isUnknown) return unknownOutcome(failed, details)
  const words = message?.(serviceHost, reason) ?? reason
  return new SvcError(category, words, { ...details, hint: hint(failed) })
}

/** Makes the error of a change that may have been made: no attempt brought a clear answer. */
function unknownOutcome({ request, result, askedWait }: FailedRequest, details: object) {
  const { status, message } = result
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made'
  const httpStatus = status === undefined ? undefined : `HTTP ${status}`
  const reason = httpStatus === message ? message : joinPresent([httpStatus, message], ', ')
  return new SvcError(
    'unavailable',
    `the outcome is unknown: the request was sent and no clear answer came back (${reason})`,
    {
      ...details,
      hint: askedWait === undefined ? advice : `${advice}\n${askedWaitText(askedWait)}`,
    },
  )
}

function withHost(host: string, reason: string) {
  return `${host}: ${reason}`
}

/** The hint for a failure that may pass. */
function later({ attempts, wait, askedWait }: FailedRequest) {
  // The number of attempts would differ from run to run.
  const tried = attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
  if (askedWait === undefined)
    return `${tried}; try again later, or add -v to see each attempt`
  const advice = askedWait.isTooLong
    ? 'try again then, or with a longer --wait'
    : `${tried}, try again then`
  return `${askedWaitText(askedWait)}; ${advice}`
}

function askedWaitText({ ms }: AskedWait) {
  return `the service asked svc to wait ${inSeconds(ms)}`
}

const notTheService = `this answer does not come from the service's API; a proxy or a login page may have answered, or the base URL is wrong:\n  svc doctor`

/** The hint for a refusal. Every error of the service has a code (API: Errors). */
function hintOfRequest(name: keyof RefusalHints) {
  return ({ result, request }: FailedRequest) =>
    result.code === undefined ? notTheService : request.hints[name]
}

/** The hint for a 401: both clocks if they explain it, or else what may be wrong. */
function credentialsHint({ clockOffset, signedAt, profile }: FailedRequest) {
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
