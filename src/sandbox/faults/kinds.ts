/**
 * Faults by their names, and what each does to one request: data that the service reads at the places where things can go wrong.
 * `language.ts` makes them from the words of `--faults`.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { type Answer, jsonAnswer } from '../answer.ts'
import type { Call } from '../input.ts'
import { usageError } from '../../errors.ts'
import { durationMs } from '../../values.ts'

/**
 * How the bytes of an answer go out, when not in the usual way: not at all, with or without an end of the connection; once more after
 * some milliseconds; or as a function of a test writes them.
 */
export type Sending = 'drop' | 'hang' | { readonly twiceAfter: number } | WriteAnswer

/** Writes an answer whose headers are complete. `closing` is aborted when the sandbox closes. */
type WriteAnswer = (
  response: ServerResponse,
  answer: Answer,
  closing: AbortSignal,
) => Promise<Sent> | Sent

/** Who knows whether all of an answer went out: Node (`writableFinished`), or it was written by hand. */
export type Sent = 'node' | 'complete' | 'incomplete'

export interface FaultContext {
  /** The service's time in milliseconds since 1970. */
  readonly now: number
}

/** The work of one fault on a request, or of all that struck it. */
export interface Effect {
  /** The rules as they were written. */
  readonly rules?: readonly string[]
  /** Milliseconds to wait before the operation is applied, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  readonly apply?: boolean
  /** Milliseconds between the end of the exchange and applying the operation. */
  readonly late?: number
  /** Another request for the company than the one that came, for tests. */
  readonly alter?: (call: Call) => Call
  /** An answer instead of the operation's own. */
  readonly instead?: (context: FaultContext) => Answer
  /** The answer as it is then distorted, for tests; without a `date` header none is sent. */
  readonly distort?: (answer: Answer, context: FaultContext) => Answer
  readonly send?: Sending
}

/** Two effects on one request; where only one can be, it is that of the first. */
export function both(one: Effect, other: Effect): Effect {
  return {
    ...other,
    ...one,
    rules: [...(one.rules ?? []), ...(other.rules ?? [])],
    before: (one.before ?? 0) + (other.before ?? 0),
    after: (one.after ?? 0) + (other.after ?? 0),
    apply: one.apply !== false && other.apply !== false,
    alter: (call) => alter(other, alter(one, call)),
    distort: (answer, context) => distort(other, distort(one, answer, context), context),
  }
}

/** The request as the faults leave it. */
export function alter({ alter: change }: Effect, call: Call): Call {
  return change?.(call) ?? call
}

/** The answer as the faults leave it. */
export function distort(
  { distort: change }: Effect,
  answer: Answer,
  context: FaultContext,
): Answer {
  return change?.(answer, context) ?? answer
}

export type FaultKinds = Readonly<Record<string, (params: Params) => Effect>>

export const htmlPage = Buffer.from(
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Proxy</h1><p>Please sign in.</p></body></html>\n',
)

/** API: Errors, the codes of the table; another status has its own times a hundred. */
const codes: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

/** A fault that is a status, such as `503` or `429(retry-after=2)`. */
export function statusFault(status: number, params: Params): Effect {
  const retryAfter = params.value('retry-after')
  const body = params.value('body') ?? 'json'
  if (!['json', 'html', 'empty'].includes(body)) {
    throw usageError(`body=${body} is not one of json, html, empty`)
  }
  const reason = STATUS_CODES[status] ?? 'Error'
  const [usualCode, usualMessage] = codes[status] ?? [status * 100, reason]
  const typedCode = params.value('code')
  const code = typedCode === undefined ? usualCode : params.number('code', typedCode)
  const message = params.value('message') ?? usualMessage
  const bytes = body === 'html' ? htmlPage : Buffer.alloc(0)
  const answer = body === 'json' ? jsonAnswer(status, { code, message }) : page(status, bytes)
  return {
    apply: false,
    instead: ({ now }) => {
      const headers = { ...answer.headers }
      if (retryAfter !== undefined) headers['retry-after'] = retryAfterValue(retryAfter, now)
      return { ...answer, headers }
    },
  }
}

