/** Finds phone numbers in texts, and reads them as E.164. */
import {
  isSupportedCountry,
  parsePhoneNumberFromString as parse,
  type CountryCode,
} from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'
import { visibleText } from '../words.ts'

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
