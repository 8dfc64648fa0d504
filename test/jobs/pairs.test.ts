/** Pairs that contradict each other are refused. */
import { expect, it } from 'vitest'
import type { Employee } from '../../src/api/schemas.ts'
import { SvcError } from '../../src/errors.ts'
import { Items, type Item } from '../../src/input/items.ts'
import { checkPairs, resolveEmployees } from '../../src/jobs/pairs.ts'
import type { PartyTools } from '../../src/jobs/parties.ts'
import { idOf, refusal } from '../support/inputs.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]

function pair(id: string, other: string, line = 1): Item {
  return { id, other, line }
}

/** Pairs of tickets and ids of employees, which need no names. */
const assigned = (pairs: Item[]) => resolveEmployees({} as PartyTools, Items.of(pairs))

it.each<[string, () => unknown, RegExp]>([
  [
    'into itself',
    () => checkPairs([pair(a, b, 1), pair(c, c.toUpperCase(), 2), pair(d.toUpperCase(), d, 3)]),
    /line 2.*itself[^]*line 3.*itself/,
  ],
  [
    'a source twice',
    () => checkPairs([pair(a, b, 1), pair(a.toUpperCase(), c, 7)]),
    /line 7: 64F0A1\w+ is in line 1 too/,
  ],
  [
    'a target that is a source',
    () => checkPairs([pair(a, b, 1), pair(b.toUpperCase(), c, 2)]),
    /line 1: \w+ is itself merged in line 2/,
  ],
  [
    'a circle of two',
    () => checkPairs([pair(a, b, 1), pair(b, a, 2)]),
    /line 1: .* merged in line 2[^]*line 2: .* merged in line 1/,
  ],
  [
    'a ticket for two employees',
    async () =>
      checkPairs(await assigned([pair(a, b, 2), pair(c, d), pair(a.toUpperCase(), d, 5)])),
    /line 5: 64F0A1\w+ is in line 2 too/,
  ],
])('%s: exit 2, with each line', async (_, check, words) => {
  expect(await refusal(check)).toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(words) as string,
  })
})

const ada = { id: d, firstName: 'Ada', lastName: 'Okafor' } as Employee
/** Pairs of tickets and names. `read`: reads the employees. */
const named = (pairs: Item[], read = () => Promise.resolve([ada])) =>
  resolveEmployees({ employees: read, nameOptions: {} } as unknown as PartyTools, Items.of(pairs))

it('an employee has a name in one line, and the id in another', async () => {
  const pairs = await named([pair(a, 'Ada Okafor'), pair(b, d, 2), pair(a, d.toUpperCase(), 3)])
  expect([...pairs]).toMatchObject([pair(a, d), pair(b, d, 2)])
})

it('each wrong name is told once, and nothing is sent; another error is passed on', async () => {
  const wrong = [pair(a, 'Ada', 2), pair(b, 'Ada Okafor', 3), pair(c, 'ada okafor', 0)]
  const error = await refusal(named([...wrong, pair(d, 'Ada', 9)]))
  expect(error).toMatchObject({
    exitCode: 2,
    details: { hint: expect.stringContaining('svc employees list') as string },
  })
  expect(error.details.lines).toEqual([
    'line 2: no employee is called "Ada"',
    'no employee is called "ada okafor"',
  ])
  const failure = new SvcError('unavailable', 'no answer')
  await expect(named(wrong, () => Promise.reject(failure))).rejects.toBe(failure)
})

it('a pair that stands there twice is one', async () => {
  expect((await assigned([pair(a, b), pair(a.toUpperCase(), b, 2)])).size).toBe(1)
})
