/** What a fault does to one request: data that the service reads at the places where things can go wrong. */
import type { OperationName } from '../../api/operations.ts'
import type { Answer } from '../answer.ts'
import type { Chunking } from '../tickets.ts'

/** How the bytes of an answer go out, when not in the usual way. */
export type Sending =
  | { readonly kind: 'drop' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut'; readonly at: number | undefined; readonly whole: boolean; readonly chunked: boolean }
  | { readonly kind: 'drip'; readonly wait: number }
  | { readonly kind: 'huge'; readonly bytes: number }
  | { readonly kind: 'length'; readonly difference: number }

export interface FaultContext {
  readonly operation: OperationName | undefined
  /** `chunkLastMessageId` of the request. */
  readonly cursor: string | undefined
  /** The service's time in milliseconds since 1970. */
  readonly now: number
}

export interface Effect {
  /** Milliseconds to wait before the operation is carried out, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is carried out; it is unless this says otherwise. */
  readonly apply?: boolean | 'half'
  /** Carried out only so many milliseconds after the answer went out or the client gave up. */
  readonly late?: number
  /** An answer in place of the operation's own. */
  readonly instead?: (context: FaultContext) => Answer
  readonly chunking?: Partial<Chunking>
  /** Changes the answer's JSON value, a copy. */
  readonly value?: (value: unknown, context: FaultContext) => unknown
  /** Changes the answer's bytes. */
  readonly bytes?: (body: Buffer) => Buffer
  readonly headers?: (headers: Record<string, string>) => void
  /** No `Date` header at all. */
  readonly noDate?: true
  readonly send?: Sending
}
