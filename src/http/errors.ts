/**
 * From the last result of a request to the error that a person reads. Hints are keyed on the status, the codes of the service's description
 * and what the request brings along for its refusals, never on the service's words. `client.ts` throws them; `svc doctor` shows them.
 */
import { say, svc, type Message } from '../message.ts'
import { SvcError, type Category } from '../errors.ts'
import type { AttemptResult } from './attempt.ts'
import { isLoopback } from '../values.ts'
import { describeOffset, explainsRefusal } from './clock.ts'
import { causeOf, isFinalFailure, type Cause } from './connection-errors.ts'
import type { RetryClass } from './retry.ts'

/** Hints for a refusal, where they depend on the request. */
export interface RefusalHints {
  readonly scope: Message
  /** Any other 403 that does not come from the subscription. */
  readonly forbidden: Message
  readonly notFound: Message
  readonly rejected: Message
}

export interface Failure {
  readonly result: Exclude<AttemptResult, { kind: 'answered' }>
  readonly request: {
    readonly method: string
    readonly path: string
    readonly retryClass: RetryClass
    readonly hints: RefusalHints
  }
  readonly attempts: number
  /** An attempt of this request was ambiguous, this one or an earlier. */
  readonly everAmbiguous: boolean
  readonly retryAfter?: number | undefined
  readonly tooLong?: boolean
  /** Milliseconds by which the service's clock is ahead, by a 401. */
  readonly clockOffset?: number | undefined
  /** Another request of this command was let in with the same credentials. */
  readonly hadWorked: boolean
  /** The setting that names the proxy; undefined where variables do. */
  readonly proxySetting: string | undefined
  readonly profile: string | undefined
  readonly authority: string
  readonly prefix: string
}

interface Explained {
  readonly category: Category
  readonly message: string
  readonly hint: Message
}

type Explain = (failure: Failure, said: string, code: string) => Explained

function unavailable(message: string, hint: Message): Explained {
  return { category: 'unavailable', message, hint }
}

/** The command that shows the base URL in use and where it is from. */
export const showProfile = svc`profiles show`

const checkBaseUrl = say`check the base URL: ${showProfile}`
const webPage = say`a proxy or a login page may have answered instead of the service, or the base URL is wrong: ${showProfile}`

/** Failures before a byte was sent, by their cause. */
const connections: Readonly<Record<Cause, Explain>> = {
  certificate: ({ authority }, said, code) => {
    const isTime = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)
    const clock = isTime ? "; this machine's clock may be wrong" : ''
    return unavailable(
      `the certificate of ${authority} was not accepted: ${said}`,
      `certificates are always checked; to trust your own, name its CA file as caFile in the profile, or in SVC_CA_FILE${clock}`,
    )
  },
  handshake: ({ authority }, _said, code) => {
    // OpenSSL's own sentence has addresses in its memory and files of its source.
    const why = /^ERR_(?:SSL|TLS)_/.test(code) ? code.slice(8) : 'the handshake failed'
    // Only this machine may be spoken to without TLS.
    const isHere = isLoopback(authority.replace(/:\d+$/, ''))
    return unavailable(
      `no TLS connection with ${authority}: ${why.replaceAll('_', ' ').toLowerCase()}`,
      isHere ? `did you mean http://${authority}?` : checkBaseUrl,
    )
  },
  'unknown host': ({ authority }) =>
    unavailable(`unknown host name: ${authority}`, checkBaseUrl),
  proxy: ({ proxySetting }, said) =>
    unavailable(
      said,
      proxySetting === undefined
        ? 'check HTTPS_PROXY, or add this host to NO_PROXY'
        : `check ${proxySetting}`,
    ),
  local: (failure, said) => {
    const message = `no connection to ${failure.authority}: ${said}`
    return { category: 'local', message, hint: triedHint(failure) }
  },
  memory: ({ authority }, said) => ({
    category: 'local',
    message: `no connection to ${authority}: ${said}`,
    hint: 'nothing was sent; give this process more memory',
  }),
  connection: (failure, said) =>
    unavailable(`cannot reach ${failure.authority}: ${said}`, triedHint(failure)),
}

type Hint = (failure: Failure) => Message

const notFound: Hint = ({ prefix, request: { hints } }) =>
  // Every path of the service begins with it.
  /\/v1$/i.test(prefix)
    ? 'the base URL ends in /v1, which svc adds itself: leave it out'
    : hints.notFound

/** Hints on refusals by the service's code (API: Errors), or else by the status. */
const refusals: Readonly<Record<number, Hint>> = {
  40361: ({ request: { hints } }) => hints.scope,
  40351: () =>
    "API access is not part of the company's plan; change the plan in the service's own interface",
  401: credentialsHint,
  403: ({ request: { hints } }) => hints.forbidden,
  404: notFound,
  405: notFound,
}

