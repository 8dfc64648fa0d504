/** When a run stops because of how its batches end. Its exit code: `outcomes/totals.ts`. */
import type { SvcError } from '../../errors.ts'
import type { StopReason } from '../record/events.ts'

/** In a row, with no success between. */
const failuresInARow = 3

export class StopPolicy {
  readonly #maxFailures: number | undefined
  readonly #isSingle: boolean
  #failures = 0
  #inARow = 0
  #successes: number

  /** `successes`: of earlier sessions; a run that got through before does not take a refusal for a wrong list. */
  constructor(maxFailures: number | undefined, isSingle: boolean, successes: number) {
    this.#maxFailures = maxFailures
    this.#isSingle = isSingle
    this.#successes = successes
  }

  succeeded(): void {
    this.#successes += 1
    this.#inARow = 0
  }

  /** A batch failed; `status` is that of the refusal that ended it. Why the run is to stop, if it is. */
  failed(failure: SvcError | undefined, status: number | undefined): StopReason | undefined {
    this.#failures += 1
    this.#inARow += 1
    if (status === 401 || failure?.category === 'auth') return 'auth'
    if (status === 403) return 'forbidden'
    // For pairs a refusal is about that pair; a batch of ids shares what is wrong with all others.
    const isWrongTarget = (status === 400 || status === 404) && this.#successes === 0
    if (isWrongTarget && !this.#isSingle) return 'refused'
    if (failure?.details.retryAfter !== undefined) return 'retry-after'
    const limit = this.#maxFailures
    const isTooOften = limit === undefined ? this.#inARow >= failuresInARow : this.#failures >= limit
    return isTooOften ? 'max-failures' : undefined
  }
}
