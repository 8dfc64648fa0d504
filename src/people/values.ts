/** Brings phone numbers, addresses and messenger values into a form that is compared, and finds the people who have them. */
import { domainToASCII } from 'node:url'
import { identityKeys } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { fold, visibleText } from '../words.ts'
import { readPhones, type Country } from './phone.ts'

export interface Value {
  /** The value for people: `+491712345678`, `anna@example.org`, or the last digits of a number without a country. */
  shown: string
  /** A text that only equal values share; undefined for a number whose country is not known. */
  key: string | undefined
  /** The end of a phone number. Two numbers with the same ending fit nearly. */
  ending?: string
}

/** Whether a value is a phone number whose country is not known. It fits other numbers only nearly. */
export function hasNoCountry({ key }: Value) {
  return key === undefined
}

/** Returns all values of a contact. `country` is that of phone numbers without `+` or `00`. */
export function valuesOf({ identities }: Contact, country: Country | undefined): Value[] {
  return identityKeys.flatMap((key) => {
    const texts = identities?.[key] ?? []
    if (key.endsWith('phone')) return texts.flatMap((text) => readPhones(text, country))
    if (key === 'email')
      return texts.map((text) => addressValue(visibleText(text).toLowerCase()))
    const names = texts.map((text) => fold(text).replace(/^@/, ''))
    return names.filter(Boolean).map((name) => ({ shown: name, key: `${key} ${name}` }))
  })
}

/** The characters that can be before and after an address. Any other one could be part of it. */
const separators = '\\s<>()\\[\\]"\'`*“”„‚‘’«»‹›,;:|'
const address = new RegExp(
  `(?<=^|[${separators}])[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}._%&'+-]*[\\p{L}\\p{N}_+-])?@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+(?=$|[${separators}.!?…])`,
  'gu',
)

/** Returns the email addresses in a text; none if an @ belongs to no address. */
export function readAddresses(text: string): Value[] {
  const plain = visibleText(text).toLowerCase()
  const isUnderstood = !plain.replace(address, '').includes('@')
  return isUnderstood ? (plain.match(address) ?? []).map(addressValue) : []
}

/** A domain with characters outside of ASCII. It also has a spelling in ASCII, which is compared. */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(shown: string): Value {
  const key = shown.replace(
    internationalDomain,
    (domain) => domainToASCII(domain) || domain,
  )
  return { shown, key: `email ${key}` }
}

/** Returns a text that values share if they fit nearly: the ending of a number, or the key of another value. */
const nearKey = ({ key, ending = key }: Value) => ending

/**
 * Returns a function that says whether a contact has one of these values, at least nearly. Without values, every contact passes.
 * `textOf` can return another text to compare.
 */
export function ownerTest(
  values: readonly Value[],
  country: Country | undefined,
  textOf: (value: Value) => string | undefined = nearKey,
) {
  const wanted = new Set(values.map(textOf))
  // Numbers without a country have no key.
  wanted.delete(undefined)
  return (contact: Contact) =>
    values.length === 0 ||
    valuesOf(contact, country).some((value) => wanted.has(textOf(value)))
}

/** A value, and the people who have it exactly, or nearly if nobody has it exactly. */
export interface Owners {
  value: Value
  people: ReadonlySet<FoundContact>
  isNear: boolean
}

/** Returns a function that finds the owners of values. Values without owners are left out. */
export function indexValues(people: readonly FoundContact[], country: Country | undefined) {
  /** People by the keys and the endings of their values. A key begins with a word and an ending is a number, so they differ. */
  const index = new Map<string, Set<FoundContact>>()
  for (const contact of people) {
    const values = valuesOf(contact, country)
    for (const text of values.flatMap(({ key = '', ending = '' }) => [key, ending]))
      index.set(text, (index.get(text) ?? new Set()).add(contact))
  }
  index.delete('')
  return (values: readonly Value[]): Owners[] =>
    values.flatMap((value) => {
      const { key = '', ending = '' } = value
      const equal = index.get(key)
      const owners = equal ?? index.get(ending)
      return owners ? [{ value, people: owners, isNear: equal === undefined }] : []
    })
}

/** A date, perhaps with a time. Its digits could pass for a phone number. */
const date = /^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]|$)/

/** Returns the kind of values that a cell seems to have; undefined if it seems to have none. */
export function kindOfCell(text: string): 'phone' | 'email' | undefined {
  if (readAddresses(text).length > 0) return 'email'
  return !date.test(text) && readPhones(text, undefined).length > 0 ? 'phone' : undefined
}

const empty = new Set(['', '-', '–', '—', '?', 'n/a', 'none', 'unknown'])

/** Whether a cell has only a word or sign for "nothing". svc's own csv writes an apostrophe before a sign of formulas. */
export function isEmptyCell(text: string) {
  return empty.has(fold(text).replace(/^'/, ''))
}
