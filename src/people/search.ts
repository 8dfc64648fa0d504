/** Finds the contacts that fit what was typed for `svc contacts find`. Pure. */
import { fullName } from '../api/by-name.ts'
import type { FoundContact } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { indexContacts } from './contact-index.ts'
import { fits, nameTest } from './person-names.ts'
import {
  extraTextProblem,
  hasEnding,
  isNear,
  lastDigits,
  readAddresses,
  readPhones,
  requireCountry,
  withPlainDigits,
  type Reading,
} from './identities.ts'

/** The texts that were typed. A contact fits if it fits one text of each kind that was typed. */
export type Sought = Record<'phone' | 'email' | 'name', readonly string[]>

/**
 * Returns a function that splits contacts into those that fit exactly and those that fit nearly, and counts values that could not
 * be compared in notes. `countryText` is assumed for numbers without `+` or `00`. Throws a usage error if nothing was typed, and for
 * a text that is no number, address, name or country.
 */
export function contactFinder(sought: Sought, countryText: string | undefined) {
  const country = requireCountry(countryText)
  /** For each typed value, whether a key of a contact fits it. */
  const keyTests = {
    phone: sought.phone.map((text) => {
      const kind = 'a phone number of four digits or more'
      const keys = keysOfOnly(readPhones(text, country), text, kind)
      // A number that ends with the typed digits, or with the last eight of them, fits nearly.
      const ending = lastDigits(withPlainDigits(text))
      return (key: string) => keys.includes(key) || hasEnding(key, ending)
    }),
    email: sought.email.map((text) => {
      const keys = keysOfOnly(readAddresses(text), text, 'an email address')
      return (key: string) => keys.includes(key)
    }),
  }
  const nameTests = sought.name.map(nameTest)
  const kinds = (['phone', 'email'] as const).filter((kind) => keyTests[kind].length > 0)
  if (kinds.length + nameTests.length === 0)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const isWanted = (key: string) =>
    kinds.some((kind) => keyTests[kind].some((isFitting) => isFitting(key)))

  return (contacts: readonly FoundContact[]) => {
    const { owners, notes } = indexContacts(contacts, kinds, country, isWanted)
    /** Returns how well the values of each contact fit one of the tests. */
    const fitsBy = (tests: readonly ((key: string) => boolean)[]) => {
      const fitOf = new Map<FoundContact, number>()
      for (const [key, people] of owners) {
        if (!tests.some((isFitting) => isFitting(key))) continue
        const fit = isNear(key) ? fits.nearly : fits.exactly
        for (const contact of people)
          fitOf.set(contact, Math.max(fit, fitOf.get(contact) ?? fits.not))
      }
      return (contact: FoundContact) => fitOf.get(contact) ?? fits.not
    }
    const byName = (contact: FoundContact) =>
      Math.max(...nameTests.map((test) => test(fullName(contact))))
    const byKind = [
      ...kinds.map((kind) => fitsBy(keyTests[kind])),
      ...(nameTests.length > 0 ? [byName] : []),
    ]
    const fitting = contacts.map((contact) =>
      Math.min(...byKind.map((fitOf) => fitOf(contact))),
    )
    const whoFit = (fit: number) => contacts.filter((_, index) => fitting[index] === fit)
    return { exactly: whoFit(fits.exactly), nearly: whoFit(fits.nearly), notes }
  }
}

/** Returns the keys of the one value of a text. Throws a usage error if the text has none, several, or other text. */
function keysOfOnly({ values, problem }: Reading, text: string, kind: string) {
  const [value, other] = values
  if (value !== undefined && other === undefined && problem !== extraTextProblem)
    return value.keys
  throw usageError(
    `"${shorten(text.trim())}" is not ${kind}`,
    'to look for a name: --name <words>',
  )
}
