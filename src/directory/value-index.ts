/**
 * From values to the contacts that they fit: the one index of `find`, `match` and `duplicates`. The caller numbers the contacts.
 * `sought.ts` fills it from a table, `find.ts` from options, and `people-table.ts` and `duplicates.ts` use its values.
 */
import type { Contact } from '../api/schemas.ts'
import { identitiesOf, type Identity, type Kind, type ReadValues, type Value } from './identity.ts'
import { phoneFit, phoneKey, phoneText, type Phone, type PhoneFit } from './phone.ts'

/** Most values have one contact or none: a set for each would take more memory than everything else. */
type Some = undefined | number | Set<number>

const nobody: ReadonlySet<number> = new Set()

export type Fit = Exclude<PhoneFit, 'none'>

/** The better a fit, the smaller its rank. */
const rank = { exact: 0, variant: 1, abroad: 2 } as const

export function isBetterFit(fit: Fit, other: Fit | undefined): boolean {
  return other === undefined || rank[fit] < rank[other]
}

/** A value, and the contacts that it fits best. */
export class IndexedValue implements Value {
  readonly kind: Kind
  /** Another number with the same key. */
  readonly next: IndexedValue | undefined
  /** How it fits its contacts; undefined without any. */
  fit: Fit | undefined
  /** The text, or a number whose text is made when it is asked for: a table may have a million of them. */
  readonly #content: string | Phone
  #contacts: Some

  constructor({ kind, text, phone }: Value, next?: IndexedValue) {
    this.kind = kind
    this.#content = phone ?? text
    this.next = next
  }

  get text(): string {
    const content = this.#content
    return typeof content === 'string' ? content : phoneText(content)
  }

  get phone(): Phone | undefined {
    const content = this.#content
    return typeof content === 'string' ? undefined : content
  }

  get contacts(): ReadonlySet<number> {
    const some = this.#contacts
    if (some === undefined) return nobody
    return some instanceof Set ? some : new Set([some])
  }

  get isExact(): boolean {
    return this.fit === 'exact'
  }

  /** Once it fits someone better, the others do not count. */
  add(fit: Fit, contact: number): void {
    if (isBetterFit(fit, this.fit)) {
      this.fit = fit
      this.#contacts = contact
      return
    }
    if (fit !== this.fit) return
    const some = this.#contacts
    if (some instanceof Set) some.add(contact)
    else if (some === undefined || some === contact) this.#contacts = contact
    else this.#contacts = new Set([some, contact])
  }
}

export class ValueIndex {
  readonly #readValues: ReadValues
  /** Values by what those that fit in any way have in common. */
  readonly #values = new Map<string | number, IndexedValue>()
  /** Kinds of the values: hardly any other identity has to be read. */
  readonly #kinds = new Set<Kind>()

  constructor(readValues: ReadValues) {
    this.#readValues = readValues
  }

  /** The values of a text, each once, however often they are added. */
  add(identity: Identity): IndexedValue[] {
    return this.#readValues(identity).map((value) => this.addValue(value))
  }

  addValue(value: Value): IndexedValue {
    const key = keyOf(value)
    const first = this.#values.get(key)
    for (let one = first; one !== undefined; one = one.next) {
      if (isSame(one, value)) return one
    }
    const indexed = new IndexedValue(value, first)
    this.#values.set(key, indexed)
    this.#kinds.add(value.kind)
    return indexed
  }

  /** Whether values of this kind are looked for. */
  has(kind: Kind): boolean {
    return this.#kinds.has(kind)
  }

  /** The values that a contact has, and how they fit. */
  visit(contact: Contact, onFit: (value: IndexedValue, fit: Fit) => void): void {
    if (this.#kinds.size === 0) return
    for (const identity of identitiesOf(contact)) {
      if (!this.#kinds.has(identity.kind)) continue
      for (const value of this.#readValues(identity)) this.#compare(value, onFit)
    }
  }

  #compare(value: Value, onFit: (value: IndexedValue, fit: Fit) => void): void {
    for (let one = this.#values.get(keyOf(value)); one !== undefined; one = one.next) {
      const fit = fitOf(one, value)
      if (fit !== 'none') onFit(one, fit)
    }
  }
}

/** Whether two values fit the same contacts: of numbers that are the same, one may be typed without its country. */
function isSame(one: Value, other: Value): boolean {
  return one.text === other.text && one.phone?.national === other.phone?.national
}

const keyOf = ({ text, phone }: Value): string | number =>
  phone === undefined ? text : phoneKey(phone)

function fitOf(one: Value, other: Value): PhoneFit {
  if (one.phone !== undefined && other.phone !== undefined) return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : 'none'
}
