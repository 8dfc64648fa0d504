/**
 * From the last result of a request to the error that a person reads. Hints are keyed on the operation, the status and the
 * codes of the service's description, never on words. Surface, section 7.
 */
import type { Operation, RetryClass } from '../api/operations.ts'
import { SvcError, type Category } from '../errors.ts'
import { isCertificateProblem, type AttemptResult } from './attempt.ts'
import { describeOffset, type ClockVerdict } from './clock.ts'

/** Codes that the description gives. API: Errors. */
export const codes = { invalid: 40001, credentials: 40121, scope: 40361, plan: 40351, internal: 50001 } as const

export interface Failure {
  readonly result: Exclude<AttemptResult, { kind: 'answered' }>
  readonly method: string
  readonly path: string
  readonly attempts: number
  readonly retryClass: RetryClass
  /** Undefined for `svc api`. */
  readonly operation: Operation | undefined
  /** An attempt of this request was ambiguous, this one or an earlier. */
  readonly everAmbiguous: boolean
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter: number | undefined
  /** That is longer than `--max-retry-wait` allows. */
  readonly tooLong: boolean
  readonly clock: { verdict: ClockVerdict; offset: number | undefined } | undefined
  readonly profile: string | undefined
  readonly host: string
}

interface Explained {
  category: Category
  message: string
  hint?: string | undefined
}

export function explain(failure: Failure): SvcError {
  const { result, attempts, method, path } = failure
  const status = 'status' in result ? result.status : undefined
  const code = 'code' in result ? result.code : undefined
  const unknown = failure.everAmbiguous && failure.retryClass !== 'read'
  const explained = unknown ? explainUnknown(failure) : explainResult(failure)
  return new SvcError(explained.category, explained.message, {
    hint: explained.hint,
    httpStatus: status,
    code,
    request: { method, path, attempts },
    profile: failure.profile,
    ambiguous: unknown,
    retryAfter: failure.tooLong ? failure.retryAfter : undefined,
  })
}

/** A change was perhaps made and no answer said so. */
function explainUnknown(failure: Failure): Explained {
  const { result } = failure
  const what = 'status' in result && result.status !== undefined ? statusWords(result.status, messageOf(result)) : messageOf(result)
  return {
    category: 'unavailable',
    message: `the outcome is unknown: an attempt was sent and no clear answer came (${what})`,
    hint: failure.retryClass === 'once' ? 'it was not sent again; look before you try again' : 'the change may or may not have been made',
  }
}

