/** What faults do to one request: data that the service reads at the places where things can go wrong. */
import type { ServerResponse } from 'node:http'
import type { OperationName } from '../../api/operations.ts'
import type { Answer } from '../answer.ts'
import type { Chunking } from '../tickets.ts'

/**
 * How the bytes of an answer go out, when not in the usual way: not at all, with or without an end of the connection; once more after
 * some milliseconds; or as a function of a test writes them.
 */
export type Sending = 'drop' | 'hang' | { readonly twiceAfter: number } | WriteAnswer

/** Writes an answer whose headers are complete. `closing` is aborted when the sandbox closes. */
export type WriteAnswer = (response: ServerResponse, answer: Answer, closing: AbortSignal) => Promise<Sent> | Sent

/** Who knows whether all of an answer went out: Node (`writableFinished`), or it was written by hand. */
export type Sent = 'node' | 'complete' | 'incomplete'

export interface FaultContext {
  readonly operation: OperationName | undefined
  /** `chunkLastMessageId` of the request. */
  readonly cursor: string | undefined
  /** The service's time in milliseconds since 1970. */
  readonly now: number
}

/** What one fault does to a request, or all that struck it. */
export interface Effect {
  /** The rules as they were written. */
  readonly rules?: readonly string[]
  /** Milliseconds to wait before the operation is applied, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  readonly apply?: boolean | 'half'
  /** Milliseconds between the end of the exchange and applying the operation. */
  readonly late?: number
  /** An answer instead of the operation's own. */
  readonly instead?: (context: FaultContext) => Answer
  readonly chunking?: Partial<Chunking>
  /** Changes the answer's JSON value, a copy. */
  readonly value?: (value: unknown, context: FaultContext) => unknown
  /** Changes the answer's bytes. */
  readonly bytes?: (body: Buffer) => Buffer
  /** Headers instead of the answer's; undefined: none of that name. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** No `Date` header at all. */
  readonly noDate?: true
  readonly send?: Sending
}

/** Two effects on one request; where only one can be, it is that of the first. */
export function both(one: Effect, other: Effect): Effect {
  const applies = [one.apply, other.apply]
  const changes = [one.value, other.value].filter((value) => value !== undefined)
  return {
    ...other,
    ...one,
    rules: [...(one.rules ?? []), ...(other.rules ?? [])],
    before: (one.before ?? 0) + (other.before ?? 0),
    after: (one.after ?? 0) + (other.after ?? 0),
    apply: applies.includes(false) ? false : applies.includes('half') ? 'half' : true,
    chunking: { ...one.chunking, ...other.chunking },
    ...(changes.length > 0 && { value: (value, context) => changes.reduce((all, each) => each(all, context), value) }),
    bytes: (body) => [one.bytes, other.bytes].reduce((all, each) => each?.(all) ?? all, body),
    headers: { ...one.headers, ...other.headers },
  }
}

/** The answer as the faults leave it. */
export function distorted(
  own: Answer,
  { instead, value, bytes, headers: changed = {} }: Effect,
  context: FaultContext,
) {
  const answer = instead?.(context) ?? own
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true
  const body =
    value === undefined || !isJson
      ? answer.body
      : Buffer.from(JSON.stringify(value(JSON.parse(answer.body.toString()), context)))
  const headers = { ...answer.headers }
  for (const [name, text] of Object.entries(changed)) {
    if (text === undefined) delete headers[name]
    else headers[name] = text
  }
  return { status: answer.status, headers, body: bytes?.(body) ?? body }
}
