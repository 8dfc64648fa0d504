/**
 * Reads phone numbers as E.164, each once into a `Phone`. Two phones fit exactly, or as a variant that a
 * person must check, or not at all.
 */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../../errors.ts'

export interface Phone {
  /** As E.164. Of two readings, the last is the digits as typed. None if the country is not known. */
  readings: readonly string[]
  extension?: string | undefined
  /** The digits without the zeros in front and without the extension. */
  digits: string
  /** The digits as typed, if a country was added to read them. With a different country they would be a different number. */
  national?: string | undefined
  /** The country that was added to read it; undefined if the number has its own. */
  country?: Country | undefined
  /** Whether its length is possible for its country. */
  isPossible: boolean
}

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** The best fit first. `abroad`: they fit only if the added country, which may be the wrong one, is ignored. */
export const phoneFits = ['exact', 'variant', 'abroad'] as const
export type PhoneFit = (typeof phoneFits)[number]

/**
 * Every phone number in a text; none if it has no digits that can be read, or if a spreadsheet rounded them. `country`:
 * instead of the default one.
 */
export type ReadPhones = (text: string, country?: Country) => readonly Phone[]

/** Arabic and Persian digits. Full-width digits need no rule: Unicode normalization converts them. */
const arabic = /[\u0660-\u0669\u06f0-\u06f9]/g
const asDigit = (digit: string) => String(digit.charCodeAt(0) & 15)
/** A number that is E.164 as written. A 0 after the country code may be a national prefix, which the library drops. */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{6,14}$/
/** A number that a spreadsheet rounded in a narrow column: its last digits are lost. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** A shorter number is too short to say that nobody has it. */
export const leastDigits = 8
/** Numbers fit only if they share this many digits at the end: fewer would be the end of too many numbers. */
const leastCommon = 7

/** Optional digits, which some people leave out: Brazil's ninth digit, Argentina's 9 and Mexico's 1. */
const nationalChange = /^(\+55\d{2})9(?=\d{8}$)|^(\+54)9(?=\d{10}$)|^(\+52)1(?=\d{10}$)/

function withoutChange(e164: string) {
  return e164.replace(nationalChange, '$1$2$3')
}

