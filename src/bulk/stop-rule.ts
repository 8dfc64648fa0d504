/** When a run stops because of how its batches end, for `send.ts`. Which exit code that gives is decided in `outcomes/totals.ts`. */
import type { SvcError } from '../errors.ts'
import type { StopReason } from './record/journal.ts'

const failuresInARow = 3

export class StopRule {
  readonly #isOfPairs: boolean
  #inARow = 0
  /** After a success, a refusal does not mean that the list is wrong. */
  #isProven: boolean

  constructor(pairs: boolean, isProven: boolean) {
    this.#isOfPairs = pairs
    this.#isProven = isProven
  }

  noteSuccess(): void {
    this.#isProven = true
    this.#inARow = 0
  }

  /** Called when a batch has failed. `status`: that of the refusal. Returns why the run must stop, if it must. */
  noteFailure(
    failure: SvcError | undefined,
    status: number | undefined,
  ): StopReason | undefined {
    // If a request has one item, a refusal is only about that item.
    if (this.#isOfPairs && failure?.category === 'rejected') return undefined
    this.#inARow += 1
    if (status === 401 || failure?.category === 'auth') return 'auth'
    if (status === 403) return 'forbidden'
    if ((status === 400 || status === 404) && !this.#isProven) return 'refused'
    if (failure?.details.retryAfter !== undefined) return 'retry-after'
    return this.#inARow >= failuresInARow ? 'failures' : undefined
  }
}
