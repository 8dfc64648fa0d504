/**
 * Normalizes phone numbers, email addresses and messenger values so that they can be compared, and finds the people who have
 * them. Phone numbers are compared as E.164 (+491712345678).
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

/** Returns the country of a two-letter code such as `de`; undefined for any other text. */
export function countryOf(text: string) {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** Returns the country of --country; undefined without --country. Throws a usage error for a country that does not exist. */
export function requireCountry(text: string | undefined) {
  if (text === undefined) return undefined
  const country = countryOf(text)
  if (country !== undefined) return country
  throw usageError(
    `there is no country "${text}"`,
    'use its two letters, for example --country DE',
  )
}

/** A phone number, an email address or the name of a messenger account. */
export interface Value {
  /** The value for people: `+491712345678`, `anna@example.org`, or the last digits of a number without a country. */
  shown: string
  /** Equal values have equal keys. Undefined for a phone number whose country is not known. */
  key: string | undefined
  /** Values that fit nearly have equal near keys: the last digits of a phone number, or else the key. */
  nearKey: string
}

/** Whether a value is a phone number whose country is not known. It fits other numbers only nearly. */
export function hasNoCountry({ key }: Value) {
  return key === undefined
}

/** Shorter numbers are not read, because they would be the end of too many others. */
const minDigits = 8
/** Numbers with the same last digits fit nearly. */
const nearDigits = 8
/** E.164 has no longer numbers. */
const maxDigits = 15

/** A number that surely is E.164. A 0 among its digits 2 to 4 may be a national prefix, which the library removes. */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/
/** Arabic and Persian digits. visibleText converts full-width ones. */
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
/** Digits with signs between them, perhaps with an extension. */
const digitRuns = /[+(]{0,3}\d[\d \t()./\-‐-―−]*\d(?:[;,]?[ \t]*(?:ext|x|#)[.= \t]*\d+)?/gi
/** A number such as 4.91712E+11. A spreadsheet has rounded it, so its last digits are lost. */
const roundedNumber = /\dE\+?\d/i

/**
 * Returns the phone numbers of at least eight digits in a text; none if any number in it is rounded. `country` is assumed for
 * numbers without `+` or `00`.
 */
export function readPhones(text: string, country: Country | undefined): Value[] {
  if (e164AsWritten.test(text)) return readRun(text, country)
  // A line break ends a number, unlike other white space.
  const singleLine = visibleText(text.replace(/[\r\n]+/g, ','))
  // The last four bits of the code of such a digit are its value.
  const plain = singleLine.replace(arabicDigits, (digit) =>
    String(digit.charCodeAt(0) & 15),
  )
  if (roundedNumber.test(plain)) return []
  return (plain.match(digitRuns) ?? []).flatMap((run) => readRun(run, country))
}

/** Returns the numbers in a run of digits: one, if the whole has a country. Otherwise a slash can separate several. */
function readRun(run: string, country: Country | undefined) {
  const whole = readNumber(run, country)
  if (whole?.key !== undefined) return [whole]
  const parts = run.split('/').flatMap((part) => readNumber(part, country) ?? [])
  if (parts.length > 1 || whole === undefined) return parts
  return [whole]
}

/** Returns the number in a run of digits. Undefined if it is too short or too long. */
function readNumber(run: string, country: Country | undefined) {
  const found = e164AsWritten.test(run) ? { number: run, ext: '' } : parseIn(run, country)
  const digits = (found?.number ?? run).replace(/\D/g, '')
  if (digits.length < minDigits || digits.length > maxDigits) return undefined
  const nearKey = digits.slice(-nearDigits)
  if (found === undefined) return { shown: `…${nearKey}`, key: undefined, nearKey }
  const extension = found.ext ? ` x${found.ext}` : ''
  const number = `${found.number}${extension}`
  return { shown: number, key: `phone ${number}`, nearKey }
}

/**
 * Parses a number. Returns undefined if its country is unknown or ambiguous: digits without `+` can make sense both as a
 * number of `country` and as one that begins with the code of another country.
 */
function parseIn(run: string, country: Country | undefined) {
  const international = run.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = parse(international, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  })
  if (found === undefined || international.startsWith('+')) return found
  const digits = run.replace(/\D/g, '')
  // Digits without a + can begin with the code of another country, but not with 0.
  const foreign = digits.startsWith('0')
    ? undefined
    : parse(`+${digits}`, { extract: false })
  if (!found.isPossible()) return foreign?.isPossible() === true ? foreign : undefined
  const isAmbiguous = foreign?.isValid() === true && foreign.number !== found.number
  return isAmbiguous ? undefined : found
}

/** The characters that can stand before and after an address, for a class of a regular expression. */
const separators = '\\s<>()\\[\\]"\'`*“”„‚‘’«»‹›,;:|'
const localPart = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}._%&'+-]*[\\p{L}\\p{N}_+-])?"
const domain = '[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+'
const addressPattern = new RegExp(
  `(?<=^|[${separators}])${localPart}@${domain}(?=$|[${separators}.!?…])`,
  'gu',
)

/** Returns the email addresses in a text. If an @ in it is not part of an address, the text is not understood: none. */
export function readAddresses(text: string): Value[] {
  const plain = visibleText(text).toLowerCase()
  const isUnderstood = !plain.replace(addressPattern, '').includes('@')
  return isUnderstood ? (plain.match(addressPattern) ?? []).map(addressValue) : []
}

/** A domain with a character that is not printable ASCII (space to ~). */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(shown: string): Value {
  // An international domain is compared by its spelling in ASCII. A domain that cannot exist has none.
  const ascii = shown.replace(internationalDomain, (name) => domainToASCII(name) || name)
  return keyedValue(shown, `email ${ascii}`)
}

function keyedValue(shown: string, key: string): Value {
  return { shown, key, nearKey: key }
}

/** Returns all values of a contact. `country` is assumed for phone numbers without `+` or `00`. */
export function valuesOf({ identities }: Contact, country: Country | undefined): Value[] {
  return identityKeys.flatMap((identity) => {
    const texts = identities?.[identity] ?? []
    // Messengers have phone numbers too: `messengerA_phone`.
    if (identity.endsWith('phone'))
      return texts.flatMap((text) => readPhones(text, country))
    if (identity === 'email')
      return texts.map((text) => addressValue(visibleText(text).toLowerCase()))
    const names = texts.map((text) => fold(text).replace(/^@/, ''))
    return names.filter(Boolean).map((name) => keyedValue(name, `${identity} ${name}`))
  })
}

/**
 * Returns a function that says whether a contact has one of these values. `member` decides how values are compared: by `key`
 * exactly, by `nearKey` also nearly. Without values, every contact passes.
 */
export function ownerTest(
  values: readonly Value[],
  country: Country | undefined,
  member: 'key' | 'nearKey',
) {
  const wanted = new Set(values.map((value) => value[member]))
  // Two numbers without a country are not equal.
  wanted.delete(undefined)
  return (contact: Contact) =>
    values.length === 0 ||
    valuesOf(contact, country).some((value) => wanted.has(value[member]))
}

/** A value, and the people who have it exactly. If nobody does, the people who have it nearly. */
export interface Owners {
  value: Value
  people: ReadonlySet<FoundContact>
  isNear: boolean
}

/** Returns a function that finds the owners of values. Values without owners are left out. */
export function indexValues(people: readonly FoundContact[], country: Country | undefined) {
  /** People by both keys of their values. A key begins with a word, and the near key of a number is digits, so they never clash. */
  const index = new Map<string, Set<FoundContact>>()
  for (const contact of people)
    for (const { key, nearKey } of valuesOf(contact, country))
      // A number without a country has only the near key.
      for (const text of [key ?? nearKey, nearKey])
        index.set(text, (index.get(text) ?? new Set()).add(contact))
  return (values: readonly Value[]): Owners[] =>
    values.flatMap((value) => {
      const { key, nearKey } = value
      const exact = key === undefined ? undefined : index.get(key)
      const owners = exact ?? index.get(nearKey)
      return owners ? [{ value, people: owners, isNear: exact === undefined }] : []
    })
}

/** A date, perhaps with a time. Its digits could pass for a phone number. */
const datePattern = /^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]|$)/

/** Returns the kind of values that a cell seems to have; undefined if it seems to have none. */
export function kindOfCell(text: string): 'phone' | 'email' | undefined {
  if (readAddresses(text).length > 0) return 'email'
  if (datePattern.test(text)) return undefined
  return readPhones(text, undefined).length > 0 ? 'phone' : undefined
}

const emptyTexts = new Set(['', '-', '–', '—', '?', 'n/a', 'none', 'unknown'])

/** Whether a cell is empty, or has only a word or sign that says so. In svc's own csv, an apostrophe stands before a `-`. */
export function isEmptyCell(text: string) {
  return emptyTexts.has(fold(text).replace(/^'/, ''))
}
