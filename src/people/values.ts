/** Values of contacts (phone numbers, addresses, messenger values) as they are compared, and an index of people by them. */
import { domainToASCII } from 'node:url'
import { identityKeys } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { fold, visibleText } from '../words.ts'
import { readPhones, type Country } from './phone.ts'

export interface Value {
  /** As people read it: `+491712345678`, `anna@example.org`; of a number without a country its last digits. */
  shown: string
  /** Equal values have the same one. Undefined for a number whose country is not known. */
  key: string | undefined
  /** The end of a phone number: two that share it fit nearly. */
  ending?: string
}

/** All values of a contact. `country`: of phone numbers without `+` or `00`. */
export function valuesOf({ identities }: Contact, country: Country | undefined): Value[] {
  return identityKeys.flatMap((key) => {
    const texts = identities?.[key] ?? []
    if (key.endsWith('phone')) return texts.flatMap((text) => readPhones(text, country))
    if (key === 'email')
      return texts.map((text) => addressValue(visibleText(text).toLowerCase()))
    const shown = texts.map((text) => fold(text).replace(/^@/, ''))
    return shown.filter(Boolean).map((name) => ({ shown: name, key: `${key} ${name}` }))
  })
}

/** What can stand before and behind an address. Any other sign could be part of it. */
const around = '\\s<>()\\[\\]"\'`*“”„‚‘’«»‹›,;:|'
const address = new RegExp(
  `(?<=^|[${around}])[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}._%&'+-]*[\\p{L}\\p{N}_+-])?@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+(?=$|[${around}.!?…])`,
  'gu',
)

/** The email addresses in a text; none if it has an @ that belongs to no address. */
export function readAddresses(text: string): Value[] {
  const plain = visibleText(text).toLowerCase()
  const isUnderstood = !plain.replace(address, '').includes('@')
  return isUnderstood ? (plain.match(address) ?? []).map(addressValue) : []
}

/** An international domain has two spellings, of which the one in ASCII is compared. */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(shown: string): Value {
  const key = shown.replace(
    internationalDomain,
    (domain) => domainToASCII(domain) || domain,
  )
  return { shown, key: `email ${key}` }
}

/** The text that values have in common if they fit nearly: the end of a number, or else the key. */
const endOf = ({ key, ending = key }: Value) => ending

/** A function that finds whether a contact has one of these values, at least nearly unless `textOf` is another one. */
export function ownerTest(
  values: readonly Value[],
  country: Country | undefined,
  textOf: (value: Value) => string | undefined = endOf,
) {
  const wanted = new Set(values.map(textOf))
  // Numbers without a country have no key.
  wanted.delete(undefined)
  return (contact: Contact) =>
    values.length === 0 ||
    valuesOf(contact, country).some((value) => wanted.has(textOf(value)))
}

/** The people who have a value. They have it nearly only if nobody has exactly this one. */
export interface Owners {
  value: Value
  people: ReadonlySet<FoundContact>
  isNear: boolean
}

/** A function that finds the owners of those values that have some. */
export function indexValues(people: readonly FoundContact[], country: Country | undefined) {
  /** By keys and by endings: a key begins with a word, an ending is a number. */
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

/** A day, perhaps with a time. */
const day = /^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]|$)/

/** The kind of values that a cell of any column seems to have; undefined if it seems to have none. */
export function kindOfCell(text: string): 'phone' | 'email' | undefined {
  if (readAddresses(text).length > 0) return 'email'
  return !day.test(text) && readPhones(text, undefined).length > 0 ? 'phone' : undefined
}

const empty = new Set(['', '-', '–', '—', '?', 'n/a', 'none', 'unknown'])

/** Whether a cell has only a word or sign for "nothing". svc's own csv writes an apostrophe before a sign of formulas. */
export function isEmptyCell(text: string) {
  return empty.has(fold(text).replace(/^'/, ''))
}
