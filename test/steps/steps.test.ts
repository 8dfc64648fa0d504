/** Episodes of commands on runs, each of which a seed decides. If red, run the seed alone: `npm run simulate -- 1 --seed <n>`. */
import { expect, test } from 'vitest'
import { playEpisode } from './episode.ts'

test.each(Array.from({ length: 150 }, (_, n) => n + 1))('seed %i', async (seed) => {
  expect(await playEpisode(seed)).toEqual([])
})
