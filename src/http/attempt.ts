/**
 * Results of an attempt: never sent, refused, ambiguous or answered. What a bulk run records of a batch,
 * repeats or reports rests on it: a change is ambiguous unless the answer shows that nothing was done. Pure:
 * the exchange comes in as data.
 */
import { isUtf8 } from 'node:buffer'
import { systemCode } from '../errors.ts'
import { endOfString, isObject } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { AnswerHeaders, Exchange } from '../world.ts'
import { describeFailure } from './connection-errors.ts'

/** A service gone wrong must not fill the memory, and nesting must not exhaust the stack of a parser. */
export const maxAnswerBytes = 8 * 1024 * 1024
export const maxAnswerDepth = 64
/**
 * The most values that are parsed: more would block Ctrl-C for too long. A value with a name takes as long as four items of
 * an array. An answer of 8 MiB with nothing but ids is still parsed (1,000 employees and their channels).
 */
export const maxAnswerValues = 400_000
const namedValueWeight = 4

export type AttemptResult = AnswerFacts &
  (
    | { kind: 'never-sent'; message: string; systemCode: string | undefined }
    | { kind: 'refused'; status: number }
    | { kind: 'ambiguous'; message: string }
    | { kind: 'answered'; status: number; data: unknown }
  )

/** The facts of an answer, if there was one. */
interface AnswerFacts {
  status?: number
  code?: number
  /** The service's words for a refusal, or why there was no answer. */
  message?: string
  headers?: AnswerHeaders
  html?: boolean
  /** The service's own name for the request, where its answer has one. */
  requestId?: string | undefined
}

export interface Hooks {
  /** Before each wait for the pace. The call rejects with its error: a request that must not begin need not wait. */
  waiting?(): void
  /**
   * After every wait, right before a byte of attempt `attempt` (from 1) may leave. The call rejects with its error:
   * nothing was sent and no attempt is counted, so a request that must not begin any more can be refused here.
   */
  before?(attempt: number): Promise<void>
  /** After the attempt, before anything is decided on it. */
  after?(attempt: number, result: AttemptResult): Promise<void> | void
  /** Which batch of a run the request is, for logs. */
  batch?: number
  /** Attempts that an earlier process made of the same request. */
  attemptsBefore?: number
  /** Ends a change in flight, instead of the client's own `abort`. */
  cutOff?: AbortSignal | undefined
}

export type Response = Exchange & { kind: 'response' }

/** The result of reading an answer: what was read, or the problem in words. */
export type Result<T> = ({ ok: true } & T) | { ok: false; problem: string }

/** Reads a 2xx answer, which must be of the promised shape. */
export type ReadAnswer = (response: Response) => Result<{ data: unknown }>

/** The value of a header, whose name is in lower case; the first one where it came several times. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Headers in which services and gateways name a request. */
const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id'] as const
const longestRequestId = 200

/** Undefined when the answer does not say. */
export function requestIdOf(
  headers: AnswerHeaders = {},
  hide: (text: string) => string,
): string | undefined {
  const requestId = requestIdHeaders
    .map((name) => header(headers, name))
    .find((id) => id !== undefined && id !== '')
  return requestId === undefined ? undefined : hide(requestId).slice(0, longestRequestId)
}

/**
 * Classifies an exchange. Only a 4xx says that nothing was done, and of those not 408: a gateway gives a 503, with
 * `Retry-After` or without, for a request that the service behind it has applied.
 */
export function classify(exchange: Exchange, read: ReadAnswer): AttemptResult {
  if (exchange.kind === 'failed') {
    const message = describeFailure(exchange.error)
    return exchange.sent
      ? { kind: 'ambiguous', message }
      : { kind: 'never-sent', message, systemCode: systemCode(exchange.error) }
  }
  const { status, headers } = exchange
  const facts = { status, headers, html: looksLikeHtml(exchange) }
  if (status >= 200 && status < 300) {
    const answer = read(exchange)
    return answer.ok
      ? { kind: 'answered', status, headers, data: answer.data }
      : { kind: 'ambiguous', ...facts, message: answer.problem }
  }
  if (status >= 300 && status < 400) {
    const to = header(headers, 'location')
    const message = to === undefined ? 'redirected' : `redirected to ${to}`
    return { kind: 'ambiguous', ...facts, message }
  }
  const error = readErrorBody(exchange)
  const isRefusal = status >= 400 && status < 500 && status !== 408
  if (isRefusal) return { kind: 'refused', ...facts, ...error }
  return { kind: 'ambiguous', ...facts, message: `HTTP ${status}`, ...error }
}

