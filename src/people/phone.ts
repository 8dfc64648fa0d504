/** Phone numbers in texts, read as E.164. */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** The country of two letters; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  return isSupportedCountry(code) ? code : undefined
}

/** The same of `--country`. Throws exit 2 for a country that does not exist. */
export function requireCountry(text: string | undefined): Country | undefined {
  const country = text === undefined ? undefined : countryOf(text)
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
/** Separators of numbers. A `;` before an extension is not one. */
const betweenNumbers = /;(?!ext=)|[,|\r\n]/i
const extension = /[;,]?\s*(?:ext|x|#)[.=\s]*(\d+)$/i
/** Digits among other text, perhaps with an extension. */
const digitRuns = /[+(]{0,3}\d[\d \t()./\-‐-―−]*\d(?:[;,]?\s*(?:ext|x|#)[.=\s]*\d+)?/gi
/** A number that a spreadsheet rounded, as 4.91712E+11: its last digits are lost. */
const rounded = /\dE\+?\d/i

/** Every number of at least eight digits in a text. `country`: of numbers without `+` or `00`. */
export function readPhones(text: string, country: Country | undefined) {
  if (e164AsWritten.test(text)) return [phoneOf(text, text)]
  const plain = text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .replace(arabicDigits, (digit) => String(digit.charCodeAt(0) & 15))
  if (rounded.test(plain)) return []
  const runs = plain.split(betweenNumbers).flatMap((part) => part.match(digitRuns) ?? [])
  return runs.flatMap((run) => readRun(run, country))
}

/** A slash can be part of a number, or stand between two. */
function readRun(run: string, country: Country | undefined) {
  const whole = readNumber(run, country)
  if (whole?.key !== undefined) return [whole]
  const parts = run.split('/').flatMap((part) => readNumber(part, country) ?? [])
  return parts.length > 1 || whole === undefined ? parts : [whole]
}

function readNumber(run: string, country: Country | undefined) {
  const [ending = '', ext] = extension.exec(run) ?? []
  const typed = run.slice(0, run.length - ending.length)
  const number = e164Of(typed, country)
  const digits = (number ?? typed).replace(/\D/g, '')
  const isRead = digits.length >= leastDigits && digits.length <= mostDigits
  return isRead ? phoneOf(number, digits.replace(/^0+/, ''), ext) : undefined
}

/** `number`: as E.164; undefined if its country is not known. */
function phoneOf(number: string | undefined, digits: string, ext?: string) {
  const ending = digits.slice(-leastDigits)
  const whole = number && ext ? `${number} x${ext}` : number
  return { shown: whole ?? `…${ending}`, key: whole && `phone ${whole}`, ending }
}

/** Undefined if the country is not known, or if digits can be read both with and without their country. */
function e164Of(typed: string, country: Country | undefined): string | undefined {
  const international = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
  const found = parse(international, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  })
  if (found === undefined || international.startsWith('+')) return found?.number
  const digits = typed.replace(/\D/g, '')
  // Digits without a + can be an international number, unless they begin with 0.
  const other = digits.startsWith('0') ? undefined : parse(`+${digits}`, { extract: false })
  if (!found.isPossible()) return other?.isPossible() === true ? other.number : undefined
  const hasBoth = other?.isValid() === true && other.number !== found.number
  return hasBoth ? undefined : found.number
}
