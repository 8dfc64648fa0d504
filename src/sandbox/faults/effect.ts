/** Faults of one request, as data that the service reads at the places where things can go wrong. */
import type { ServerResponse } from 'node:http'
import type { Answer } from '../answer.ts'
import type { Call } from '../input.ts'

/**
 * How the bytes of an answer go out, when not in the usual way: not at all, with or without an end of the connection; once more after
 * some milliseconds; or as a function of a test writes them.
 */
export type Sending = 'drop' | 'hang' | { readonly twiceAfter: number } | WriteAnswer

/** Writes an answer whose headers are complete. `closing` is aborted when the sandbox closes. */
export type WriteAnswer = (
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
