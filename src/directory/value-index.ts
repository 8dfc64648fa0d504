/**
 * From values to the contacts that they fit: the one index of `find` and `match`. The caller numbers the contacts; the index numbers the
 * values, and keeps them in about 60 bytes each, since a table may have millions. `sought.ts` fills it from a table, `find.ts` from options.
 */
import type { Contact } from '../api/schemas.ts'
import {
  identitiesOf,
  kinds,
  type Identity,
  type Kind,
  type ReadValues,
  type Value,
} from './identity.ts'
import { Numbers, Texts } from './packed.ts'
import {
  packPhone,
  phoneFit,
  phoneKey,
  phoneText,
  unpackPhone,
  type Phone,
  type PhoneFit,
} from './phone.ts'

export type Fit = Exclude<PhoneFit, 'none'>

/** The best first. */
const ranked = ['exact', 'variant', 'abroad'] as const

export function isBetterFit(fit: Fit, other: Fit | undefined): boolean {
  return other === undefined || ranked.indexOf(fit) < ranked.indexOf(other)
}

/** Instead of the number of a value + 1, or of a fit. */
const none = 0

/** A value of the index, and the contacts that it fits best. */
export interface IndexedValue extends Value {
  /** How it fits its contacts; undefined without any. */
  readonly fit: Fit | undefined
  readonly isExact: boolean
  readonly contacts: ReadonlySet<number>
}

export class ValueIndex {
  readonly #readValues: ReadValues
  /** By value: its text, or its phone number as `phone.ts` packs it. */
  readonly #texts = new Texts()
  readonly #kinds = new Numbers(Uint32Array)
  /** By value: the hash of what those that fit in any way have in common. */
  readonly #hashes = new Numbers(Uint32Array)
  /** By the last bits of a hash: the last value that has them, + 1. Half of them at most are taken: most texts that are sought are not there. */
  #slots = new Uint32Array(2048)
  /** By value: the one before it in the same slot, + 1; and the last of its fits. */
  readonly #before = new Numbers(Uint32Array)
  readonly #lastFit = new Numbers(Uint32Array)
  /** By fit, from 1: its contact, how good it is, and the fit of the same value before it, which is as good. */
  readonly #contactOf = new Numbers(Uint32Array)
  readonly #rankOf = new Numbers(Uint32Array)
  readonly #fitBefore = new Numbers(Uint32Array)
  /** By value, once they were asked for: contacts of those that fit several, perhaps a whole company by the number of its desk. */
  readonly #several = new Map<number, ReadonlySet<number>>()
  /** Kinds of the values: hardly any other identity has to be read. */
  readonly #kindsFound = new Set<Kind>()