/** The text of a body. An encoding was not asked for, and bytes that are no UTF-8 would be replaced silently. */
export function readText({ headers, body }: Response): Result<{ text: string }> {
  const encoding = header(headers, 'content-encoding')
  const coding = encoding?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') {
    const problem = `the answer is encoded (${encoding}), although svc did not ask for that`
    return { ok: false, problem }
  }
  // Not a TextDecoder, whose first use costs milliseconds.
  if (!isUtf8(body)) return { ok: false, problem: 'the answer is not valid UTF-8' }
  return { ok: true, text: body.toString('utf8').replace(/^\ufeff/, '') }
}

/** Reads JSON with the limits on depth, values and encoding; the transport has counted the size. */
export function parseAnswer(response: Response): Result<{ document: unknown }> {
  const decoded = readText(response)
  if (!decoded.ok) return decoded
  const { text } = decoded
  if (text.trim() === '') return { ok: false, problem: 'the answer is empty' }
  const problem = beyondLimits(text)
  if (problem !== undefined) return { ok: false, problem }
  try {
    return { ok: true, document: JSON.parse(text) as unknown }
  } catch {
    const what = looksLikeHtml(response) ? 'a web page, not JSON' : 'not valid JSON'
    return { ok: false, problem: `the answer is ${what}` }
  }
}

/** Limit of the parser that a JSON text exceeds, in words. */
export function beyondLimits(text: string): string | undefined {
  const { depth, values } = shapeOf(text)
  if (depth > maxAnswerDepth)
    return `the answer is nested more than ${maxAnswerDepth} levels deep`
  if (values <= maxAnswerValues) return undefined
  const most = groupDigits(maxAnswerValues)
  return `the answer has more than ${most} values, a field counting as ${namedValueWeight}`
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * The deepest nesting of a JSON text, and how many values its objects and arrays have, an empty one counting as one and a
 * named one as several; strings are skipped. Linear, and before any parser sees the text.
 */
export function shapeOf(text: string): { depth: number; values: number } {
  let depth = 0
  let deepest = 0
  let values = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === quote) i = endOfString(text, i + 1)
    else if (unit === comma) values += 1
    else if (unit === colon) values += namedValueWeight - 1
    else if (unit === openBrace || unit === openBracket) {
      values += 1
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (unit === closeBrace || unit === closeBracket) depth -= 1
  }
  return { depth: deepest, values }
}

/** API: Errors, `{ code: integer, message: string }`; anything else leaves both unknown. */
function readErrorBody(exchange: Response): { code?: number; message?: string } {
  const parsed = parseAnswer(exchange)
  if (!parsed.ok || !isObject(parsed.document)) return {}
  const { code, message } = parsed.document
  return {
    ...(Number.isInteger(code) && { code: Number(code) }),
    ...(typeof message === 'string' && message !== '' && { message }),
  }
}

function looksLikeHtml(exchange: Response) {
  if (exchange.body.length === 0) return false
  if (/\bhtml\b/i.test(header(exchange.headers, 'content-type') ?? '')) return true
  return /^\s*<(!doctype|html|head|body)/i.test(
    exchange.body.subarray(0, 256).toString('latin1'),
  )
}

/** UTF-16 units of an error's message: nobody reads more. */
const longestMessage = 1 << 14

/**
 * The result as it may be shown and recorded: secrets hidden, with the request's id. A message is cut after hiding: half a
 * secret would not be found.
 */
export function forDisplay(
  result: AttemptResult,
  hide: (text: string) => string,
): AttemptResult {
  const named =
    result.kind === 'never-sent'
      ? result
      : { requestId: requestIdOf(result.headers, hide), ...result }
  if (named.kind === 'answered' || named.message === undefined) return named
  return { ...named, message: hide(named.message).slice(0, longestMessage) }
}
