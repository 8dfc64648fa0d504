/** Several reads at once, in their order. */
import { expect, test } from 'vitest'
import { inOrder, inTurn } from '../../src/api/concurrency.ts'

/** Work that ends when its function is called, in the order in which it began. */
function held() {
  const waiting: ((failure?: Error) => void)[] = []
  const work = (item: number): Promise<number> =>
    new Promise((resolve, reject) => {
      waiting.push((failure) => {
        if (failure === undefined) resolve(item * 10)
        else reject(failure)
      })
    })
  return { waiting, work }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('results come in the order of the items, and only so many are worked on', async () => {
  const { waiting, work } = held()
  const results: number[] = []
  const reading = (async () => {
    for await (const result of inOrder([1, 2, 3, 4, 5], 3, work)) results.push(result)
  })()
  await turn()
  expect(waiting).toHaveLength(3)
  waiting[2]?.()
  waiting[1]?.()
  await turn()
  expect([results, waiting.length]).toEqual([[], 3])
  waiting[0]?.()
  await turn()
  expect([results, waiting.length]).toEqual([[10, 20, 30], 5])
  waiting[4]?.()
  waiting[3]?.()
  await reading
  expect(results).toEqual([10, 20, 30, 40, 50])
})

test('a failure comes at its place, whatever fails behind it', async () => {
  const { waiting, work } = held()
  const results: number[] = []
  const reading = (async () => {
    for await (const result of inOrder([1, 2, 3], 3, work)) results.push(result)
  })()
  await turn()
  waiting[2]?.(new Error('the third'))
  await turn()
  waiting[1]?.(new Error('the second'))
  waiting[0]?.()
  await expect(reading).rejects.toThrow('the second')
  expect(results).toEqual([10])
})

test('who stops early ends the source', async () => {
  let isEnded = false
  async function* items(): AsyncGenerator<number> {
    try {
      for (let n = 1; ; n += 1) yield await Promise.resolve(n)
    } finally {
      isEnded = true
    }
  }
  for await (const result of inOrder(items(), 2, (item) => Promise.resolve(item))) if (result === 3) break
  expect(isEnded).toBe(true)
})

test('turns are taken as they were asked for, and given back after a failure too', async () => {
  const { waiting, work } = held()
  const run = inTurn(2)
  const results = [1, 2, 3, 4].map((item) => run(() => work(item)))
  await turn()
  expect(waiting).toHaveLength(2)
  waiting[1]?.(new Error('the second'))
  await expect(results[1]).rejects.toThrow('the second')
  await turn()
  expect(waiting).toHaveLength(3)
  for (let n = 0; n < 4; n += 1) {
    waiting[n]?.()
    await turn()
  }
  expect(await Promise.all([results[0], results[2], results[3]])).toEqual([10, 30, 40])
})
