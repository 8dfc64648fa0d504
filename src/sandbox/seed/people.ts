/** People to find: the last contacts of a large first company. Some are one person twice, some only look like it. */
import { identityKeys } from '../../api/limits.ts'
import { seedContact, type SeedContact } from './contacts.ts'
import type { SeedOptions } from './time.ts'

interface Person {
  readonly name: readonly [first: string, last: string]
  readonly identities: Readonly<Partial<Record<(typeof identityKeys)[number], readonly string[]>>>
  /** On the list of all of them, unless it says otherwise. */
  readonly on?: 'none' | 'many'
}

const person = (
  first: string,
  last: string,
  identities: Person['identities'],
  on?: Person['on'],
): Person => ({
  name: [first, last],
  identities,
  ...(on === undefined ? {} : { on }),
})

/** One number of an office: it tells nothing about who is who. */
const landline = { phone: ['+49 30 5556677'] }

const people: readonly Person[] = [
  // The same number, once without its country; and the same address in another letter case.
  person('Maria', 'Schmidt', { phone: ['+49 171 2345678'] }),
  person('Maria', 'Schmitt', { phone: ['0171 2345678'], email: ['maria.schmidt@example.org'] }),
  person('maria', 'schmidt', {
    email: ['Maria.Schmidt@Example.ORG'],
    messengerA_phone: ['+491712345678'],
  }),
  person('Jo', 'Keller', { messengerB_username: ['@jo_keller'], messengerB_user_id: ['4711001'] }),
  person('Johanna', 'Keller', {
    messengerB_user_id: ['4711001'],
    email: ['johanna.keller@example.org'],
  }),
  person('Ayşe', 'Yılmaz', landline),
  person('Mehmet', 'Yılmaz', landline),
  person('Łukasz', 'Wójcik', { ...landline, email: ['lukasz.wojcik@example.org'] }),
  person('Zoë', 'Nordström', landline),
  person('Reception', '', landline),
  // With and without what these countries added or dropped.
  person('João', 'Souza', { phone: ['+55 11 91234-5678'] }),
  person('Joao', 'Souza', { messengerC_phone: ['+55 11 1234-5678'] }),
  person('Sofía', 'Núñez', { phone: ['+54 9 11 2345-6789'] }),
  person('Sofia', 'Nunez', { messengerC_phone: ['+54 11 2345-6789'] }),
  person('José', 'Hernández', { phone: ['+52 1 55 1234 5678'] }),
  person('Jose', 'Hernandez', { messengerC_phone: ['+52 55 1234 5678'] }),
  // As they are written in their own countries.
  person('Jürgen', 'Müller', { phone: ['0171 9876543'], email: ['juergen.mueller@example.org'] }),
  person('Siân', "O'Neill", { phone: ['(020) 7946 0018'] }),
  person('Dana', 'Extension', { phone: ['+1 555 200 0199 ext. 5'] }),
  person('Ольга', 'Иванова', { phone: ['8 (912) 345-67-89'] }),
  person('花子', '山田', { phone: ['０９０−１２３４−５６７８'] }),
  person('محمد', 'الأحمد', { phone: ['+٩٧١ ٥٠ ١٢٣ ٤٥٦٧'] }),
  person('Noor', 'Haddad', { email: ['noor.haddad@example.org'] }, 'many'),
  person('Robin', 'Unlisted', { email: ['robin.unlisted@example.org'] }, 'none'),
]

/** The list of nearly all of them. */
export const peopleList = 60
const manyLists = { from: peopleList, to: peopleList + 11 }
/** Companies with fewer contacts have none of them. */
const leastContacts = 1000

const firstOf = ({ contacts }: SeedOptions): number =>
  contacts < leastContacts ? Infinity : contacts - people.length

/** Positions of those on a list. */
export function peopleOn(options: SeedOptions, list: number): number[] {
  const first = firstOf(options)
  if (first === Infinity || list < peopleList || list > manyLists.to) return []
  return people.flatMap(({ on }, n) => {
    const isOn =
      on === 'many'
        ? list >= manyLists.from && list <= manyLists.to
        : on !== 'none' && list === peopleList
    return isOn ? [first + n] : []
  })
}

/** A contact of the first company. */
export function seedPerson(options: SeedOptions, position: number): SeedContact {
  const contact = seedContact(options, 0, position)
  const found = people[position - firstOf(options)]
  if (found === undefined) return contact
  const { name, identities } = found
  const values = identityKeys.map((key): [string, string[]] => [key, [...(identities[key] ?? [])]])
  return {
    ...contact,
    firstName: name[0],
    lastName: name[1],
    identities: Object.fromEntries(values),
  }
}
