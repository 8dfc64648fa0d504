/**
 * The rules of `match` and `duplicates`, written a second time: contact by contact, by what a table says of how things are
 * written. Nothing here is computed as the product does it.
 */
import type { Contact } from '../../src/api/schemas.ts'
import type { NamedList, PeopleSource } from '../../src/api/people.ts'
import { randomFrom } from '../dice.ts'

/** A value as it is written. Values of one thing fit; of one thing and one form exactly. */
interface Written {
  readonly key: 'phone' | 'email' | 'messengerB_username' | 'messengerA_phone'
  readonly text: string
  readonly thing: string
  /** `?`: the country is not known, so that it is never the same as anything. */
  readonly form: string
}

type Forms = Readonly<Record<string, readonly ((digits: string) => string)[]>>

/** Ways to write a number, by what they are. `digits`: the last eight. */
const phones: Forms = {
  'DE 171': [
    (n) => `+49171${n}`,
    (n) => `+49 (0) 171 / ${n}`,
    (n) => `0049-171${n}`,
    (n) => `tel:+49 171${n}`,
  ],
  'BR old': [(n) => `+5511${n}`, (n) => `+55 (11) ${n.slice(0, 4)}-${n.slice(4)}`],
  'BR new': [(n) => `+55119${n}`, (n) => `0055 11 9${n}`],
  'AR with 9': [(n) => `+54911${n}`],
  'AR without': [(n) => `+54 11 ${n.slice(0, 4)} ${n.slice(4)}`],
  'MX with 1': [(n) => `+52 1 55 ${n}`],
  'MX without': [(n) => `+5255${n}`],
  GB: [(n) => `+44 20 ${n}`, (n) => `+4420${n}`],
  'GB x5': [(n) => `+44 20 ${n} ext. 5`, (n) => `+4420${n} x5`],
  'GB x6': [(n) => `+44 20 ${n};ext=6`],
}
const national = [
  (n: string) => `0171${n}`,
  (n: string) => `(0171) ${n}`,
  (n: string) => `0171/${n}`,
]
const words = `Anna ANNA Ánna A. Müller MUELLER mu\u0308ller Łukasz lukasz O’Neil o'neil Dr. Anna-Maria Miller, von 王 王伟 Иван`

export class RandomPeople {
  readonly below: (most: number) => number
  readonly #forms: Forms
  readonly #things: number

