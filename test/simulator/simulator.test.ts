/** A few worlds of each mode. `npm run simulate` plays as many as it is told. */
import { expect, it } from 'vitest'
import { modes, play, type Mode } from './episodes.ts'

/** Seeds of a mode: a seed of `crash` is a world for each step of a command. */
const seeds: Readonly<Record<Mode, number>> = {
  crash: 1,
  race: 6,
  damage: 6,
  undo: 8,
  disk: 4,
  merges: 8,
}

it.each(modes)('%s: no claim is false, and nothing is sent twice', async (mode) => {
  const { wrong, episodes, receipts } = await play(mode, 1, seeds[mode])
  expect([wrong, episodes > 0, receipts > 0]).toEqual([[], true, true])
})
