/**
 * Phone numbers as E.164. Each number is read once, into a `Phone`. Two phones fit exactly, or as a variant that a person
 * must check, or not at all.
 */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'

export interface Phone {
  /**
   * As E.164; none if the country is not known. If digits without `+` can be read in two ways: first as a national number,
   * then as an international one.
   */
  readings: readonly string[]
  extension?: string | undefined
  /** The digits of the last reading; if there is none, the typed digits without leading zeros. */
  digits: string
  /**
   * The typed digits without leading zeros, if a country was added to them. Another country makes another number of them.
   */
  national?: string | undefined
  /** The country that was added to read it; undefined if the number has its own. */
  country?: Country | undefined
  /** Whether it can be taken for one number: it has a length that its country uses. */
  isPossible: boolean
}

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** The country of two letters; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/**
 * Makes a function that reads every phone number in a text: none if it has no digits that can be read, or if a spreadsheet
 * rounded them. `country`: two letters, the country of numbers without `+` or `00`, unless a text comes with its own. Throws
 * exit 2 for a country that does not exist.
 */
export function phoneReader(country: string | undefined) {
  const defaultCountry = countryOf(country ?? '')
  if (country !== undefined && defaultCountry === undefined)
    throw usageError(
      `there is no country "${country}"`,
      'use its two letters, for example --country DE',
    )
  return (text: string, own = defaultCountry): Phone[] => readPhones(text, own)
}

/** A number that is E.164 as written. A 0 after the country code may be a national prefix, which the library drops. */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{6,14}$/

function readPhones(text: string, country: Country | undefined): Phone[] {
  if (e164AsWritten.test(text))
    return [{ readings: [text], digits: text.slice(1), isPossible: true }]
  const typed = inPlainCharacters(text).trim().replace(/^tel:/i, '')
  const whole = readWhole(typed, country)
  if (whole?.isPossible === true) return [whole]
  const found = readAmongWords(typed, country)
  if (found.length > 0 || whole === undefined) return found
  // `030 12/13` may be one number or two. Any other number is kept, although its length is impossible: `doubtOf` tells why.
  return typed.includes('/') ? [] : [whole]
}

/** Arabic and Persian digits. Full-width digits need no rule: Unicode normalization converts them. */
const arabic = /[\u0660-\u0669\u06f0-\u06f9]/g
const asDigit = (digit: string) => String(digit.charCodeAt(0) & 15)

/** The text without invisible characters, and with the digits 0 to 9 in place of others. */
function inPlainCharacters(text: string) {
  const visible = text.normalize('NFKC').replace(/[\p{Cf}\p{DI}]/gu, '')
  return visible.replace(arabic, asDigit)
}

