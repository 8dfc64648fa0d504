/**
 * Reads countries, phone numbers, email addresses and messenger values so that they can be compared. Phone numbers are compared as
 * E.164 (+491712345678).
 */
import { domainToASCII } from 'node:url'
import {
  getCountries,
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
  type PhoneNumber,
} from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'
import { fold, visibleText } from '../words.ts'

/** A country by its two letters, such as `DE`. */
export type Country = CountryCode

const languages = ['en', 'de', 'fr', 'es', 'pt']

/** The countries by their folded names. Made when the first name is read. */
let countriesByName: ReadonlyMap<string, Country> | undefined

/** Returns the country of two letters such as `de`, or of a name such as `Deutschland`; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  if (isSupportedCountry(code)) return code
  countriesByName ??= new Map(
    languages.flatMap((language) =>
      (['long', 'short'] as const).flatMap((style) => {
        const names = new Intl.DisplayNames(language, { type: 'region', style })
        return getCountries().map((country) => [fold(names.of(country) ?? ''), country])
      }),
    ),
  )
  return countriesByName.get(fold(text))
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
  /** The value for people: `+491712345678`, `anna@example.org`, or the last digits of a number that was not understood. */
  shown: string
  /**
   * Values with a key in common fit: exactly, or nearly if that key is near (`isNear`). The exact key comes first. A value that
   * can only fit nearly has none.
   */
  keys: readonly string[]
}

/** The values that were read in a text. */
export interface Reading {
  values: readonly Value[]
  /** Why the text was not understood as a whole: its values do not make a match certain. Undefined if it was. */
  problem?: string | undefined
}

/** The problem of a number without `+` or `00`, if no country is assumed. */
export const noCountryProblem = 'needs a country, or + before the number'

/** The problem of a text with letters, digits or the signs of a mask beside a number, or an @ beside an address. */
export const extraTextProblem = 'has more than numbers or addresses'

/** Fewer digits are no number. */
const minDigits = 4

