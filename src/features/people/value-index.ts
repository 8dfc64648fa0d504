/**
 * From values to the people that have them. Texts, and numbers with their country, are found whole; numbers
 * that fit in any other way have their last seven digits in common. Pure.
 */
import type { FoundContact } from '../../api/people.ts'
import { valuesOf, type ReadValues, type IdentityValue } from './identity.ts'
import type { Kind } from './kinds.ts'
import { e164Of, phoneFit, phoneFits, tailOf, type Phone, type PhoneFit } from './phone.ts'

/** The people that a value fits best: once it fits somebody exactly, variants do not count. */
export interface BestFit {
  readonly fit: PhoneFit
  readonly people: ReadonlySet<FoundContact>
}

interface StoredPhone {
  readonly phone: Phone
  readonly contact: FoundContact
}

export class ValueIndex {
  /** People by values that can be the same as others. */
  readonly #byText = new Map<string, Set<FoundContact>>()
  readonly #byTail = new Map<string, StoredPhone[]>()
  /** Answers that were given: a company may have thousands of people under the number of its desk. */
  readonly #answers = new Map<string, BestFit | undefined>()

  constructor(
    people: readonly FoundContact[],
    readValues: ReadValues,
    kinds: ReadonlySet<Kind>,
  ) {
    for (const contact of people) {
      for (const value of valuesOf(contact, readValues, kinds)) this.#add(value, contact)
    }
  }

  /** Undefined for a value that nobody has. */
  bestFit({ text, phone }: IdentityValue): BestFit | undefined {
    const same = this.#byText.get(text)
    if (same !== undefined) return { fit: 'exact', people: same }
    if (phone === undefined) return undefined
    const key = `${text} ${phone.national ?? ''}`
    if (!this.#answers.has(key)) this.#answers.set(key, this.#searchAlike(phone))
    return this.#answers.get(key)
  }

  #searchAlike(phone: Phone): BestFit | undefined {
    const alike = this.#byTail.get(tailOf(phone)) ?? []
    const fits = alike.map((stored) => phoneFit(phone, stored.phone))
    const best = phoneFits.find((fit) => fits.includes(fit))
    if (best === undefined) return undefined
    const fitting = alike.filter((_, index) => fits[index] === best)
    return { fit: best, people: new Set(fitting.map(({ contact }) => contact)) }
  }

  #add({ text, phone }: IdentityValue, contact: FoundContact): void {
    const isPlaced = phone === undefined || e164Of(phone) !== undefined
    if (isPlaced) setDefault(this.#byText, text, new Set()).add(contact)
    if (phone !== undefined)
      setDefault(this.#byTail, tailOf(phone), []).push({ phone, contact })
  }
}

/** The value of a key. A key without a value gets this one. */
export function setDefault<K, T>(map: Map<K, T>, key: K, value: T): T {
  const known = map.get(key) ?? value
  map.set(key, known)
  return known
}

/** A text that values have in common if they fit in any way. */
export function coarseKey({ text, phone }: IdentityValue): string {
  return phone === undefined ? text : tailOf(phone)
}
