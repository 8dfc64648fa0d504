/** Finds the contacts that fit what was typed for `svc contacts find`. Pure. */
import { fullName } from '../api/by-name.ts'
import type { FoundContact } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { spellingsOf, wordsOf } from './person-names.ts'
import {
  ContactReader,
  lastDigits,
  readAddresses,
  readPhones,
  requireCountry,
  withPlainDigits,
  type Reading,
  type Value,
} from './person-values.ts'

/** The texts that were typed. A contact fits if it fits one text of each kind that was typed. */
export type Sought = Record<'phone' | 'email' | 'name', readonly string[]>

/** How well something fits, the best last. */
const fits = { not: 0, nearly: 1, exactly: 2 } as const
type Fit = (typeof fits)[keyof typeof fits]

/**
 * Returns a function that splits contacts into those that fit exactly and those that fit nearly, and counts values that could not
 * be compared in notes. `countryText` is assumed for numbers without `+` or `00`. Throws a usage error if nothing was typed, and for
 * a text that is no number, address, name or country.
 */
export function contactFinder(sought: Sought, countryText: string | undefined) {
  const country = requireCountry(countryText)
  const phoneTests = sought.phone.map((typed) => {
    const kind = 'a phone number of four digits or more'
    const wanted = onlyValue(readPhones(typed, country), typed, kind)
    const ending = lastDigits(withPlainDigits(typed))
    return (value: Value) => {
      const fit = fitOfValue(value, wanted)
      // A number that ends with the typed digits, or with the last eight of them, fits nearly.
      const hasEnding = value.kind === 'phone' && value.near.endsWith(ending)
      return fit === fits.not && hasEnding ? fits.nearly : fit
    }
  })
  const emailTests = sought.email.map((typed) => {
    const wanted = onlyValue(readAddresses(typed), typed, 'an email address')
    return (value: Value) => fitOfValue(value, wanted)
  })
  const nameTests = sought.name.map(nameTest)
  if (phoneTests.length + emailTests.length + nameTests.length === 0)
    throw usageError('nothing to look for: give words, --phone, --email or --name')
  const kinds = (['phone', 'email'] as const).filter((kind) => sought[kind].length > 0)

  return (contacts: readonly FoundContact[]) => {
    const reader = new ContactReader(kinds, country)
    const fitting = contacts.map((contact) => {
      const values = reader.read(contact)
      return Math.min(
        bestFit(phoneTests, values),
        bestFit(emailTests, values),
        bestFit(nameTests, [fullName(contact)]),
      )
    })
    const whoFit = (fit: Fit) => contacts.filter((_, index) => fitting[index] === fit)
    return {
      exactly: whoFit(fits.exactly),
      nearly: whoFit(fits.nearly),
      notes: reader.notes(),
    }
  }
}

/** Returns how well the best of some things passes one of the tests. Without tests, everything fits. */
function bestFit<T>(tests: readonly ((thing: T) => Fit)[], things: readonly T[]) {
  if (tests.length === 0) return fits.exactly
  return Math.max(fits.not, ...tests.flatMap((test) => things.map(test)))
}

function fitOfValue({ exact, near }: Value, wanted: Value): Fit {
  if (exact !== undefined && exact === wanted.exact) return fits.exactly
  return near === wanted.near ? fits.nearly : fits.not
}

/** Returns the one value of a text. Throws a usage error if the text has none, several, or other text. */
function onlyValue({ values, problem }: Reading, text: string, kind: string) {
  const [value, other] = values
  if (value !== undefined && other === undefined && problem !== 'extraText') return value
  if (problem === 'noCountry')
    throw usageError(
      `"${shorten(text.trim())}" needs a country`,
      'add it, for example --country DE',
    )
  throw usageError(
    `"${shorten(text.trim())}" is not ${kind}`,
    'to look for a name: --name <words>',
  )
}

/** Tests whether a name has each typed word. It fits nearly if these only begin words of the name. */
function nameTest(typed: string) {
  const wanted = wordsOf(typed)
  if (wanted.length === 0) throw usageError(`there is no word in --name "${typed}"`)
  return (name: string): Fit => {
    const spellings = wordsOf(name).flatMap(spellingsOf)
    const hasAll = (isFound: (wantedSpelling: string) => boolean) =>
      wanted.every((word) => spellingsOf(word).some(isFound))
    if (hasAll((spelling) => spellings.includes(spelling))) return fits.exactly
    const isBegun = hasAll((begin) => spellings.some((each) => each.startsWith(begin)))
    return isBegun ? fits.nearly : fits.not
  }
}
