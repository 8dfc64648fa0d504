/** Phone numbers as E.164, read once into a `Phone`. Two fit exactly, as a variant to be looked at, or not at all. */
import type parsePhone from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'

export interface Phone {
  /** `+491712345678`. Undefined where the country is not known, or where the digits can be read in two ways. */
  readonly e164: string | undefined
  /** Every reading as E.164, without what countries changed or drop. Empty where the country is not known. */
  readonly readings: readonly string[]
  readonly extension: string | undefined
  /** Those of the number, without the zeros in front and without the extension. */
  readonly digits: string
}

export type PhoneFit = 'exact' | 'variant' | 'none'

/** Undefined for a text that has no digits, or where a spreadsheet rounded them. */
export type ReadPhone = (text: string) => Phone | undefined

/** Arabic and Persian digits; full-width ones are a matter of Unicode form. */
const arabic = /[\u0660-\u0669\u06f0-\u06f9]/g
const asDigit = (digit: string): string => String(digit.charCodeAt(0) & 15)
/** A number that is E.164 as written. A 0 behind the country may be a national one, which the library leaves out. */
const plain = /^\+(?!\d{1,3}0)[1-9]\d{6,14}$/
/** What a spreadsheet makes of a number whose column is narrow: the last digits are lost. */
const rounded = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** Fewer digits are the end of too many numbers. */
export const leastDigits = 8

/** Brazil's ninth digit, Argentina's 9 and Mexico's 1, which stand in some writings of a number and not in others. */
const changed: readonly (readonly [RegExp, string])[] = [
  [/^\+55(\d{2})9(\d{8})$/, '+55$1$2'],
  [/^\+549(\d{10})$/, '+54$1'],
  [/^\+521(\d{10})$/, '+52$1'],
]

const unchanged = (e164: string): string => changed.reduce((text, [from, to]) => text.replace(from, to), e164)

/** `country`: two letters, that of numbers without `+` or `00`. Throws exit 2 for one that does not exist. */
export async function phoneReader(country: string | undefined): Promise<ReadPhone> {
  const { parse, isSupportedCountry } = await import('./phone-numbers.ts')
  const code = country?.toUpperCase()
  if (code !== undefined && !isSupportedCountry(code))
    throw usageError(`there is no country "${country ?? ''}"`, 'use its two letters, for example --country DE')
  return (text) => {
    if (plain.test(text)) return new International(text)
    const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '')
    const typed = visible.replace(arabic, asDigit).trim().replace(/^tel:/i, '')
    const digits = digitsOf(typed)
    if (digits === '' || rounded.test(typed)) return undefined
    const whole = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
    const found = parse(whole, { extract: false, ...(code === undefined ? {} : { defaultCountry: code }) })
    if (found === undefined) return { e164: undefined, readings: [], extension: undefined, digits }
    // A 0 in front is that of a country.
    const isCertain = whole.startsWith('+') || /^\D*0/.test(whole)
    return isCertain
      ? new International(found.number, found.ext)
      : national(found, parse(`+${digits}`, { extract: false }))
  }
}

type Parsed = NonNullable<ReturnType<typeof parsePhone>>

/** Digits without `+` are national; where they are a valid number with it too, they have two readings. */
function national(found: Parsed, other: Parsed | undefined): Phone {
  if (other === undefined || other.number === found.number) return new International(found.number, found.ext)
  if (!found.isPossible()) return new International((other.isPossible() ? other : found).number, found.ext)
  if (!other.isValid()) return new International(found.number, found.ext)
  const readings = [found.number, other.number].map(unchanged)
  return { e164: undefined, readings, extension: found.ext, digits: other.number.slice(1) }
}

/** Kept for each number that is sought: what follows from the text is made when it is needed. */
class International implements Phone {
  readonly e164: string
  readonly extension: string | undefined

  constructor(e164: string, extension?: string) {
    this.e164 = e164
    this.extension = extension
  }

  get readings(): readonly string[] {
    return [unchanged(this.e164)]
  }

  get digits(): string {
    return this.e164.slice(1)
  }
}

function digitsOf(typed: string): string {
  // An extension is no part of the number: `x5`, `ext. 5`, `;ext=5`.
  const [number = ''] = typed.split(/;|\s*(?:ext|x|#)\b/i)
  return number.replace(/\D/g, '').replace(/^0+/, '')
}

export function phoneFit(one: Phone, other: Phone): PhoneFit {
  if (one.e164 !== undefined && one.e164 === other.e164) return one.extension === other.extension ? 'exact' : 'variant'
  const isSame = one.readings.some((reading) => other.readings.includes(reading))
  return isSame || isEndOf(one, other) || isEndOf(other, one) ? 'variant' : 'none'
}

/** Without a country a number fits whatever ends in its digits. */
function isEndOf({ readings, digits }: Phone, { digits: whole }: Phone): boolean {
  if (readings.length > 0) return false
  return digits === whole || (digits.length >= leastDigits && whole.endsWith(digits))
}

/** Numbers that fit in any way have this in common. */
export function phoneKey({ digits }: Phone): number {
  return Number(digits.slice(-leastDigits))
}

/** Endings of numbers, of six digits, are below this. */
export const endings = 1_000_000
/**
 * A number of more digits ends as its text does: what reading leaves out or replaces stands before its last six, behind a
 * country of three at most.
 */
export const mostUnlikeTheirText = 8

/** How the number of a text ends, which saves reading most of them. Undefined where only reading tells. */
export function endingOf(text: string): number | undefined {
  let ending = 0
  for (let i = 0; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit >= 0 && digit <= 9) ending = (ending * 10 + digit) % endings
    else if (!(i === 0 ? '+(' : ' ()-./').includes(text.charAt(i))) return undefined
  }
  return ending
}
