/**
 * Passes over all pages of something that others may change meanwhile. The service has no snapshot: somebody who leaves moves those behind
 * them onto the page before, which was read already. So a read is repeated until it can be shown that nobody is missing. `paginate.ts` asks
 * it after each pass whether another one is needed.
 */
import { SvcError } from '../errors.ts'
import { groupDigits } from '../words.ts'

const mostPasses = 4

/** Rows and totals of each pass. Rows are told apart by their keys, which are ids, in either letter case. */
export class Passes {
  /** Keys of all passes. */
  readonly #keys = new Set<string>()
  /** Keys of this pass: until another begins, they are all there are, kept once. */
  #keysOfPass = this.#keys
  #number = 1
  #firstTotal: number | undefined
  #lowestTotal = Infinity
  #lastTotal: number | undefined
  #hasMoved = false
  /** Id of the newest row, by the last first page. */
  #newest: string | undefined
  #hasNewcomer = false

  /** Whether no page of any pass had this row before. */
  takeRow(key: string): boolean {
    const lower = key.toLowerCase()
    const isNew = !this.#keys.has(lower)
    this.#keys.add(lower)
    this.#keysOfPass.add(lower)
    return isNew
  }

  /** Different rows of this pass. */
  get rows(): number {
    return this.#keysOfPass.size
  }

  /** Takes the number of rows in all, as one page of this pass counts them. */
  takeTotal(total: number): void {
    this.#firstTotal ??= total
    this.#lowestTotal = Math.min(this.#lowestTotal, total)
    this.#lastTotal = total
    if (total !== this.#firstTotal) this.#hasMoved = true
  }

  /**
   * Takes the id of the first row of the first page. In a pass from the last page to the first, somebody who joins pushes others onto pages that
   * were read already, and no total shows it when another leaves at the same time: but who joined stands first then.
   */
  takeNewest(id: string | undefined): void {
    this.#hasNewcomer = this.#number > 1 && id !== this.#newest
    this.#newest = id
  }

  /** The total by the last page, which may be wrong. */
  get total(): number {
    return this.#lastTotal ?? 0
  }

  /** The total by the first page of this pass and by its last, where any page had another one. */
  get moved(): { readonly from: number; readonly to: number } | undefined {
    return this.#hasMoved ? { from: this.#firstTotal ?? 0, to: this.total } : undefined
  }

  /** How many rows others added during this pass, as far as the totals show it: since the lowest, for some may have left before. */
  get added(): number {
    return Math.max(0, this.total - this.#lowestTotal)
  }

  /**
   * Whether every page of this pass gave the same total, and the pass had that many different rows. In a further pass also: nobody has joined
   * since the first page was read for the pass before, or nobody of all passes has left.
   */
  get isWhole(): boolean {
    const canHide = this.#hasNewcomer && this.#keys.size !== this.total
    return !this.#hasMoved && this.rows === this.total && !canHide
  }

  get isLast(): boolean {
    return this.#number === mostPasses
  }

  beginAnother(): void {
    this.#number += 1
    this.#firstTotal = undefined
    this.#lowestTotal = Infinity
    this.#lastTotal = undefined
    this.#hasMoved = false
    this.#hasNewcomer = false
    this.#keysOfPass = new Set()
  }

  /** The error of a read of which no pass was whole. `what` in the plural: `members`. */
  neverWhole(what: string): SvcError {
    const total = groupDigits(this.total)
    const rows = groupDigits(this.rows)
    const message = `the ${what} changed each of the ${mostPasses} times they were read: some may be missing`
    const counts = `the last time, the service counted ${total} and its pages had ${rows}`
    const hint = `${counts}; run the command again when fewer changes are made`
    return new SvcError('unavailable', message, { hint })
  }
}
