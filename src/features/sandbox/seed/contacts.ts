/**
 * The sandbox's contacts. Everything is computed from a seed and a position, so that ids are the same on
 * every start and 100,000 contacts cost no memory: a contact is built when it is asked for.
 *
 * * Times are relative to the start of the UTC day on which the data was first made: ids never change, and
 * the ticket that must be older than 30 days always is, while the others are younger.
 */
import { identityKeys } from '../../../api/operations.ts'
import { mix, pick, day, iso, type SeedOptions, type Seeding } from '../ids.ts'
import { pools } from './names.ts'

export interface SeedContact {
  readonly id: string
  readonly firstName: string
  readonly lastName: string
  /** Every key, most without values. */
  readonly identities: Record<string, string[]>
  readonly createdAt: string
  updatedAt: string
  /** API: Delete contacts in bulk, a contact associated with chats is not deleted. */
  chat: boolean
}

/** A third of the contacts are associated with chats. */
export function hasChat(position: number): boolean {
  return position % 3 === 1
}

type IdentityName = (typeof identityKeys)[number]

/** A value of a key. Numbers, addresses and usernames are those of no other position; other values are by chance. */
function identity(key: IdentityName, position: number, hash: number): string {
  if (key.endsWith('phone')) return `+1555${1_000_000 + (position % 9_000_000)}`
  if (key === 'email') return `contact${position}@example.com`
  if (key.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}

/** An ordinary contact: every key occurs, one by position, and a phone or an email for most. */
function ordinaryPerson(position: number, hash: number) {
  const pool = pick(pools, hash)
  const keys = [pick(identityKeys, position)]
  if (hash % 4 !== 0) keys.push('phone')
  if (hash % 3 !== 0) keys.push('email')
  const values = keys.map((key) => [key, [identity(key, position, hash)]] as const)
  const identities: Person['identities'] = Object.fromEntries(values)
  if (hash % 17 === 0) {
    const second = `+44 20 7946 0${String(hash % 1000).padStart(3, '0')}`
    identities.phone = [identities.phone ?? [], second].flat()
  }
  const firstName = pick(pool.first, hash >>> 8)
  return { firstName, lastName: pick(pool.last, hash >>> 16), identities }
}

/** The contact at a position of a company: the last ones of a large first company are people to find. */
export function seedContact(seeding: Seeding, position: number): SeedContact {
  const { seed, company, epoch, ids } = seeding
  const hash = mix(seed, company, 11, position)
  const { firstName, lastName, identities } =
    people[position - firstOf(seeding)] ?? ordinaryPerson(position, hash)
  const createdAt = epoch - day - (hash % 500) * day - (mix(hash) % day)
  const all = identityKeys.map((key) => [key, [identities[key] ?? []].flat()] as const)
  return {
    id: ids.contact(position),
    firstName,
    lastName,
    identities: Object.fromEntries(all),
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt + (mix(hash, 1) % day)),
    chat: hasChat(position),
  }
}

/** People to find: the last contacts of a large first company. Some are one person twice, some only look like it. */
interface Person {
  readonly firstName: string
  readonly lastName: string
  readonly identities: Partial<Record<IdentityName, string | readonly string[]>>
  /** On the list of all of them, on twelve lists, or on none. */
  readonly on: 'people' | 'many' | 'none'
}

function person(
  firstName: string,
  lastName: string,
  identities: Person['identities'],
  on: Person['on'] = 'people',
): Person {
  return { firstName, lastName, identities, on }
}

/** The shared number of an office, which does not identify anybody. */
const landline = { phone: '+49 30 5556677' }

const people: readonly Person[] = [
  // The same number, once without its country; and the same address in another letter case.
  person('Maria', 'Schmidt', { phone: '+49 171 2345678' }),
  person('Maria', 'Schmitt', {
    phone: '0171 2345678',
    email: 'maria.schmidt@example.org',
  }),
  person('maria', 'schmidt', {
    email: 'Maria.Schmidt@Example.ORG',
    messengerA_phone: '+491712345678',
  }),
  person('Jo', 'Keller', {
    messengerB_username: '@jo_keller',
    messengerB_user_id: '4711001',
  }),
  person('Johanna', 'Keller', {
    messengerB_user_id: '4711001',
    email: 'johanna.keller@example.org',
  }),
  person('Ayşe', 'Yılmaz', landline),
  person('Mehmet', 'Yılmaz', landline),
  person('Łukasz', 'Wójcik', { ...landline, email: 'lukasz.wojcik@example.org' }),
  person('Zoë', 'Nordström', landline),
  person('Reception', '', landline),
  // With and without what these countries added or dropped.
  person('João', 'Souza', { phone: '+55 11 91234-5678' }),
  person('Joao', 'Souza', { messengerC_phone: '+55 11 1234-5678' }),
  person('Sofía', 'Núñez', { phone: '+54 9 11 2345-6789' }),
  person('Sofia', 'Nunez', { messengerC_phone: '+54 11 2345-6789' }),
  person('José', 'Hernández', { phone: '+52 1 55 1234 5678' }),
  person('Jose', 'Hernandez', { messengerC_phone: '+52 55 1234 5678' }),
  // As they are written in their own countries.
  person('Jürgen', 'Müller', {
    phone: '0171 9876543',
    email: 'juergen.mueller@example.org',
  }),
  person('Siân', "O'Neill", { phone: '(020) 7946 0018' }),
  person('Dana', 'Extension', { phone: '+1 555 200 0199 ext. 5' }),
  person('Ольга', 'Иванова', { phone: '8 (912) 345-67-89' }),
  person('花子', '山田', { phone: '０９０−１２３４−５６７８' }),
  person('محمد', 'الأحمد', { phone: '+٩٧١ ٥٠ ١٢٣ ٤٥٦٧' }),
  person('Noor', 'Haddad', { email: 'noor.haddad@example.org' }, 'many'),
  person('Robin', 'Unlisted', { email: 'robin.unlisted@example.org' }, 'none'),
]

/** The list of nearly all of them. */
export const peopleList = 60
const lastOfMany = peopleList + 11
/** Companies with fewer contacts have none of them. */
const leastContacts = 1000

/** The position of the first of them. */
function firstOf({ contacts }: SeedOptions): number {
  return contacts < leastContacts ? Infinity : contacts - people.length
}

/** Positions of those on a list. */
export function peopleOn(options: SeedOptions, list: number): number[] {
  const first = firstOf(options)
  if (first === Infinity || list < peopleList || list > lastOfMany) return []
  return people.flatMap(({ on }, n) => {
    const isOn = on === 'many' || (on === 'people' && list === peopleList)
    return isOn ? [first + n] : []
  })
}
