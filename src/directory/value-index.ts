/**
 * From values to the people that have them: the index by which `match.ts` looks for rows. Texts, and numbers with their country, are found whole;
 * numbers that fit in any other way have their last eight digits in common. Pure.
 */
import type { FoundContact } from '../views/found-contact.ts'
import { valuesOf, type ReadValues, type Value } from './identity.ts'
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
  readonly #byText = new Map<string, FoundContact[]>()
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
  bestFit(value: Value): BestFit | undefined {
    const key = `${value.text} ${value.phone?.national ?? ''}`
    if (this.#answers.has(key)) return this.#answers.get(key)
    const answer = this.#search(value)
    this.#answers.set(key, answer)
    return answer
  }

  #search({ text, phone }: Value): BestFit | undefined {
    const same = this.#byText.get(text)
    if (same !== undefined) return { fit: 'exact', people: new Set(same) }
    if (phone === undefined) return undefined
    const alike = this.#byTail.get(tailOf(phone)) ?? []
    const fits = alike.map(({ phone: other, contact }) => ({
      fit: phoneFit(phone, other),
      contact,
    }))
    const best = phoneFits.find((one) => fits.some(({ fit }) => fit === one))
    if (best === undefined) return undefined
    const fitting = fits.filter(({ fit }) => fit === best)
    return { fit: best, people: new Set(fitting.map(({ contact }) => contact)) }
  }

  #add(value: Value, contact: FoundContact): void {
    const { text, phone } = value
    if (phone !== undefined) addTo(this.#byTail, tailOf(phone), { phone, contact })
    if (phone === undefined || e164Of(phone) !== undefined) addTo(this.#byText, text, contact)
  }
}

function addTo<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

/** A text that values have in common if they fit in any way. */
export function coarseKey({ text, phone }: Value): string {
  return phone === undefined ? text : tailOf(phone)
}
