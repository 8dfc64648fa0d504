/**
 * Phone numbers as E.164, read once into a `Phone`. Two fit exactly, as a variant to be looked at, or not at all. `identity.ts` makes
 * values of them, `value-index.ts` compares these; the verbs of `contacts` make the reader (`commands/directory.ts`).
 */
import type { CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'
import type * as Library from './phone-numbers.ts'

export interface Phone {
  /** `+491712345678`. Undefined where the country is not known, or where the digits can be read in two ways. */
  readonly e164: string | undefined
  /** Every reading as E.164, without what countries changed or drop. Empty where the country is not known. */
  readonly readings: readonly string[]
  readonly extension: string | undefined
  /** The digits without the zeros in front and without the extension. */
  readonly digits: string
  /** The same as they were typed, of a number that was read by its country: without it, it may be another number. */
  readonly national: string | undefined
  /** Whether it is as long as numbers of its country are. */
  readonly isPossible: boolean
}

/** A country as two letters: `DE`. */
export type Country = CountryCode

/** `abroad`: only when a number is read without its country, which may be the wrong one. */
export type PhoneFit = 'exact' | 'variant' | 'abroad' | 'none'

/**
 * Every number of a text; none where it has no digits that can be read, or where a spreadsheet rounded them. `country`: two
 * letters, instead of the usual one.
 */
export type ReadPhones = (text: string, country?: Country) => readonly Phone[]

const ascii = /^[ -~]*$/
/** Arabic and Persian digits; full-width ones are a matter of Unicode form. */
const arabic = /[\u0660-\u0669\u06f0-\u06f9]/g
const asDigit = (digit: string): string => String(digit.charCodeAt(0) & 15)
/** A number that is E.164 as written. A 0 behind the country may be a national one, which the library leaves out. */
const plain = /^\+(?!\d{1,3}0)[1-9]\d{6,14}$/
/** A number as a spreadsheet rounds it where its column is narrow: the last digits are lost. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** Digits by which a number without its country is found: fewer are the end of too many numbers. */
export const leastDigits = 8

/** Brazil's ninth digit, Argentina's 9 and Mexico's 1, which stand in some writings of a number and not in others. */
const nationalChanges: readonly (readonly [RegExp, string])[] = [
  [/^\+55(\d{2})9(\d{8})$/, '+55$1$2'],
  [/^\+549(\d{10})$/, '+54$1'],
  [/^\+521(\d{10})$/, '+52$1'],
]

const withoutChanges = (e164: string): string =>
  nationalChanges.reduce((text, [from, to]) => text.replace(from, to), e164)

/** The characters of a number with its extension: a text of nothing else is a number whole. */
const plainNumber = /^[\d \t+().\-/‐-―−]+(?:(?:[;,]?\s*(?:ext|x|#)\.?\s*=?\s*)\d+)?$/i
/** Never within a number, but in front of an extension. */
const betweenNumbers = /;(?!ext=)|[,|\r\n]/i
/** Digits in a text, as numbers whose country is not written are. */
const digitRuns = /[+(]?\d[\d ()./-]{5,}\d/g
/** Fewer digits in a text are a year, a time or a room. */
const leastInTexts = 7
const mostDigits = 15
/** Texts that are longer are no cells of numbers. */
const longestSearched = 1000

/** `country`: two letters, that of numbers without `+` or `00`. Throws exit 2 for one that does not exist. */
export async function phoneReader(country: string | undefined): Promise<ReadPhones> {
  const library = await import('./phone-numbers.ts')
  const code = country?.toUpperCase()
  if (code !== undefined && !library.isSupportedCountry(code))
    throw usageError(
      `there is no country "${country ?? ''}"`,
      'use its two letters, for example --country DE',
    )
  const usual = new PhoneReader(library, code === undefined ? {} : { defaultCountry: code })
  const readers = new Map<Country, PhoneReader>()
  const readerOf = (defaultCountry: Country): PhoneReader => {
    const reader = readers.get(defaultCountry) ?? new PhoneReader(library, { defaultCountry })
    readers.set(defaultCountry, reader)
    return reader
  }
  return (text, own) => {
    if (plain.test(text)) return [new International(text)]
    return (own === undefined ? usual : readerOf(own)).read(text)
  }
}

class PhoneReader {
  readonly #library: typeof Library
  readonly #country: { readonly defaultCountry?: CountryCode }

  constructor(library: typeof Library, country: { readonly defaultCountry?: CountryCode }) {
    this.#library = library
    this.#country = country
  }

  read(text: string): readonly Phone[] {
    const typed = inPlainCharacters(text).trim().replace(/^tel:/i, '')
    const whole = this.#readWhole(typed)
    if (whole?.isPossible === true) return [whole.phone]
    const found = this.#searchAll(typed)
    if (found.length > 0 || whole === undefined) return found
    // `030 12/13` may be one number or two.
    return typed.includes('/') ? [] : [whole.phone]
  }

  #searchAll(typed: string): Phone[] {
    if (typed.length > longestSearched) return []
    return typed.split(betweenNumbers).flatMap((part) => this.#search(part))
  }

  /** The numbers among the words of a text. */
  #search(part: string): Phone[] {
    const whole = this.#inText(part)
    if (whole.length > 0) return whole
    const options = { ...this.#country, extended: true, leniency: 'POSSIBLE', v2: true } as const
    const texts: string[] = []
    let rest = part
    for (const { startsAt, endsAt } of this.#library.findPhoneNumbersInText(part, options)) {
      if (isPartOfRun(part, startsAt, endsAt)) continue
      texts.push(part.slice(startsAt, endsAt))
      rest = rest.slice(0, startsAt) + '\n'.repeat(endsAt - startsAt) + rest.slice(endsAt)
    }
    for (const run of rest.match(digitRuns) ?? []) {
      const isOne = this.#inText(run).length > 0
      texts.push(...(isOne ? [run] : run.split('/')))
    }
    return texts.flatMap((text) => this.#inText(text))
  }

  #inText(text: string): Phone[] {
    const read = this.#readWhole(text.trim())
    return read?.isPossible === true && read.phone.digits.length >= leastInTexts ? [read.phone] : []
  }

  /** A text that is nothing but a number; `isPossible`: as long as numbers of its country are. */
  #readWhole(typed: string): { phone: Phone; isPossible: boolean } | undefined {
    if (!plainNumber.test(typed) || roundedNumber.test(typed)) return undefined
    const digits = digitsOf(typed)
    if (digits === '') return undefined
    const international = typed.replace(/^[^\d+]*(?:00|\+)/, '+')
    const found = this.#parse(international)
    if (found === undefined) {
      if (digits.length > mostDigits) return undefined
      // With a slash in it, so many digits are two numbers.
      const isOne = digits.length < 2 * leastInTexts || !typed.includes('/')
      return { phone: withoutCountry(digits), isPossible: isOne }
    }
    // A 0 in front is that of a country.
    const isCertain = international.startsWith('+') || /^\D*0/.test(international)
    const other = isCertain ? undefined : this.#library.parse(`+${digits}`, { extract: false })
    const hasOldForm = withoutChanges(found.number) !== found.number
    const isPossible = hasOldForm || found.isPossible() || other?.isPossible() === true
    const typedAs = { national: international.startsWith('+') ? undefined : digits, isPossible }
    return { phone: phoneOf(found, other, typedAs), isPossible }
  }

  /** `+34 (0) 912`: the 0 is left out, but where the number is valid with it, as in Italy. */
  #parse(text: string): Parsed | undefined {
    const options = { extract: false, ...this.#country }
    const without = text.replace(/(\d[\s.-]*)\(0\)/, '$1')
    const found = this.#library.parse(text, options)
    if (without === text || found?.isValid() === true) return found
    return this.#library.parse(without, options)
  }
}

/** Without what nobody sees, and with the digits 0 to 9 in place of others. */
function inPlainCharacters(text: string): string {
  if (ascii.test(text)) return text
  const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '')
  return visible.replace(arabic, asDigit)
}

/** Whether digits stand right before or behind it: which of them are a number cannot be told. */
function isPartOfRun(text: string, from: number, to: number): boolean {
  const isBehindDigits =
    text[from] !== '+' && /[\d+][ ().-]*$/.test(text.slice(Math.max(0, from - longestGap), from))
  return isBehindDigits || /^[ ().-]*\d/.test(text.slice(to, to + longestGap))
}

const longestGap = 10

type Parsed = NonNullable<ReturnType<typeof parsePhoneNumberFromString>>

type TypedAs = Pick<Phone, 'national' | 'isPossible'>

/** A number of which nothing but its digits is known: it can be the end of another one. */
function withoutCountry(digits: string): Phone {
  return {
    e164: undefined,
    readings: [],
    extension: undefined,
    digits,
    national: undefined,
    isPossible: true,
  }
}

/** Digits without `+` are national; where they are a valid number with it too, they have two readings. */
function phoneOf(found: Parsed, other: Parsed | undefined, typedAs: TypedAs): Phone {
  const numberOf = ({ number }: Parsed): Phone =>
    typedAs.national === undefined && typedAs.isPossible
      ? new International(number, found.ext)
      : new Typed(number, found.ext, typedAs)
  if (other === undefined || other.number === found.number) return numberOf(found)
  if (!found.isPossible()) return numberOf(other.isPossible() ? other : found)
  if (!other.isValid()) return numberOf(found)
  const readings = [found.number, other.number].map(withoutChanges)
  const digits = other.number.slice(1)
  return { e164: undefined, readings, extension: found.ext, digits, ...typedAs }
}

/** A number that is E.164. An address book has millions, so everything that follows from the text is made when it is asked for. */
class International implements Phone {
  readonly e164: string
  readonly extension: string | undefined

  constructor(e164: string, extension?: string) {
    this.e164 = e164
    this.extension = extension
  }

  get readings(): readonly string[] {
    return [withoutChanges(this.e164)]
  }

  get digits(): string {
    return this.e164.slice(1)
  }

  get national(): string | undefined {
    return undefined
  }

  get isPossible(): boolean {
    return true
  }
}

/** The same, read by a country, or of a length that no number has. */
class Typed extends International {
  readonly #national: string | undefined
  readonly #isPossible: boolean

  constructor(e164: string, extension: string | undefined, { national, isPossible }: TypedAs) {
    super(e164, extension)
    this.#national = national
    this.#isPossible = isPossible
  }

  override get national(): string | undefined {
    return this.#national
  }

  override get isPossible(): boolean {
    return this.#isPossible
  }
}

function digitsOf(typed: string): string {
  // An extension is no part of the number: `x5`, `ext. 5`, `;ext=5`.
  const [number = ''] = typed.split(/;|\s*(?:ext|x|#)\b/i)
  return number.replace(/\D/g, '').replace(/^0+/, '')
}

/** A number as a text that takes few bytes, for `unpackPhone`: nearly all are E.164 and nothing else. */
export function packPhone(phone: Phone): string {
  const { e164, extension, national, isPossible } = phone
  const isPlain = extension === undefined && national === undefined && isPossible
  if (e164 !== undefined && isPlain) return e164
  const own = e164 === undefined ? { readings: phone.readings, digits: phone.digits } : { e164 }
  return JSON.stringify({ ...own, extension, national, isPossible })
}

export function unpackPhone(text: string): Phone {
  if (text.startsWith('+')) return new International(text)
  // `packPhone` wrote it.
  const phone = JSON.parse(text) as Phone
  return phone.e164 === undefined ? phone : new Typed(phone.e164, phone.extension, phone)
}

/** A text by which numbers that are exactly the same are one. */
export function phoneText(phone: Phone): string {
  const number = phone.e164 ?? [phone.digits, ...phone.readings].join('/')
  return `phone ${number}${phone.extension === undefined ? '' : ` ext. ${phone.extension}`}`
}

/** Whether nothing but its digits is known: its country is not. */
export function isUnplaced({ e164, readings }: Phone): boolean {
  return e164 === undefined && readings.length === 0
}

export function phoneFit(one: Phone, other: Phone): PhoneFit {
  if (one.e164 !== undefined && one.e164 === other.e164)
    return one.extension === other.extension ? 'exact' : 'variant'
  const isSame = one.readings.some((reading) => other.readings.includes(reading))
  if (isSame || isEndOf(one, other) || isEndOf(other, one)) return 'variant'
  return isAbroad(one, other) || isAbroad(other, one) ? 'abroad' : 'none'
}

/** Whether it fits without the country that it was read by. */
function isAbroad({ national }: Phone, other: Phone): boolean {
  return national !== undefined && isTailOf(national, other.digits)
}

/** Without a country a number fits whatever ends in its digits. */
function isEndOf(phone: Phone, { digits: whole }: Phone): boolean {
  return isUnplaced(phone) && isTailOf(phone.digits, whole)
}

function isTailOf(digits: string, whole: string): boolean {
  return digits === whole || (digits.length >= leastDigits && whole.endsWith(digits))
}

/** Numbers that fit in any way have this in common. */
export function phoneKey({ digits }: Phone): number {
  return Number(digits.slice(-leastDigits))
}
