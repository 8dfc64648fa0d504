/**
 * From the last result of a request to the error that a person reads. Hints are keyed on the status, the codes of the
 * service's description and what the request brings along for its refusals, never on the service's words.
 */
import { SvcError, type Category } from '../errors.ts'
import { header, type AttemptResult } from './attempt.ts'
import { isLoopback } from '../loopback.ts'
import { listed } from '../words.ts'
import { describeOffset, type ClockVerdict } from './clock.ts'
import { describeHandshake, isCertificateProblem, isHandshakeProblem, isPlainAnswer } from './connection-errors.ts'
import type { RetryClass } from './retry.ts'

/** Codes that the description gives and a hint needs. API: Errors. */
const codes = { scope: 40361, plan: 40351 } as const

/** What to say when the service refuses a request, where that depends on what was asked for. */
export interface RefusalHints {
  /** The scope of the key is too small. */
  readonly scope: string
  /** Any other 403 that does not come from the plan. */
  readonly forbidden: string
  readonly notFound: string
  /** What else a 405 shows, when the method cannot be wrong. */
  readonly method?: string
  /** Any other refusal. */
  readonly rejected: string
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
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined
  /** That is longer than `--max-retry-wait` allows. */
  readonly tooLong?: boolean
  /** `offset`: milliseconds by which the service's clock is ahead. */
  readonly clock?: { readonly verdict: ClockVerdict; readonly offset: number | undefined } | undefined
  readonly profile: string | undefined
  readonly host: string
  /** How to trust a certificate that was not accepted. */
  readonly trustHint: string
  /** Of the base URL; empty without one. */
  readonly prefix: string
}

interface Explained {
  readonly category: Category
  readonly message: string
  readonly hint: string
}

export function explain(failure: Failure): SvcError {
  const { result, attempts, request } = failure
  const { method, path, retryClass } = request
  const status = 'status' in result ? result.status : undefined
  const code = 'code' in result ? result.code : undefined
  const unknown = failure.everAmbiguous && retryClass !== 'read'
  const explained = unknown ? explainUnknown(failure) : explainResult(failure)
  return new SvcError(explained.category, explained.message, {
    hint: explained.hint,
    httpStatus: status,
    code,
    request: { method, path, attempts },
    profile: failure.profile,
    ambiguous: unknown,
    retryAfter: failure.tooLong === true ? failure.retryAfter : undefined,
  })
}

/** A change was perhaps made and no answer said so. */
function explainUnknown(failure: Failure): Explained {
  const { result } = failure
  const status = 'status' in result ? result.status : undefined
  const what = status === undefined ? messageOf(result) : statusWords(status, messageOf(result))
  return {
    category: 'unavailable',
    message: `the outcome is unknown: the request was sent and no clear answer came back (${what})`,
    hint: [
      failure.request.retryClass === 'once'
        ? 'svc did not send it again; check what happened before you try again'
        : 'the change may or may not have been made; it is safe to repeat the command',
      ...(failure.retryAfter === undefined ? [] : [asksToWait(failure.retryAfter)]),
    ].join('\n'),
  }
}

function messageOf(result: Failure['result']): string {
  return result.message ?? ''
}

function isHtml(result: Failure['result']): boolean {
  return 'html' in result && result.html
}

function statusWords(status: number, message: string): string {
  return message === '' || message === `HTTP ${status}` ? `HTTP ${status}` : `HTTP ${status}, ${message}`
}

function explainResult(failure: Failure): Explained {
  const { result } = failure
  if (result.kind === 'never-sent') return explainConnection(failure, result.message, result.systemCode)
  if (result.status === undefined) {
    return { category: 'unavailable', message: `${failure.host}: ${messageOf(result)}`, hint: triedHint(failure) }
  }
  return explainStatus(failure, result.status)
}

function triedHint({ attempts }: Failure): string {
  return `tried ${times(attempts)}; try again later, or add -v to see each attempt`
}

function times(attempts: number): string {
  return attempts === 1 ? 'once' : `${attempts} times`
}

const checkBaseUrl = 'check the base URL: svc profiles show'

