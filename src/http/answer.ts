/**
 * An answer of the service, read: its headers, its text, and its JSON within limits. Pure: the answer comes in as data.
 */
import { isUtf8 } from 'node:buffer'
import { endOfString, memberOf } from '../values.ts'
import type { AnswerHeaders, Exchange } from '../world.ts'

/** A service gone wrong must not fill the memory, and nesting must not exhaust the stack of a parser. */
export const maxAnswerBytes = 8 * 1024 * 1024
export const maxAnswerDepth = 64

export type Response = Exchange & { kind: 'response' }

/** Reads a 2xx answer. Throws `BadAnswer` if it is not of the promised shape. */
export type ReadAnswer = (answer: Response) => unknown

/** An answer that does not count as one. The message says why. */
export class BadAnswer extends Error {
  /** It is whole, but makes no sense: asking again at once would change nothing. */
  readonly isOdd: boolean

  constructor(message: string, isOdd = false) {
    super(message)
    this.isOdd = isOdd
  }
}

/** The value of a header, whose name is in lower case; the first one where it came several times. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * An HTTP date of the usual form (RFC 9110, section 5.6.7) in milliseconds since 1970; `Date.parse` alone reads many more.
 */
export function httpDate(value = ''): number | undefined {
  const isUsual = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i.test(value)
  const time = isUsual ? Date.parse(value) : NaN
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

/** Reads JSON with the limits on depth and encoding; the transport has counted the size. */
export function parseAnswer(answer: Response): unknown {
  const text = readText(answer)
  if (text.trim() === '') throw new BadAnswer('the answer is empty')
  checkDepth(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new BadAnswer('the answer is not valid JSON')
  }
}

/** Throws `BadAnswer` for a JSON text that is nested too deep for a parser. */
export function checkDepth(text: string) {
  if (depthOf(text) <= maxAnswerDepth) return
  throw new BadAnswer(`the answer is nested more than ${maxAnswerDepth} levels deep`)
}

/** The deepest nesting of a JSON text; strings are skipped. Linear, and before any parser sees the text. */
export function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i)
    if (character === '"') i = endOfString(text, i + 1)
    else if (character === '{' || character === '[') {
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (character === '}' || character === ']') depth -= 1
  }
  return deepest
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
