/** When a run stops because of how its batches end, for `send.ts`. Which exit code that gives is decided in `outcomes/totals.ts`. */
import type { SvcError } from '../errors.ts'
import type { StopReason } from './record/journal.ts'

const failuresInARow = 3

export class StopRule {
  readonly #maxFailures: number | undefined
  readonly #isOfPairs: boolean
  #failures = 0
  #inARow = 0
  /** After a success, a refusal does not mean that the list is wrong. */
  #isProven: boolean

  constructor(maxFailures: number | undefined, pairs: boolean, isProven: boolean) {
    this.#maxFailures = maxFailures
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
    this.#failures += 1
    // If a request has one item, a refusal is only about that item.
    if (this.#isOfPairs && failure?.category === 'rejected') return this.#tooMany(Infinity)
    this.#inARow += 1
    if (status === 401 || failure?.category === 'auth') return 'auth'
    if (status === 403) return 'forbidden'
    if ((status === 400 || status === 404) && !this.#isProven) return 'refused'
    if (failure?.details.retryAfter !== undefined) return 'retry-after'
    return this.#tooMany(failuresInARow)
  }

  /** As many as the command line allows, or, without such a number, `most` in a row. */
  #tooMany(most: number): StopReason | undefined {
    const limit = this.#maxFailures
    const isTooMany = limit === undefined ? this.#inARow >= most : this.#failures >= limit
    return isTooMany ? 'max-failures' : undefined
  }
}
