/** Reads an answer of the service: its headers, its text, and its JSON within limits. All functions are pure. */
import { isUtf8 } from 'node:buffer'
import { endOfString, memberOf } from '../json.ts'
import type { AnswerHeaders, Exchange } from '../host.ts'

/** The largest body that svc reads. A defect of the service must not fill the memory. */
export const maxAnswerBytes = 8 * 1024 * 1024
/** How deep JSON may be nested. Deeper JSON could exhaust the stack of its parser. */
const maxAnswerDepth = 64

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

/** Returns the value of a header, or the first value if there are several. `name` is in lower case. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The form of a date in HTTP (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const fixdate = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i

/** Reads an HTTP date. Returns milliseconds since 1970; undefined for any other text. */
export function httpDate(value = ''): number | undefined {
  // Date.parse alone would read many other forms.
  if (!fixdate.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the text of a body. Throws `BadAnswer` if the body is compressed or not UTF-8. */
function readText({ headers, body }: Answer): string {
  const encoding = header(headers, 'content-encoding') ?? ''
  const isPlain = ['', 'identity'].includes(encoding.trim().toLowerCase())
  if (!isPlain)
    throw new BadAnswer(
      `the answer is encoded (${encoding}), although svc did not ask for that`,
    )
  // `toString` would replace invalid bytes silently. The first use of a TextDecoder costs milliseconds.
  if (!isUtf8(body)) throw new BadAnswer('the answer is not valid UTF-8')
  // A byte order mark is not part of the text.
  return body.toString('utf8').replace(/^\ufeff/, '')
}

/** Returns the value of a JSON body. Throws `BadAnswer` if the body is no JSON, nested too deep, compressed or not UTF-8. */
export function parseAnswer(answer: Answer): unknown {
  const text = readText(answer)
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

/** Reads the body of an error (API: Errors). Leaves out a member that is missing or has another type. */
export function readErrorBody(answer: Answer): { code?: number; message?: string } {
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
