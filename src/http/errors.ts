/**
 * From the last result of a request to the error that a person reads. Hints are keyed on the status, the codes of the service's description
 * and what the request brings along for its refusals, never on the service's words. `client.ts` throws them; `svc doctor` explains them.
 */
import { say, svc, type Message } from '../message.ts'
import { SvcError, type Category } from '../errors.ts'
import type { AttemptResult } from './attempt.ts'
import { isLoopback } from '../values.ts'
import { describeOffset, explainsRefusal } from './clock.ts'
import { causeOf, isFinalFailure } from './connection-errors.ts'
import type { RetryClass } from './retry.ts'

/** Codes that the description gives and a hint needs. API: Errors. */
const codes = { scope: 40361, subscription: 40351 } as const

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

function unavailable(message: string, hint: Message): Explained {
  return { category: 'unavailable', message, hint }
}

/** The error of a request that will not be sent again: exit code, words, hint, and whether the change may have been made. */
export function explain(failure: Failure): SvcError {
  const { attempts, request, result } = failure
  const { method, path, retryClass } = request
  const { requestId } = result
  const { status, code } = answerOf(failure)
  const unknown = failure.everAmbiguous && retryClass !== 'read'
  const explained = unknown ? explainUnknown(failure) : explainResult(failure)
  return new SvcError(explained.category, explained.message, {
    hint: explained.hint,
    httpStatus: status,
    code,
    request: { method, path, attempts, requestId },
    profile: failure.profile,
    ambiguous: unknown,
    retry: (unknown && retryClass === 'once') || isFinal(result) ? false : undefined,
    retryAfter: failure.tooLong === true ? failure.retryAfter : undefined,
  })
}

/** Whether another attempt would meet the same: a certificate, an unknown host name, a proxy that refuses, a redirect. */
function isFinal(result: Failure['result']): boolean {
  if (result.kind === 'never-sent') return isFinalFailure(result.systemCode)
  return result.status !== undefined && result.status >= 300 && result.status < 400
}

/** A change was perhaps made and no answer said so. */
function explainUnknown(failure: Failure): Explained {
  const { status, message } = answerOf(failure)
  const words = new Set(status === undefined ? [message] : [`HTTP ${status}`, message])
  words.delete('')
  const advice =
    failure.request.retryClass === 'once'
      ? 'svc did not send it again; check what happened before you try again'
      : 'the change may or may not have been made; it is safe to repeat the command'
  return unavailable(
    `the outcome is unknown: the request was sent and no clear answer came back (${[...words].join(', ')})`,
    failure.retryAfter === undefined ? advice : `${advice}\n${asksToWait(failure.retryAfter)}`,
  )
}

/** The answer, as far as one came. */
function answerOf({ result }: Failure) {
  if (result.kind === 'never-sent')
    return { status: undefined, code: undefined, message: result.message, html: false }
  const { status, code, message = '', html = false } = result
  return { status, code, message, html }
}

function explainResult(failure: Failure): Explained {
  const { result, authority } = failure
  if (result.kind === 'never-sent')
    return explainConnection(failure, result.message, result.systemCode)
  if (result.status === undefined)
    return unavailable(`${authority}: ${result.message ?? ''}`, triedHint(failure))
  return explainStatus(failure, result.status)
}

function triedHint({ attempts }: Failure): string {
  return `tried ${times(attempts)}; try again later, or add -v to see each attempt`
}

function times(attempts: number): string {
  return attempts === 1 ? 'once' : `${attempts} times`
}

function proxyHint({ proxySetting }: Failure): string {
  return proxySetting === undefined
    ? 'check HTTPS_PROXY, or add this host to NO_PROXY'
    : `check ${proxySetting}`
}

/** The command that shows the base URL in use and where it is from. */
export const showProfile = svc`profiles show`

const checkBaseUrl = say`check the base URL: ${showProfile}`

function explainConnection(failure: Failure, message: string, code: string | undefined): Explained {
  const { authority } = failure
  switch (causeOf(code)) {
    case 'certificate': {
      const isTime = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code ?? '')
      const clock = isTime ? "; this machine's clock may be wrong" : ''
      return unavailable(
        `the certificate of ${authority} was not accepted: ${message}`,
        say`certificates are always checked; to trust your own, name its CA file as caFile in the profile, or in SVC_CA_FILE${clock}`,
      )
    }
    case 'handshake':
      return explainHandshake(authority, `${code ?? ''} ${message}`)
    case 'local':
      return {
        category: 'local',
        message: `no connection to ${authority}: ${message}`,
        hint: triedHint(failure),
      }
    case 'memory':
      return {
        category: 'local',
        message: `no connection to ${authority}: ${message}`,
        hint: 'nothing was sent; give this process more memory',
      }
    case 'unknown host':
      return unavailable(`unknown host name: ${authority}`, checkBaseUrl)
    case 'proxy':
      return unavailable(message, proxyHint(failure))
    case 'ended':
    case 'connection':
      return unavailable(`cannot reach ${authority}: ${message}`, triedHint(failure))
  }
}