/** A text that is nothing but a number, perhaps with an extension. */
const nothingButNumber = /^[\d \t+().\-/‐-―−]+(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?$/i
/** Separators of numbers; a `;` before an extension is none. */
const betweenNumbers = /;(?!ext=)|[,|\r\n]/i
/** The longest run of digits among words, with the extension after it. It may be a phone number. */
const digitRuns =
  /[+(]{0,3}\d[\d \t()./\-‐-―−]{5,}\d(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?/gi
/** Fewer digits among words are a year, a time or a room. */
const leastInTexts = 7
const mostDigits = 15
/** A longer text is not searched for numbers. */
const longestSearched = 1000

/** The country of two letters; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** `country`: two letters, the country of numbers without `+` or `00`. Throws exit 2 for one that does not exist. */
export function phoneReader(country: string | undefined): ReadPhones {
  const usual = countryOf(country ?? '')
  if (country !== undefined && usual === undefined)
    throw usageError(
      `there is no country "${country}"`,
      'use its two letters, for example --country DE',
    )
  return (text, own = usual) => readPhones(text, own)
}

function readPhones(text: string, country: Country | undefined): Phone[] {
  if (e164AsWritten.test(text))
    return [{ readings: [text], digits: text.slice(1), isPossible: true }]
  const typed = inPlainCharacters(text).trim().replace(/^tel:/i, '')
  const whole = readWhole(typed, country)
  if (whole?.isPossible === true) return [whole]
  const found = readInWords(typed, country)
  if (found.length > 0 || whole === undefined) return found
  // `030 12/13` may be one number or two.
  return typed.includes('/') ? [] : [whole]
}

/** The numbers among the words of a text. */
function readInWords(typed: string, country: Country | undefined): Phone[] {
  if (typed.length > longestSearched) return []
  const read = (text: string): Phone[] => {
    const phone = readWhole(text.trim(), country)
    const isNumber = phone?.isPossible === true && phone.digits.length >= leastInTexts
    return isNumber ? [phone] : []
  }
  const parts = typed.split(betweenNumbers)
  const runs = parts.flatMap((part) => part.match(digitRuns) ?? [])
  return runs.flatMap((run) => {
    const whole = read(run)
    return whole.length > 0 ? whole : run.split('/').flatMap(read)
  })
}

/** A text that is nothing but a number. */
function readWhole(typed: string, country: Country | undefined): Phone | undefined {
  if (!nothingButNumber.test(typed) || roundedNumber.test(typed)) return undefined
  const digits = digitsOf(typed)
  if (digits === '') return undefined
  const international = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
  const hasCode = international.startsWith('+')
  const found = parseNumber(international, country)
  if (found === undefined) {
    if (digits.length > mostDigits) return undefined
    // Many digits with a slash are two numbers.
    const isOne = digits.length < 2 * leastInTexts || !typed.includes('/')
    return { readings: [], digits, country, isPossible: isOne }
  }
  // A number with a leading 0 is national.
  const isNationalOrInternational = hasCode || /^\D*0/.test(international)
  const asInternational = isNationalOrInternational
    ? undefined
    : parse(`+${digits}`, { extract: false })
  const hasOldForm = withoutChange(found.number) !== found.number
  const isPossible =
    hasOldForm || found.isPossible() || asInternational?.isPossible() === true
  const readings = numbersOf(found, asInternational).map(({ number }) => number)
  const ofCountry = hasCode ? {} : { national: digits, country }
  return {
    readings,
    extension: found.ext,
    digits: readings.at(-1)?.slice(1) ?? digits,
    isPossible,
    ...ofCountry,
  }
}

type Parsed = NonNullable<ReturnType<typeof parse>>

/** Parses a number. The 0 of `+34 (0) 912` is dropped, unless the number is valid with it, as in Italy. */
function parseNumber(text: string, country: Country | undefined): Parsed | undefined {
  const usual = country === undefined ? {} : { defaultCountry: country }
  const options = { extract: false, ...usual }
  const without = text.replace(/(\d[\s.-]*)\(0\)/, '$1')
  const found = parse(text, options)
  if (without === text || found?.isValid() === true) return found
  return parse(without, options)
}

/** The text without invisible characters, and with the digits 0 to 9 in place of others. */
function inPlainCharacters(text: string) {
  const visible = text.normalize('NFKC').replace(/[\p{Cf}\p{DI}]/gu, '')
  return visible.replace(arabic, asDigit)
}

/**
 * The readings of a number. Digits without `+` are national; if they are also valid as an international number, they have
 * two readings.
 */
function numbersOf(found: Parsed, asInternational: Parsed | undefined): Parsed[] {
  if (asInternational === undefined || asInternational.number === found.number)
    return [found]
  if (!found.isPossible()) return [asInternational.isPossible() ? asInternational : found]
  return asInternational.isValid() ? [found, asInternational] : [found]
}

function digitsOf(typed: string) {
  // An extension is no part of the number: `x5`, `ext. 5`, `;ext=5`.
  const [number = ''] = typed.split(/;|\s*(?:ext|x|#)\b/i)
  return number.replace(/\D/g, '').replace(/^0+/, '')
}

/** The number as E.164. Undefined if the country is not known, or if it can be read in two ways. */
export function e164Of({ readings }: Phone): string | undefined {
  return readings.length === 1 ? readings[0] : undefined
}

/** The same text for numbers that are exactly the same. */
export function phoneText(phone: Phone): string {
  const { extension, digits, readings } = phone
  const number = e164Of(phone) ?? [digits, ...readings].join('/')
  return `phone ${number}${extension === undefined ? '' : ` ext. ${extension}`}`
}

/**
 * Why "nobody has this number" would be doubtful, in words that follow the number: it was not compared whole. Undefined if
 * it was.
 */
export function doubtOf(phone: Phone): string | undefined {
  const { readings, digits, national = digits, country, isPossible } = phone
  if (national.length < leastDigits) return 'has fewer than eight digits'
  if (readings.length === 0) return 'needs its country'
  if (isPossible) return undefined
  return country === undefined ? 'is not a phone number' : `is not a number of ${country}`
}

/** `+49 30 5556677`, or the number unchanged if no country has its code. */
export function writeNumber(e164: string): string {
  return parse(e164, { extract: false })?.formatInternational() ?? e164
}

/** How two numbers fit; undefined if they do not. */
export function phoneFit(one: Phone, other: Phone): PhoneFit | undefined {
  // Quick, because a search compares its number with those of everybody.
  if (searchKey(one) !== searchKey(other)) return undefined
  if (e164Of(one) !== undefined && phoneText(one) === phoneText(other)) return 'exact'
  const readings = new Set(one.readings.map(withoutChange))
  const isSame = other.readings.some((reading) => readings.has(withoutChange(reading)))
  if (
    isSame ||
    fitsWithoutCountry(one, other) ||
    fitsWithoutCountry(other, one) ||
    sharesNationalEnding(one, other)
  )
    return 'variant'
  return fitsIgnoringCountry(one, other) || fitsIgnoringCountry(other, one)
    ? 'abroad'
    : undefined
}

/**
 * The country code of an E.164 number, and the digits after it without leading zeros; undefined if no country has its code.
 */
function partsOf(e164: string) {
  const found = parse(e164, { extract: false })
  if (found === undefined) return undefined
  const code = found.countryCallingCode
  return { code, national: e164.slice(1 + code.length).replace(/^0+/, '') }
}

/** Whether one of two numbers of a country ends in all digits of the other: countries add and drop leading digits. */
function sharesNationalEnding(one: Phone, other: Phone) {
  const parts = one.readings.map(partsOf)
  const others = other.readings.map(partsOf)
  return parts.some((part) =>
    others.some((another) => {
      if (part === undefined || part.code !== another?.code) return false
      return (
        endsIn(part.national, another.national) || endsIn(another.national, part.national)
      )
    }),
  )
}

/** Whether a number fits another if the country that was added to it is ignored. */
function fitsIgnoringCountry({ national }: Phone, other: Phone) {
  return national !== undefined && endsIn(other.digits, national)
}

/** Whether a number without a known country fits another: it fits every number that ends in its digits. */
function fitsWithoutCountry({ readings, digits }: Phone, { digits: whole }: Phone) {
  return readings.length === 0 && endsIn(whole, digits)
}

function endsIn(whole: string, digits: string) {
  return digits === whole || (digits.length >= leastCommon && whole.endsWith(digits))
}

/** The same text for all numbers that fit in any way. */
export function searchKey({ digits }: Phone): string {
  return digits.slice(-leastCommon)
}
