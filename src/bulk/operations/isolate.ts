/**
 * Which ids of a batch do not exist, when the service says only how many. Adding is repeatable (present contacts count as
 * skipped), so halves are sent again; what is in the other half follows by subtraction, but only as a guess: contacts may be
 * deleted between two calls. Each claim at the end rests on a call with those ids and no others.
 */

import { isObject } from '../../values.ts'
import { isCount } from './operation.ts'

/** Sends ids again, and returns the answer; only its `failed` counts. Throws what the API throws. */
export type SendHalf = (ids: readonly string[]) => Promise<unknown>

/**
 * `failed`: how many of `ids` do not exist, as the answer for all of them said; neither 0 nor all. Returns those that do not, in
 * input order: each was in a call that held only such ids and failed whole. `proven`: a last call over all other ids said that
 * none of them failed; otherwise nothing is known of those.
 */
export async function isolate(ids: readonly string[], failed: number, send: SendHalf) {
  const search = new Search(send)
  const isFound = await search.split(ids, failed)
  const proven = isFound && (await search.confirm(ids))
  return { missing: ids.filter((id) => search.missing.has(id)), proven, calls: search.calls }
}

class Search {
  readonly missing = new Set<string>()
  /** Missing by subtraction. */
  private readonly suspected = new Set<string>()
  private readonly send: SendHalf
  calls = 0

  constructor(send: SendHalf) {
    this.send = send
  }

  /** Halves a part of which some ids are missing, not all. False when an answer did not add up. */
  async split(part: readonly string[], bad: number): Promise<boolean> {
    const middle = part.length >> 1
    const [left, right] = [part.slice(0, middle), part.slice(middle)]
    const inLeft = await this.failedOf(left)
    if (inLeft === undefined || !(await this.sort(left, inLeft, this.missing))) return false
    const rest = bad - inLeft
    if (rest >= 0 && rest <= right.length) return this.sort(right, rest, this.suspected)
    // Contacts came or went since `bad` was counted.
    const inRight = await this.failedOf(right)
    return inRight !== undefined && this.sort(right, inRight, this.missing)
  }

  /** Keeps a part that is missing whole, skips one that is not missing at all, and halves every other. */
  private async sort(part: readonly string[], bad: number, whole: Set<string>): Promise<boolean> {
    if (bad === 0) return true
    if (bad < part.length) return this.split(part, bad)
    for (const id of part) whole.add(id)
    return true
  }

  /** One call over all that are missing by subtraction, and the last one over all that are presumed to exist. */
  async confirm(ids: readonly string[]): Promise<boolean> {
    if (this.suspected.size > 0) {
      if ((await this.failedOf([...this.suspected])) !== this.suspected.size) return false
      for (const id of this.suspected) this.missing.add(id)
    }
    const present = ids.filter((id) => !this.missing.has(id))
    return present.length === 0 || (await this.failedOf(present)) === 0
  }

  /** Undefined when the answer does not add up. */
  private async failedOf(part: readonly string[]): Promise<number | undefined> {
    this.calls += 1
    const answer = await this.send(part)
    if (!isObject(answer)) return undefined
    const { added, skipped, failed } = answer
    if (!isCount(added) || !isCount(skipped) || !isCount(failed)) return undefined
    return added + skipped + failed === part.length ? failed : undefined
  }
}
