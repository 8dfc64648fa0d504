/** Phone numbers in texts, read as E.164. */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'
import { visibleText } from '../words.ts'

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** The country of two letters; undefined for any other text. */
export function countryOf(text: string) {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** The same of `--country`. Throws exit 2 for a country that does not exist. */
export function requireCountry(text: string | undefined) {
  const country = countryOf(text ?? '')
  if (text === undefined || country !== undefined) return country
  throw usageError(
    `there is no country "${text}"`,
    'use its two letters, for example --country DE',
  )
}

/** Shorter numbers are not read: they are the end of too many others. */
const leastDigits = 8
/** ITU E.164. */
const mostDigits = 15

/** A number that is E.164 as written. A 0 after the country code may be a national prefix, which the library drops. */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/
/** Arabic and Persian digits. Unicode normalization converts the others. */
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g
/** Digits among other text, perhaps with an extension. */
const digitRuns = /[+(]{0,3}\d[\d \t()./\-‐-―−]*\d(?:[;,]?[ \t]*(?:ext|x|#)[.= \t]*\d+)?/gi
/** A number that a spreadsheet rounded, as 4.91712E+11: its last digits are lost. */
const rounded = /\dE\+?\d/i

/** Every number of at least eight digits in a text. `country`: of numbers without `+` or `00`. */
export function readPhones(text: string, country: Country | undefined) {
  if (e164AsWritten.test(text)) return readRun(text, country)
  // A line break ends a number, unlike other white space.
  const plain = visibleText(text.replace(/[\r\n]+/g, ',')).replace(arabicDigits, (digit) =>
    String(digit.charCodeAt(0) & 15),
  )
  if (rounded.test(plain)) return []
  return (plain.match(digitRuns) ?? []).flatMap((run) => readRun(run, country))
}

/** A slash can be part of a number, or stand between two. */
function readRun(run: string, country: Country | undefined) {
  const whole = readNumber(run, country)
  if (whole?.key !== undefined) return [whole]
  const parts = run.split('/').flatMap((part) => readNumber(part, country) ?? [])
  return parts.length > 1 || whole === undefined ? parts : [whole]
}

/** A number as E.164; its end alone if its country is not known. Undefined if it is too short or too long. */
function readNumber(run: string, country: Country | undefined) {
  const found = e164AsWritten.test(run) ? { number: run, ext: '' } : parseIn(run, country)
  const digits = (found?.number ?? run).replace(/\D/g, '')
  if (digits.length < leastDigits || digits.length > mostDigits) return undefined
  const ending = digits.slice(-leastDigits)
  const ext = found?.ext ? ` x${found.ext}` : ''
  const number = found && `${found.number}${ext}`
  return { shown: number ?? `…${ending}`, key: number && `phone ${number}`, ending }
}

/** Undefined if the country is not known, or if digits can be read both with and without their country. */
function parseIn(run: string, country: Country | undefined) {
  const international = run.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = parse(international, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  })
  if (found === undefined || international.startsWith('+')) return found
  const digits = run.replace(/\D/g, '')
  // Digits without a + can be an international number, unless they begin with 0.
  const other = digits.startsWith('0') ? undefined : parse(`+${digits}`, { extract: false })
  if (!found.isPossible()) return other?.isPossible() === true ? other : undefined
  const hasBoth = other?.isValid() === true && other.number !== found.number
  return hasBoth ? undefined : found
}
