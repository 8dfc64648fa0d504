/** People by way of lists: each once, with the lists that they are on. */
import { expect, test } from 'vitest'
import { readContactsOfLists } from '../../src/api/contacts.ts'
import { SvcError } from '../../src/errors.ts'

/** The id of a contact. Every third has capitals, as an answer may write an id. */
const idOf = (n: number): string => n.toString(16).padStart(24, n % 3 === 0 ? 'A' : '0')
const listOf = (n: number, contactsCount = 0) => {
  return { id: `${n}`.padStart(24, 'f'), name: `List ${n}`, contactsCount }
}

/** A service with lists of these members. Every other list answers later; `failing` fails. */
function serviceWith(
  members: number[][],
  { failing, change }: { failing?: number; change?: (n: number) => void } = {},
) {
  const begun: string[] = []
  const notes: string[] = []
  const numberOf = (id: string) =>
    members.findIndex((_, each) => listOf(each).id === id.toLowerCase())
  const all = async () => {
    return { rows: members.map((of, n) => listOf(n, of.length)), total: members.length }
  }
  const membersOf = async (id: string) => {
    begun.push(id.toLowerCase())
    const n = numberOf(id)
    if (n % 2 === 0) await new Promise(setImmediate)
    change?.(n)
    if (n === failing) throw new SvcError('unfinished', 'no answer')
    const rows = (members[n] ?? []).map((one) => ({ id: idOf(one), contact: { id: idOf(one) } }))
    return { rows, total: rows.length }
  }
  const get = async (id: string) => {
    const n = numberOf(id)
    return { ...listOf(n, members[n]?.length), id }
  }
  const lists = { all, members: membersOf, get }
  const api: Parameters<typeof readContactsOfLists>[0]['api'] = { lists }
  const note = (text: string) => void notes.push(text)
  return { begun, notes, source: { within: [] as string[], api, note } }
}

test('each contact comes once, with its lists, in the order of the lists, even if a later list answers first', async () => {
  const { source } = serviceWith([[5, 2, 5], [], [2, 7, 3], [9, 2], [3]])
  const people = await readContactsOfLists(source)
  expect(people.all.map(({ id, lists }) => [id, lists.map(({ name }) => name).join()])).toEqual([
    [idOf(5), 'List 0'],
    [idOf(2), 'List 0,List 2,List 3'],
    [idOf(7), 'List 2'],
    [idOf(3), 'List 2,List 4'],
    [idOf(9), 'List 3'],
  ])
  expect(people.find(idOf(3).toLowerCase())).toBe(people.all[3])
  const extent = 'searched 5 lists (5 contacts); svc cannot find a contact that is on no list'
  expect(people.extent).toBe(extent)
})

test('a list that cannot be read ends it, and no further list is begun', async () => {
  const hundred = Array.from({ length: 100 }, () => [1])
  const { source, begun } = serviceWith(hundred, { failing: 8 })
  await expect(readContactsOfLists(source)).rejects.toThrow('no answer')
  await new Promise(setImmediate)
  // Those that were under way, and those that began while they ended.
  expect(begun.length).toBeLessThan(3 * 16)
})

test('lists that are named are read alone, each once', async () => {
  const { source, begun } = serviceWith([[1], [2], [3]])
  const within = ['List 1', listOf(2).id.toUpperCase(), 'List 1']
  await readContactsOfLists({ ...source, within })
  expect(begun).toEqual([listOf(1).id, listOf(2).id])
})

test.each([
  [[1000, 900], ['reading the members of 2 lists takes about 21 requests']],
  [[1000, 800], []],
  [Array<number>(20).fill(100), []],
  [Array<number>(20).fill(101), ['reading the members of 20 lists takes about 60 requests']],
  [Array<number>(21).fill(0), ['reading the members of 21 lists takes about 21 requests']],
])('lists of %j contacts: %j', async (counts, expected) => {
  const { source, notes } = serviceWith(counts.map((count) => Array<number>(count).fill(1)))
  await readContactsOfLists(source)
  expect(notes).toEqual(expected)
})

/** The contacts that were found, as numbers, and how many lists were read. */
async function found({ source, begun }: ReturnType<typeof serviceWith>, within: string[] = []) {
  const { all } = await readContactsOfLists({ ...source, within })
  return [all.map(({ id }) => Number(id.slice(-1))).toSorted((a, b) => a - b), begun.length]
}

test.each<[within: string[], count: number]>([
  [[], 6],
  [['List 0', 'List 4'], 3],
])('a contact that moves to a list that was read is found: in %j', async (within, count) => {
  const members = [[1], [], [], [], [7]]
  const change = (n: number) => void (n === 4 && members[0]?.push(...(members[4] ?? []).splice(0)))
  expect(await found(serviceWith(members, { change }), within)).toEqual([[1, 7], count])
})

test('a new list at the end is read; one that only lost somebody is not read again', async () => {
  const members = [[1, 2], [8], [5]]
  const change = (n: number) => void (n === 2 && (members.push([4]), members[0]?.pop()))
  expect(await found(serviceWith(members, { change }))).toEqual([[1, 2, 4, 5, 8], 4])
})

test('a contact that has left a list when that is read again is not found', async () => {
  const members = [[1, 2], [], [3]]
  const change = (n: number) => void (n === 2 && members[0]?.splice(0, 1, 3, 4))
  const people = await readContactsOfLists(serviceWith(members, { change }).source)
  expect(people.all.map(({ id }) => id)).toEqual([idOf(3), idOf(4), idOf(2)])
  expect(people.find(idOf(1))).toBeUndefined()
})

test('a single list is read once, although a member joins it', async () => {
  for (const within of [[], ['List 0']]) {
    const members = [[1, 2], ...within.map(() => [3])]
    const service = serviceWith(members, { change: () => void members[0]?.push(5) })
    expect(await found(service, within)).toEqual([[1, 2, 5], 1])
    expect(service.notes).toEqual([])
  }
})

test('lists that grow each time are read three times more, then a note says so', async () => {
  const members = [[1], [2]]
  const { lists } = serviceWith(members).source.api
  // Somebody joins behind each reading.
  const readAndJoin = async (id: string) => {
    const reading = await lists.members(id)
    members[0]?.push(members.flat().length + 1)
    return reading
  }
  const { source, notes } = serviceWith(members)
  const api = { lists: { ...lists, members: readAndJoin } }
  await readContactsOfLists({ ...source, api })
  expect(notes).toEqual([expect.stringContaining('lists kept growing')])
  // Two lists at first, and then one of them each time.
  expect(members.flat()).toHaveLength(2 + 2 + 3)
})