  constructor(readValues: ReadValues) {
    this.#readValues = readValues
    for (const column of [this.#contactOf, this.#rankOf, this.#fitBefore]) column.push(none)
  }

  get size(): number {
    return this.#kinds.length
  }

  /** The numbers of the values of a text; a value has one number, however often it is added. */
  add(identity: Identity): number[] {
    return this.#readValues(identity).map((value) => this.#addValue(value))
  }

  at(value: number): IndexedValue {
    return new StoredValue(this, value)
  }

  /** The values that a contact has, and how they fit. */
  visit(contact: Contact, onFit: (value: number, fit: Fit) => void): void {
    if (this.#kindsFound.size === 0) return
    for (const identity of identitiesOf(contact)) {
      if (!this.#kindsFound.has(identity.kind)) continue
      for (const value of this.#readValues(identity)) this.#compare(value, onFit)
    }
  }

  /** Once a value fits somebody better, the others do not count. Fits of one contact follow each other. */
  addFit(value: number, fit: Fit, contact: number): void {
    const isBetter = isBetterFit(fit, this.fitOf(value))
    if (!isBetter && fit !== this.fitOf(value)) return
    const last = isBetter ? none : this.#lastFit.at(value)
    if (last !== none && this.#contactOf.at(last) === contact) return
    this.#lastFit.set(value, this.#contactOf.length)
    this.#contactOf.push(contact)
    this.#rankOf.push(ranked.indexOf(fit))
    this.#fitBefore.push(last)
    this.#several.delete(value)
  }

  fitOf(value: number): Fit | undefined {
    const last = this.#lastFit.at(value)
    return last === none ? undefined : ranked[this.#rankOf.at(last)]
  }

  /** Contacts that a value fits best, in the order in which they were added. */
  contactsOf(value: number): ReadonlySet<number> {
    const several = this.#several.get(value)
    if (several !== undefined) return several
    const contacts: number[] = []
    for (let fit = this.#lastFit.at(value); fit !== none; fit = this.#fitBefore.at(fit))
      contacts.push(this.#contactOf.at(fit))
    const fitting = new Set(contacts.reverse())
    if (fitting.size > 1) this.#several.set(value, fitting)
    return fitting
  }

  kindOf(value: number): Kind {
    return kinds[this.#kinds.at(value)] ?? 'phone'
  }

  /** The text of a value, as it is compared; of a phone number what `phone.ts` made of it. */
  textOf(value: number): string {
    return this.#texts.at(value)
  }

  #addValue(value: Value): number {
    const hash = hashOf(value)
    for (let one = this.#firstOf(hash); one !== none; one = this.#before.at(one - 1)) {
      if (this.#hashes.at(one - 1) === hash && isSame(this.at(one - 1), value)) return one - 1
    }
    const added = this.size
    this.#texts.push(value.phone === undefined ? value.text : packPhone(value.phone))
    this.#kinds.push(kinds.indexOf(value.kind))
    this.#hashes.push(hash)
    this.#before.push(none)
    this.#lastFit.push(none)
    this.#kindsFound.add(value.kind)
    if (this.size * 2 > this.#slots.length) this.#growSlots()
    else this.#putFirst(added)
    return added
  }

  #compare(value: Value, onFit: (value: number, fit: Fit) => void): void {
    const hash = hashOf(value)
    for (let one = this.#firstOf(hash); one !== none; one = this.#before.at(one - 1)) {
      if (this.#hashes.at(one - 1) !== hash) continue
      const fit = fitOf(this.at(one - 1), value)
      if (fit !== 'none') onFit(one - 1, fit)
    }
  }

  /** The last value in the slot of a hash, + 1. */
  #firstOf(hash: number): number {
    return this.#slots[hash & (this.#slots.length - 1)] ?? none
  }

  #putFirst(value: number): void {
    const slot = this.#hashes.at(value) & (this.#slots.length - 1)
    this.#before.set(value, this.#slots[slot] ?? none)
    this.#slots[slot] = value + 1
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let value = 0; value < this.size; value += 1) this.#putFirst(value)
  }
}

/** A value as the index has it: everything is read when it is asked for. */
class StoredValue implements IndexedValue {
  readonly #index: ValueIndex
  readonly #value: number

  constructor(index: ValueIndex, value: number) {
    this.#index = index
    this.#value = value
  }

  get kind(): Kind {
    return this.#index.kindOf(this.#value)
  }

  get text(): string {
    const { phone } = this
    return phone === undefined ? this.#index.textOf(this.#value) : phoneText(phone)
  }

  get phone(): Phone | undefined {
    return this.kind === 'phone' ? unpackPhone(this.#index.textOf(this.#value)) : undefined
  }

  get fit(): Fit | undefined {
    return this.#index.fitOf(this.#value)
  }

  get isExact(): boolean {
    return this.fit === 'exact'
  }

  get contacts(): ReadonlySet<number> {
    return this.#index.contactsOf(this.#value)
  }
}

/** Whether two values fit the same contacts: of numbers that are the same, one may be typed without its country. */
function isSame(one: Value, other: Value): boolean {
  return one.text === other.text && one.phone?.national === other.phone?.national
}

function fitOf(one: Value, other: Value): PhoneFit {
  const { phone } = one
  if (phone !== undefined && other.phone !== undefined) return phoneFit(phone, other.phone)
  return one.text === other.text ? 'exact' : 'none'
}

/** 32 bits; those of phone numbers with the same key alone are the same. */
function hashOf(value: Value): number {
  return value.phone === undefined ? hashOfText(value.text) : mix(phoneKey(value.phone))
}

export function hashOfText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return mix(hash)
}

/** Every bit of a number in the last bits of another one. */
function mix(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 15), 2_246_822_507)
  return (mixed ^ (mixed >>> 13)) >>> 0
}
