/** Episodes of commands on runs, each of which a seed decides. If red, run the seed alone: `npm run simulate -- 1 --seed <n>`. */
import { expect, test } from 'vitest'
import { playEpisode } from './episode.ts'

test.each(Array.from({ length: 300 }, (_, n) => n + 1))('seed %i', async (seed) => {
  expect(await playEpisode(seed)).toEqual([])
  // SQLite keeps files open until the statements of an episode are collected.
  if (seed % 20 === 0) globalThis.gc?.()
})