/** Separators of numbers. A `;` before an extension is not one. */
const betweenNumbers = /;(?!ext=)|[,|\r\n]/i
/** The longest run of digits among words, with the extension after it. It may be a phone number. */
const digitRuns =
  /[+(]{0,3}\d[\d \t()./\-‐-―−]{5,}\d(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?/gi
/** Fewer digits among words are a year, a time or a room. */
const leastAmongWords = 7
/** A longer text is not searched for numbers. */
const longestSearched = 1000

function readAmongWords(typed: string, country: Country | undefined): Phone[] {
  if (typed.length > longestSearched) return []
  const read = (text: string): Phone[] => {
    const phone = readWhole(text.trim(), country)
    const isNumber = phone?.isPossible === true && phone.digits.length >= leastAmongWords
    return isNumber ? [phone] : []
  }
  const parts = typed.split(betweenNumbers)
  const runs = parts.flatMap((part) => part.match(digitRuns) ?? [])
  return runs.flatMap((run) => {
    const whole = read(run)
    return whole.length > 0 ? whole : run.split('/').flatMap(read)
  })
}

/** A text that is nothing but a number, perhaps with an extension. */
const nothingButNumber = /^[\d \t+().\-/‐-―−]+(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?$/i
/** A number that a spreadsheet rounded in a narrow column: its last digits are lost. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+?\d+$/i
const mostDigits = 15

/** Reads a text that is nothing but a number; undefined for any other text. */
function readWhole(typed: string, country: Country | undefined): Phone | undefined {
  if (!nothingButNumber.test(typed) || roundedNumber.test(typed)) return undefined
  const digits = digitsOf(typed)
  if (digits === '') return undefined
  const international = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = parseNumber(international, country)
  if (found === undefined) {
    if (digits.length > mostDigits) return undefined
    // Many digits with a slash are two numbers.
    const isOne = digits.length < 2 * leastAmongWords || !typed.includes('/')
    return { readings: [], digits, country, isPossible: isOne }
  }
  const hasCode = international.startsWith('+')
  const numbers = hasCode ? [found] : numbersOf(found, typed)
  const readings = numbers.map(({ number }) => number)
  return {
    readings,
    extension: found.ext,
    digits: readings.at(-1)?.slice(1) ?? digits,
    national: hasCode ? undefined : digits,
    country: hasCode ? undefined : country,
    isPossible: numbers.some(isPossible),
  }
}

function digitsOf(typed: string) {
  // An extension is no part of the number: `x5`, `ext. 5`, `;ext=5`.
  const [number = ''] = typed.split(/;|\s*(?:ext|x|#)\b/i)
  return number.replace(/\D/g, '').replace(/^0+/, '')
}

type Parsed = NonNullable<ReturnType<typeof parse>>

/** Parses a number. The 0 of `+34 (0) 912` is dropped, unless the number is valid with it, as in Italy. */
function parseNumber(text: string, country: Country | undefined): Parsed | undefined {
  const options = {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  }
  const withoutZero = text.replace(/(\d[\s.-]*)\(0\)/, '$1')
  const found = parse(text, options)
  if (withoutZero === text || found?.isValid() === true) return found
  return parse(withoutZero, options)
}

/** The numbers that digits without a country code can be: a national one, or an international one without its `+`. */
function numbersOf(national: Parsed, typed: string): Parsed[] {
  // A number with a leading 0 is national.
  if (/^\D*0/.test(typed)) return [national]
  const international = parse(`+${digitsOf(typed)}`, { extract: false })
  if (international === undefined) return [national]
  if (!national.isPossible()) return [international.isPossible() ? international : national]
  const hasBoth = international.isValid() && international.number !== national.number
  return hasBoth ? [national, international] : [national]
}

/** Whether a number has a length that its country uses, with or without its optional digit. */
function isPossible(found: Parsed) {
  const { number } = found
  return withoutOptionalDigit(number) !== number || found.isPossible()
}

/** A digit that some people leave out: Brazil's ninth digit, Argentina's 9 and Mexico's 1. */
const optionalDigit = /^(\+55\d{2})9(?=\d{8}$)|^(\+54)9(?=\d{10}$)|^(\+52)1(?=\d{10}$)/

function withoutOptionalDigit(e164: string) {
  return e164.replace(optionalDigit, '$1$2$3')
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

/** `+49 30 5556677`, or the number unchanged if no country has its code. */
export function writeNumber(e164: string): string {
  return parse(e164, { extract: false })?.formatInternational() ?? e164
}

/** A shorter number is too short to say that nobody has it. */
const leastToRuleOut = 8

/**
 * Why svc cannot say "nobody has this number", in words that follow the number: it was not compared whole. Undefined if it
 * was.
 */
export function doubtOf(phone: Phone): string | undefined {
  return (
    numberProblem(phone) ?? (phone.readings.length === 0 ? 'needs its country' : undefined)
  )
}

/** Why it is no number, whatever its country, in words that follow it. */
export function numberProblem(phone: Phone): string | undefined {
  const { readings, digits, national = digits, country, isPossible } = phone
  if (national.length < leastToRuleOut) return 'has fewer than eight digits'
  if (readings.length === 0 || isPossible) return undefined
  return country === undefined ? 'is not a phone number' : `is not a number of ${country}`
}

/** The best fit first. `abroad`: they fit only if the added country, which may be the wrong one, is ignored. */
export const phoneFits = ['exact', 'variant', 'abroad'] as const
export type PhoneFit = (typeof phoneFits)[number]

/** Numbers fit only if they share this many digits at the end. Fewer digits are the end of too many numbers. */
const leastShared = 7

/** The same text for all numbers that fit in any way. */
export function searchKey({ digits }: Phone): string {
  return digits.slice(-leastShared)
}

function endsIn(whole: string, digits: string) {
  return digits === whole || (digits.length >= leastShared && whole.endsWith(digits))
}

/** How two numbers fit; undefined if they do not. */
export function phoneFit(one: Phone, other: Phone): PhoneFit | undefined {
  // Quick, because a search compares its number with those of everybody.
  if (searchKey(one) !== searchKey(other)) return undefined
  if (e164Of(one) !== undefined && phoneText(one) === phoneText(other)) return 'exact'
  if (
    sharesReading(one, other) ||
    fitsIfCountryUnknown(one, other) ||
    fitsIfCountryUnknown(other, one) ||
    sharesNationalEnding(one, other)
  )
    return 'variant'
  return fitsIfCountryWrong(one, other) || fitsIfCountryWrong(other, one)
    ? 'abroad'
    : undefined
}

/** Whether two numbers have a reading in common, with or without an optional digit. */
function sharesReading(one: Phone, other: Phone) {
  const readings = other.readings.map(withoutOptionalDigit)
  return one.readings.some((reading) => readings.includes(withoutOptionalDigit(reading)))
}

/** Whether a number without a known country fits another: it fits every number that ends in its digits. */
function fitsIfCountryUnknown({ readings, digits }: Phone, other: Phone) {
  return readings.length === 0 && endsIn(other.digits, digits)
}

/** Whether a number fits another if the country that was added to it is ignored. */
function fitsIfCountryWrong({ national }: Phone, other: Phone) {
  return national !== undefined && endsIn(other.digits, national)
}

/** Whether one of two numbers of a country ends in all digits of the other: countries add and drop leading digits. */
function sharesNationalEnding(one: Phone, other: Phone) {
  const parts = one.readings.flatMap(partsOf)
  const others = other.readings.flatMap(partsOf)
  return parts.some(({ code, afterCode }) =>
    others.some(
      (another) =>
        another.code === code &&
        (endsIn(afterCode, another.afterCode) || endsIn(another.afterCode, afterCode)),
    ),
  )
}

/** The country code of an E.164 number, and the digits after it without leading zeros; none if no country has its code. */
function partsOf(e164: string) {
  const found = parse(e164, { extract: false })
  if (found === undefined) return []
  const code = found.countryCallingCode
  return [{ code, afterCode: e164.slice(1 + code.length).replace(/^0+/, '') }]
}
