/** The phone numbers and email addresses in a text about a person, in forms that can be compared. */
import { domainToASCII } from 'node:url'
import {
  getCountries,
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { fold, pluralize, visibleText } from '../words.ts'

/** A phone number, an email address or the name of a messenger account. Values fit if they have one of their two forms in common. */
export interface Value {
  kind: 'phone' | 'email' | 'messenger'
  /** The value for people: `+491712345678`, `anna@example.org`, or the last digits of a number that was not understood. */
  shown: string
  /** The form that exactly equal values share: `phone +491712345678`. Undefined for a value that can only fit nearly. */
  exact: string | undefined
  /** The form that values share which fit at least nearly: the last eight digits of a number, and otherwise the exact form. */
  near: string
}

/** Why a text was not understood, as a sentence about it goes on. */
export const problemTexts = {
  noNumber: 'has no phone number',
  noAddress: 'has no email address',
  impossible: 'is not a possible phone number',
  noCountry: 'needs a country, or + before the number',
  /** Letters, digits or the signs of a mask beside a number, or an @ beside an address. */
  extraText: 'has more than numbers or addresses',
} as const

type Problem = keyof typeof problemTexts

/** The values that were read in a text. */
export interface Reading {
  values: readonly Value[]
  /** Why the values do not make a match certain. Undefined for a text that was understood as a whole. */
  problem?: Problem | undefined
}

/** The characters that can stand before and after an address, for a class of a regular expression. */
const separators = '\\s<>()\\[\\]"\'`*“”„‚‘’«»‹›,;:|'
const localPart = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}._%&'+-]*[\\p{L}\\p{N}_+-])?"
const domain = '[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+'
const addressPattern = new RegExp(
  `(?<=^|[${separators}])${localPart}@${domain}(?=$|[${separators}.!?…])`,
  'gu',
)

