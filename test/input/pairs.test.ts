import { expect, it } from 'vitest'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { checkPairs } from '../../src/runs/operations/pairs.ts'
import type { Pair } from '../../src/input/pairs.ts'
import { idOf, refusal } from './inputs.ts'
import { Items } from '../../src/runs/items.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]

function pair(id: string, other: string, line = 1): Pair {
  return { id, other, line }
}

const sumOf = (pairs: readonly Pair[]): string => Items.ofPairs(pairs).setSha256()
const [checkMerges, checkAssigns] = (['contacts.merge', 'tickets.assign'] as const).map(
  (name) => (pairs: readonly Pair[]) => {
    const rules = operationOf(name).pairs
    if (rules !== undefined) checkPairs(pairs, rules)
  },
) as [(pairs: readonly Pair[]) => void, (pairs: readonly Pair[]) => void]

it('the checksum of a set of pairs has no order, no letter case of ids, no lines and no repetition', () => {
  const pairs = [pair(a, b, 1), pair(c, d, 2), pair(b, 'Ann Smith', 3)]
  const same = [
    pair(b.toUpperCase(), 'Ann Smith', 9),
    pair(c, d.toUpperCase()),
    pair(a, b),
    pair(a.toUpperCase(), b),
  ]
  expect(sumOf(same)).toBe(sumOf(pairs))
  for (const others of [
    pairs.slice(1),
    [pair(b, a), ...pairs.slice(1)],
    [...pairs.slice(0, 2), pair(b, 'ann smith')],
    [pair(a, d), pair(c, b), pair(b, 'Ann Smith')],
  ])
    expect(sumOf(others)).not.toBe(sumOf(pairs))
})

it.each<[string, () => unknown, RegExp]>([
  [
    'into itself',
    () => checkMerges([pair(a, b, 1), pair(c, c.toUpperCase(), 2), pair(d.toUpperCase(), d, 3)]),
    /line 2.*itself[^]*line 3.*itself/,
  ],
  [
    'a source twice',
    () => checkMerges([pair(a, b, 1), pair(a.toUpperCase(), c, 7)]),
    /line 7: 64F0A1\w+ into "\w+", but line 1 has it into "\w+"/,
  ],
  [
    'a circle of two',
    () => checkMerges([pair(a, b, 1), pair(b, a, 2)]),
    /line 1: .*keep one of the two rows[^]*line 2: /,
  ],
  [
    'a ticket for two employees',
    () => checkAssigns([pair(a, 'Ann', 2), pair(c, 'Bob'), pair(a.toUpperCase(), 'Bob', 5)]),
    /line 5: 64F0A1\w+ to "Bob", but line 2 has it to "Ann"/,
  ],
])('an order of merges is refused: %s', async (_, order, words) => {
  expect(await refusal(order)).toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(words) as string,
  })
})
