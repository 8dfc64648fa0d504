import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { batchRange, cutBatches, cutShard, type Batches } from '../../src/bulk/record/batches.ts'

function positions(batches: Batches): number[][] {
  return Array.from({ length: batches.total }, (_, index) => {
    const { from, to } = batchRange(batches, index + 1)
    return Array.from({ length: to - from }, (_, n) => from + n)
  })
}

it('batches cover every position exactly once, in order, all but the last full', () => {
  fc.assert(
    fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 120 }), (count, size) => {
      const batches = positions(cutBatches(count, size))
      expect(batches.flat()).toEqual(Array.from({ length: count }, (_, n) => n))
      for (const batch of batches.slice(0, -1)) expect(batch).toHaveLength(size)
      expect(batches.at(-1)?.length ?? 1).toBeGreaterThan(0)
    }),
  )
})

it('shards are cut in blocks of 100 whatever the batch size: they cover every id once, in order, and never overlap', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 5000 }),
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 20, maxLength: 20 }),
      fc.integer({ min: 1, max: 20 }),
      (count, sizes, parts) => {
        const shards = sizes.slice(0, parts).map((size, n) => cutShard(count, size, { index: n + 1, count: parts }))
        expect(shards.flatMap((shard) => positions(shard).flat())).toEqual(Array.from({ length: count }, (_, n) => n))
        for (const { from } of shards) expect(from % 100 === 0 || from === count).toBe(true)
        const blocks = shards.map(({ from, to }) => Math.ceil((to - from) / 100))
        expect(Math.max(...blocks) - Math.min(...blocks)).toBeLessThanOrEqual(1)
      },
    ),
  )
})