/** The error of a request that will not be sent again: exit code, words, hint, and whether the change may have been made. */
export function explain(failure: Failure): SvcError {
  const { attempts, request, result } = failure
  const { method, path, retryClass } = request
  const { status, code, requestId } = result
  const unknown = failure.everAmbiguous && retryClass !== 'read'
  const { category, message, hint } = unknown
    ? explainUnknown(failure)
    : explainResult(failure)
  // Another attempt would meet the same certificate, host name, refusing proxy or redirect.
  const isFinal =
    result.kind === 'never-sent'
      ? isFinalFailure(result.systemCode)
      : status !== undefined && status >= 300 && status < 400
  return new SvcError(category, message, {
    hint,
    httpStatus: status,
    code,
    request: { method, path, attempts, requestId },
    profile: failure.profile,
    ambiguous: unknown,
    retry: (unknown && retryClass === 'once') || isFinal ? false : undefined,
    retryAfter: failure.tooLong === true ? failure.retryAfter : undefined,
  })
}

/** A change was perhaps made and no answer said so. */
function explainUnknown({ request, result, retryAfter }: Failure): Explained {
  const { status, message = '' } = result
  const words = [status === undefined ? '' : `HTTP ${status}`, message].filter(
    (text, at, all) => text !== '' && all.indexOf(text) === at,
  )
  const advice =
    request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made; it is safe to repeat the command'
  return unavailable(
    `the outcome is unknown: the request was sent and no clear answer came back (${words.join(', ')})`,
    retryAfter === undefined ? advice : `${advice}\n${asksToWait(retryAfter)}`,
  )
}

function explainResult(failure: Failure): Explained {
  const { result, authority } = failure
  const { status, message: said = '', html = false } = result
  if (result.kind === 'never-sent')
    return connections[causeOf(result.systemCode)](failure, said, result.systemCode ?? '')
  if (status === undefined) return unavailable(`${authority}: ${said}`, triedHint(failure))
  if (status < 300) {
    if (html) return unavailable(`${authority} answered with a web page, not JSON`, webPage)
    const tried = `tried ${times(failure.attempts)}`
    const hint = `the answer does not match the service's API description; ${tried}`
    return unavailable(`${authority}: ${said}`, hint)
  }
  if (status < 400) {
    return unavailable(
      `HTTP ${status}: ${said}`,
      'redirects are never followed, because that would send the signed headers elsewhere; fix the base URL',
    )
  }
  return explainStatus(failure, status)
}

/** A refusal, or a failure of the service. */
function explainStatus(failure: Failure, status: number): Explained {
  const { code = 0, message: said = '', html = false } = failure.result
  const category = categoryOf(status)
  // A page of maintenance may still name a time.
  if (html && failure.retryAfter === undefined)
    return { category, message: `HTTP ${status}, a web page`, hint: webPage }
  const hintOf = refusals[code] ?? refusals[status]
  const usual =
    category === 'unavailable' ? waitHint(failure) : failure.request.hints.rejected
  return {
    category,
    message: said === '' ? `HTTP ${status}` : said,
    hint: hintOf?.(failure) ?? usual,
  }
}

/** Category of a status from 400 on. */
function categoryOf(status: number): Category {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  return status < 500 && status !== 408 && status !== 429 ? 'rejected' : 'unavailable'
}

function triedHint({ attempts }: Failure): string {
  return `tried ${times(attempts)}; try again later, or add -v to see each attempt`
}

function times(attempts: number): string {
  return attempts === 1 ? 'once' : `${attempts} times`
}

function waitHint(failure: Failure): string {
  const { retryAfter, tooLong = false, attempts } = failure
  if (retryAfter === undefined) return triedHint(failure)
  const asks = asksToWait(retryAfter)
  return tooLong
    ? `${asks}; try again then, or allow it with --max-retry-wait ${Math.ceil(retryAfter / 1000)}s`
    : `${asks}; tried ${times(attempts)}, try again then`
}

function asksToWait(retryAfter: number): string {
  return `the service asked to wait ${Math.ceil(retryAfter / 1000)} s`
}

function credentialsHint({ clockOffset, profile, hadWorked }: Failure): Message {
  if (clockOffset !== undefined && explainsRefusal(clockOffset))
    return `this machine's clock is ${describeOffset(clockOffset)}; a request is valid for 5 minutes: set the clock`
  const wrong = hadWorked
    ? 'the same credentials worked earlier in this command: they were revoked or have expired since'
    : say`the key or the secret is wrong, or they belong to another host: ${showProfile}`
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