function explainConnection(failure: Failure, message: string, systemCode: string | undefined): Explained {
  const category = 'unavailable'
  if (isCertificateProblem(systemCode)) {
    const clock = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(systemCode ?? '')
      ? "; this machine's clock may be wrong"
      : ''
    return {
      category,
      message: `the certificate of ${failure.host} was not accepted: ${message}`,
      hint: `${failure.trustHint}${clock}`,
    }
  }
  if (isHandshakeProblem(systemCode)) {
    return explainHandshake(failure.host, systemCode, message)
  }
  if (systemCode === 'ENOTFOUND') return { category, message: `unknown host name: ${failure.host}`, hint: checkBaseUrl }
  if (systemCode === 'SVC_PROXY_REFUSED') {
    return { category, message, hint: 'check HTTPS_PROXY, or add this host to NO_PROXY' }
  }
  return { category, message: `cannot reach ${failure.host}: ${message}`, hint: triedHint(failure) }
}

function explainHandshake(host: string, systemCode: string | undefined, message: string): Explained {
  const category = 'unavailable'
  if (!isPlainAnswer(systemCode, message)) {
    const why = describeHandshake(systemCode, message)
    return { category, message: `no TLS connection with ${host}: ${why}`, hint: checkBaseUrl }
  }
  // Only this machine may be spoken to without TLS.
  const isHere = isLoopback(host.replace(/:\d+$/, ''))
  return {
    category,
    message: `${host} does not speak TLS`,
    hint: isHere ? `did you mean http://${host}?` : checkBaseUrl,
  }
}

function explainStatus(failure: Failure, status: number): Explained {
  const { result, host } = failure
  const said = messageOf(result)
  const html = isHtml(result)
  if (status < 300) {
    return {
      category: 'unavailable',
      message: html ? `${host} answered with a web page, not JSON` : `${host}: ${said}`,
      hint: html
        ? webPage
        : `the answer does not match the service's API description; tried ${times(failure.attempts)}`,
    }
  }
  if (status < 400) {
    return {
      category: 'unavailable',
      message: `HTTP ${status}: ${said}`,
      hint: 'redirects are never followed, because that would send the signed headers elsewhere; fix the base URL',
    }
  }
  // A page of maintenance may still name a time.
  if (html && failure.retryAfter === undefined) {
    return { category: categoryOf(status), message: `HTTP ${status}, a web page`, hint: webPage }
  }
  const message = said === '' ? `HTTP ${status}` : said
  return { category: categoryOf(status), message, hint: statusHint(failure, status) }
}

const webPage =
  'a proxy or a login page may have answered instead of the service, or the base URL is wrong: svc profiles show'

/** Of a status from 400 on. */
function categoryOf(status: number): Category {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  return status < 500 && status !== 408 && status !== 429 ? 'rejected' : 'unavailable'
}

function statusHint(failure: Failure, status: number): string {
  const { hints } = failure.request
  if (status === 404 && /\/v1$/i.test(failure.prefix)) return doubledVersion
  switch (status) {
    case 401:
      return credentialsHint(failure)
    case 403:
      return forbiddenHint(failure)
    case 413:
      return 'the request is too large: a smaller --batch-size may pass'
    case 429:
    case 503:
      return waitHint(failure)
    case 405:
      return methodHint(failure)
  }
  if (categoryOf(status) === 'unavailable') return triedHint(failure)
  return status === 404 ? hints.notFound : hints.rejected
}

/** Every path of the service begins with it. */
export const doubledVersion = 'the base URL ends in /v1, which svc adds itself: leave it out'

function methodHint({ result, request: { method, hints } }: Failure): string {
  const headers = 'headers' in result ? (result.headers ?? {}) : {}
  const allowed = (header(headers, 'allow') ?? '').split(',').map((word) => word.trim())
  const only = allowed.filter((word) => /^[A-Z]{1,10}$/.test(word))
  const others = only.length === 0 ? '' : `, only ${listed(only).replace(' or ', ' and ')}`
  return [`this path does not take ${method}${others}`, hints.method].filter((part) => part !== undefined).join('; ')
}

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

function credentialsHint({ clock }: Failure): string {
  const wrong = 'the key or the secret is wrong, or they belong to another host: svc profiles show'
  if (clock === undefined || clock.offset === undefined) {
    return `${wrong}; or this machine's clock is wrong by more than 5 minutes`
  }
  if (clock.verdict === 'credentials') return wrong
  return `this machine's clock is ${describeOffset(clock.offset)}; a request is valid for 5 minutes: set the clock`
}

function forbiddenHint({ result, request: { hints } }: Failure): string {
  const code = 'code' in result ? result.code : undefined
  if (code === codes.scope) return hints.scope
  return code === codes.plan
    ? "API access is not part of the company's plan; change the plan in the service's own interface"
    : hints.forbidden
}
