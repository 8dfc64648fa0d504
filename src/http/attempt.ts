/**
 * The result of an attempt: reads its answer or its error, and decides whether the request was never sent, refused, ambiguous or
 * answered. What bulk runs record, repeat and report depends on it: a change is ambiguous unless its answer proves that nothing or
 * everything was done. All functions are pure.
 */
import { isUtf8 } from 'node:buffer'
import { systemCode } from '../errors.ts'
import type { AnswerHeaders, Exchange } from '../host.ts'
import { memberOf } from '../json.ts'
import {
  failures,
  type AnswerFacts,
  type FailedAttempt,
  type FailureName,
} from './failures.ts'

/** An answer that arrived whole. */
export type Answer = Exchange & { kind: 'response' }

/** Reads a 2xx answer. Throws `BadAnswer` if the answer is not as the API's description says. */
export type ReadAnswer = (answer: Answer) => unknown

/** The error for an answer that cannot be read. The message says why. */
export class BadAnswer extends Error {
  /** Whether the answer is not one of the service's API, so that sending the request again would not help. */
  readonly isForeign: boolean

  constructor(message: string, { isForeign = false }: { isForeign?: boolean } = {}) {
    super(message)
    this.isForeign = isForeign
  }
}

export type AttemptResult =
  FailedAttempt | (AnswerFacts & { kind: 'answered'; data: unknown })

/** Decides how an attempt ended. Throws what `readAnswer` throws, unless that is about the answer. */
export function classify(exchange: Exchange, readAnswer: ReadAnswer): AttemptResult {
  if (exchange.kind === 'failed') {
    const { error, sent } = exchange
    const message = reasonOf(error)
    if (!sent) return failed(connectionFailure(error), { message })
    return failed(isForeignAnswer(error) ? 'foreign' : 'lost', { message })
  }
  const { status, headers } = exchange
  if (status >= 200 && status < 300) return readSuccess(exchange, readAnswer)
  if (status >= 300 && status < 400) {
    const location = header(headers, 'location') ?? 'an unnamed address'
    const message = `it redirects to ${location}, which svc never follows`
    return failed('foreign', { status, headers, message })
  }
  return failed(statusFailure(status), { status, headers, ...readErrorBody(exchange) })
}

function failed(failure: FailureName, facts: AnswerFacts): FailedAttempt {
  return { kind: failures[failure].kind, failure, ...facts }
}

/** Reads a 2xx answer. One that cannot be read is a failure. */
function readSuccess(answer: Answer, readAnswer: ReadAnswer): AttemptResult {
  const { status, headers } = answer
  try {
    return { kind: 'answered', status, headers, data: readAnswer(answer) }
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error
    const { message, isForeign } = error
    return failed(isForeign ? 'foreign' : 'garbled', { status, headers, message })
  }
}

/** Recognizes the failure that the status of an answer stands for, other than 2xx and 3xx. */
function statusFailure(status: number): FailureName {
  if (status === 401) return 'credentials'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unwell'
}

/** The largest body that svc reads. A defect of the service must not fill the memory. */
export const maxAnswerBytes = 8 * 1024 * 1024
/** How deep JSON may be nested. Deeper JSON could exhaust the stack of its parser. */
const maxAnswerDepth = 64

/** Returns the value of a header, or the first value if there are several. `name` is in lower case. */
export function header(headers: AnswerHeaders, name: string) {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The form of a date in HTTP (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const fixdate = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i

/** Reads an HTTP date. Returns milliseconds since 1970; undefined for any other text. */
export function httpDate(value = '') {
  // Date.parse alone would read many other forms.
  if (!fixdate.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the value of a JSON body. Throws `BadAnswer` if the body is no JSON, nested too deep, compressed or not UTF-8. */
export function parseAnswer({ headers, body }: Answer): unknown {
  const encoding = header(headers, 'content-encoding') ?? ''
  const isPlain = ['', 'identity'].includes(encoding.trim().toLowerCase())
  if (!isPlain)
    throw new BadAnswer(
      `the answer is encoded (${encoding}), although svc did not ask for that`,
    )
  // Not by `toString`, which replaces invalid bytes silently, nor by a TextDecoder, whose first use takes milliseconds.
  if (!isUtf8(body)) throw new BadAnswer('the answer is not valid UTF-8')
  // A byte order mark is not part of the text.
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  if (text.trim() === '') throw new BadAnswer('the answer is empty')
  if (depthOf(text) > maxAnswerDepth)
    throw new BadAnswer(`the answer is nested more than ${maxAnswerDepth} levels deep`)
  try {
    return JSON.parse(text)
  } catch {
    throw new BadAnswer('the answer is not valid JSON')
  }
}

/** Returns how deep a JSON text is nested. Counts brackets, in linear time and without a parser. */
export function depthOf(text: string) {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '"') index = endOfString(text, index + 1)
    else if (character === '{' || character === '[') {
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (character === '}' || character === ']') depth -= 1
  }
  return deepest
}

/** The index of the quote that ends a JSON string, or the length of the text if none does. `start` is after the first quote. */
function endOfString(json: string, start: number): number {
  for (
    let index = json.indexOf('"', start);
    index >= 0;
    index = json.indexOf('"', index + 1)
  ) {
    let backslashes = 0
    while (json.charAt(index - 1 - backslashes) === '\\') backslashes += 1
    // Two backslashes stand for one. An odd one escapes the quote.
    if (backslashes % 2 === 0) return index
  }
  return json.length
}

/** Reads the body of an error (API: Errors). Leaves out a member that is missing or has another type. */
function readErrorBody(answer: Answer): { code?: number; message?: string } {
  let document: unknown
  try {
    document = parseAnswer(answer)
  } catch {
    return {}
  }
  const body: { code?: number; message?: string } = {}
  const code = memberOf(document, 'code')
  if (Number.isInteger(code)) body.code = Number(code)
  const message = memberOf(document, 'message')
  if (typeof message === 'string' && message !== '') body.message = message
  return body
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

/** Codes of errors about the certificate of the service or of a proxy. */
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/

/** Recognizes the failure of a connection that was not open yet, of the service or of a proxy. */
export function connectionFailure(error: unknown): FailureName {
  const code = systemCode(error) ?? ''
  if (certificateCodes.test(code)) return 'certificate'
  if (code === 'SVC_PROXY_REFUSED') return 'proxy'
  // If the name server does not answer, the code is another one.
  return code === 'ENOTFOUND' ? 'unknownHost' : 'unreachable'
}

/**
 * Whether an error stands for an answer that is not HTTP as svc speaks it, which the service or a proxy may have sent. undici
 * asserts that a status is at least 100, and calls an interim answer such as 100 Continue a bad one.
 */
function isForeignAnswer({ name, message }: Error) {
  const isMalformed = /^(HTTPParserError|AssertionError)$/.test(name)
  return isMalformed || /^bad (response|upgrade)$/.test(message)
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

/** Says why a connection or a request failed, as a part of a sentence. */
export function reasonOf(error: Error) {
  if (isForeignAnswer(error)) return 'the answer is not valid HTTP, or an interim one'
  const code = systemCode(error) ?? ''
  // OpenSSL's own message contains memory addresses and names of source files.
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) return `no TLS connection (${code})`
  return reasons[code] ?? (error.message || code || 'the connection failed')
}
