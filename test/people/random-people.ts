/** Random people, and what fits whom by a table of how things are written: nothing here is computed as the product does it. */
import type { Contact } from '../../src/api/schemas.ts'
import type { PeopleSource, NamedList } from '../../src/api/people.ts'
import { randomFrom } from '../dice.ts'

/**
 * Ways to write the numbers of a country. Texts of one form are the same number; those of two forms of a number have to be looked
 * at. `?`: whose country is not known, which is never the same as anything.
 */
interface Country {
  readonly forms: Readonly<Record<string, readonly ((n: string) => string)[]>>
}

const germany = (hasCountry: boolean): Country => ({
  forms: {
    plain: [
      (n) => `+4917${n}`,
      (n) => `+49 (0) 17${n.slice(0, 1)} / ${n.slice(1)}`,
      (n) => `0049-17${n}`,
      (n) => `tel:+49 17${n}`,
      ...(hasCountry
        ? [(n: string) => `017${n}`, (n: string) => `(017${n.slice(0, 1)}) ${n.slice(1)}`]
        : []),
    ],
    ...(hasCountry
      ? {}
      : { '?': [(n: string) => `017${n}`, (n: string) => `17${n.slice(0, 1)}/${n.slice(1)}`] }),
  },
})
const others: readonly Country[] = [
  {
    forms: {
      old: [(n) => `+5511${n.slice(1)}`, (n) => `+55 (11) ${n.slice(1, 5)}-${n.slice(5)}`],
      new: [(n) => `+55119${n.slice(1)}`, (n) => `0055 11 9${n.slice(1)}`],
    },
  },
  {
    forms: {
      with9: [(n) => `+54911${n.slice(1)}`],
      without: [(n) => `+54 11 ${n.slice(1, 5)} ${n.slice(5)}`],
    },
  },
  { forms: { with1: [(n) => `+52 1 55 ${n.slice(1)}`], without: [(n) => `+5255${n.slice(1)}`] } },
  {
    forms: {
      none: [(n) => `+44 20 ${n.slice(1)}`, (n) => `+4420${n.slice(1)}`],
      x5: [(n) => `+44 20 ${n.slice(1)} ext. 5`, (n) => `+4420${n.slice(1)} x5`],
      x6: [(n) => `+44 20 ${n.slice(1)};ext=6`],
    },
  },
]

/** A value as it is written, and what it is by the table. */
export interface Written {
  readonly key: 'phone' | 'email' | 'messengerB_username' | 'messengerA_phone'
  readonly text: string
  /** Values of one thing fit; of one thing and one form exactly. */
  readonly thing: string
  readonly form: string
}

const words = [
  ..."Anna ANNA Ánna A. Müller MUELLER mu\u0308ller Łukasz lukasz O’Neil o'neil Dr.".split(' '),
  ...'Anna-Maria Miller, von 王 王伟 Иван ИВАН'.split(' '),
]

export class RandomPeople {
  readonly #random: (below: number) => number
  readonly #countries: readonly Country[]
  readonly #things: number

  /** `things`: of how many numbers, addresses and usernames they have some. */
  constructor(seed: number, hasCountry: boolean, things: number) {
    this.#random = randomFrom(seed)
    this.#countries = [germany(hasCountry), ...others]
    this.#things = things
  }

  below(most: number): number {
    return this.#random(most)
  }

  value(kind = this.#random(4)): Written {
    const thing = this.#random(this.#things)
    if (kind === 0) return this.#cased('email', `person${thing}@Example.com`, thing)
    const sign = kind === 1 && this.#random(2) === 0 ? '@' : ''
    if (kind === 1) return this.#cased('messengerB_username', `${sign}user_${thing}`, thing)
    const country = this.pick(this.#countries)
    const [form, texts] = this.pick(Object.entries(country.forms))
    const text = this.pick(texts)(`1${String(7_000_000 + thing * 7919).padStart(8, '2')}`)
    const key = kind === 2 ? 'phone' : 'messengerA_phone'
    return { key, text, thing: `${this.#countries.indexOf(country)} ${thing}`, form }
  }

  name(): string {
    return Array.from({ length: this.#random(4) }, () => this.pick(words)).join(' ')
  }

  #cased(key: 'email' | 'messengerB_username', text: string, thing: number): Written {
    const cased = this.#random(2) === 0 ? text.toUpperCase() : ` ${text}`
    return { key, text: cased, thing: `${key} ${thing}`, form: 'plain' }
  }

  pick<T>(from: readonly T[]): T {
    return from[this.#random(from.length)] as T
  }
}

export interface RandomContact {
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

export type Fit = 'exact' | 'variant' | 'none'

/** By the table. */
export function fitOf(one: Written, other: Written): Fit {
  if (one.thing !== other.thing) return 'none'
  return one.form === other.form && one.form !== '?' ? 'exact' : 'variant'
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
  return {
    within: [],
    acceptNear: {},
    api: { lists: { all, members, get } },
  }
}
