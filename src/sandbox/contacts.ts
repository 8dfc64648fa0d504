/**
 * The contacts of a company. Each is computed from a seed and its position when it is first read. So ids are the same on
 * every start, and a contact that was not read costs only a number.
 */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import { day, iso, mix, pick, type SeedOptions, type Seeding } from './ids.ts'

export interface SeedContact {
  id: string
  firstName: string
  lastName: string
  /** Every key, most without values. */
  identities: Record<string, string[]>
  createdAt: string
  updatedAt: string
  /** API: Delete contacts in bulk, a contact associated with chats is not deleted. */
  chat: boolean
}

/** Somebody who appears in examples. Some are the same person twice, some only look like it. */
interface Person {
  firstName: string
  lastName: string
  identities: Partial<Record<IdentityKey, string | readonly string[]>>
  /** `people`: on `peopleList`. `many`: on that list and the eleven after it. `none`: on no list. */
  on: 'people' | 'many' | 'none'
}

export class Contacts {
  readonly #seeding: Seeding
  /** By id. A number is the position of a contact that was not read yet. */
  readonly #contacts = new Map<string, SeedContact | number>()

  constructor(seeding: Seeding) {
    this.#seeding = seeding
    for (let position = 0; position < seeding.contacts; position += 1)
      this.#contacts.set(seeding.ids.contact(position), position)
  }

  /** The contact with an id in any letter case. */
  find(id: string): SeedContact | undefined {
    const key = id.toLowerCase()
    const found = this.#contacts.get(key)
    if (typeof found !== 'number') return found
    const contact = contactAt(this.#seeding, found)
    this.#contacts.set(key, contact)
    return contact
  }

  *all(): Generator<SeedContact> {
    for (const id of this.#contacts.keys()) {
      const contact = this.find(id)
      if (contact !== undefined) yield contact
    }
  }

  remove({ id }: SeedContact) {
    this.#contacts.delete(id)
  }
}

/** A contact as the service answers with it. */
export function contactData(contact: SeedContact) {
  const { chat: _, ...data } = contact
  return data
}

/** A third of the contacts are associated with chats. */
export function hasChat(position: number) {
  return position % 3 === 1
}

/** The contact at a position. */
function contactAt(seeding: Seeding, position: number): SeedContact {
  const { seed, epoch, ids } = seeding
  const hash = mix(seed, 0, 11, position)
  const first = firstPerson(seeding)
  const example = first === undefined ? undefined : people[position - first]
  const { firstName, lastName, identities } = example ?? ordinaryPerson(position, hash)
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

/** An ordinary contact. Its position decides one key, so that every key occurs. Most also have a phone or an email. */
function ordinaryPerson(position: number, hash: number) {
  const { first, last } = pick(names, hash)
  const keys = [pick(identityKeys, position)]
  if (hash % 4 !== 0) keys.push('phone')
  if (hash % 3 !== 0) keys.push('email')
  const values = keys.map((key) => [key, [valueOf(key, position, hash)]] as const)
  const identities: Person['identities'] = Object.fromEntries(values)
  if (hash % 17 === 0) {
    const second = `+44 20 7946 0${String(hash % 1000).padStart(3, '0')}`
    identities.phone = [identities.phone ?? [], second].flat()
  }
  return {
    firstName: pick(first, hash >>> 8),
    lastName: pick(last, hash >>> 16),
    identities,
  }
}

/** A value for a key. Numbers, addresses and usernames are unique to a position. Other values are random. */
function valueOf(key: IdentityKey, position: number, hash: number) {
  if (key.endsWith('phone')) return `+1555${1_000_000 + (position % 9_000_000)}`
  if (key === 'email') return `contact${position}@example.com`
  if (key.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}

/** Position of the list that has the people of examples. */
export const peopleList = 60
const lastOfMany = peopleList + 11
/** A company with fewer contacts has none of these people. */
const leastContacts = 1000

/** The position of the first of these people: they are the last contacts. Undefined if the company has none of them. */
function firstPerson({ contacts }: SeedOptions) {
  return contacts < leastContacts ? undefined : contacts - people.length
}

/** Positions of the people of examples that are on a list. */
export function peopleOn(options: SeedOptions, list: number): number[] {
  const first = firstPerson(options)
  if (first === undefined || list < peopleList || list > lastOfMany) return []
  return people.flatMap(({ on }, n) => {
    const isOn = on === 'many' || (on === 'people' && list === peopleList)
    return isOn ? [first + n] : []
  })
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

/** The people of examples. Their order decides their ids, which are in examples and documents. */
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

type NamePool = Readonly<Record<'first' | 'last', readonly string[]>>

/** Names in many scripts, as a service that works worldwide has them. */
export const ordinaryNames: readonly NamePool[] = [
  {
    first: ['Anna', 'Ben', 'Clara', 'David', 'Emma', 'Felix'],
    last: ['Miller', 'Smith', 'Jones', 'Brown', 'Taylor'],
  },
  {
    first: ['Zoë', 'Łukasz', 'Søren', 'Iñaki', 'Šárka', 'Øyvind'],
    last: ['Müller', 'Ångström', 'Çelik', 'Nuñez', 'Ørsted'],
  },
  { first: ['伟', '芳', '秀英', '建国', '小明'], last: ['王', '李', '张', '欧阳', '司马'] },
  { first: ['さくら', 'ハルト', '結衣', '蓮'], last: ['佐藤', '鈴木', '髙橋', '𠮷田'] },
  { first: ['민준', '서연', '지우'], last: ['김', '이', '박'] },
  { first: ['محمد', 'فاطمة', 'يوسف', 'ليلى'], last: ['الأحمد', 'خان', 'بن علي'] },
  { first: ['דוד', 'שרה', 'נועה'], last: ['כהן', 'לוי', 'בן־דוד'] },
  { first: ['प्रिया', 'राज', 'कृष्णा', 'श्रद्धा'], last: ['शर्मा', 'सिंह', 'क्षत्रिय'] },
  { first: ['Иван', 'Ольга', 'Дмитрий'], last: ['Петров', 'Сидорова', 'Щёголев'] },
  { first: ['Νίκος', 'Ελένη'], last: ['Παπαδόπουλος', 'Γεωργίου'] },
  { first: ['สมชาย', 'น้ำฝน'], last: ['ใจดี', 'ศรีสุข'] },
]

/** The names of contacts, some of them hard to show. */
const names: readonly NamePool[] = [
  ...ordinaryNames,
  // Emoji that are one character to a reader and many code points: a family, a flag, skin tones, a keycap.
  { first: ['👩‍👩‍👧‍👦', '🇺🇦', '👍🏽', '🧑🏿‍🚀', '1️⃣'], last: ['Family', '🇯🇵', '🏳️‍🌈', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'] },
  // Combining marks, decomposed.
  {
    first: ['Jose\u0301', 'A\u030angstro\u0308m', 'Vie\u0323\u0302t'],
    last: ['Nu\u0303ez', 'Tra\u0302\u0300n', 'Z\u0351\u036b\u0343a\u0322'],
  },
  {
    first: ["D'Arcy", 'Jean-Luc', 'Mary Jane', ''],
    last: ["O'Neil", 'van der Berg', 'St. John', ''],
  },
]
