import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { batchRange, cutBatches, shardBatches, type Batches } from '../../src/bulk/batches.ts'

function positions(batches: Batches): number[][] {
  return Array.from({ length: batches.total }, (_, index) => {
    const { from, to } = batchRange(batches, index + 1)
    return Array.from({ length: to - from }, (_, n) => from + n)
  })
}

it.each([
  [0, 0],
  [1, 1],
  [100, 1],
  [101, 2],
  [200, 2],
])('%i ids are %i batches of 100', (count, total) => {
  expect(cutBatches(count, 100).total).toBe(total)
})

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

it('shards cover every batch exactly once, in order, and differ by at most one batch', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 500 }),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      (count, size, parts) => {
        const whole = cutBatches(count, size)
        const shards = Array.from({ length: parts }, (_, index) => shardBatches(whole, index + 1, parts))
        expect(shards.flatMap(positions)).toEqual(positions(whole))
        const totals = shards.map(({ total }) => total)
        expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(1)
        for (const shard of shards) expect(shard.to - shard.from).toBe(positions(shard).flat().length)
      },
    ),
  )
})

it('refuses numbers that are no counts', () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => cutBatches(10, size)).toThrow(RangeError)
  expect(() => cutBatches(-1, 10)).toThrow(RangeError)
  const batches = cutBatches(10, 3)
  expect(() => shardBatches(batches, 0, 2)).toThrow(RangeError)
  expect(() => shardBatches(batches, 3, 2)).toThrow(RangeError)
  expect(() => batchRange(batches, 0)).toThrow(RangeError)
  expect(() => batchRange(batches, 5)).toThrow('no batch 5 of 4')
})
