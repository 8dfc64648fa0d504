/** What a table of people is looked for by: collected first, so that members of lists are read once and hardly any are kept. */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { foldedValue, identitiesOf, textsIn, type Identity, type IdentityKey, type Kind } from './identity.ts'
import type { Hits } from './match.ts'
import { endingOf, endings, mostUnlikeTheirText, phoneFit, phoneKey } from './phone.ts'
import type { Phone, PhoneFit, ReadPhones } from './phone.ts'
import type { NamedList } from './reading.ts'

/** A contact that something sought points to. */
export interface Person {
  readonly id: string
  readonly name: string
  lists: readonly NamedList[]
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

export class SoughtValue implements Hits<Person> {
  readonly kind: Kind
  readonly phone: Phone | undefined
  /** Another number with the same key. */
  readonly next: SoughtValue | undefined
  #exact: Some
  #variant: Some

  constructor(kind: Kind, phone?: Phone, next?: SoughtValue) {
    this.kind = kind
    this.phone = phone
    this.next = next
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

type Fits = readonly (readonly [SoughtValue, Exclude<PhoneFit, 'none'>])[]

const nothing: Fits = []

export class Sought {
  readonly #readPhones: ReadPhones
  /** Addresses and messenger values, by their key and folded text. */
  readonly #texts = new Map<IdentityKey, Map<string, SoughtValue>>()
  /** Phone numbers, by what those that fit in any way have in common. */
  readonly #phones = new Map<number, SoughtValue>()
  /** 1 where a number that is sought may end so: hardly any number of the directory has to be read. */
  readonly #endings = new Uint8Array(endings)
  /** By id in lower case; undefined for one that is kept and was not met. */
  readonly #people = new Map<string, Person | undefined>()

  constructor(readPhones: ReadPhones) {
    this.#readPhones = readPhones
  }

  /** The values of a text; none where nothing in it can be read. A phone number is one under each of its keys. */
  add(key: IdentityKey, text: string): SoughtValue[] {
    if (key === 'phone') return this.#readPhones(text).map((phone) => this.#addPhone(phone))
    return textsIn(key, text).map((one) => this.#addText(key, one))
  }

  /** A contact that is wanted by its id. */
  keep(id: string): void {
    this.#people.set(id.toLowerCase(), undefined)
  }

  personOf(id: string): Person | undefined {
    return this.#people.get(id.toLowerCase())
  }

  /** Takes a contact, once for each list that it is on. */
  readonly visit = (contact: Contact, list: NamedList): void => {
    const id = contact.id.toLowerCase()
    let person = this.#people.get(id)
    if (person !== undefined && !person.lists.includes(list)) person.lists = person.lists.concat(list)
    if (person === undefined && this.#people.has(id)) {
      person = { id: contact.id, name: fullName(contact), lists: [list] }
      this.#people.set(id, person)
    }
    for (const identity of identitiesOf(contact)) {
      for (const [value, fit] of this.#fitting(identity)) {
        person ??= { id: contact.id, name: fullName(contact), lists: [list] }
        this.#people.set(id, person)
        value.add(fit, person)
      }
    }
  }

  #fitting({ kind, key, text }: Identity): Fits {
    if (kind === 'phone') return this.#fittingPhone(text)
    const value = this.#texts.get(key)?.get(foldedValue(key, text))
    return value === undefined ? nothing : [[value, 'exact']]
  }

  #fittingPhone(text: string): Fits {
    const ending = endingOf(text)
    if (ending !== undefined && this.#endings[ending] === 0) return nothing
    return this.#readPhones(text).flatMap((stored) =>
      this.#phonesLike(stored).flatMap((value) => {
        const fit = value.phone === undefined ? 'none' : phoneFit(value.phone, stored)
        return fit === 'none' ? [] : [[value, fit] as const]
      }),
    )
  }

  #phonesLike(phone: Phone): SoughtValue[] {
    const values: SoughtValue[] = []
    for (let one = this.#phones.get(phoneKey(phone)); one !== undefined; one = one.next) values.push(one)
    return values
  }

  #addPhone(phone: Phone): SoughtValue {
    const known = this.#phonesLike(phone).find((value) => isSamePhone(value.phone, phone))
    if (known !== undefined) return known
    const key = phoneKey(phone)
    const value = new SoughtValue('phone', phone, this.#phones.get(key))
    this.#phones.set(key, value)
    if (phone.digits.length > mostUnlikeTheirText) this.#endings[key % endings] = 1
    else this.#endings.fill(1)
    return value
  }

  #addText(key: IdentityKey, text: string): SoughtValue {
    const values = this.#texts.get(key) ?? new Map<string, SoughtValue>()
    this.#texts.set(key, values)
    const place = foldedValue(key, text)
    const value = values.get(place) ?? new SoughtValue(key === 'email' ? 'email' : 'messenger')
    values.set(place, value)
    return value
  }
}

function isSamePhone(one: Phone | undefined, other: Phone): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}
