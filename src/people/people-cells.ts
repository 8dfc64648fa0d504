/** Cells of any column: whether they seem to be empty, or to have numbers or addresses. */
import { readAddresses } from './addresses.ts'
import type { Country } from './countries.ts'
import { isValidPhone, lastDigits, readPhones, withPlainDigits } from './phones.ts'

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

/** Returns the kind of values that most of the filled cells of a column surely have; undefined if they have none. */
export function kindOfColumn(texts: readonly string[], country: Country | undefined) {
  const filled = texts.filter((text) => !isEmptyCell(text))
  const kinds = filled.flatMap((text) => kindOfCell(text, country) ?? [])
  // Few columns have both numbers and addresses, so the first value decides the kind.
  return 2 * kinds.length > filled.length ? kinds[0] : undefined
}

/** Returns the kind of values that a cell surely has: addresses, or numbers that exist in their country. */
export function kindOfCell(text: string, country: Country | undefined) {
  if (readAddresses(text).problem === undefined) return 'email'
  if (datePattern.test(text)) return undefined
  const { values, problem } = readPhones(text, country)
  const areValid = values.every(({ shown }) => isValidPhone(shown))
  return problem === undefined && areValid ? 'phone' : undefined
}