/** OpenSSL says in many words, all of them its own, that the other side answered with something that is not TLS. */
const notTls =
  /wrong.version.number|packet.length.too.long|http.request|unknown.protocol|record.layer.failure/i
const oldTls = /protocol.version|unsupported.protocol|version.too.low/i

function explainHandshake(authority: string, said: string): Explained {
  if (!notTls.test(said)) {
    const why = oldTls.test(said) ? 'TLS 1.2 or later is needed' : 'the handshake failed'
    return unavailable(`no TLS connection with ${authority}: ${why}`, checkBaseUrl)
  }
  // Only this machine may be spoken to without TLS.
  const isHere = isLoopback(authority.replace(/:\d+$/, ''))
  return unavailable(
    `${authority} does not speak TLS`,
    isHere ? `did you mean http://${authority}?` : checkBaseUrl,
  )
}

function explainStatus(failure: Failure, status: number): Explained {
  const { authority } = failure
  const { message: said, html } = answerOf(failure)
  if (status < 300) {
    if (html) return unavailable(`${authority} answered with a web page, not JSON`, webPage)
    const tried = `tried ${times(failure.attempts)}`
    return unavailable(
      `${authority}: ${said}`,
      `the answer does not match the service's API description; ${tried}`,
    )
  }
  if (status < 400) {
    return unavailable(
      `HTTP ${status}: ${said}`,
      'redirects are never followed, because that would send the signed headers elsewhere; fix the base URL',
    )
  }
  // A page of maintenance may still name a time.
  if (html && failure.retryAfter === undefined) {
    return {
      category: categoryOf(status),
      message: `HTTP ${status}, a web page`,
      hint: webPage,
    }
  }
  const message = said === '' ? `HTTP ${status}` : said
  return {
    category: categoryOf(status),
    message,
    hint: statusHint(failure, status),
  }
}

const webPage = say`a proxy or a login page may have answered instead of the service, or the base URL is wrong: ${showProfile}`

/** Category of a status from 400 on. */
function categoryOf(status: number): Category {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  return status < 500 && status !== 408 && status !== 429 ? 'rejected' : 'unavailable'
}

function statusHint(failure: Failure, status: number): Message {
  const { hints } = failure.request
  if (status === 404 && /\/v1$/i.test(failure.prefix)) return doubledVersion
  switch (status) {
    case 401:
      return credentialsHint(failure)
    case 403:
      return forbiddenHint(failure)
    case 429:
    case 503:
      return waitHint(failure)
  }
  if (categoryOf(status) === 'unavailable') return triedHint(failure)
  return status === 404 || status === 405 ? hints.notFound : hints.rejected
}

/** Every path of the service begins with it. */
export const doubledVersion = 'the base URL ends in /v1, which svc adds itself: leave it out'

function waitHint(failure: Failure): string {
  const { retryAfter } = failure
  if (retryAfter === undefined) return triedHint(failure)
  const asks = asksToWait(retryAfter)
  return failure.tooLong === true
    ? `${asks}; try again then, or allow it with --max-retry-wait ${Math.ceil(retryAfter / 1000)}s`
    : `${asks}; tried ${times(failure.attempts)}, try again then`
}

function asksToWait(retryAfter: number): string {
  return `the service asked to wait ${Math.ceil(retryAfter / 1000)} s`
}

function credentialsHint({ clockOffset, profile, hadWorked }: Failure): Message {
  const again =
    profile === undefined
      ? ''
      : say`\nto type the secret again:\n  ${svc`profiles add ${profile} --replace`}`
  const wrong = hadWorked
    ? 'the same credentials worked earlier in this command: they were revoked or have expired since'
    : say`the key or the secret is wrong, or they belong to another host: ${showProfile}`
  if (clockOffset === undefined) {
    return say`${wrong}; or this machine's clock is wrong by more than 5 minutes${again}`
  }
  if (!explainsRefusal(clockOffset)) return say`${wrong}${again}`
  return `this machine's clock is ${describeOffset(clockOffset)}; a request is valid for 5 minutes: set the clock`
}

function forbiddenHint(failure: Failure): Message {
  const { hints } = failure.request
  const { code } = answerOf(failure)
  if (code === codes.scope) return hints.scope
  return code === codes.subscription
    ? "API access is not part of the company's plan; change the plan in the service's own interface"
    : hints.forbidden
}
