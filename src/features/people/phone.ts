/**
 * Phone numbers as E.164, read once into a `Phone`. Two fit exactly, as a variant to be looked at, or not at
 * all.
 */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../../errors.ts'

export interface Phone {
  /** As E.164: two numbers where the digits can be read in two ways, and none where the country is not known. */
  readings: readonly string[]
  extension?: string | undefined
  /** The digits without the zeros in front and without the extension. */
  digits: string
  /** The digits as they were typed, of a number that was read by its country: without it, they may be another number. */
  national?: string | undefined
  /** The country by which it was read, unless it says its own. */
  country?: Country | undefined
  /** Whether it is as long as numbers of its country are. */
  isPossible: boolean
}

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** The best first. `abroad`: only when a number is read without its country, which may be the wrong one. */
export const phoneFits = ['exact', 'variant', 'abroad'] as const
export type PhoneFit = (typeof phoneFits)[number]

/**
 * Every number of a text; none where it has no digits that can be read, or where a spreadsheet rounded them. `country`: two
 * letters, instead of the usual one.
 */
export type ReadPhones = (text: string, country?: Country) => readonly Phone[]

/** Arabic and Persian digits; full-width ones are a matter of Unicode form. */
const arabic = /[\u0660-\u0669\u06f0-\u06f9]/g
const asDigit = (digit: string) => String(digit.charCodeAt(0) & 15)
/** A number that is E.164 as written. A 0 after the country may be a national prefix, which the library drops. */
const plain = /^\+(?!\d{1,3}0)[1-9]\d{6,14}$/
/** A number as a spreadsheet rounds it where its column is narrow: the last digits are lost. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** Nobody can be said not to have a number with fewer digits. */
export const leastDigits = 8
/** Digits at the end that numbers have in common if they fit in any way: fewer are the end of too many numbers. */
const leastCommon = 7

/** Brazil's ninth digit, Argentina's 9 and Mexico's 1, which only some notations of a number have. */
const nationalChange = /^(\+55\d{2})9(?=\d{8}$)|^(\+54)9(?=\d{10}$)|^(\+52)1(?=\d{10}$)/

function withoutChange(e164: string) {
  return e164.replace(nationalChange, '$1$2$3')
}

