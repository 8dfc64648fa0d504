/** People by way of lists: each once, with the lists that they are on. */
import { expect, test } from 'vitest'
import type { PagesRead } from '../../src/api/pages.ts'
import type { ContactList, ListMember } from '../../src/api/schemas.ts'
import { readPeople, type ListsApi } from '../../src/api/people.ts'
import { SvcError } from '../../src/errors.ts'

const idOf = (n: number): string => n.toString(16).padStart(24, n % 3 === 0 ? 'A' : '0')
const listOf = (n: number, contactsCount = 0) => ({
  id: `${n}`.padStart(24, 'f'),
  name: `List ${n}`,
  contactsCount,
})

/** Reads lists of these members, of which some take their time, and one fails; counts those that were begun. */
function apiOf(members: readonly (readonly number[])[], failing?: number) {
  const begun: string[] = []
  const ended = (shown: number): PagesRead => ({ shown, total: shown })
  async function* all(): AsyncGenerator<ContactList, PagesRead> {
    for (let n = 0; n < members.length; n += 1) yield await Promise.resolve(listOf(n))
    return ended(members.length)
  }
  async function* membersOf(id: string): AsyncGenerator<ListMember, PagesRead> {
    begun.push(id)
    const n = members.findIndex((_, each) => listOf(each).id === id)
    for (const one of members[n] ?? []) {
      if (n % 2 === 0) await new Promise(setImmediate)
      yield { id: idOf(one), contact: { id: idOf(one) } }
    }
    if (n === failing) throw new SvcError('unavailable', 'no answer')
    return ended(members[n]?.length ?? 0)
  }
  const get = (id: string) => Promise.resolve({ id, name: id, contactsCount: 0 })
  const api: ListsApi = { lists: { all, members: membersOf, get } }
  return { begun, source: { within: [], nameOptions: {}, api } }
}

test('each contact is there once, in the order of the lists, with its lists, whichever takes how long', async () => {
  const { source } = apiOf([[5, 2, 5], [], [2, 7, 3], [9, 2], [3]])
  const people = await readPeople(source, ({ id }) => id !== idOf(7))
  expect(people.all.map(({ id, lists }) => [id, lists.map(({ name }) => name).join()])).toEqual([
    [idOf(5), 'List 0'],
    [idOf(2), 'List 0,List 2,List 3'],
    [idOf(3), 'List 2,List 4'],
    [idOf(9), 'List 3'],
  ])
  expect(people.find(idOf(3).toLowerCase())).toBe(people.all[2])
  expect(people.extentNotes(true)).toEqual([])
  expect(people.extentNotes(false)[0]).toContain('read 9 members of')
})

test('a list that cannot be read ends it with its name, and no further list is begun', async () => {
  const { source, begun } = apiOf(
    Array.from({ length: 100 }, () => [1]),
    8,
  )
  await expect(readPeople(source, () => true)).rejects.toMatchObject({
    message: 'no answer',
    details: { hint: [expect.stringContaining('List 8')] },
  })
  await new Promise((resolve) => setTimeout(resolve))
  expect(begun.length).toBeLessThan(16)
})

test('lists that are named are read alone, each once', async () => {
  const { source, begun } = apiOf([[1], [2], [3]])
  const within = ['List 1', listOf(2).id.toUpperCase(), 'List 1']
  await readPeople({ ...source, within }, () => true)
  expect(begun.map((id) => id.toLowerCase())).toEqual([listOf(1).id, listOf(2).id])
})

test.each([
  [[1000, 900], ['reading the members of 2 lists takes about 21 requests']],
  [[1000, 800], []],
  [Array<number>(20).fill(100), []],
  [Array<number>(20).fill(101), ['reading the members of 20 lists takes about 60 requests']],
  [Array<number>(21).fill(0), ['reading the members of 21 lists takes about 21 requests']],
])('lists of %j contacts: %j', async (counts, notes) => {
  const { source } = apiOf([])
  const noted: string[] = []
  async function* all(): AsyncGenerator<ContactList, PagesRead> {
    for (const [n, count] of counts.entries()) yield await Promise.resolve(listOf(n, count))
    return { shown: counts.length, total: counts.length }
  }
  const api = { lists: { ...source.api.lists, all } }
  await readPeople({ ...source, api, note: (text) => void noted.push(text) }, () => true)
  expect(noted).toEqual(notes)
})
