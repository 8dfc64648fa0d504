/** The fewest steps of a world that still show its false claim. */
import { simulate, type Episode } from './episode.ts'

/** A claim without its ids, times and counts, which are others when steps are left out. */
const kindOf = (what: string): string => what.replace(/[0-9a-f]{4,}|\d+/g, '#')

/**
 * Leaves out half of the steps, then quarters, down to single ones, as long as a claim of the same kind is false. Returns the numbers of the
 * steps that stay: `--keep` plays them alone.
 */
export async function shrink(
  { seed, plan, violations }: Episode,
  hours: number,
  only?: readonly string[],
): Promise<readonly number[]> {
  const kinds = new Set(violations.map(({ what }) => kindOf(what)))
  const isFalse = async (kept: readonly number[]): Promise<boolean> => {
    const episode = await simulate(seed, hours, only, kept)
    return episode.violations.some(({ what }) => kinds.has(kindOf(what)))
  }
  let kept = plan.map((_, index) => index)
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const fewer = kept.toSpliced(from, size)
      if (await isFalse(fewer)) kept = fewer
      else from += size
    }
  }
  return kept
}
