/** The contacts of the company. A contact is computed from its position when it is first read. */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import { day, idOf, iso, mix, pick } from './ids.ts'

export interface SeedContact {
  id: string
  firstName: string
  lastName: string
  /** The values by key. Every key is there, most of them without values. */
  identities: Record<string, string[]>
  createdAt: string
  updatedAt: string
}

export const contactsCount = 5000

/**
 * The last contacts, whose names and values are for examples. Some are the same person twice, and some only look like it: there are
 * numbers without their country, an address in another letter case, the number of an office, numbers to which a country added
 * digits, and values as people in other countries write them.
 */
const people = [
  'Maria   | Schmidt     | phone=+49 171 2345678',
  'Maria   | Schmitt     | phone=0171 2345678; email=maria.schmidt@example.org',
  'maria   | schmidt     | email=Maria.Schmidt@Example.ORG; messengerA_phone=+491712345678',
  'Jo      | Keller      | messengerB_username=@jo_keller; messengerB_user_id=4711001',
  'Johanna | Keller      | messengerB_user_id=4711001; email=johanna.keller@example.org',
  'Ayşe    | Yılmaz      | phone=+49 30 5556677',
  'Mehmet  | Yılmaz      | phone=+49 30 5556677',
  'Łukasz  | Wójcik      | phone=+49 30 5556677; email=lukasz.wojcik@example.org',
  'Zoë     | Nordström   | phone=+49 30 5556677',
  'Reception |           | phone=+49 30 5556677',
  'João    | Souza       | phone=+55 11 91234-5678',
  'Joao    | Souza       | messengerC_phone=+55 11 1234-5678',
  'Sofía   | Núñez       | phone=+54 9 11 2345-6789',
  'Sofia   | Nunez       | messengerC_phone=+54 11 2345-6789',
  'José    | Hernández   | phone=+52 1 55 1234 5678',
  'Jose    | Hernandez   | messengerC_phone=+52 55 1234 5678',
  'Jürgen  | Müller      | phone=0171 9876543; email=juergen.mueller@example.org',
  "Siân    | O'Neill     | phone=(020) 7946 0018",
  'Dana    | Extension   | phone=+1 555 200 0199 ext. 5',
  'Ольга   | Иванова     | phone=8 (912) 345-67-89',
  '花子    | 山田        | phone=０９０−１２３４−５６７８',
  'محمد    | الأحمد      | phone=+٩٧١ ٥٠ ١٢٣ ٤٥٦٧',
  'Noor    | Haddad      | email=noor.haddad@example.org',
  'Robin   | Unlisted    | email=robin.unlisted@example.org',
].map((line) => {
  const [firstName = '', lastName = '', values = ''] = line
    .split('|')
    .map((cell) => cell.trim())
  const identities = values.split('; ').map((pair) => pair.split('='))
  return { firstName, lastName, identities: Object.fromEntries(identities) as Identities }
})

type Identities = Partial<Record<IdentityKey, string | string[]>>

const firstPerson = contactsCount - people.length
/** The position of the list with all of these people except the last, who is on no list. */
export const peopleList = 60

/** Returns the positions of these people on a list. The second-to-last person is also on the eleven lists after theirs. */
export function peopleOn(list: number): number[] {
  if (list < peopleList || list > peopleList + 11) return []
  const listed = people.slice(0, -1).map((_, n) => firstPerson + n)
  return list === peopleList ? listed : listed.slice(-1)
}