/** Arabic and Persian digits. visibleText converts full-width ones. */
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
/** The end of a whole number that a program wrote as 491712345678.0. */
const trailingZero = /(?<=\d{7})\.0(?!\d)/g
/** Digits with signs and white space between them, perhaps with an extension. */
const digitRuns =
  /[+(]{0,3}\d(?:[\d\s)./\-‐-―−]|\(\d+\))*\d(?:[;,]?[ \t]*(?:ext|x|#)[.= \t]*\d+)?/gi
/** Characters that mean nothing beside a number. Others, such as letters, digits and the signs of a mask, do. */
const meaningless = /^[\s,;:/|&+.()<>[\]"'`\p{Pd}\p{Extended_Pictographic}\ufe0f]*$/u

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

/** Returns the phone numbers in a text. `country` is assumed for numbers without `+` or `00`. */
export function readPhones(text: string, country: Country | undefined): Reading {
  const plain = withPlainDigits(text)
  const numbers = (plain.match(digitRuns) ?? []).flatMap((run) => numbersIn(run, country))
  const values = numbers.flatMap((number) => number.values)
  if (values.length === 0) return { values, problem: 'has no phone number' }
  const isMixed = numbers.length > 1 && numbers.some(isShort)
  if (isMixed || !meaningless.test(plain.replace(digitRuns, '')))
    return { values, problem: extraTextProblem }
  return { values, problem: numbers.find(({ problem }) => problem !== undefined)?.problem }
}

/**
 * Returns the numbers in a run of digits: one if the whole is possible, else those between its line breaks and slashes. If both
 * are possible, as in `+49 30 5556677/2672`, the run is not understood.
 */
function numbersIn(run: string, country: Country | undefined): Reading[] {
  const whole = numberIn(run.replaceAll('\n', ' '), country)
  const separator = run.includes('\n') ? '\n' : '/'
  if (!run.includes(separator)) return [whole]
  const parts = run.split(separator).flatMap((part) => numbersIn(part, country))
  if (whole.problem !== undefined)
    return parts.some(({ problem }) => problem !== undefined) ? [whole, ...parts] : parts
  // The digits before a slash are often an area code.
  const [first] = parts
  const isOne = separator === '/' && (first === undefined || isShort(first))
  return isOne ? [whole] : [{ ...whole, problem: extraTextProblem }, ...parts]
}

/** Whether a number was not understood, or has fewer than eight digits: beside others, it is an area code or an extension. */
function isShort({ values, problem }: Reading) {
  return (
    problem !== undefined || values.every(({ shown }) => shown.length < '+12345678'.length)
  )
}

/** Reads digits that may be a number. If they are none but long enough, their value can fit nearly. */
function numberIn(run: string, country: Country | undefined): Reading {
  const international = run.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = possibleNumber(international, country)
  if (found !== undefined) return { values: [phoneValue(found.number, found.ext)] }
  const needsCountry = country === undefined && !international.startsWith('+')
  const problem = needsCountry ? noCountryProblem : 'is not a possible phone number'
  const last = lastDigits(run)
  const value = { shown: `…${last}`, keys: [nearPhone + last] }
  return { values: last.length < minDigits ? [] : [value], problem }
}

/**
 * Parses a number. Returns undefined if its length is not possible in its country. Programs drop the `+`, so digits without it
 * can begin with a calling code. Then only a number of the same country is taken: another one would be a guess.
 */
function possibleNumber(text: string, country: Country | undefined) {
  if (text.startsWith('+') || country === undefined)
    return onlyPossible(parse(text, { extract: false }))
  const withPlus = `+${text.replace(/\D/g, '')}`
  const national = onlyPossible(parse(text, { extract: false, defaultCountry: country }))
  const found = national ?? onlyPossible(parse(withPlus, { extract: false }))
  return found?.number === withPlus && found.country !== country ? undefined : found
}

function onlyPossible(found: PhoneNumber | undefined) {
  return found?.isPossible() === true ? found : undefined
}

/** The beginning of all near keys, and of those of phone numbers. */
const near = 'near '
const nearPhone = `${near}phone `

/** Whether a key is of values that fit only nearly. */
export const isNear = (key: string) => key.startsWith(near)

export function phoneValue(number: string, extension?: string): Value {
  const shown = extension ? `${number} x${extension}` : number
  return { shown, keys: [`phone ${shown}`, nearPhone + lastDigits(number)] }
}

/** Returns the last eight digits of a text, or all if it has fewer. Numbers that have the same ones fit nearly. */
export function lastDigits(text: string) {
  return text.replace(/\D/g, '').slice(-8)
}

/** Whether a key is the near one of a phone number with this end. */
export function hasEnding(key: string, ending: string) {
  return key.startsWith(nearPhone) && key.endsWith(ending)
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
  const addresses = plain.match(addressPattern) ?? []
  if (addresses.length === 0) return { values: [], problem: 'has no email address' }
  const problem = plain.replace(addressPattern, '').includes('@')
    ? extraTextProblem
    : undefined
  return { values: addresses.map(addressValue), problem }
}

/** A domain with a character that is not printable ASCII (space to ~). */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(shown: string): Value {
  // An international domain is compared by its spelling in ASCII. A domain that cannot exist has none.
  const ascii = shown.replace(internationalDomain, (name) => domainToASCII(name) || name)
  return wholeValue(shown, `email ${ascii}`)
}

/** Returns a value that is compared whole. */
export function wholeValue(shown: string, key: string): Value {
  return { shown, keys: [key, near + key] }
}

/** Whether a cell is empty, or has only a word or sign that says so. In svc's own csv, an apostrophe stands before a `-`. */
export function isEmptyCell(text: string) {
  return /^\s*(?:'?[-–—?]|n\/a|none|unknown)?\s*$/i.test(text)
}

/** A date, perhaps with a time. Its digits could pass for a phone number. */
const datePattern = /^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]|$)/

/** Whether a cell has an address, or enough digits for a phone number. */
export function hasValue(text: string) {
  // `lastDigits` returns at most eight.
  const { length } = lastDigits(withPlainDigits(text))
  return readAddresses(text).values.length > 0 || (length === 8 && !datePattern.test(text))
}

/** Returns the kind of values that a cell surely has: addresses, or numbers that exist in their country. */
export function kindOfCell(text: string, country: Country | undefined) {
  if (readAddresses(text).problem === undefined) return 'email'
  if (datePattern.test(text)) return undefined
  const { values, problem } = readPhones(text, country)
  const areValid = values.every(({ shown }) => parse(shown)?.isValid() === true)
  return problem === undefined && areValid ? 'phone' : undefined
}
