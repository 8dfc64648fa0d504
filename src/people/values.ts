/**
 * Values of contacts (phone numbers, addresses, messenger values) in the form in which they are compared, the
 * values in a cell of a table, and an index that finds people by their values.
 */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { fold, visibleText } from '../words.ts'
import { kindOf, type Kind } from './kinds.ts'
import {
  e164Of,
  phoneFit,
  phoneFits,
  phoneReader,
  phoneText,
  searchKey,
  type Country,
  type Phone,
  type PhoneFit,
} from './phone.ts'

/** A value in the form in which it is compared: values that fit exactly (`PhoneFit`) have the same text. */
export interface IdentityValue {
  kind: Kind
  /** `email anna@example.org`, `phone +491712345678 ext. 5`, or `phone 1712345678` if the country is not known. */
  text: string
  phone?: Phone | undefined
}

/** Reads the values of a text. `country`: the country of phone numbers without `+` or `00`. */
export type ReadValues = (identity: {
  key: IdentityKey
  text: string
  country?: Country | undefined
}) => IdentityValue[]

/**
 * Makes a function that reads the values of a text: in lower case, usernames without their @ sign, phone numbers as E.164.
 * There are none if nothing can be read. `country`: of `--country`, for texts without one. Throws exit 2 for one that does
 * not exist.
 */
export function valueReader(country: string | undefined): ReadValues {
  const readPhones = phoneReader(country)
  return ({ key, text, country: ofText }) => {
    const kind = kindOf(key)
    if (kind === 'phone') {
      const phones = readPhones(text, ofText)
      return phones.map((phone) => ({ kind, text: phoneText(phone), phone }))
    }
    const folded = fold(text)
    const plain = kind === 'email' ? folded : folded.replace(/^@/, '')
    return plain === '' ? [] : [{ kind, text: `${key} ${plain}` }]
  }
}

/** The values of a contact, of some kinds. */
export function valuesOf(
  { identities }: Contact,
  readValues: ReadValues,
  kinds: ReadonlySet<Kind>,
): IdentityValue[] {
  const keys = identityKeys.filter((key) => kinds.has(kindOf(key)))
  return keys.flatMap((key) => {
    const texts = identities?.[key] ?? []
    return texts.flatMap((text) => readValues({ key, text }))
  })
}

/** Whether a value is a phone number that is not known as E.164: the same text does not make it the same number. */
export function isAmbiguous({ phone }: IdentityValue) {
  return phone !== undefined && e164Of(phone) === undefined
}

/** How two values fit; undefined if they do not. */
export function valueFit(one: IdentityValue, other: IdentityValue): PhoneFit | undefined {
  if (one.phone !== undefined && other.phone !== undefined)
    return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : undefined
}

/** A key that values which fit in any way have in common. Others may have it too. */
export function coarseKey({ text, phone }: IdentityValue): string {
  return phone === undefined ? text : searchKey(phone)
}

const empty = new Set(['', '-', '–', '?', 'n/a', 'none', 'unknown'])

/**
 * Whether a cell has only a word or sign for "nothing". svc's own csv writes `-` as `'-`, because it could begin a formula.
 */
export function isEmptyCell(text: string) {
  return empty.has(fold(text).replace(/^'/, ''))
}

/** The email addresses of a cell, with any text around them. `phone.ts` finds phone numbers. */
export function textsIn(key: 'phone' | 'email', text: string): string[] {
  if (key === 'phone') return [text]
  const words = visibleText(text).split(/[\s;,|<>()"]+/)
  // An address can follow `mailto:`, or end a sentence.
  const plain = words.map((word) => word.replace(/^mailto:/i, '').replace(/[.:]+$/, ''))
  return plain.filter((word) => /^[^@]+@[^@.]+(?:\.[^@.]+)+$/.test(word))
}

/**
 * The people that a value fits best, and how: once it fits somebody exactly, those whom it fits as a variant do not count.
 */
export interface Owners {
  people: ReadonlySet<FoundContact>
  fit: PhoneFit
}

/** Finds the people that a value fits best; undefined for a value that nobody has. */
export type FindOwners = (value: IdentityValue) => Owners | undefined

/**
 * Indexes people by their values. Texts, and numbers with a known country, are found as a whole. Numbers that
 * fit in any other way are found by their last seven digits.
 */
export function indexValues(
  people: readonly FoundContact[],
  readValues: ReadValues,
  kinds: ReadonlySet<Kind>,
): FindOwners {
  /** People by the texts of their values. */
  const byText = new Map<string, Set<FoundContact>>()
  const bySearchKey = new Map<string, { phone: Phone; contact: FoundContact }[]>()
  /** Earlier answers: thousands of people may share the number of a company's desk. */
  const answers = new Map<string, Owners | undefined>()
  for (const contact of people) {
    for (const value of valuesOf(contact, readValues, kinds)) {
      const { text, phone } = value
      if (!isAmbiguous(value)) getOrSet(byText, text, new Set()).add(contact)
      if (phone !== undefined)
        getOrSet(bySearchKey, searchKey(phone), []).push({ phone, contact })
    }
  }
  const searchAlike = (phone: Phone): Owners | undefined => {
    const alike = bySearchKey.get(searchKey(phone)) ?? []
    const fits = alike.map((stored) => phoneFit(phone, stored.phone))
    const best = phoneFits.find((fit) => fits.includes(fit))
    if (best === undefined) return undefined
    const fitting = alike.filter((_, index) => fits[index] === best)
    return { fit: best, people: new Set(fitting.map(({ contact }) => contact)) }
  }
  return ({ text, phone }) => {
    const same = byText.get(text)
    if (same !== undefined) return { fit: 'exact', people: same }
    if (phone === undefined) return undefined
    // The typed digits belong to the key: they may fit without the country that was added to them in the text.
    const key = `${text} ${phone.national ?? ''}`
    if (!answers.has(key)) answers.set(key, searchAlike(phone))
    return answers.get(key)
  }
}

/** The value of a key, which is set to `value` if there is none. */
export function getOrSet<K, T>(map: Map<K, T>, key: K, value: T): T {
  const known = map.get(key) ?? value
  map.set(key, known)
  return known
}
