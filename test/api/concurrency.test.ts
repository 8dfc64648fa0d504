/** Several reads at once, in their order. */
import { expect, test } from 'vitest'
import { atMost } from '../../src/api/paginate.ts'

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

test('turns are taken as they were asked for, and given back after a failure too', async () => {
  const { waiting, work } = held()
  const run = atMost(2)
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
