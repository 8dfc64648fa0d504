/**
 * Brings phone numbers, addresses and messenger values into a form that is compared, and finds the people who have them. Phone
 * numbers are compared as E.164.
 */
import { domainToASCII } from 'node:url'
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { identityKeys } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import { fold, visibleText } from '../words.ts'

/** A country by its two letters, such as `DE`. */
export type Country = CountryCode

/** Returns the country that a text names by two letters; undefined for any other text. */
export function countryOf(text: string) {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** Returns the country of --country; undefined if it was not typed. Throws a usage error for a country that does not exist. */
export function requireCountry(text: string | undefined) {
  const country = countryOf(text ?? '')
  if (text === undefined || country !== undefined) return country
  throw usageError(
    `there is no country "${text}"`,
    'use its two letters, for example --country DE',
  )
}

/** Shorter numbers are not read, because they are the end of too many others. */
const minDigits = 8
/** The longest numbers of E.164. */
const maxDigits = 15

/** A number that is written as E.164. With a 0 after the country code it is not: the library drops such a national prefix. */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/
/** Arabic and Persian digits. Unicode normalization converts the others. */
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
/** Digits among other text, perhaps with an extension. */
const digitRuns = /[+(]{0,3}\d[\d \t()./\-‐-―−]*\d(?:[;,]?[ \t]*(?:ext|x|#)[.= \t]*\d+)?/gi
/** A number that a spreadsheet rounded, as 4.91712E+11: its last digits are lost. */
const rounded = /\dE\+?\d/i

/** Returns every number of at least eight digits in a text. `country` is that of numbers without `+` or `00`. */
export function readPhones(text: string, country: Country | undefined) {
  if (e164AsWritten.test(text)) return readRun(text, country)
  // A line break ends a number, unlike other white space.
  const plain = visibleText(text.replace(/[\r\n]+/g, ',')).replace(arabicDigits, (digit) =>
    String(digit.charCodeAt(0) & 15),
  )
  if (rounded.test(plain)) return []
  return (plain.match(digitRuns) ?? []).flatMap((run) => readRun(run, country))
}

/** Returns the numbers in digits with signs between them. A slash can be part of a number, or separate two numbers. */
function readRun(run: string, country: Country | undefined) {
  const whole = readNumber(run, country)
  if (whole?.key !== undefined) return [whole]
  const parts = run.split('/').flatMap((part) => readNumber(part, country) ?? [])
  return parts.length > 1 || whole === undefined ? parts : [whole]
}

/** Returns a number as E.164, or only its end if its country is not known. Returns undefined if it is too short or too long. */
function readNumber(run: string, country: Country | undefined) {
  const found = e164AsWritten.test(run) ? { number: run, ext: '' } : parseIn(run, country)
  const digits = (found?.number ?? run).replace(/\D/g, '')
  if (digits.length < minDigits || digits.length > maxDigits) return undefined
  const ending = digits.slice(-minDigits)
  if (found === undefined) return { shown: `…${ending}`, key: undefined, ending }
  const extension = found.ext ? ` x${found.ext}` : ''
  const number = `${found.number}${extension}`
  return { shown: number, key: `phone ${number}`, ending }
}

/** Parses a number. Returns undefined if its country is not known, or if the digits could begin with a country or not. */
function parseIn(run: string, country: Country | undefined) {
  const international = run.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = parse(international, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  })
  if (found === undefined || international.startsWith('+')) return found
  const digits = run.replace(/\D/g, '')
  // Digits without a + can be an international number, unless they begin with 0.
  const foreign = digits.startsWith('0')
    ? undefined
    : parse(`+${digits}`, { extract: false })
  if (!found.isPossible()) return foreign?.isPossible() === true ? foreign : undefined
  const isAmbiguous = foreign?.isValid() === true && foreign.number !== found.number
  return isAmbiguous ? undefined : found
}

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
