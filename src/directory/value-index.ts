/** From values to the contacts that they fit: the one index of `find`, `match` and `duplicates`. The caller numbers the contacts. */
import type { Contact } from '../api/schemas.ts'
import { identitiesOf, type Identity, type Kind, type ReadValues, type Value } from './identity.ts'
import { endingOf, endings, mostUnlikeTheirText, phoneFit, phoneKey, type Phone } from './phone.ts'

/** Most values have one contact or none: a set for each would take more memory than everything else. */
type Some = undefined | number | Set<number>

const nobody: ReadonlySet<number> = new Set()

export type Fit = 'exact' | 'variant'

/** A value, and the contacts that it fits: exactly, or as a variant. */
export class IndexedValue implements Value {
  readonly kind: Kind
  readonly text: string
  readonly phone: Phone | undefined
  /** Another number with the same key. */
  readonly next: IndexedValue | undefined
  isExact = false
  #contacts: Some

  constructor({ kind, text, phone }: Value, next?: IndexedValue) {
    this.kind = kind
    this.text = text
    this.phone = phone
    this.next = next
  }

  get contacts(): ReadonlySet<number> {
    const some = this.#contacts
    return some === undefined ? nobody : some instanceof Set ? some : new Set([some])
  }

  /** Once it fits someone exactly, its variants do not count. */
  add(fit: Fit, contact: number): void {
    if (fit === 'variant' && this.isExact) return
    const some = this.isExact || fit === 'variant' ? this.#contacts : undefined
    this.isExact = fit === 'exact'
    if (some === undefined || some === contact) this.#contacts = contact
    else this.#contacts = (some instanceof Set ? some : new Set([some])).add(contact)
  }
}

export class ValueIndex {
  readonly #readValues: ReadValues
  /** Addresses and messenger values. */
  readonly #texts = new Map<string, IndexedValue>()
  /** Phone numbers, by what those that fit in any way have in common. */
  readonly #phones = new Map<number, IndexedValue>()
  /** 1 where a number may end so: hardly any other number has to be read. */
  readonly #endings = new Uint8Array(endings)

  constructor(readValues: ReadValues) {
    this.#readValues = readValues
  }

  /** The values of a text, each once, however often they are added. */
  add(identity: Identity): IndexedValue[] {
    return this.#readValues(identity).map((value) => this.addValue(value))
  }

  addValue(value: Value): IndexedValue {
    const { phone } = value
    for (let one = this.#firstLike(value); one !== undefined; one = one.next) if (one.text === value.text) return one
    if (phone === undefined) {
      const indexed = new IndexedValue(value)
      this.#texts.set(value.text, indexed)
      return indexed
    }
    const key = phoneKey(phone)
    const indexed = new IndexedValue(value, this.#phones.get(key))
    this.#phones.set(key, indexed)
    if (phone.digits.length > mostUnlikeTheirText) this.#endings[key % endings] = 1
    else this.#endings.fill(1)
    return indexed
  }

  /** The values that a contact has, and how they fit. */
  visit(contact: Contact, onFit: (value: IndexedValue, fit: Fit) => void): void {
    if (this.#texts.size + this.#phones.size === 0) return
    for (const identity of identitiesOf(contact)) {
      const ending = identity.kind === 'phone' ? endingOf(identity.text) : undefined
      if (ending !== undefined && this.#endings[ending] === 0) continue
      for (const value of this.#readValues(identity)) this.#compare(value, onFit)
    }
  }

  #compare(value: Value, onFit: (value: IndexedValue, fit: Fit) => void): void {
    for (let one = this.#firstLike(value); one !== undefined; one = one.next) {
      const fit = fitOf(one, value)
      if (fit !== 'none') onFit(one, fit)
    }
  }

  /** The first one that may fit; `next` leads to the others. */
  #firstLike({ text, phone }: Value): IndexedValue | undefined {
    return phone === undefined ? this.#texts.get(text) : this.#phones.get(phoneKey(phone))
  }
}

function fitOf(one: Value, other: Value): Fit | 'none' {
  if (one.phone !== undefined && other.phone !== undefined) return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : 'none'
}
