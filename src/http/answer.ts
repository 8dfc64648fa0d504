/** Reads an answer of the service: its headers, its text, and its JSON within limits. Pure: the answer comes in as data. */
import { isUtf8 } from 'node:buffer'
import { endOfString, memberOf } from '../json.ts'
import type { AnswerHeaders, Exchange } from '../world.ts'

/** A defect of the service must not fill the memory. */
export const maxAnswerBytes = 8 * 1024 * 1024
/** Nested JSON must not exhaust the stack of its parser. */
export const maxAnswerDepth = 64

/** An answer that arrived whole. */
export type Answer = Exchange & { kind: 'response' }

/** Reads a 2xx answer. Throws `BadAnswer` if the answer is not as the description promises. */
export type ReadAnswer = (answer: Answer) => unknown

/** A 2xx answer that does not count as one. The message says why. */
export class BadAnswer extends Error {
  /** The answer arrived whole but makes no sense. Sending the request again would not help. */
  readonly isOdd: boolean

  constructor(message: string, { isOdd = false }: { isOdd?: boolean } = {}) {
    super(message)
    this.isOdd = isOdd
  }
}

/** The value of a header, or the first value if it came several times. `name` is in lower case. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads an HTTP date of the usual form (RFC 9110, section 5.6.7): milliseconds since 1970, or undefined for any other text. */
export function httpDate(value = ''): number | undefined {
  // Date.parse alone would read many other forms.
  const isUsual = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i.test(value)
  if (!isUsual) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/** The text of a body. Throws `BadAnswer` if the body is compressed or is not UTF-8, which would be replaced silently. */
export function readText({ headers, body }: Answer): string {
  const encoding = header(headers, 'content-encoding')
  const isPlain = /^\s*(?:identity)?\s*$/i.test(encoding ?? '')
  if (!isPlain)
    throw new BadAnswer(
      `the answer is encoded (${encoding}), although svc did not ask for that`,
    )
  // Not a TextDecoder, whose first use costs milliseconds.
  if (!isUtf8(body)) throw new BadAnswer('the answer is not valid UTF-8')
  return body.toString('utf8').replace(/^\ufeff/, '')
}

/** Reads JSON. Throws `BadAnswer` if it is too deep, badly encoded or no JSON. The transport has limited its size. */
export function parseAnswer(answer: Answer): unknown {
  const text = readText(answer)
  if (text.trim() === '') throw new BadAnswer('the answer is empty')
  checkDepth(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new BadAnswer('the answer is not valid JSON')
  }
}

/** Throws `BadAnswer` for JSON that is nested more than `maxAnswerDepth` levels deep. */
export function checkDepth(text: string) {
  if (depthOf(text) <= maxAnswerDepth) return
  throw new BadAnswer(`the answer is nested more than ${maxAnswerDepth} levels deep`)
}

/** How deep a JSON text is nested. It is counted before any parser sees the text, in linear time. */
export function depthOf(text: string): number {
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

/** Reads the body of an error, `{ code: integer, message: string }` (API: Errors). A member that is not so is left out. */
export function readErrorBody(answer: Answer) {
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
