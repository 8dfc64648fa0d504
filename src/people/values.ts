/** Values of contacts (phone numbers, addresses, messenger values) as they are compared, and an index of people by them. */
import { domainToASCII } from 'node:url'
import { identityKeys, type IdentityKey } from '../api/operations.ts'
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
    return texts.flatMap((text) => storedValues(key, text, country))
  })
}

function storedValues(
  key: IdentityKey,
  text: string,
  country: Country | undefined,
): Value[] {
  if (key === 'phone' || key.endsWith('_phone')) return readPhones(text, country)
  if (key === 'email') return [addressValue(visibleText(text).toLowerCase())]
  const shown = fold(text).replace(/^@/, '')
  return shown === '' ? [] : [{ shown, key: `${key} ${shown}` }]
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
function addressValue(shown: string): Value {
  const at = shown.lastIndexOf('@') + 1
  const domain = shown.slice(at)
  const ascii = /^[ -~]*$/.test(domain) ? domain : domainToASCII(domain)
  return { shown, key: `email ${shown.slice(0, at)}${ascii || domain}` }
}

export type Fit = 'equal' | 'nearly'

/** How two values fit; undefined if they do not. */
export function fitOf(one: Value, other: Value): Fit | undefined {
  if (one.key !== undefined && one.key === other.key) return 'equal'
  return one.ending !== undefined && one.ending === other.ending ? 'nearly' : undefined
}

/** A key that values which fit have in common. */
export function searchKey({ key, ending = key }: Value): string | undefined {
  return ending
}

/** The people who have a value. They fit nearly only if nobody has exactly this one. */
export interface Owners {
  value: Value
  people: ReadonlySet<FoundContact>
  fit: Fit
}

/** A function that finds the owners of a value; undefined if it has none. */
export function indexValues(people: readonly FoundContact[], country: Country | undefined) {
  /** By keys and by endings: a key begins with a word, an ending is a number. */
  const owners = new Map<string, Set<FoundContact>>()
  for (const contact of people) {
    const values = valuesOf(contact, country)
    for (const text of values.flatMap(({ key, ending }) => [key, ending]))
      if (text !== undefined) getOrSet(owners, text, new Set()).add(contact)
  }
  return (value: Value): Owners | undefined => {
    const { key = '', ending = '' } = value
    const equal = owners.get(key)
    if (equal !== undefined) return { value, people: equal, fit: 'equal' }
    const near = owners.get(ending)
    return near && { value, people: near, fit: 'nearly' }
  }
}

/** The value of a key, which is set to `value` if there is none. */
export function getOrSet<K, T>(map: Map<K, T>, key: K, value: T): T {
  const known = map.get(key) ?? value
  map.set(key, known)
  return known
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
