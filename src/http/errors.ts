/**
 * From the last result of a request to the error that a person reads. Hints depend on the status, the codes of the service's
 * description and what the request brings along for its refusals, never on the service's words.
 */
import { say, svc, type Message, type ShownCommand } from '../message.ts'
import { formatDuration } from '../values.ts'
import { SvcError, type Category } from '../errors.ts'
import type { FailedAttempt } from './attempt.ts'
import { describeOffset, explainsRefusal } from './clock.ts'
import { causeOf, type Cause } from './connection-errors.ts'
import type { AskedWait, RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  scope: Message
  /** Any other 403 that does not come from the subscription. */
  forbidden: Message
  /** Undefined if the base URL may be wrong. */
  notFound: Message | undefined
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
  /** Milliseconds by which the service's clock is ahead, by its answer. */
  clockOffset: number | undefined
  /** Another request of this command was let in with the same credentials. */
  wasLetIn: boolean
  /** The setting `--wait`, in milliseconds. */
  wait: number
  profile: string | undefined
  serviceHost: string
  prefix: string
}

/** A row of the tables: the words and the hint, and a category other than `unavailable`. */
interface Explained {
  category?: Category
  message: string
  hint: Message
}

/** The command that shows the base URL in use and where it is from: `svc doctor -p prod`. */
function doctor({ profile }: Pick<Failure, 'profile'>): ShownCommand {
  return { ...svc`doctor`, ...(profile !== undefined && { profile }) }
}

const checkBaseUrl = (failure: Failure) => say`check the base URL: ${doctor(failure)}`
const webPage = (failure: Failure) =>
  say`a proxy or a login page may have answered instead of the service, or the base URL is wrong: ${doctor(failure)}`

/** Failures before a byte was sent, by their cause. */
const connections: Readonly<
  Record<Cause, (failure: Failure, said: string, code: string) => Explained>
> = {
  certificate: ({ serviceHost }, said, code) => {
    const isTime = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)
    const clock = isTime ? "; this machine's clock may be wrong" : ''
    return {
      category: 'final',
      message: `the certificate of ${serviceHost} was not accepted: ${said}`,
      hint: `certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS${clock}`,
    }
  },
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

type Hint = (failure: Failure, category: Category) => Message

const usualHint: Hint = (failure, category) =>
  category === 'unavailable' ? waitHint(failure) : failure.request.hints.rejected

const notFound: Hint = (failure) => {
  // Every path of the service begins with it.
  if (/\/v1$/i.test(failure.prefix))
    return 'the base URL ends in /v1, which svc adds itself: leave it out'
  return failure.request.hints.notFound ?? checkBaseUrl(failure)
}

/** Hints on refusals by the service's code (API: Errors), or else by the status. */
const refusals: Readonly<Record<number, Hint>> = {
  40361: ({ request: { hints } }) => hints.scope,
  40351: () =>
    "API access is not part of the company's subscription; change that in the service's own interface",
  401: credentialsHint,
  403: ({ request: { hints } }) => hints.forbidden,
  404: notFound,
  405: notFound,
}

/** The error of a request that will not be sent again: exit code, words, hint, and whether the change may have been made. */
export function explain(failure: Failure): SvcError {
  const { attempts, request, result, askedWait } = failure
  const { method, path, retryClass } = request
  const { status, code, requestId } = result
  const isUnknown = failure.everAmbiguous && retryClass !== 'read'
  const {
    category = 'unavailable',
    message,
    hint,
  } = isUnknown ? explainUnknown(failure) : explainResult(failure)
  return new SvcError(category, message, {
    hint,
    httpStatus: status,
    code,
    request: { method, path, attempts, requestId },
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
  const { status, message: said = '', html = false } = result
  if (result.kind === 'never-sent')
    return connections[causeOf(result.systemCode)](failure, said, result.systemCode ?? '')
  const message = `${serviceHost}: ${said}`
  if (status === undefined)
    return result.kind === 'ambiguous' && result.isOdd
      ? {
          category: 'final',
          message,
          hint: 'a proxy may have answered in place of the service',
        }
      : { message, hint: triedHint(failure) }
  if (status >= 400) return explainStatus(failure, status)
  if (status >= 300)
    return {
      category: 'final',
      message: `HTTP ${status}: ${said}`,
      hint: 'redirects are never followed, because that would send the signed headers elsewhere; fix the base URL',
    }
  if (html)
    return {
      category: 'final',
      message: `${serviceHost} answered with a web page, not JSON`,
      hint: webPage(failure),
    }
  const hint = `the answer does not match the service's API description; ${tried(failure)}`
  return { category: 'final', message, hint }
}

/** A refusal, or a failure of the service. */
function explainStatus(failure: Failure, status: number): Explained {
  const { code = 0, message: said = '', html = false } = failure.result
  const category = categoryOf(status)
  // A page of maintenance may still name a time.
  if (html && failure.askedWait === undefined)
    return { category, message: `HTTP ${status}, a web page`, hint: webPage(failure) }
  const hintOf = refusals[code] ?? refusals[status] ?? usualHint
  return {
    category,
    message: said === '' ? `HTTP ${status}` : said,
    hint: hintOf(failure, category),
  }
}

/** Category of a status from 400 on. */
function categoryOf(status: number): Category {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  const mayPass = status >= 500 || status === 408 || status === 429
  return mayPass ? 'unavailable' : 'rejected'
}

function triedHint(failure: Failure) {
  return `${tried(failure)}; try again later, or add -v to see each attempt`
}

/** Not the number of attempts, which chance decides. */
function tried({ attempts, wait }: Failure) {
  return attempts === 1 ? 'tried once' : `tried for ${formatDuration(wait)}`
}

/** Milliseconds that `--wait` takes at most: a hint never names a value that is refused. */
const longestWait = 86_400_000

function waitHint(failure: Failure) {
  const { askedWait } = failure
  if (askedWait === undefined) return triedHint(failure)
  const asks = asksToWait(askedWait)
  return askedWait.isTooLong && askedWait.ms <= longestWait
    ? `${asks}; try again then, or allow it with --wait ${inWholeSeconds(askedWait)}s`
    : `${asks}; ${tried(failure)}, try again then`
}

function asksToWait(wait: AskedWait) {
  return `the service asked svc to wait ${inWholeSeconds(wait)} s`
}

function inWholeSeconds({ ms }: AskedWait) {
  return Math.ceil(ms / 1000)
}

function credentialsHint(failure: Failure): Message {
  const { clockOffset, profile, wasLetIn } = failure
  if (clockOffset !== undefined && explainsRefusal(clockOffset))
    return `this machine's clock is ${describeOffset(clockOffset)}; a request is valid for 5 minutes: set the clock`
  const wrong = wasLetIn
    ? 'the same credentials worked earlier in this command: they were revoked or have expired since'
    : say`the key or the secret is wrong, or they belong to another host: ${doctor(failure)}`
  const clock =
    clockOffset === undefined
      ? "; or this machine's clock is wrong by more than 5 minutes"
      : ''
  const again =
    profile === undefined
      ? ''
      : say`\nto type the secret again:\n  ${svc`profiles add ${profile} --replace`}`
  return say`${wrong}${clock}${again}`
}
