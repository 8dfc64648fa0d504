/**
 * Decides how an attempt ended (never sent, refused, ambiguous or answered), and why a connection failed. What bulk runs
 * record, repeat and report depends on it: a change is ambiguous unless its answer proves that nothing or everything was done.
 * All functions are pure.
 */
import { systemCode } from '../errors.ts'
import type { AnswerHeaders, Exchange } from '../host.ts'
import { BadAnswer, header, readErrorBody, type ReadAnswer } from './answer.ts'

/** Known facts about an answer. */
interface AnswerFacts {
  /** Status and headers are absent if no answer came. */
  status?: number
  headers?: AnswerHeaders
  /** The service's own error code. */
  code?: number
  /** The service's words for its refusal, or why there is no answer that counts. */
  message?: string
}

/** No byte of the request was sent. */
export interface NeverSent extends AnswerFacts {
  kind: 'never-sent'
  message: string
  systemCode: string | undefined
}

/** The service answered that it did nothing. */
interface Refused extends AnswerFacts {
  kind: 'refused'
  status: number
}

/** The request was sent, but the service may or may not have done what it asks for. */
interface Ambiguous extends AnswerFacts {
  kind: 'ambiguous'
  message: string
  /** Whether an answer came that is not one of the service's API, such as a login page or a redirect. */
  isForeign: boolean
}

/** The service did what the request asks for. */
interface Answered extends AnswerFacts {
  kind: 'answered'
  status: number
  data: unknown
}

export type FailedAttempt = NeverSent | Refused | Ambiguous
export type AttemptResult = FailedAttempt | Answered

/** How a caller follows the attempts of its request. If one of these functions throws, its error ends the request. */
export interface SendOptions {
  /** Called before each wait for the rate limit (`Pace`). It throws if the request must not begin. */
  beforeWait?: () => void
  /** Called right before the first byte of an attempt may be sent. If it throws, nothing is sent. */
  beforeAttempt?: () => Promise<void>
  /** Called after an attempt, before svc decides whether to try again. */
  afterAttempt?: (result: AttemptResult) => void
}

/**
 * Decides how an attempt ended. Only a 4xx other than 408 proves that nothing was done: a 408 or 5xx may come from a gateway,
 * while the service behind it has done what the request asks for.
 */
export function classify(exchange: Exchange, readAnswer: ReadAnswer): AttemptResult {
  if (exchange.kind === 'failed') {
    const { error, sent } = exchange
    const message = describeFailure(error)
    return sent
      ? { kind: 'ambiguous', message, isForeign: isForeignAnswer(error) }
      : { kind: 'never-sent', message, systemCode: systemCode(error) }
  }
  const { status, headers } = exchange
  const facts = { status, headers }
  if (status >= 200 && status < 300) {
    try {
      return { kind: 'answered', ...facts, data: readAnswer(exchange) }
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error
      const { message, isForeign } = error
      return { kind: 'ambiguous', ...facts, message, isForeign }
    }
  }
  if (status >= 300 && status < 400) {
    const location = header(headers, 'location') ?? 'an unnamed address'
    const message = `it redirects to ${location}, which svc never follows`
    return { kind: 'ambiguous', ...facts, message, isForeign: true }
  }
  const errorBody = readErrorBody(exchange)
  const isRefusal = status >= 400 && status < 500 && status !== 408
  if (isRefusal) return { kind: 'refused', ...facts, ...errorBody }
  return {
    kind: 'ambiguous',
    ...facts,
    message: `HTTP ${status}`,
    ...errorBody,
    isForeign: false,
  }
}

/** The maximum length of the service's message, in UTF-16 units. The rest is cut off. */
const maxMessageLength = 16_384

/**
 * Returns the result with its message cut to this length. `hide` takes secrets away before that: half a secret would not be found.
 */
export function cutMessage<R extends AttemptResult>(
  result: R,
  hide: (text: string) => string,
): R {
  const { message } = result
  return message === undefined
    ? result
    : { ...result, message: hide(message).slice(0, maxMessageLength) }
}

/** Describes the end of an attempt for the log: `200`, or `never sent (connection refused)`. */
export function describeResult({ kind, status, message }: AttemptResult) {
  if (status !== undefined) return String(status)
  const loss = kind === 'never-sent' ? 'never sent' : 'no answer'
  return `${loss} (${message})`
}

/**
 * Makes an error whose code tells its cause. It has no stack trace: Node reads the trace of each error that closes a socket, and
 * has to look up the lines of the source for it, which takes time.
 */
export function connectionError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code, stack: `Error: ${message}` })
}

/** Makes an error of anything that was thrown. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Why a connection or a request failed, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  EMFILE: 'too many open files (raise ulimit -n)',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the name server did not answer',
  EPERM: 'this machine does not permit it (a firewall, for example)',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the headers of the answer give another length',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are larger than 16 KiB',
}

/**
 * Whether an error stands for an answer that is not HTTP as svc speaks it, which the service or a proxy may have sent. undici
 * asserts that a status is at least 100, and calls an interim answer such as 100 Continue a bad one.
 */
function isForeignAnswer({ name, message }: Error) {
  const isMalformed = /^(HTTPParserError|AssertionError)$/.test(name)
  return isMalformed || /^bad (response|upgrade)$/.test(message)
}

/** Says why a connection or a request failed, as a part of a sentence. */
export function describeFailure(error: Error) {
  if (isForeignAnswer(error)) return 'the answer is not valid HTTP, or an interim one'
  const code = systemCode(error) ?? ''
  // OpenSSL's own message contains memory addresses and names of source files.
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) return `no TLS connection (${code})`
  return reasons[code] ?? (error.message || code || 'the connection failed')
}

/** Failures before sending that would happen again, by the code of the error. All others may pass. */
const finalCauses = [
  {
    codes:
      /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/,
    say: (host: string, reason: string) =>
      `the certificate of ${host} was not accepted: ${reason}`,
    hint: 'certificates are always checked; to trust your own, name its CA file in NODE_EXTRA_CA_CERTS',
  },
  {
    // If the name server does not answer, the code is another one.
    codes: /^ENOTFOUND$/,
    say: (host: string) => `unknown host name: ${host}`,
    hint: 'check the base URL:\n  svc doctor',
  },
  {
    codes: /^SVC_PROXY_REFUSED$/,
    say: (_host: string, reason: string) => reason,
    hint: 'check HTTPS_PROXY, or add this host to NO_PROXY',
  },
]

/** Returns what is known of a failure before sending that would happen again; undefined for any other. */
export function finalCauseOf(code = '') {
  return finalCauses.find(({ codes }) => codes.test(code))
}
