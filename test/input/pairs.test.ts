import { expect, it } from 'vitest'
import { checkMergePairs, resolveEmployees } from '../../src/runs/jobs/parties.ts'
import type { RunTools } from '../../src/runs/tools.ts'
import { Items, type Item } from '../../src/input/items.ts'
import { idOf, refusal } from './inputs.ts'
import { jobSha256 } from '../../src/runs/jobs/job.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]

function pair(id: string, other: string, line = 1): Item {
  return { id, other, line }
}

/** Pairs of tickets and ids of employees, which need no names. */
const assigned = (pairs: Item[]) =>
  resolveEmployees({} as RunTools, 'tickets.assign', Items.of(pairs))

/** The SHA-256 of a job of items such as `a1b`: an id, its line and the other party. */
const sumOf = (words: string) => {
  const ids: Readonly<Record<string, string>> = { a, b, c, d }
  const idNamed = (name: string) => ids[name] ?? ids[name.toLowerCase()]?.toUpperCase() ?? undefined
  const items = words.split(' ').map((word): Item => {
    const [id = '', line = '', other = '', expected = ''] = word
    return {
      ...{ id: idNamed(id) ?? '', line: Number(line), other: idNamed(other) },
      expected: idNamed(expected),
    }
  })
  return jobSha256({ operation: 'tickets.assign', items: Items.of(items) }, 'https://x')
}

it('a job has no order, no letter case of ids and no lines', () => {
  const job = sumOf('a1b c2d')
  expect(sumOf('c9D A8b')).toBe(job)
  for (const other of ['c2d', 'b1a c2d', 'a1d c2b', 'a1b c2da']) expect(sumOf(other)).not.toBe(job)
})

it.each<[string, () => unknown, RegExp]>([
  [
    'into itself',
    () =>
      checkMergePairs([pair(a, b, 1), pair(c, c.toUpperCase(), 2), pair(d.toUpperCase(), d, 3)]),
    /line 2.*itself[^]*line 3.*itself/,
  ],
  [
    'a source twice',
    () => checkMergePairs([pair(a, b, 1), pair(a.toUpperCase(), c, 7)]),
    /line 7: 64F0A1\w+ into "\w+", but line 1 has it into "\w+"/,
  ],
  [
    'a circle of two',
    () => checkMergePairs([pair(a, b, 1), pair(b, a, 2)]),
    /line 1: .*keep one of the two rows[^]*line 2: /,
  ],
  [
    'a ticket for two employees',
    () => assigned([pair(a, b, 2), pair(c, d), pair(a.toUpperCase(), d, 5)]),
    /line 5: 64F0A1\w+ to "\w+", but line 2 has it to "\w+"/,
  ],
])('an order of merges is refused: %s', async (_, order, words) => {
  expect(await refusal(order)).toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(words) as string,
  })
})
