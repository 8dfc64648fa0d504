/** Which of several contacts `find` shows, by how they fit. */
import { expect, test } from 'vitest'
import type { Contact } from '../../src/api/schemas.ts'
import { findContacts } from '../../src/directory/find.ts'
import type { PhoneFit } from '../../src/directory/phone.ts'
import { directoryOf } from './random-people.ts'

/** Positions of the contacts that are shown, of those that fit so. */
async function findAmong(fits: readonly PhoneFit[]): Promise<number[]> {
  const contacts = fits.map((_, n): { contact: Contact } => ({
    contact: {
      id: n.toString(16).padStart(24, '0'),
      firstName: `Ana ${n}`,
      lastName: 'Diaz',
      identities: {},
    },
  }))
  const positionOf = ({ id }: Pick<Contact, 'id'>): number => Number.parseInt(id, 16)
  const fitOf = (contact: Contact): PhoneFit => fits[positionOf(contact)] ?? 'none'
  const source = directoryOf(contacts)
  const positions: number[] = []
  for await (const contact of findContacts(source, { fitOf, hints: [] }, 9)) {
    positions.push(positionOf(contact))
  }
  return positions
}

test.each<[PhoneFit[], shown: number[]]>([
  [
    ['none', 'exact', 'exact'],
    [1, 2],
  ],
  [
    ['variant', 'none', 'exact'],
    [0, 2],
  ],
  [
    ['variant', 'variant'],
    [0, 1],
  ],
  // The country that was given is set aside only when nobody fits with it.
  [['abroad', 'variant'], [1]],
  [
    ['abroad', 'abroad'],
    [0, 1],
  ],
  [['none'], []],
])('%j: shows %j', async (fits, shown) => {
  expect(await findAmong(fits)).toEqual(shown)
})

test.each([
  [1, '1 contact found'],
  [5, '5 contacts found'],
  [6, '6 contacts found'],
])('of %d that fit only as a variant up to five are named', async (count, words) => {
  const contacts = Array.from({ length: count }, (_, n) => ({
    contact: { id: `${n}`.padStart(24, '0'), firstName: 'Ana', identities: {} },
  }))
  const found = findContacts(directoryOf(contacts), { fitOf: () => 'variant', hints: [] }, 9)
  let next = await found.next()
  while (next.done !== true) next = await found.next()
  const [note = ''] = next.value.notes
  expect(note).toContain(words)
  const ids = contacts.map(({ contact }) => contact.id)
  expect(ids.filter((id) => note.includes(id))).toEqual(count > 5 ? [] : ids)
})
