/** Directories that are read: random ones, against what a brute force over the same lists says. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PagesRead } from '../../src/api/paginate.ts'
import type { Contact, ContactList, ListMember } from '../../src/api/schemas.ts'
import { People } from '../../src/directory/people.ts'
import { readDirectory, type ListsApi, type NamedList } from '../../src/directory/reading.ts'
import { SvcError } from '../../src/errors.ts'
import { nodeHost } from '../../src/host.ts'

const idOf = (n: number): string => n.toString(16).padStart(24, n % 3 === 0 ? 'A' : '0')
const contactOf = (n: number): Contact => ({
  id: idOf(n),
  firstName: `First ${n}`,
  lastName: n % 2 === 0 ? 'ü"\n' : null,
})
const listOf = (n: number): ContactList => ({
  id: `${n}`.padStart(24, 'f'),
  name: `List ${n}`,
  contactsCount: 0,
})

interface Service {
  /** Members by list. */
  readonly members: readonly (readonly number[])[]
  /** Whether a page takes its time, one after the other. */
  readonly waits?: readonly boolean[]
  /** Lists that others change. */
  readonly moving?: ReadonlySet<number>
  readonly failing?: number
  readonly error?: SvcError
}

/** What reads its lists; how many were begun at the same time is counted. */
function apiOf({
  members,
  waits = [],
  moving,
  failing,
  error = new SvcError('unavailable', 'no answer'),
}: Service): ListsApi & { begun: () => number } {
  let [begun, waited] = [0, 0]
  const ended = (shown: number, hasMoved = false): PagesRead => ({
    shown,
    total: shown,
    missing: undefined,
    moved: hasMoved ? { from: shown, to: shown + 1 } : undefined,
  })
  async function* all(): AsyncGenerator<ContactList, PagesRead> {
    for (let n = 0; n < members.length; n += 1) yield await Promise.resolve(listOf(n))
    return ended(members.length)
  }
  async function* membersOf(id: string): AsyncGenerator<ListMember, PagesRead> {
    begun += 1
    const n = members.findIndex((_, each) => listOf(each).id === id)
    for (const one of members[n] ?? []) {
      if (waits[waited++ % Math.max(1, waits.length)] === true) await new Promise(setImmediate)
      yield { id: idOf(one), contact: contactOf(one) }
    }
    if (n === failing) throw error
    return ended(members[n]?.length ?? 0, moving?.has(n))
  }
  const get = (id: string): Promise<ContactList> =>
    Promise.resolve({ id, name: id, contactsCount: 0 })
  return { begun: () => begun, lists: { all, members: membersOf, get } }
}

const host = nodeHost(process)
const choice = { within: [], accept: {}, host }
const sets = (most: number, of: number) =>
  fc.array(fc.uniqueArray(fc.nat(of), { maxLength: 12 }), { maxLength: most })

test('contacts are visited list by list, each once for each list, whatever takes how long', async () => {
  const waits = fc.array(fc.boolean(), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(sets(40, 30), waits, async (members, waiting) => {
      const seen: [string, string][] = []
      const people = new People(host)
      const read = await readDirectory(
        { ...choice, api: apiOf({ members, waits: waiting }) },
        (contact, list) => {
          seen.push([list.name, contact.id])
        },
      )
      await people.read({ ...choice, api: apiOf({ members, waits: waiting }) }, () => true)
      expect(seen).toEqual(members.flatMap((ids, n) => ids.map((id) => [listOf(n).name, idOf(id)])))
      // Which of two lists is begun first is not promised, only which is visited first.
      expect([
        new Set(read.lists.map(({ name }) => name)),
        read.lists.length,
        read.members,
      ]).toEqual([new Set(members.map((_, n) => listOf(n).name)), members.length, seen.length])
      const onLists = new Map<string, NamedList[]>()
      members.forEach((ids, n) => {
        const { id, name } = listOf(n)
        for (const one of ids)
          onLists.set(idOf(one), [...(onLists.get(idOf(one)) ?? []), { id, name }])
      })
      const found = Array.from({ length: people.size }, (_, index) => people.at(index))
      people.close()
      expect(found).toEqual(
        [...onLists].map(([id, lists]) => ({
          ...contactOf(Number.parseInt(id.replace(/^A+/, ''), 16)),
          lists,
        })),
      )
    }),
    { numRuns: 100 },
  )
})

test('of lists that wait for a long one only so many members are held', async () => {
  const sizes = [5000, 3000, 10, 3000, 2000]
  const members = sizes.map((size, n) => Array.from({ length: size }, (_, at) => n * 10_000 + at))
  const order: string[] = []
  await readDirectory(
    { ...choice, api: apiOf({ members, waits: [true, false, false] }) },
    ({ id }) => order.push(id),
  )
  expect(order).toEqual(members.flat().map(idOf))
})

test('a list that cannot be read ends it, after what is before it; no further list is begun', async () => {
  const members = Array.from({ length: 100 }, (_, n) => [n])
  const api = apiOf({ members, failing: 7 })
  const seen: string[] = []
  const reading = readDirectory({ ...choice, api }, ({ id }) => seen.push(id))
  await expect(reading).rejects.toMatchObject({
    message: 'no answer',
    details: { hint: [expect.stringContaining('List 7')] },
  })
  expect(seen.slice(0, 7)).toEqual(members.flat().slice(0, 7).map(idOf))
  expect(seen.length).toBeLessThanOrEqual(8)
  expect(api.begun()).toBeLessThan(30)
})

test.each([
  [404, true],
  [403, false],
])(
  'a list that is answered with %i may have been deleted since: %j',
  async (httpStatus, isGone) => {
    const error = new SvcError('rejected', 'refused', { httpStatus, hint: 'what to do' })
    const api = apiOf({ members: [[1], [2]], failing: 1, error })
    const said = await readDirectory({ ...choice, api }, () => undefined).catch(
      (thrown: unknown) => thrown as SvcError,
    )
    const hint = (said as SvcError).details.hint
    expect(JSON.stringify(hint).includes('deleted since: run the command again')).toBe(isGone)
    expect(JSON.stringify(hint)).toContain('what to do')
  },
)

test('a contact that comes twice on a list is on it once', async () => {
  const people = new People(host)
  await people.read({ ...choice, api: apiOf({ members: [[1, 2, 1], [1]] }) }, () => true)
  const lists = [people.at(0), people.at(1)].map((contact) => contact.lists.map(({ name }) => name))
  expect(lists).toEqual([['List 0', 'List 1'], ['List 0']])
  expect(people.countsByList()).toEqual([
    { name: 'List 0', count: 2 },
    { name: 'List 1', count: 1 },
  ])
  people.close()
})

test('no list is begun behind one that failed, though a list before it is still being read', async () => {
  const members = [Array.from({ length: 50 }, (_, n) => n), ...Array.from({ length: 20 }, () => [])]
  const api = apiOf({ members, waits: [true], failing: 2 })
  const seen: string[] = []
  const reading = readDirectory({ ...choice, api }, ({ id }) => seen.push(id))
  await expect(reading).rejects.toThrow('no answer')
  expect(seen).toEqual((members[0] ?? []).map(idOf))
  expect(api.begun()).toBeLessThan(9)
})

test('what a visitor throws is not said of a list', async () => {
  const full = new SvcError('local', 'the disk is full')
  const reading = readDirectory({ ...choice, api: apiOf({ members: [[1], [2]] }) }, () => {
    throw full
  })
  await expect(reading).rejects.toBe(full)
})
