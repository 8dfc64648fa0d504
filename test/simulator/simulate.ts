/** Plays worlds and prints what was false, or looks for a mistake that was planted. */
import { modes, play, type Mode } from './episodes.ts'

export async function simulate(
  mode: string,
  count: number,
  first: number,
  workerPath: string,
): Promise<number> {
  const chosen: readonly Mode[] = mode === 'all' ? modes : modes.filter((each) => each === mode)
  if (chosen.length === 0) throw new Error(`the modes are ${modes.join(', ')} and all`)
  let wrong = 0
  for (const each of chosen) {
    const begun = performance.now()
    const played = await play(each, first, count, workerPath)
    wrong += played.wrong.length
    const rate = Math.round((1000 * played.episodes) / (performance.now() - begun))
    console.log(
      `${each}: ${played.episodes} episodes, ${rate} a second, ${played.receipts} receipts, ${played.wrong.length} false`,
    )
    for (const what of played.wrong.slice(0, 20)) console.log(`  FALSE ${what}`)
    const ends = Object.entries(played.ends).sort(([, one], [, other]) => other - one)
    for (const [end, times] of ends.slice(0, 20)) console.log(`  ${times} ${end}`)
  }
  return wrong
}

/** What is rare needs more worlds: several processes, and a close or a removal beside them. */
const turns: readonly Mode[] = [...modes, 'close', 'race', 'close', 'close']

/** Plays all modes in turns until something is false or the time is over. `most`: in milliseconds. */
export async function findMistake(
  most: number,
  workerPath: string,
): Promise<{ found: string | undefined; ms: number }> {
  const begun = performance.now()
  for (let seed = 1; performance.now() - begun < most; seed += 5 * turns.length)
    for (const [turn, mode] of turns.entries()) {
      const { wrong } = await play(mode, seed + 5 * turn, 5, workerPath)
      if (wrong[0] !== undefined) return { found: wrong[0], ms: performance.now() - begun }
    }
  return { found: undefined, ms: performance.now() - begun }
}