/** An answer that no service of ours gives: a proxy's page, or nothing at all. */
export function page(status: number, body: Buffer): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body,
  }
}

/** `date+5s` is the service's time and five seconds as an HTTP date; everything else goes out as it is written. */
function retryAfterValue(value: string, now: number): string {
  const ahead = /^date\+(.*)$/s.exec(value)?.[1]
  if (ahead === undefined) return value
  return new Date(now + durationOf(ahead)).toUTCString()
}

/** The faults that are words; statuses stand beside them. */
export const faultKinds: FaultKinds = {
  /** The operation's own answer, with the headers that the parentheses name. */
  answer: () => ({}),
  'drop-before': () => ({ apply: false, send: 'drop' }),
  'drop-after-apply': () => ({ send: 'drop' }),
  delay: (params) => {
    const wait = durationOf(params.first('a duration such as 500ms'))
    return params.flag('before') ? { before: wait } : { after: wait }
  },
  duplicate: (params) => {
    const twiceAfter = durationOf(params.first('a duration such as 5ms'))
    return { send: { twiceAfter } }
  },
  'hang-before': () => ({ apply: false, send: 'hang' }),
  'hang-after-apply': () => ({ send: 'hang' }),
  late: (params) => {
    const late = durationOf(params.first('a duration such as 300ms'))
    return { late, send: 'hang' }
  },
}

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`, `7d`. Throws a usage error. */
export function durationOf(text: string): number {
  const word = text.trim()
  const ms = durationMs(word)
  if (ms === undefined) {
    throw usageError(`"${word}" is not a duration: use 500ms, 30s, 2m, 1h or 7d`)
  }
  return ms
}

/** Milliseconds that a clock is ahead, of `+6m` and `-90s`. Throws a usage error. */
export function skewOf(text: string): number {
  const match = /^[+-](?<amount>.*)$/.exec(text)
  if (match === null) throw usageError('use +6m or -90s')
  const ms = durationOf(match.groups?.['amount'] ?? '')
  return text.startsWith('-') ? -ms : ms
}

/** Splits at a character outside quotes and parentheses; spaces around the parts are dropped. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let part = ''
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === '(') depth += 1
    if (!quoted && character === ')') depth -= 1
    if (character === separator && !quoted && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else {
      part += character
    }
  }
  if (quoted) throw usageError('a quote is not closed')
  if (depth !== 0) throw usageError('parentheses do not match')
  return [...parts, part.trim()]
}

function unquote(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"')
  return isQuoted ? text.slice(1, -1) : text
}

/** The parameters in the parentheses of a fault. Each read is recorded, so that an unknown word is an error. */
export class Params {
  readonly words: readonly string[]
  readonly #used = new Set<string>()

  constructor(text: string) {
    this.words = text.trim() === '' ? [] : splitOutside(text, ',').map(unquote)
  }

  /** The first word. Throws when there is none. */
  first(what: string): string {
    const [word] = this.words
    if (word === undefined || word === '') throw usageError(`needs ${what} in parentheses`)
    this.#used.add(word)
    return word
  }

  flag(name: string): boolean {
    this.#used.add(name)
    return this.words.includes(name)
  }

  value(name: string): string | undefined {
    const word = this.words.find((one) => one.startsWith(`${name}=`))
    if (word === undefined) return undefined
    this.#used.add(word)
    return unquote(word.slice(name.length + 1).trim())
  }

  number(name: string, text: string): number {
    if (!/^\d{1,9}$/.test(text)) throw usageError(`${name} needs a whole number, not "${text}"`)
    return Number(text)
  }

  /** Throws when a word was never read. */
  finish(): void {
    const unknown = this.words.find((word) => !this.#used.has(word))
    if (unknown !== undefined) throw usageError(`"${unknown}" is not allowed here`)
  }
}