/** An ordinary address alone, as most are. */
const plainAddress = /^[a-z0-9][\w.%+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

/** Returns the email addresses in a text. An @ that is not part of an address is not understood. */
export function readAddresses(text: string): Reading {
  if (plainAddress.test(text)) return { values: [addressValue(text.toLowerCase())] }
  const plain = visibleText(text).toLowerCase()
  const values = (plain.match(addressPattern) ?? []).map(addressValue)
  if (values.length === 0) return { values, problem: 'noAddress' }
  const hasOtherSign = plain.replace(addressPattern, '').includes('@')
  return { values, problem: hasOtherSign ? 'extraText' : undefined }
}

/** A domain with a character that is not printable ASCII (space to ~). */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(address: string): Value {
  // A domain that cannot exist has no spelling in ASCII.
  const ascii = address.replace(internationalDomain, (name) => domainToASCII(name) || name)
  const exact = `email ${ascii}`
  return { kind: 'email', shown: address, exact, near: exact }
}

/** Digits that may be a number: its value, unless they are too few, and why they are not one for sure. */
interface FoundNumber {
  value?: Value
  problem?: Problem
}

/** Fewer digits are no number. */
const minDigits = 4

/** Shorter ones beside another number are an area code or an extension. */
const shortestBesideOthers = '+12345678'

/** Digits with signs and white space between them, perhaps with an extension. */
const digitRuns =
  /[+(]{0,3}\d(?:[\d\s)./\-‐-―−]|\(\d+\))*\d(?:[;,]?[ \t]*(?:ext|x|#)[.= \t]*\d+)?/gi

/** Characters that mean nothing beside a number. Others, such as letters, digits and the signs of a mask, do. */
const meaningless = /^[\s,;:/|&+.()<>[\]"'`\p{Pd}\p{Extended_Pictographic}\ufe0f]*$/u

/** Returns the phone numbers in a text. `country` is assumed for numbers without `+` or `00`. */
export function readPhones(text: string, country: Country | undefined): Reading {
  const plain = withPlainDigits(text)
  const numbers = (plain.match(digitRuns) ?? []).flatMap((run) => numbersIn(run, country))
  const values = numbers.flatMap(({ value }) => value ?? [])
  if (values.length === 0) return { values, problem: 'noNumber' }
  // Without a country, nobody can say what the parts of one number are.
  const isCountryMissing = numbers.every(({ problem }) => problem === 'noCountry')
  const isMixed = numbers.length > 1 && numbers.some(isPart) && !isCountryMissing
  if (isMixed || !meaningless.test(plain.replace(digitRuns, '')))
    return { values, problem: 'extraText' }
  return { values, problem: numbers.find(({ problem }) => problem !== undefined)?.problem }
}

/** Arabic and Persian digits. visibleText converts full-width ones. */
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
/** The end of a whole number that a program wrote as 491712345678.0. */
const trailingZero = /(?<=\d{7})\.0(?!\d)/g

/** Returns a text with plain digits, in which white space other than line breaks is one space. */
export function withPlainDigits(text: string) {
  const lines = text.split(/[\r\n]+/).map(visibleText)
  return (
    lines
      .join('\n')
      // The last four bits of the code of such a digit are its value.
      .replace(arabicDigits, (digit) => String(digit.charCodeAt(0) & 15))
      .replace(trailingZero, '')
  )
}

/**
 * Returns the numbers in a run of digits: one if the whole is possible, else those between its line breaks and slashes. If both
 * are possible, as in `+49 30 5556677/2672`, the run is not understood.
 */
function numbersIn(run: string, country: Country | undefined): FoundNumber[] {
  const whole = numberIn(run.replaceAll('\n', ' '), country)
  const separator = run.includes('\n') ? '\n' : '/'
  if (!run.includes(separator)) return [whole]
  const parts = run.split(separator).flatMap((part) => numbersIn(part, country))
  if (whole.problem !== undefined)
    return parts.some(({ problem }) => problem !== undefined) ? [whole, ...parts] : parts
  // The digits before a slash are often an area code.
  const [first] = parts
  const isAreaCode = separator === '/' && (first === undefined || isPart(first))
  return isAreaCode ? [whole] : [{ ...whole, problem: 'extraText' }, ...parts]
}

/** Whether beside other numbers, digits are only a part of one: they were not understood, or are too short. */
function isPart({ value, problem }: FoundNumber) {
  const length = value?.shown.length ?? 0
  return problem !== undefined || length < shortestBesideOthers.length
}

/** Reads digits that may be a number. If they are none but long enough, their value can fit nearly. */
function numberIn(run: string, country: Country | undefined): FoundNumber {
  const international = run.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = possibleNumber(international, country)
  if (found !== undefined) return { value: phoneValue(found.number, found.ext) }
  const needsCountry = country === undefined && !international.startsWith('+')
  const problem = needsCountry ? 'noCountry' : 'impossible'
  const near = lastDigits(run)
  if (near.length < minDigits) return { problem }
  return { value: { kind: 'phone', shown: `…${near}`, exact: undefined, near }, problem }
}

/**
 * Parses a number. Returns undefined if its length is not possible in its country. Programs drop the `+`, so digits without it
 * can begin with a calling code. Then only a number of the same country is taken: another one would be a guess.
 */
function possibleNumber(text: string, country: Country | undefined) {
  if (text.startsWith('+') || country === undefined) return parsePossible(text)
  const withPlus = `+${text.replace(/\D/g, '')}`
  const found = parsePossible(text, { defaultCountry: country }) ?? parsePossible(withPlus)
  return found?.number === withPlus && found.country !== country ? undefined : found
}

function parsePossible(text: string, options: { defaultCountry?: Country } = {}) {
  const found = parse(text, { extract: false, ...options })
  return found?.isPossible() === true ? found : undefined
}

/** Returns the value of a number in E.164. */
function phoneValue(number: string, extension?: string): Value {
  const shown = extension ? `${number} x${extension}` : number
  return { kind: 'phone', shown, exact: `phone ${shown}`, near: lastDigits(number) }
}

/** Returns the last eight digits of a text, or all if it has fewer. Numbers that have the same ones fit nearly. */
export function lastDigits(text: string) {
  return text.replace(/\D/g, '').slice(-8)
}

/** Whether a text is a number that exists in its country. */
export const isValidPhone = (text: string) => parse(text)?.isValid() === true

/** A country, which decides what a number without `+` means, by its two letters, such as `DE`. */
export type Country = CountryCode

/** The languages in which a country can be named. */
const languages = ['en', 'de', 'fr', 'es', 'pt']

/** The countries by their folded names. Made when the first name is read. */
let countriesByName: ReadonlyMap<string, Country> | undefined

/** Returns the country of two letters such as `de`, or of a name such as `Deutschland`; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  if (isSupportedCountry(code)) return code
  countriesByName ??= nameCountries()
  return countriesByName.get(fold(text))
}

function nameCountries() {
  const countries = new Map<string, Country>()
  for (const language of languages)
    for (const style of ['long', 'short'] as const) {
      const names = new Intl.DisplayNames(language, { type: 'region', style })
      for (const country of getCountries())
        countries.set(fold(names.of(country) ?? ''), country)
    }
  return countries
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

/**
 * A number that surely is E.164, as most are that the service has. A 0 among its digits 2 to 4 may be a national prefix, which the
 * library removes.
 */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/

/** Reads the values of contacts, and counts the contacts with a value that cannot be read. */
export class ContactReader {
  readonly #identities: readonly IdentityKey[]
  readonly #country: Country | undefined
  /** How many contacts have a value that cannot be read, and so is not compared. */
  readonly #unreadCounts = { phone: 0, email: 0, messenger: 0 }

  /** Reads values of some kinds. `country` is assumed for numbers without `+` or `00`. */
  constructor(kinds: readonly Value['kind'][], country: Country | undefined) {
    this.#identities = identityKeys.filter((identity) => kinds.includes(kindOf(identity)))
    this.#country = country
  }

  /** Returns the values of a contact. Those in a text that was not understood as a whole can only fit nearly. */
  read({ identities }: FoundContact) {
    const values: Value[] = []
    const unread = new Set<Value['kind']>()
    for (const identity of this.#identities)
      for (const text of identities?.[identity] ?? []) {
        const { values: found, problem } = this.#readText(text, identity)
        if (problem === undefined) values.push(...found)
        else {
          unread.add(kindOf(identity))
          values.push(...found.map((value) => ({ ...value, exact: undefined })))
        }
      }
    for (const kind of unread) this.#unreadCounts[kind] += 1
    return values
  }

  /** Returns notes that count the contacts with an unread value. */
  notes() {
    const { phone, email } = this.#unreadCounts
    const whoHas = (count: number) => pluralize(count, 'contact has', 'contacts have')
    const advice = this.#country === undefined ? ': add --country' : ''
    const notes: string[] = []
    if (phone > 0)
      notes.push(`${whoHas(phone)} a phone number that cannot be read${advice}`)
    if (email > 0) notes.push(`${whoHas(email)} an email address that cannot be read`)
    return notes
  }

  #readText(text: string, identity: IdentityKey): Reading {
    switch (kindOf(identity)) {
      case 'email':
        return readAddresses(text)
      case 'phone':
        return e164AsWritten.test(text)
          ? { values: [phoneValue(text)] }
          : readPhones(text, this.#country)
      case 'messenger': {
        const shown = fold(text).replace(/^@/, '')
        const exact = `${identity} ${shown}`
        return {
          values: shown === '' ? [] : [{ kind: 'messenger', shown, exact, near: exact }],
        }
      }
    }
  }
}

/** Returns the kind of an identity. Messengers have phone numbers, too: `messengerA_phone`. */
function kindOf(identity: IdentityKey): Value['kind'] {
  if (identity === 'email') return 'email'
  return identity.endsWith('phone') ? 'phone' : 'messenger'
}
