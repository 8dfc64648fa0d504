/**
 * Values of contacts (phone numbers, addresses, messenger values) in the form in which they are compared, the
 * values in a cell of a table, and an index that finds people by their values.
 */
import { identityKeys, type IdentityKey } from '../../api/operations.ts'
import type { FoundContact } from '../../api/people.ts'
import type { Contact } from '../../api/schemas.ts'
import type { Context } from '../../cli/context.ts'
import { fold, visibleText } from '../../words.ts'
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
  type ReadPhones,
} from './phone.ts'

/** A value in the form in which it is compared: two values that are exactly the same have the same text. */
export interface IdentityValue {
  kind: Kind
  /**
   * `email anna@example.org`, `phone +491712345678 ext. 5`; of a number whose country is not known `phone …` with its
   * digits.
   */
  text: string
  phone?: Phone | undefined
}

/** Reads the values of a text. `country`: of phone numbers without a country. */
export type ReadValues = (identity: {
  key: IdentityKey
  text: string
  country?: Country | undefined
}) => IdentityValue[]

/**
 * The values of a text: in lower case, usernames without their @ sign, phone numbers as E.164. None if nothing can be read.
 */
export function valueReader(readPhones: ReadPhones): ReadValues {
  return ({ key, text, country }) => {
    const kind = kindOf(key)
    if (kind === 'phone') {
      const phones = readPhones(text, country)
      return phones.map((phone) => ({ kind, text: phoneText(phone), phone }))
    }
    const folded = fold(text)
    const plain = kind === 'email' ? folded : folded.replace(/^@/, '')
    return plain === '' ? [] : [{ kind, text: `${key} ${plain}` }]
  }
}

/**
 * The reader of a command, which reads phone numbers as they are written in `--country`. Throws exit 2 for a country that
 * does not exist.
 */
export async function readerOf(context: Context): Promise<ReadValues> {
  const { settings } = await context.configuration()
  return valueReader(phoneReader(settings.country.value))
}

/** The values of a contact, of some kinds. */
export function valuesOf(
  { identities }: Contact,
  readValues: ReadValues,
  wanted: ReadonlySet<Kind>,
): IdentityValue[] {
  const keys = identityKeys.filter((key) => wanted.has(kindOf(key)))
  return keys.flatMap((key) => {
    const texts = identities?.[key] ?? []
    return texts.flatMap((text) => readValues({ key, text }))
  })
}

/** How two values fit; undefined if they do not. */
export function valueFit(one: IdentityValue, other: IdentityValue): PhoneFit | undefined {
  if (one.phone !== undefined && other.phone !== undefined)
    return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : undefined
}

const empty = new Set(['', '-', '–', '?', 'n/a', 'none', 'unknown'])

/**
 * Whether a cell has only a word or sign for "nothing". svc's own csv writes `-` as `'-`, because it could begin a formula.
 */
export function isEmptyCell(text: string) {
  return empty.has(fold(text).replace(/^'/, ''))
}

/** The email addresses of a cell, with any text around them, or its messenger values. `phone.ts` finds phone numbers. */
export function textsIn(key: IdentityKey, text: string): string[] {
  if (kindOf(key) === 'phone') return [text]
  if (key !== 'email') {
    const values = text.split(/;|[\r\n]+/)
    return values.filter((value) => value.trim() !== '')
  }
  const words = visibleText(text).split(/[\s;,|<>()"]+/)
  // An address can follow `mailto:`, or end a sentence.
  const plain = words.map((word) => word.replace(/^mailto:/i, '').replace(/[.:]+$/, ''))
  return plain.filter((word) => /^[^@]+@[^@.]+(?:\.[^@.]+)+$/.test(word))
}

/** The people that a value fits best: once it fits somebody exactly, variants do not count. */
export interface BestFit {
  fit: PhoneFit
  people: ReadonlySet<FoundContact>
}

/** Finds the people that a value fits best; undefined for a value that nobody has. */
export type FindBest = (value: IdentityValue) => BestFit | undefined

/**
 * Indexes people by their values. Texts, and numbers with a known country, are found as a whole; numbers that
 * fit in any other way are found by their last seven digits.
 */
export function indexValues(
  people: readonly FoundContact[],
  readValues: ReadValues,
  kinds: ReadonlySet<Kind>,
): FindBest {
  /** People by the texts of their values. */
  const byText = new Map<string, Set<FoundContact>>()
  const bySearchKey = new Map<string, { phone: Phone; contact: FoundContact }[]>()
  /** Earlier answers: thousands of people may share the number of a company's desk. */
  const answers = new Map<string, BestFit | undefined>()
  for (const contact of people) {
    for (const { text, phone } of valuesOf(contact, readValues, kinds)) {
      const isPlaced = phone === undefined || e164Of(phone) !== undefined
      if (isPlaced) setDefault(byText, text, new Set()).add(contact)
      if (phone !== undefined)
        setDefault(bySearchKey, searchKey(phone), []).push({ phone, contact })
    }
  }
  const searchAlike = (phone: Phone): BestFit | undefined => {
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
    const key = `${text} ${phone.national ?? ''}`
    if (!answers.has(key)) answers.set(key, searchAlike(phone))
    return answers.get(key)
  }
}

/** The value of a key, which is set to `value` if there is none. */
export function setDefault<K, T>(map: Map<K, T>, key: K, value: T): T {
  const known = map.get(key) ?? value
  map.set(key, known)
  return known
}

/** The same text for all values that fit in any way. */
export function coarseKey({ text, phone }: IdentityValue): string {
  return phone === undefined ? text : searchKey(phone)
}