function messageOf(result: Failure['result']): string {
  return result.message ?? ''
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

function triedHint(failure: Failure): string {
  const times = failure.attempts === 1 ? 'once' : `${failure.attempts} times`
  return `tried ${times}; try again later, or see what happens with -v`
}

function explainConnection(failure: Failure, message: string, systemCode: string | undefined): Explained {
  const category = 'unavailable'
  if (isCertificateProblem(systemCode)) {
    return {
      category,
      message: `the certificate of ${failure.host} was not accepted: ${message}`,
      hint: 'certificates are always checked; for one of your own name its CA file in NODE_EXTRA_CA_CERTS',
    }
  }
  if (systemCode === 'ENOTFOUND') {
    return { category, message: `unknown host name: ${failure.host}`, hint: 'check the base URL: svc profiles show' }
  }
  if (systemCode === 'SVC_PROXY_REFUSED') {
    return { category, message, hint: 'check HTTPS_PROXY, or name this host in NO_PROXY' }
  }
  return { category, message: `cannot reach ${failure.host}: ${message}`, hint: triedHint(failure) }
}

function explainStatus(failure: Failure, status: number): Explained {
  const { result, operation } = failure
  const said = messageOf(result)
  const html = 'html' in result && result.html === true
  if (status < 300) {
    return {
      category: 'unavailable',
      message: html ? `${failure.host} answered with a web page, not JSON` : said,
      hint: html
        ? 'a proxy or a login page stands in between, or the base URL is wrong: svc profiles show'
        : `the answer of ${failure.host} is not what the service's description promises`,
    }
  }
  if (status < 400) {
    return {
      category: 'unavailable',
      message: `HTTP ${status}: ${said}`,
      hint: 'redirects are never followed, since the signed headers would go along; correct the base URL',
    }
  }
  const message = said === '' ? `HTTP ${status}` : said
  switch (status) {
    case 401:
      return explainCredentials(failure, message)
    case 403:
      return { category: 'forbidden', message, hint: forbiddenHint(failure, html) }
    case 404:
      return {
        category: 'rejected',
        message: html ? 'HTTP 404, a web page' : message,
        hint: html ? 'the base URL may be wrong: svc profiles show' : (historyHint(operation) ?? 'the id is unknown to this company; ids of another company are too'),
      }
    case 429:
      return { category: 'unavailable', message: said === '' ? 'too many requests' : message, hint: waitHint(failure) }
    case 503:
      return { category: 'unavailable', message, hint: waitHint(failure) }
  }
  if (status < 500 && status !== 408) {
    return { category: 'rejected', message, hint: rejectedHint(failure, status) }
  }
  return { category: 'unavailable', message: statusWords(status, said), hint: triedHint(failure) }
}

function waitHint(failure: Failure): string {
  if (failure.retryAfter === undefined) return triedHint(failure)
  const seconds = Math.ceil(failure.retryAfter / 1000)
  return `the service asks to wait ${seconds} s; try again then, or allow it with --max-retry-wait ${seconds}s`
}

function explainCredentials(failure: Failure, message: string): Explained {
  const verdict = failure.clock?.verdict ?? 'unknown'
  const offset = failure.clock?.offset
  const wrong = 'the key or the secret is wrong, or they belong to another host: svc profiles show'
  if (verdict === 'credentials') return { category: 'auth', message, hint: wrong }
  if (offset !== undefined) {
    return {
      category: 'auth',
      message,
      hint: `this machine's clock is ${describeOffset(offset)}; a request is valid for 5 minutes: set the clock`,
    }
  }
  return { category: 'auth', message, hint: `${wrong}; or this machine's clock is more than 5 minutes off` }
}

function forbiddenHint(failure: Failure, html: boolean): string {
  const code = 'code' in failure.result ? failure.result.code : undefined
  const { operation } = failure
  if (code === codes.scope) {
    return operation === undefined
      ? 'this API key has a smaller scope than the request needs'
      : `this API key's scope is too small: the operation needs "${operation.scope}"`
  }
  if (code === codes.plan) return "API access is not part of the company's plan: it can be changed in the service's own interface"
  if (operation?.number === 8) return 'on plans with limited history a ticket older than 30 days cannot be read'
  if (html) return 'a proxy or firewall answered, not the service'
  return operation === undefined
    ? 'the key, its scope or the plan does not allow this'
    : `the key's scope (the operation needs "${operation.scope}") or the company's plan does not allow this`
}

function historyHint(operation: Operation | undefined): string | undefined {
  return operation?.number === 8
    ? 'the ticket may not exist, or may still be "new": history is unavailable until it is taken up'
    : undefined
}

function rejectedHint(failure: Failure, status: number): string | undefined {
  const { operation } = failure
  if (status === 413) return 'the request is too large: a smaller --batch-size may pass'
  if (operation?.number === 8) return historyHint(operation)
  if (operation?.number === 9) {
    return [
      'a change of assignee needs all of this:',
      '  the ticket is active',
      '  it already has an assignee',
      '  it is the current ticket of its chat',
      '  the new assignee is an active employee of the company, and not the present assignee',
      "  the new assignee has access to the ticket's channel",
    ].join('\n')
  }
  if (status === 405) return 'the base URL may be wrong: svc profiles show'
  return 'the service did not accept the request as it stands; nothing was changed'
}
