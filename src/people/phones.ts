/** Reads phone numbers, so that they can be compared as E.164 (+491712345678). */
import {
  parsePhoneNumberFromString as parse,
  type PhoneNumber,
} from 'libphonenumber-js/min'
import { visibleText } from '../words.ts'
import type { Country } from './countries.ts'
import type { Problem, Reading, Value } from './reading.ts'

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
  const isMixed = numbers.length > 1 && numbers.some(isPart)
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

/** Returns the value of a number in E.164. */
export function phoneValue(number: string, extension?: string): Value {
  const shown = extension ? `${number} x${extension}` : number
  return { kind: 'phone', shown, exact: `phone ${shown}`, near: lastDigits(number) }
}

/** Returns the last eight digits of a text, or all if it has fewer. Numbers that have the same ones fit nearly. */
export function lastDigits(text: string) {
  return text.replace(/\D/g, '').slice(-8)
}

/** Whether a text is a number that exists in its country. */
export const isValidPhone = (text: string) => parse(text)?.isValid() === true