  /** `things`: of how many numbers, addresses and usernames they have some. */
  constructor(seed: number, hasCountry: boolean, things: number) {
    this.below = randomFrom(seed)
    const german = phones['DE 171'] ?? []
    const more = hasCountry ? { 'DE 171': [...german, ...national] } : { '?': national }
    this.#forms = { ...phones, ...more }
    this.#things = things
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  value(kind = this.below(4)): Written {
    const number = this.below(this.#things)
    const cased = (text: string): string => this.pick([text.toUpperCase(), ` ${text}`])
    const form = 'plain'
    if (kind === 0) {
      const text = cased(`person${number}@Example.com`)
      return { key: 'email', text, thing: `email ${number}`, form }
    }
    if (kind === 1) {
      const text = cased(`${this.pick(['@', ''])}user_${number}`)
      return { key: 'messengerB_username', text, thing: `user ${number}`, form }
    }
    const [name, texts] = this.pick(Object.entries(this.#forms))
    const text = this.pick(texts)(String(21_000_000 + number * 7919))
    const key = kind === 2 ? 'phone' : 'messengerA_phone'
    return { key, text, thing: `phone ${number}`, form: name }
  }

  name(): string {
    return Array.from({ length: this.below(4) }, () => this.pick(words.split(' '))).join(' ')
  }
}

interface RandomContact {
  readonly contact: Contact
  readonly name: string
  readonly values: readonly Written[]
  readonly createdAt: number | undefined
}

export function randomContacts(people: RandomPeople, count: number): RandomContact[] {
  return Array.from({ length: count }, (_, index) => {
    const values = Array.from({ length: people.below(4) }, () => people.value())
    const identities: Record<string, string[]> = {}
    for (const { key, text } of values) (identities[key] ??= []).push(text)
    const name = people.name()
    const createdAt = people.below(4) === 0 ? undefined : Date.UTC(2026, 0, 1 + people.below(5))
    const contact = {
      id: (people.below(2 ** 30) * 2 ** 20 + index).toString(16).padStart(24, '0'),
      firstName: name,
      lastName: null,
      identities,
      createdAt: createdAt === undefined ? null : new Date(createdAt).toISOString(),
      updatedAt: null,
    }
    return { contact, name, values, createdAt }
  })
}

/** A directory of these contacts, each on one list or two. */
export function directoryOf(contacts: readonly Pick<RandomContact, 'contact'>[]): PeopleSource {
  const lists: readonly NamedList[] = [
    { id: 'a'.repeat(24), name: 'First' },
    { id: 'b'.repeat(24), name: 'Second' },
  ]
  const ended = { shown: 0, total: 0, missing: undefined }
  async function* all() {
    for (const { id, name } of lists) yield await Promise.resolve({ id, name, contactsCount: 0 })
    return ended
  }
  async function* members(list: string) {
    for (const [index, { contact }] of contacts.entries())
      if (list === lists[0]?.id || index % 2 === 0)
        yield await Promise.resolve({ id: contact.id, contact })
    return ended
  }
  const get = (id: string) => Promise.resolve({ id, name: id, contactsCount: 0 })
  return { within: [], nameOptions: {}, api: { lists: { all, members, get } } }
}

interface RandomRow {
  readonly name: string
  readonly values: readonly Written[]
  /** What stands under phone where there is no number. */
  readonly noPhone: string
  /** The cell of contactId. */
  readonly decision: string
}

/** Some rows are of one contact, most of whoever has these values. */
export function randomRow(people: RandomPeople, contacts: readonly RandomContact[]): RandomRow {
  const one = people.pick(contacts)
  const isOfOne = people.below(2) === 0
  const some = isOfOne
    ? one.values.filter(() => people.below(3) > 0)
    : Array.from({ length: people.below(4) }, () => people.value())
  return {
    name: isOfOne && people.below(3) > 0 ? one.name : people.name(),
    // Tables of people have no messenger values.
    values: some.filter(({ key }) => key !== 'messengerB_username'),
    noPhone: people.pick(['', '', '-', 'N/A', 'see notes']),
    decision: people.pick([...Array<string>(8).fill(''), one.contact.id, 'f'.repeat(24), '-', 'x']),
  }
}

/** The rows as csv, with several values in a cell and words around numbers. */
export function csvOf(rows: readonly RandomRow[], people: RandomPeople): string {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const lines = rows.map(({ name, values, noPhone, decision }) => {
    const emails = values.filter(({ key }) => key === 'email').map(({ text }) => text)
    const numbers = values
      .filter(({ key }) => key !== 'email')
      .map(({ text }) => (people.below(3) === 0 ? `Tel: ${text} (home)` : text))
    const phone = numbers.join(people.pick(['; ', ' | ', ' or '])) || noPhone
    const email = emails.join(people.pick(['; ', ', ']))
    return [name, email, phone, 'x', decision, ''].map(cell).join(',')
  })
  return ['Nom,Courriel,Téléphone,Note,contactId,MATCH', ...lines, ''].join('\n')
}

const isEqual = (one: Written, other: Written): boolean =>
  one.thing === other.thing && one.form === other.form && one.form !== '?'

function ownersOf(value: Written, contacts: readonly RandomContact[]): Set<RandomContact> {
  const having = (fits: (other: Written) => boolean) =>
    new Set(contacts.filter(({ values }) => values.some(fits)))
  const equal = having((other) => isEqual(value, other))
  return equal.size > 0 ? equal : having(({ thing }) => thing === value.thing)
}

/** The verdict on a row, and what is in contactId afterwards. */
export function expectedOf(row: RandomRow, contacts: readonly RandomContact[]): string {
  const { name, values, noPhone, decision } = row
  if (decision === 'x') return 'unreadable null'
  const decided = decision === '' ? 'null' : decision
  const different = values.filter(
    (one, index) =>
      !values.slice(0, index).some(({ thing, form }) => thing === one.thing && form === one.form),
  )
  const known = different
    .map((value) => ({ value, owners: ownersOf(value, contacts) }))
    .filter(({ owners }) => owners.size > 0)
  if (known.length === 0) {
    const isRead = values.some(({ key }) => key !== 'email') || noPhone !== 'see notes'
    const isUnderstood = isRead && values.every(({ form }) => form !== '?')
    return `${isUnderstood && values.length > 0 ? 'none' : 'unreadable'} ${decided}`
  }
  const scores = new Map<RandomContact, number>()
  for (const { owners } of known)
    for (const owner of owners) scores.set(owner, (scores.get(owner) ?? 0) + 1)
  const most = Math.max(...scores.values())
  const [best, ...others] = [...scores].filter(([, score]) => score === most)
  if (best === undefined || others.length > 0) return `several ${decided}`
  const [contact] = best
  const isWhole = known.every(({ value }) => contact.values.some((other) => isEqual(value, other)))
  if (!isWhole || isContradiction(name, contact.name)) return `check ${decided}`
  return `one ${decision === '' ? contact.contact.id : decision}`
}

/** Everybody who can be reached: the smallest number goes around until nothing moves. */
function groupsBy(contacts: readonly RandomContact[]): RandomContact[][] {
  const having = new Map<string, number[]>()
  for (const [index, { values }] of contacts.entries())
    for (const { thing, form } of values)
      if (form !== '?')
        having.set(`${thing} ${form}`, [...(having.get(`${thing} ${form}`) ?? []), index])
  let group = contacts.map((_, index) => index)
  for (let isMoving = true; isMoving;) {
    const next = [...group]
    for (const indexes of having.values()) {
      const least = Math.min(...indexes.map((index) => next[index] ?? 0))
      for (const index of indexes) next[index] = least
    }
    isMoving = next.some((number, index) => number !== group[index])
    group = next
  }
  const members = new Map<number, RandomContact[]>()
  for (const [index, contact] of contacts.entries()) {
    const number = group[index] ?? 0
    members.set(number, [...(members.get(number) ?? []), contact])
  }
  return [...members.values()].filter(({ length }) => length > 1)
}

/** The rows of `duplicates`: source, target, how many values they share, and the warnings. */
export function expectedDuplicates(contacts: readonly RandomContact[]): string[] {
  const age = ({ createdAt, contact }: RandomContact): string =>
    `${createdAt === undefined ? 'z' : new Date(createdAt).toISOString()} ${contact.id}`
  return groupsBy(contacts).flatMap((group) => {
    const [target, ...sources] = group.toSorted((a, b) => (age(a) < age(b) ? -1 : 1))
    if (target === undefined) return []
    return sources.map((source) => {
      const shared = source.values.filter((value) =>
        target.values.some((other) => isEqual(value, other)),
      )
      const warning = isContradiction(source.name, target.name) ? ['names differ'] : []
      const most = Math.max(
        ...shared.map(
          (value) =>
            contacts.filter(({ values }) => values.some((other) => isEqual(value, other))).length,
        ),
      )
      if (most > 2) warning.push(`shared by ${most}`)
      if (shared.length === 0) warning.push('only through')
      const things = new Set(shared.map(({ thing, form }) => `${thing} ${form}`)).size
      return `${source.contact.id} ${target.contact.id} ${things} ${warning.join(';')}`
    })
  })
}

const titles = 'dr mr mrs ms miss prof herr frau mme mlle sr sra srta dra sig'.split(' ')
const accented = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g

/** Both ways to write each word of a name, without titles and repetitions. */
function wordsIn(name: string): string[][] {
  const bare = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFC')
  const texts = bare
    .split(/[\s,.،、。·・‧‐-―-]+/u)
    .map((word) => word.replace(/[^\p{L}\p{M}\p{N}]/gu, ''))
  const swap = (word: string, pairs: string): string =>
    Array.from(word)
      .map((sign) => new RegExp(`(?:^| )${sign}(\\w+)`, 'u').exec(pairs)?.[1] ?? sign)
      .join('')
  const written = texts
    .filter((word) => word !== '')
    .map((word) => {
      const forms = ['øo æae œoe łl đd', 'äae öoe øoe üue åaa æae œoe łl đd'].map((pairs) =>
        (/^[a-z0-9]+$/.test(word) ? word : swap(word, pairs))
          .normalize('NFD')
          .replace(accented, '')
          .normalize('NFC'),
      )
      return forms
    })
  const names = written.filter(([plain = '']) => !titles.includes(plain))
  return names.filter(([plain], index) => names.findIndex(([other]) => other === plain) === index)
}

/** Whether names contradict each other. */
export function isContradiction(one: string, other: string): boolean {
  const [few = [], many = []] = [wordsIn(one), wordsIn(other)].toSorted(
    (a, b) => a.length - b.length,
  )
  if (few.length === 0) return false
  const isInitial = (form: string): boolean =>
    /^\p{L}$/u.test(form) && !/[぀-ヿ㐀-鿿가-힣]/.test(form)
  const standsFor = (forms: string[], others: string[]): boolean =>
    forms.some((a) =>
      others.some(
        (b) => a === b || (isInitial(a) && b.startsWith(a)) || (isInitial(b) && a.startsWith(b)),
      ),
    )
  const covers = (some: string[][], all: string[][]): boolean =>
    some.every((word) => all.some((each) => standsFor(word, each)))
  return !covers(few, many) || (few.length === many.length && !covers(many, few))
}
