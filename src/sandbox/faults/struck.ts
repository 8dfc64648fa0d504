/** The faults that struck one request, put together. */
import type { Answer } from '../answer.ts'
import { usualChunking, type Chunking } from '../tickets.ts'
import type { Effect, FaultContext, Sending } from './effect.ts'

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

  /** Milliseconds to wait before the operation is carried out. */
  get before(): number {
    return this.#effects.reduce((sum, { before }) => sum + (before ?? 0), 0)
  }

  /** Milliseconds to wait after it. */
  get after(): number {
    return this.#effects.reduce((sum, { after }) => sum + (after ?? 0), 0)
  }

  /** Whether the operation is not carried out. */
  get stops(): boolean {
    return this.#effects.some(({ apply }) => apply === false)
  }

  /** Milliseconds after the end of the exchange until it is carried out; undefined when it is not late. */
  get late(): number | undefined {
    return this.#effects.find(({ late }) => late !== undefined)?.late
  }

  /** Whether only the first half of a bulk request is carried out. */
  get halves(): boolean {
    return this.#effects.some(({ apply }) => apply === 'half')
  }

  get chunking(): Chunking {
    return this.#effects.reduce<Chunking>((all, { chunking }) => ({ ...all, ...chunking }), usualChunking)
  }

  /** How the answer goes out when not in the usual way. */
  get sending(): Sending | undefined {
    return this.#effects.find(({ send }) => send !== undefined)?.send
  }

  get hidesDate(): boolean {
    return this.#effects.some(({ noDate }) => noDate === true)
  }

  /** The answer as the faults leave it. */
  distort(own: Answer, context: FaultContext): Answer {
    const answer = this.#effects.find(({ instead }) => instead !== undefined)?.instead?.(context) ?? own
    let { body } = answer
    const values = this.#effects.filter(({ value }) => value !== undefined)
    if (values.length > 0 && answer.headers['content-type']?.startsWith('application/json') === true) {
      let value: unknown = JSON.parse(body.toString())
      for (const effect of values) value = effect.value?.(value, context)
      body = Buffer.from(JSON.stringify(value))
    }
    for (const effect of this.#effects) body = effect.bytes?.(body) ?? body
    const headers = { ...answer.headers }
    for (const effect of this.#effects) effect.headers?.(headers)
    return { status: answer.status, headers, body }
  }
}