/** The characters of a number with its extension: a text of nothing else is a number whole. */
const plainNumber = /^[\d \t+().\-/‐-―−]+(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?$/i
/** Never within a number, but in front of an extension. */
const betweenNumbers = /;(?!ext=)|[,|\r\n]/i
/** The longest run of digits among words, with the extension after it. It may be a phone number. */
const digitRuns =
  /[+(]{0,3}\d[\d \t()./\-‐-―−]{5,}\d(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?/gi
/** Fewer digits in a text are a year, a time or a room. */
const leastInTexts = 7
const mostDigits = 15
/** Texts that are longer are not cells of numbers. */
const longestSearched = 1000

/** The country of two letters; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** `country`: two letters, that of numbers without `+` or `00`. Throws exit 2 for one that does not exist. */
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
  if (plain.test(text))
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
  if (!plainNumber.test(typed) || roundedNumber.test(typed)) return undefined
  const digits = digitsOf(typed)
  if (digits === '') return undefined
  const international = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
  const hasCode = international.startsWith('+')
  const found = parseNumber(international, country)
  if (found === undefined) {
    if (digits.length > mostDigits) return undefined
    // So many digits with a slash are two numbers.
    const isOne = digits.length < 2 * leastInTexts || !typed.includes('/')
    return { readings: [], digits, country, isPossible: isOne }
  }
  // A 0 in front is that of a country.
  const isCertain = hasCode || /^\D*0/.test(international)
  const other = isCertain ? undefined : parse(`+${digits}`, { extract: false })
  const hasOldForm = withoutChange(found.number) !== found.number
  const isPossible = hasOldForm || found.isPossible() || other?.isPossible() === true
  const readings = numbersOf(found, other).map(({ number }) => number)
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

/** `+34 (0) 912`: the 0 is left out, but where the number is valid with it, as in Italy. */
function parseNumber(text: string, country: Country | undefined): Parsed | undefined {
  const usual = country === undefined ? {} : { defaultCountry: country }
  const options = { extract: false, ...usual }
  const without = text.replace(/(\d[\s.-]*)\(0\)/, '$1')
  const found = parse(text, options)
  if (without === text || found?.isValid() === true) return found
  return parse(without, options)
}

/** Without what nobody sees, and with the digits 0 to 9 in place of others. */
function inPlainCharacters(text: string) {
  const visible = text.normalize('NFKC').replace(/[\p{Cf}\p{DI}]/gu, '')
  return visible.replace(arabic, asDigit)
}

/** Digits without `+` are national; where they are a valid number with it too, they have two readings. */
function numbersOf(found: Parsed, other: Parsed | undefined): Parsed[] {
  if (other === undefined || other.number === found.number) return [found]
  if (!found.isPossible()) return [other.isPossible() ? other : found]
  return other.isValid() ? [found, other] : [found]
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

/** A text by which numbers that are exactly the same are one. */
export function phoneText(phone: Phone): string {
  const { extension, digits, readings } = phone
  const number = e164Of(phone) ?? [digits, ...readings].join('/')
  return `phone ${number}${extension === undefined ? '' : ` ext. ${extension}`}`
}

/** Why nobody can be said not to have a number, in words that follow it: it was not compared whole. Undefined for one that was. */
export function doubtOf(phone: Phone): string | undefined {
  const { readings, digits, national = digits, country, isPossible } = phone
  if (national.length < leastDigits) return 'has fewer than eight digits'
  if (readings.length === 0) return 'needs its country'
  if (isPossible) return undefined
  return country === undefined ? 'is not a phone number' : `is not a number of ${country}`
}

/** `+49 30 5556677`, or as it is where no country has its code. */
export function writeNumber(e164: string): string {
  return parse(e164, { extract: false })?.formatInternational() ?? e164
}

/** How two numbers fit; undefined where they do not. */
export function phoneFit(one: Phone, other: Phone): PhoneFit | undefined {
  // A search compares its number with those of everybody.
  if (tailOf(one) !== tailOf(other)) return undefined
  if (e164Of(one) !== undefined && phoneText(one) === phoneText(other)) return 'exact'
  const readings = new Set(one.readings.map(withoutChange))
  const isSame = other.readings.some((reading) => readings.has(withoutChange(reading)))
  if (isSame || isEndOf(one, other) || isEndOf(other, one) || isLonger(one, other))
    return 'variant'
  return isAbroad(one, other) || isAbroad(other, one) ? 'abroad' : undefined
}

/** The code of the country of an E.164 number, and the digits after it, without zeros in front; undefined where no country has its code. */
function partsOf(e164: string) {
  const found = parse(e164, { extract: false })
  if (found === undefined) return undefined
  const code = found.countryCallingCode
  return { code, national: e164.slice(1 + code.length).replace(/^0+/, '') }
}

/** Whether one of two numbers of a country ends in all digits of the other: countries add and drop digits at the beginning. */
function isLonger(one: Phone, other: Phone) {
  const parts = one.readings.map(partsOf)
  const others = other.readings.map(partsOf)
  return parts.some((part) =>
    others.some((another) => {
      if (part === undefined || part.code !== another?.code) return false
      return (
        isTailOf(part.national, another.national) ||
        isTailOf(another.national, part.national)
      )
    }),
  )
}

/** Whether it fits without the country that it was read by. */
function isAbroad({ national }: Phone, other: Phone) {
  return national !== undefined && isTailOf(national, other.digits)
}

/** Without a country, a number fits every number that ends in its digits. */
function isEndOf({ readings, digits }: Phone, { digits: whole }: Phone) {
  return readings.length === 0 && isTailOf(digits, whole)
}

function isTailOf(digits: string, whole: string) {
  return digits === whole || (digits.length >= leastCommon && whole.endsWith(digits))
}

/** Numbers that fit in any way have this in common. */
export function tailOf({ digits }: Phone): string {
  return digits.slice(-leastCommon)
}
