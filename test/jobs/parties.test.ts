/** A change goes to another list or employee than the typed one, or pairs that contradict each other are sent. */
import { expect, it } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import type { Employee } from '../../src/api/schemas.ts'
import { SvcError } from '../../src/errors.ts'
import { Items, type Item } from '../../src/input/items.ts'
import {
  checkPairs,
  resolveEmployees,
  resolveParties,
  type JobTools,
  type TypedParties,
} from '../../src/jobs/parties.ts'
import type { Party } from '../../src/runs/engine.ts'
import { idOf, refusal } from '../support/inputs.ts'
import { realHost } from '../support/real-host.ts'

const employees = [
  { id: idOf(1), firstName: 'Ada', lastName: 'Okafor' },
  { id: idOf(2), firstName: 'Robin', lastName: 'Lind' },
] as Employee[]
const lists = [
  { id: idOf(11), name: 'VIP', contactsCount: 1 },
  { id: idOf(12), name: 'vip', contactsCount: 2 },
]
const api = {
  lists: {
    all: () => Promise.resolve({ rows: lists }),
    get: (id: string) =>
      Promise.resolve(lists.find((list) => list.id === id.toLowerCase()) ?? { id }),
  },
} as unknown as Api

const tools: JobTools = {
  api: () => Promise.resolve(api),
  employees: () => Promise.resolve(employees),
  nameOptions: {},
  host: realHost,
  note: () => undefined,
}
const resolve = (typed: TypedParties, known: readonly (Party | undefined)[] = []) =>
  resolveParties(tools, typed, known)
const upper = (n: number) => idOf(n).toUpperCase()

it.each<[string, TypedParties, Awaited<ReturnType<typeof resolve>>]>([
  ['nothing', {}, { target: undefined, ifAssignee: undefined }],
  ['a list by its exact name', { list: 'vip' }, { target: { id: idOf(12), name: 'vip' } }],
  ['a list by its id', { list: idOf(11) }, { target: { id: idOf(11), name: 'VIP' } }],
  ['a list without a name', { list: idOf(19) }, { target: { id: idOf(19) } }],
  ['an employee by name', { to: 'Ada Okafor' }, { target: { id: idOf(1), name: 'Ada Okafor' } }],
  ['an employee by id', { to: upper(2) }, { target: { id: upper(2), name: 'Robin Lind' } }],
  ['an unknown id, which the service checks', { to: idOf(9) }, { target: { id: idOf(9) } }],
  [
    'both employees',
    { to: 'Ada Okafor', ifAssignee: idOf(2) },
    {
      target: { id: idOf(1), name: 'Ada Okafor' },
      ifAssignee: { id: idOf(2), name: 'Robin Lind' },
    },
  ],
])('%s', async (_, typed, parties) => {
  expect(await resolve(typed)).toEqual(parties)
})

it('an employee by id needs no list of employees', async () => {
  const failing = { ...tools, employees: () => Promise.reject(new SvcError('forbidden', 'no')) }
  const found = resolveParties(failing, { to: idOf(1) }, [])
  expect(await found).toMatchObject({ target: { id: idOf(1) } })
  await expect(resolveParties(failing, { to: 'Ada Okafor' }, [])).rejects.toThrow('no')
})

it('a run that is repeated keeps its list and employees, whatever is called so by now', async () => {
  const [old, other] = [
    { id: idOf(21), name: 'VIP' },
    { id: idOf(22), name: 'Old name' },
  ]
  const parties = { target: old, ifAssignee: other }
  expect(await resolve({ list: 'VIP', ifAssignee: upper(22) }, [old, other])).toEqual(parties)
})

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]

function pair(id: string, target: string, line = 1): Item {
  return { id, target, line }
}

/** Pairs of tickets and ids of employees, which need no names. */
const assigned = (pairs: Item[]) => resolveEmployees({} as JobTools, Items.of(pairs))

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
  resolveEmployees({ employees: read, nameOptions: {} } as unknown as JobTools, Items.of(pairs))

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
