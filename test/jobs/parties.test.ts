/** A change goes to another list or employee than the typed one, or does not say its name. */
import { expect, it } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import type { Employee } from '../../src/api/schemas.ts'
import { resolveParties, type TypedParties } from '../../src/jobs/parties.ts'
import type { Party } from '../../src/runs/engine.ts'
import { idOf } from '../support/inputs.ts'

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

const resolve = (typed: TypedParties, known: readonly (Party | undefined)[] = []) =>
  resolveParties(
    {
      api: () => Promise.resolve(api),
      employees: () => Promise.resolve(employees),
      nameOptions: {},
    },
    typed,
    known,
  )
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

it('a run that is repeated keeps its list and employees, whatever is called so by now', async () => {
  const [old, other] = [
    { id: idOf(21), name: 'VIP' },
    { id: idOf(22), name: 'Old name' },
  ]
  const parties = { target: old, ifAssignee: other }
  expect(await resolve({ list: 'VIP', ifAssignee: upper(22) }, [old, other])).toEqual(parties)
})
