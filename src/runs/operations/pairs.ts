/** Shared by the operations on pairs: a contact and the one that it is merged into, a ticket and its new assignee. */
import { SvcError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { shorten } from '../../safe-text.ts'
import { firstOf, groupDigits } from '../../words.ts'
import type { Batch, PairRules } from './operation.ts'

/** The pair of a batch. Throws a RangeError for what is not one pair. */
export function pairOf({ operation, ids, other }: Batch): { id: string; other: string } {
  const [id] = ids
  if (id === undefined || other === undefined || ids.length !== 1) {
    throw new RangeError(`a batch of ${operation} is one pair`)
  }
  return { id, other }
}

/** The contradictions among pairs, in words: an id with two second parties, and what only its operation knows. */
export function contradictions(
  pairs: readonly Pair[],
  { preposition, problemWithPair }: PairRules,
): string[] {
  const byId = new Map<string, Pair>()
  const partyOf = ({ other }: Pair) => `${preposition} "${shorten(other)}"`
  const repeated = pairs.flatMap((pair) => {
    const key = pair.id.toLowerCase()
    const first = byId.get(key)
    if (first === undefined) {
      byId.set(key, pair)
      return []
    }
    const before = `line ${groupDigits(first.line)} has it ${partyOf(first)}`
    return [inLine(pair, `${pair.id} ${partyOf(pair)}, but ${before}`)]
  })
  const others = pairs.flatMap((pair) => {
    const problem = problemWithPair?.(pair, byId)
    return problem === undefined ? [] : [inLine(pair, problem)]
  })
  return [...repeated, ...others]
}

const inLine = ({ line }: Pair, problem: string) => `line ${groupDigits(line)}: ${problem}`

/** Throws exit 2 for pairs that contradict each other. */
export function checkPairs(pairs: readonly Pair[], rules: PairRules) {
  const lines = firstOf(contradictions(pairs, rules), 20)
  if (lines.length === 0) return
  throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
    lines,
  })
}
