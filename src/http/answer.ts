/**
 * An answer of the service, read: its headers, its text, and its JSON within limits. Pure: the answer comes in as data.
 */
import { isUtf8 } from 'node:buffer'
import { endOfString, memberOf } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { AnswerHeaders, Exchange } from '../world.ts'

/** A service gone wrong must not fill the memory, and nesting must not exhaust the stack of a parser. */
export const maxAnswerBytes = 8 * 1024 * 1024
export const maxAnswerDepth = 64
/**
 * The most values that are parsed: more would block Ctrl-C for too long. A value with a name takes as long as four items of
 * an array. An answer of 8 MiB with nothing but ids is still parsed (1,000 employees and their channels).
 */
export const maxAnswerValues = 400_000
const namedValueWeight = 4

export type Response = Exchange & { kind: 'response' }

/** Reads a 2xx answer. Throws `BadAnswer` if it is not of the promised shape. */
export type ReadAnswer = (answer: Response) => unknown

/** An answer that does not count as one. The message says why. */
export class BadAnswer extends Error {}

/** The value of a header, whose name is in lower case; the first one where it came several times. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * An HTTP date of the usual form (RFC 9110, section 5.6.7) in milliseconds since 1970; `Date.parse` alone reads many more.
 */
export function httpDate(value: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  const isUsual = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i.test(text)
  const time = isUsual ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}

/** The text of a body. An encoding was not asked for, and bytes that are no UTF-8 would be replaced silently. */
export function readText({ headers, body }: Response): string {
  const encoding = header(headers, 'content-encoding')
  const coding = encoding?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity')
    throw new BadAnswer(
      `the answer is encoded (${encoding}), although svc did not ask for that`,
    )
  // Not a TextDecoder, whose first use costs milliseconds.
  if (!isUtf8(body)) throw new BadAnswer('the answer is not valid UTF-8')
  return body.toString('utf8').replace(/^\ufeff/, '')
}

/** Reads JSON with the limits on depth, values and encoding; the transport has counted the size. */
export function parseAnswer(answer: Response): unknown {
  const text = readText(answer)
  if (text.trim() === '') throw new BadAnswer('the answer is empty')
  checkLimits(text)
  try {
    return JSON.parse(text)
  } catch {
    const what = looksLikeHtml(answer) ? 'a web page, not JSON' : 'not valid JSON'
    throw new BadAnswer(`the answer is ${what}`)
  }
}

/** Throws `BadAnswer` for a JSON text that exceeds a limit of the parser. */
export function checkLimits(text: string) {
  const { depth, values } = shapeOf(text)
  if (depth > maxAnswerDepth)
    throw new BadAnswer(`the answer is nested more than ${maxAnswerDepth} levels deep`)
  if (values <= maxAnswerValues) return
  const most = groupDigits(maxAnswerValues)
  throw new BadAnswer(
    `the answer has more than ${most} values, a field counting as ${namedValueWeight}`,
  )
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
export function readErrorBody(answer: Response): { code?: number; message?: string } {
  let document: unknown
  try {
    document = parseAnswer(answer)
  } catch {
    return {}
  }
  const code = memberOf(document, 'code')
  const message = memberOf(document, 'message')
  return {
    ...(Number.isInteger(code) && { code: Number(code) }),
    ...(typeof message === 'string' && message !== '' && { message }),
  }
}

/** Whether it is a web page, which the service never sends. */
export function looksLikeHtml({ headers, body }: Response) {
  if (body.length === 0) return false
  if (/\bhtml\b/i.test(header(headers, 'content-type') ?? '')) return true
  return /^\s*<(!doctype|html|head|body)/i.test(body.toString('latin1', 0, 256))
}
