/** Plays worlds and prints what was false, or looks for a mistake that was planted. */
import { modes, play, type Mode } from './episodes.ts'

export async function simulate(mode: string, count: number, first: number): Promise<number> {
  const chosen: readonly Mode[] = mode === 'all' ? modes : modes.filter((each) => each === mode)
  if (chosen.length === 0) throw new Error(`the modes are ${modes.join(', ')} and all`)
  let wrong = 0
  for (const each of chosen) {
    const played = await play(each, first, count)
    wrong += played.wrong.length
    console.log(
      `${each}: ${played.episodes} episodes, ${played.receipts} receipts, ${played.wrong.length} false`,
    )
    for (const what of played.wrong.slice(0, 20)) console.log(`  FALSE ${what}`)
    const ends = Object.entries(played.ends).sort(([, one], [, other]) => other - one)
    for (const [end, times] of ends.slice(0, 12)) console.log(`  ${times} ${end}`)
  }
  return wrong
}

/** Worlds of a mode at a time: a seed of `crash` is a world for each step, and few races go wrong. */
const often: Partial<Record<Mode, number>> = { crash: 1, race: 20 }

/** Plays all modes, one seed after the other, until something is false or the time is over. `most`: in milliseconds. */
export async function findMistake(
  most: number,
): Promise<{ found: string | undefined; ms: number }> {
  const begun = performance.now()
  for (let seed = 1; performance.now() - begun < most; seed += 1) {
    for (const mode of modes.filter((each) => each !== 'crash' || seed % 5 === 0)) {
      const { wrong } = await play(mode, seed * 20, often[mode] ?? 5).catch((error: unknown) => ({
        wrong: [String(error)],
      }))
      if (wrong[0] !== undefined) return { found: wrong[0], ms: performance.now() - begun }
    }
  }
  return { found: undefined, ms: performance.now() - begun }
}
