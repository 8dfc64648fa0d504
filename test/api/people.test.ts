/** People by way of lists: random ones, against what a brute force over the same lists says. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PagesRead } from '../../src/api/pages.ts'
import type { Contact, ContactList, ListMember } from '../../src/api/schemas.ts'
import { readPeople, type ListsApi, type NamedList } from '../../src/api/people.ts'
import { SvcError } from '../../src/errors.ts'

const idOf = (n: number): string => n.toString(16).padStart(24, n % 3 === 0 ? 'A' : '0')
const contactOf = (n: number): Contact => ({ id: idOf(n), firstName: `First ${n}` })
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
  readonly failing?: number
  readonly error?: SvcError
}

/** Reads its lists and counts those that were begun. */
function apiOf({
  members,
  waits = [],
  failing,
  error = new SvcError('unavailable', 'no answer'),
}: Service): ListsApi & { begun: () => number } {
  let [begun, waited] = [0, 0]
  const ended = (shown: number): PagesRead => ({ shown, total: shown })
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
    return ended(members[n]?.length ?? 0)
  }
  const get = (id: string) => Promise.resolve({ id, name: id, contactsCount: 0 })
  return { begun: () => begun, lists: { all, members: membersOf, get } }
}

const choice = { within: [], nameOptions: {} }

test('each contact is there once, in the order of the lists, with its lists, whatever takes how long', async () => {
  const lists = fc.array(fc.array(fc.nat(30), { maxLength: 12 }), { maxLength: 40 })
  const waits = fc.array(fc.boolean(), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(lists, waits, async (members, waiting) => {
      const api = apiOf({ members, waits: waiting })
      const people = await readPeople({ ...choice, api }, ({ id }) => id !== idOf(7))
      const expected = new Map<number, NamedList[]>()
      members.forEach((ids, n) => {
        const { id, name } = listOf(n)
        for (const one of new Set(ids))
          if (one !== 7) expected.set(one, [...(expected.get(one) ?? []), { id, name }])
      })
      expect(people.all).toEqual(
        [...expected].map(([one, onLists]) => ({ ...contactOf(one), lists: onLists })),
      )
      for (const contact of people.all) expect(people.find(contact.id.toLowerCase())).toBe(contact)
      const read = members.flat().length
      expect(people.extentNotes(true)).toEqual([])
      expect(people.extentNotes(false)[0]).toContain(
        `read ${read} member${read === 1 ? '' : 's'} of`,
      )
    }),
    { numRuns: 100 },
  )
})

test('a list that cannot be read ends it with its name, and no further list is begun', async () => {
  const members = Array.from({ length: 100 }, () => [1])
  const api = apiOf({ members, waits: [true], failing: 7 })
  await expect(readPeople({ ...choice, api }, () => true)).rejects.toMatchObject({
    message: 'no answer',
    details: { hint: [expect.stringContaining('List 7')] },
  })
  await new Promise((resolve) => setTimeout(resolve))
  expect(api.begun()).toBeLessThan(14)
})
