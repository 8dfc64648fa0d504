/** Items that are equal are found among ids that differ in a few digits only. */
import { expect, test } from 'vitest'
import { uniqueItems, type Item } from '../../src/input/items.ts'
import { amount } from '../support/amount.ts'
import { Dice } from '../support/dice.ts'

const keyOf = ({ id, target = '' }: Item): string => `${id} ${target}`.toLowerCase()

test('each item is kept once, where it came first', () => {
  for (let seed = 1; seed <= amount(300); seed += 1) {
    const dice = new Dice(seed)
    // Some ids have the same beginning, others the same end, and others both letter cases.
    const id = (): string =>
      dice.pick(['a', 'A', 'b']) + '0'.repeat(22) + dice.pick(['1', '2', 'f', 'F'])
    const arePairs = seed % 2 === 0
    const items = Array.from({ length: dice.below(12) }, (_, index): Item => {
      const item = { id: id(), line: index + 1 }
      return arePairs ? { ...item, target: id() } : item
    })
    const first = items.filter((item) => items.find((each) => keyOf(each) === keyOf(item)) === item)
    const unique = uniqueItems(items).map(({ line }) => line)
    expect([seed, unique]).toEqual([seed, first.map(({ line }) => line)])
  }
})
