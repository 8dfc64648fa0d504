/** What a table of people is looked for by: collected first, so that members of lists are read once and hardly any are kept. */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { foldedValue, identitiesOf, type IdentityKey, type Kind } from './identity.ts'
import type { Hits } from './match.ts'
import { phoneFit, phoneKey, type Phone, type ReadPhone } from './phone.ts'
import type { NamedList } from './reading.ts'

/** A contact that something sought points to. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly lists: NamedList[]
}

/** Most values have one person or none: a set for each would take more memory than everything else. */
type Some = undefined | Person | Set<Person>

const nobody: ReadonlySet<Person> = new Set()

function setOf(some: Some): ReadonlySet<Person> {
  return some === undefined ? nobody : some instanceof Set ? some : new Set([some])
}

function joined(some: Some, person: Person): Some {
  if (some === undefined || some === person) return person
  return (some instanceof Set ? some : new Set([some])).add(person)
}

class SoughtValue implements Hits<Person> {
  readonly kind: Kind
  readonly phone: Phone | undefined
  #exact: Some
  #variant: Some

  constructor(kind: Kind, phone?: Phone) {
    this.kind = kind
    this.phone = phone
  }

  get exact(): ReadonlySet<Person> {
    return setOf(this.#exact)
  }

  get variant(): ReadonlySet<Person> {
    return setOf(this.#variant)
  }

  add(fit: 'exact' | 'variant', person: Person): void {
    if (fit === 'exact') this.#exact = joined(this.#exact, person)
    else this.#variant = joined(this.#variant, person)
  }
}

export class Sought {
  readonly #readPhone: ReadPhone
  /** Addresses and messenger values, by their key and folded text. */
  readonly #texts = new Map<string, SoughtValue>()
  /** Phone numbers, by what those that fit in any way have in common. */
  readonly #phones = new Map<string, readonly SoughtValue[]>()
  /** By id in lower case. */
  readonly #people = new Map<string, Person>()

  constructor(readPhone: ReadPhone) {
    this.#readPhone = readPhone
  }

  /** A value of a row; undefined when there is nothing in it to look for. A phone number is one under each of its keys. */
  add(key: IdentityKey, text: string): Hits<Person> | undefined {
    return key === 'phone' ? this.#addPhone(text) : this.#addText(key, text)
  }

  /** Takes a contact, once for each list that it is on. */
  readonly visit = (contact: Contact, list: NamedList): void => {
    const id = contact.id.toLowerCase()
    let person = this.#people.get(id)
    if (person !== undefined && !person.lists.includes(list)) person.lists.push(list)
    const found = (): Person => {
      person ??= { id: contact.id, name: fullName(contact), lists: [list] }
      this.#people.set(id, person)
      return person
    }
    for (const { kind, key, text } of identitiesOf(contact)) {
      if (kind === 'phone') this.#visitPhone(text, found)
      else this.#texts.get(textKey(key, text))?.add('exact', found())
    }
  }

  #visitPhone(text: string, found: () => Person): void {
    const stored = this.#readPhone(text)
    if (stored === undefined) return
    for (const value of this.#phones.get(phoneKey(stored)) ?? []) {
      const fit = value.phone === undefined ? 'none' : phoneFit(value.phone, stored)
      if (fit !== 'none') value.add(fit, found())
    }
  }

  #addPhone(text: string): SoughtValue | undefined {
    const phone = this.#readPhone(text)
    if (phone === undefined) return undefined
    const key = phoneKey(phone)
    const others = this.#phones.get(key) ?? []
    const known = others.find((value) => JSON.stringify(value.phone) === JSON.stringify(phone))
    if (known !== undefined) return known
    const value = new SoughtValue('phone', phone)
    this.#phones.set(key, [...others, value])
    return value
  }

  #addText(key: IdentityKey, text: string): SoughtValue | undefined {
    if (text.trim() === '') return undefined
    const place = textKey(key, text)
    const value = this.#texts.get(place) ?? new SoughtValue(key === 'email' ? 'email' : 'messenger')
    this.#texts.set(place, value)
    return value
  }
}

function textKey(key: IdentityKey, text: string): string {
  return `${key} ${foldedValue(key, text)}`
}
