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
  isOdd: boolean
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
  /** How many attempts earlier processes made of the same request. The first attempt of this process has the next number. */
  attemptsBefore?: number
  /** Called before each wait for the rate limit (`Pace`). It throws if the request must not begin. */
  beforeWait?: () => void
  /** Called right before the first byte of an attempt may be sent. If it throws, nothing is sent. Attempts count from 1. */
  beforeAttempt?: (attempt: number) => Promise<void>
  /** Called after an attempt, before svc decides whether to try again. */
  afterAttempt?: (attempt: number, result: AttemptResult) => Promise<void> | void
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
      ? { kind: 'ambiguous', message, isOdd: isOddAnswer(error) }
      : { kind: 'never-sent', message, systemCode: codeOf(error) }
  }
  const { status, headers } = exchange
  const facts = { status, headers }
  if (status >= 200 && status < 300) {
    try {
      return { kind: 'answered', ...facts, data: readAnswer(exchange) }
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error
      return { kind: 'ambiguous', ...facts, message: error.message, isOdd: error.isOdd }
    }
  }
  if (status >= 300 && status < 400) {
    const location = header(headers, 'location') ?? 'an unnamed address'
    const message = `it redirects to ${location}, which svc never follows`
    return { kind: 'ambiguous', ...facts, message, isOdd: true }
  }
  const errorBody = readErrorBody(exchange)
  const isRefusal = status >= 400 && status < 500 && status !== 408
  if (isRefusal) return { kind: 'refused', ...facts, ...errorBody }
  return {
    kind: 'ambiguous',
    ...facts,
    message: `HTTP ${status}`,
    ...errorBody,
    isOdd: false,
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
  EACCES: 'permission denied on this machine',
  EMFILE: 'too many open files (raise ulimit -n)',
  ENFILE: 'too many open files on this machine',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the name server did not answer',
  EPERM: 'this machine does not permit it (a firewall, for example)',
  ERR_ACCESS_DENIED: 'Node was not permitted to use the network (--permission)',
  SVC_NO_MEMORY: 'not enough memory on this machine',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  // undici asserts that a status is at least 100.
  ERR_ASSERTION: 'the answer is not valid HTTP: its status is below 100',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the length of the answer is not the one in its headers',
  SVC_BAD_HEAD:
    'the answer is not valid HTTP: its headers are malformed, or they give two lengths',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are larger than 16 KiB',
}

/** Whether an error stands for an interim answer (1xx). undici gives it the code of a closed connection. */
const isInterim = ({ message }: Error) => /^bad (response|upgrade)$/.test(message)

/** Whether an error stands for an answer that is not HTTP as svc speaks it. The service or a proxy may have sent it. */
function isOddAnswer(error: Error) {
  const isMalformed = /^(HTTPParserError|AssertionError)$/.test(error.name)
  return isMalformed || isInterim(error) || codeOf(error) === 'SVC_BAD_HEAD'
}

/** Returns the code of an error, if it has one. */
function codeOf(error: Error): string | undefined {
  // undici's parser is WebAssembly, whose error has no code if there is no memory for it.
  const hasNoMemory = /WebAssembly/.test(String(error))
  return systemCode(error) ?? (hasNoMemory ? 'SVC_NO_MEMORY' : undefined)
}

/** Says why a connection or a request failed, as a part of a sentence. */
export function describeFailure(error: Error) {
  if (isInterim(error))
    return 'the service sent an interim answer, such as 100 Continue, which svc did not ask for'
  const code = codeOf(error)
  const reason = reasons[code ?? '']
  if (reason !== undefined) return reason
  if (error.name === 'HTTPParserError') {
    const problem = /\((.*)\)/.exec(error.message)?.[1]
    return `the answer is not valid HTTP: ${problem}`
  }
  return error.message === '' ? (code ?? 'the connection failed') : error.message
}

/** The codes of failures before sending, by cause. The first cause that fits counts; all other codes mean `connection`. */
const codesByCause = {
  certificate:
    /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/,
  // The two sides could not agree on TLS at all.
  handshake: /^(ERR_SSL_|ERR_TLS_|EPROTO$)/,
  // If the name server does not answer, the code is another one, and svc tries again.
  'unknown host': /^ENOTFOUND$/,
  proxy: /^SVC_PROXY_REFUSED$/,
  // This machine has no room for a connection, or does not permit it.
  local: /^(EACCES|EMFILE|ENFILE|EPERM|ERR_ACCESS_DENIED|SVC_NO_MEMORY)$/,
}
export type Cause = keyof typeof codesByCause | 'connection'

const causes = Object.keys(codesByCause) as (keyof typeof codesByCause)[]

/** Returns the cause of a failure before sending by its code. */
export function causeOf(code = ''): Cause {
  return causes.find((cause) => codesByCause[cause].test(code)) ?? 'connection'
}

/** Whether a failure before sending would happen again. */
export function isFinalFailure(code = '') {
  // svc aborted the attempt, or undici refused the request.
  if (/^(SVC_ABORTED|UND_ERR_INVALID_ARG)$/.test(code)) return true
  return causeOf(code) !== 'connection'
}