/** First and last names in many scripts, as a service that works worldwide has them. */
export const names = [
  'Anna,Ben,Clara,David,Emma,Felix | Miller,Smith,Jones,Brown,Taylor',
  'Zoë,Łukasz,Søren,Iñaki,Šárka,Øyvind | Müller,Ångström,Çelik,Nuñez,Ørsted',
  '伟,芳,秀英,建国,小明 | 王,李,张,欧阳,司马',
  'さくら,ハルト,結衣,蓮 | 佐藤,鈴木,髙橋,𠮷田',
  '민준,서연,지우 | 김,이,박',
  'محمد,فاطمة,يوسف,ليلى | الأحمد,خان,بن علي',
  'דוד,שרה,נועה | כהן,לוי,בן־דוד',
  'प्रिया,राज,कृष्णा,श्रद्धा | शर्मा,सिंह,क्षत्रिय',
  'Иван,Ольга,Дмитрий | Петров,Сидорова,Щёголев',
  'Νίκος,Ελένη | Παπαδόπουλος,Γεωργίου',
  'สมชาย,น้ำฝน | ใจดี,ศรีสุข',
  '👩‍👩‍👧‍👦,🇺🇦,👍🏽,🧑🏿‍🚀,1️⃣ | Family,🇯🇵,🏳️‍🌈,🏴󠁧󠁢󠁷󠁬󠁳󠁿',
  'Jose\u0301,A\u030angstro\u0308m,Vie\u0323\u0302t | Nu\u0303ez,Tra\u0302\u0300n,Z\u0351\u036b\u0343a\u0322',
  "D'Arcy,Jean-Luc,Mary Jane, | O'Neil,van der Berg,St. John,",
].map((line) => {
  const [first = [], last = []] = line.split('|').map((part) => part.trim().split(','))
  return { first, last }
})

/** The contacts by their ids. */
export class Contacts {
  /** The start of today in milliseconds since 1970. */
  readonly #epoch: number
  readonly #positions = new Map<string, number>()
  /** The contacts that were read before, with the changes that requests made. */
  readonly #read = new Map<string, SeedContact>()

  constructor(epoch: number) {
    this.#epoch = epoch
  }

  /** Adds the contact at a position, and returns its id. */
  add(position: number) {
    const id = idOf('contact', position)
    this.#positions.set(id, position)
    return id
  }

  /** Returns the contact with an id in any letter case; undefined if there is none. */
  find(id: string): SeedContact | undefined {
    const key = id.toLowerCase()
    const position = this.#positions.get(key)
    if (position === undefined) return undefined
    const contact = this.#read.get(key) ?? contactAt(position, this.#epoch)
    this.#read.set(key, contact)
    return contact
  }

  ids() {
    return [...this.#positions.keys()]
  }

  remove(id: string) {
    this.#positions.delete(id)
  }
}

/** Makes the contact at a position. */
function contactAt(position: number, epoch: number): SeedContact {
  const hash = mix(1, 0, 11, position)
  const person = people[position - firstPerson] ?? ordinaryPerson(position, hash)
  const { firstName, lastName, identities } = person
  const createdAt = epoch - day - (hash % 500) * day - (mix(hash) % day)
  // Every key gets an array, which is empty for most.
  const all = identityKeys.map((key) => [key, [identities[key] ?? []].flat()] as const)
  return {
    id: idOf('contact', position),
    firstName,
    lastName,
    identities: Object.fromEntries(all),
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt + (mix(hash, 1) % day)),
  }
}

/** Returns the names and values of an ordinary contact. The position decides one key, so that every key occurs. */
function ordinaryPerson(position: number, hash: number) {
  const { first, last } = pick(names, hash)
  const keys = [pick(identityKeys, position)]
  if (hash % 4 !== 0) keys.push('phone')
  if (hash % 3 !== 0) keys.push('email')
  const values = keys.map((key) => [key, [valueOf(key, position, hash)]] as const)
  const identities: Identities = Object.fromEntries(values)
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

/** Returns a value for a key. Phone numbers, addresses and usernames are unique to a position. Other values are random. */
function valueOf(key: IdentityKey, position: number, hash: number) {
  if (key.endsWith('phone')) return `+1555${1_000_000 + (position % 9_000_000)}`
  if (key === 'email') return `contact${position}@example.com`
  if (key.endsWith('username')) return `@user_${position}`
  return String(100_000_000 + (hash % 900_000_000))
}
