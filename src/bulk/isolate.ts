/**
 * Which ids of a batch do not exist, when the service says only how many. Adding is repeatable (present contacts count as
 * skipped), so halves are sent again: the counts of both halves are known from one call.
 */

/** Sends ids again; only `failed` of the answer counts. Throws what the API throws. */
export type SendHalf = (ids: readonly string[]) => Promise<{ added: number; skipped: number; failed: number }>

export interface Isolation {
  /** The ids that do not exist, in input order; none when the counts contradicted each other. */
  readonly missing: readonly string[]
  /** How many calls it took. */
  readonly calls: number
}

/** `failed`: how many of `ids` do not exist, as the answer for all of them said; neither 0 nor all. */
export async function isolate(ids: readonly string[], failed: number, send: SendHalf): Promise<Isolation> {
  const missing: string[] = []
  let calls = 0

  /** False when the counts contradict each other: contacts came or went meanwhile. */
  async function search(part: readonly string[], bad: number): Promise<boolean> {
    if (bad === 0) return true
    if (bad === part.length) {
      missing.push(...part)
      return true
    }
    const middle = part.length >> 1
    const [left, right] = [part.slice(0, middle), part.slice(middle)]
    calls += 1
    const answer = await send(left)
    const inLeft = answer.failed
    const inRight = bad - inLeft
    if (answer.added + answer.skipped + inLeft !== left.length || inRight < 0 || inRight > right.length) return false
    return (await search(left, inLeft)) && (await search(right, inRight))
  }

  return { missing: (await search(ids, failed)) ? missing : [], calls }
}
