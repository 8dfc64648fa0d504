/**
 * What faults do to one request: data that the service reads at the places where things can go wrong.
 */
import type { OperationName } from '../../api/operations.ts'
import type { Answer } from '../answer.ts'
import { usualChunking, type Chunking } from '../tickets.ts'

/** How the bytes of an answer go out, when not in the usual way. */
export type Sending =
  | { readonly kind: 'drop' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut'; readonly at: number | undefined; readonly whole: boolean; readonly chunked: boolean }
  | { readonly kind: 'drip'; readonly wait: number }
  | { readonly kind: 'duplicate'; readonly wait: number }
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
  /** Milliseconds to wait before the operation is applied, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  readonly apply?: boolean | 'half'
  /** Applied only so many milliseconds after the answer went out or the client gave up. */
  readonly late?: number
  /** An answer in place of the operation's own. */
  readonly instead?: (context: FaultContext) => Answer
  readonly chunking?: Partial<Chunking>
  /** Changes the answer's JSON value, a copy. */
  readonly value?: (value: unknown, context: FaultContext) => unknown
  /** Changes the answer's bytes. */
  readonly bytes?: (body: Buffer) => Buffer
  /** Headers in place of the answer's; undefined: none of that name. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** No `Date` header at all. */
  readonly noDate?: true
  readonly send?: Sending
}

/** The faults that struck one request, put together. */
export class Struck {
  /** The rules as they were written. */
  readonly rules: readonly string[]
  readonly #effects: readonly Effect[]

  constructor(rules: readonly string[], effects: readonly Effect[]) {
    this.rules = rules
    this.#effects = effects
  }

  /** Both together: what struck before the signature was checked, and what struck after it. */
  and(more: Struck): Struck {
    return new Struck([...this.rules, ...more.rules], [...this.#effects, ...more.#effects])
  }

  /** The milliseconds of all of them. */
  sum(name: 'before' | 'after'): number {
    return this.#effects.reduce((sum, effect) => sum + (effect[name] ?? 0), 0)
  }

  /** What the first of them says that says anything. */
  first<K extends 'late' | 'instead' | 'send' | 'noDate'>(name: K): Effect[K] | undefined {
    return this.#effects.map((effect) => effect[name]).find((said) => said !== undefined)
  }

  /** Whether the operation is not applied. */
  get stops(): boolean {
    return this.#effects.some(({ apply }) => apply === false)
  }

  /** Whether only the first half of a bulk request is applied. */
  get halves(): boolean {
    return this.#effects.some(({ apply }) => apply === 'half')
  }

  get chunking(): Chunking {
    return this.#effects.reduce<Chunking>((all, { chunking }) => ({ ...all, ...chunking }), usualChunking)
  }

  /** The answer as the faults leave it. */
  distort(own: Answer, context: FaultContext): Answer {
    const answer = this.first('instead')?.(context) ?? own
    let { body } = answer
    const values = this.#effects.filter(({ value }) => value !== undefined)
    if (values.length > 0 && answer.headers['content-type']?.startsWith('application/json') === true) {
      let value: unknown = JSON.parse(body.toString())
      for (const effect of values) value = effect.value?.(value, context)
      body = Buffer.from(JSON.stringify(value))
    }
    for (const effect of this.#effects) body = effect.bytes?.(body) ?? body
    const headers = { ...answer.headers }
    for (const [name, value] of this.#effects.flatMap(({ headers: changed = {} }) => Object.entries(changed))) {
      if (value === undefined) delete headers[name]
      else headers[name] = value
    }
    return { status: answer.status, headers, body }
  }
}
