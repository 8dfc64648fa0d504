/**
 * The contacts of a company. Each is computed from a seed and its position when it is first asked for, so ids
 * are the same on every start, and 100,000 contacts cost no memory.
 */
import { identityKeys, type IdentityKey } from '../../api/operations.ts'
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

/** Somebody with a part in examples. Some are one person twice, some only look like it. */
interface Person {
  firstName: string
  lastName: string
  identities: Partial<Record<IdentityKey, string | readonly string[]>>
  /** On the list of all of them, on twelve lists, or on none. */
  on: 'people' | 'many' | 'none'
}

export class Contacts {
  readonly #seeding: Seeding
  /** By id; as a number, the position of one that was not asked for yet. */
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

/** The contact at a position of a company: the last ones of a large first company are people to find. */
function contactAt(seeding: Seeding, position: number): SeedContact {
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

/** An ordinary contact: every key occurs, one by position, and a phone or an email for most. */
function ordinaryPerson(position: number, hash: number) {
  const pool = pick(pools, hash)
  const keys = [pick(identityKeys, position)]
  if (hash % 4 !== 0) keys.push('phone')
  if (hash % 3 !== 0) keys.push('email')
  const values = keys.map((key) => [key, [valueOf(key, position, hash)]] as const)
  const identities: Person['identities'] = Object.fromEntries(values)
  if (hash % 17 === 0) {
    const second = `+44 20 7946 0${String(hash % 1000).padStart(3, '0')}`
    identities.phone = [identities.phone ?? [], second].flat()
  }
  const firstName = pick(pool.first, hash >>> 8)
  return { firstName, lastName: pick(pool.last, hash >>> 16), identities }
}

/** A value of a key. Numbers, addresses and usernames are those of no other position; other values are by chance. */
function valueOf(key: IdentityKey, position: number, hash: number) {
  if (key.endsWith('phone')) return `+1555${1_000_000 + (position % 9_000_000)}`
  if (key === 'email') return `contact${position}@example.com`
  if (key.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}

/** The list of nearly all people to find. */
export const peopleList = 60
const lastOfMany = peopleList + 11
/** A company with fewer contacts has none of them. */
const leastContacts = 1000

/** The position of the first of them. */
function firstOf({ contacts }: SeedOptions) {
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

/** Names of ordinary people, in many scripts, as a service that works world-wide has them. */
export const pools: readonly Readonly<Record<'first' | 'last', readonly string[]>>[] = [
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
