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
  const proven = await search.find(ids, failed)
  return {
    missing: ids.filter((id) => search.missing.has(id)),
    proven,
    calls: search.calls,
  }
}

/** Counts that are searched after: contacts that are deleted all the time must not keep it going for ever. */
const mostRounds = 3

class Search {
  readonly missing = new Set<string>()
  /** Missing by subtraction. */
  private readonly suspected = new Set<string>()
  private readonly send: SendHalf
  calls = 0

  constructor(send: SendHalf) {
    this.send = send
  }

  /**
   * True when a last call over all ids that are not missing said that none of them failed. Where it counts some, contacts were deleted
   * since the count before, perhaps long ago, by the answer of an earlier session: they are searched for by the new count.
   */
  async find(ids: readonly string[], failed: number): Promise<boolean> {
    let rest = ids
    let bad: number | undefined = failed
    for (let round = 0; round < mostRounds; round += 1) {
      if (!(await this.sort(rest, bad, this.missing)) || !(await this.checkSuspected())) {
        return false
      }
      rest = ids.filter((id) => !this.missing.has(id))
      bad = rest.length === 0 ? 0 : await this.failedOf(rest)
      if (bad === undefined || bad === 0) return bad === 0
    }
    return false
  }

  /** Halves a part of which some ids are missing, not all. False when an answer did not add up. */
  private async split(part: readonly string[], bad: number): Promise<boolean> {
    const middle = part.length >> 1
    const left = part.slice(0, middle)
    const right = part.slice(middle)
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

  /** One call over all that are missing by subtraction: only when it fails whole are they missing. */
  private async checkSuspected(): Promise<boolean> {
    const part = [...this.suspected]
    this.suspected.clear()
    if (part.length === 0) return true
    const bad = await this.failedOf(part)
    if (bad === part.length) for (const id of part) this.missing.add(id)
    return bad !== undefined
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
