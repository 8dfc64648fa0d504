/** Finds the contacts that fit what was typed for `svc contacts find`. Pure. */
import { fullName } from '../api/by-name.ts'
import type { FoundContact } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { ContactValues } from './contact-values.ts'
import { nameTest, type Fit } from './person-names.ts'
import {
  requireCountry,
  hasEnding,
  extraTextProblem,
  lastDigits,
  readAddresses,
  readPhones,
  withPlainDigits,
  type CellReading,
  type Value,
} from './identities.ts'

/** The texts that were typed. A contact fits if it fits one text of each kind that was typed. */
export type Sought = Record<'phone' | 'email' | 'name', readonly string[]>

type ContactTest = (contact: FoundContact, values: readonly Value[]) => Fit

/**
 * Returns a function that splits contacts into those that fit exactly and those that fit nearly, and counts values that could not
 * be compared in notes. `countryText` is assumed for numbers without `+` or `00`. Throws a usage error if nothing was typed, and for
 * a text that is no number, address, name or country.
 */
export function contactFinder(sought: Sought, countryText: string | undefined) {
  const country = requireCountry(countryText)
  const testsByKind = [
    sought.phone.map((text) => {
      // A number that ends with the typed digits, or with the last eight of them, fits nearly.
      const ending = lastDigits(withPlainDigits(text))
      const kind = 'a phone number of four digits or more'
      return valueTest(text, kind, readPhones(text, country), (near) =>
        hasEnding(near, ending),
      )
    }),
    sought.email.map((text) => {
      const reading = readAddresses(text)
      const [value] = reading.values
      return valueTest(text, 'an email address', reading, (near) => near === value?.nearKey)
    }),
    sought.name.map((text): ContactTest => {
      const nameFit = nameTest(text)
      return (contact) => nameFit(fullName(contact))
    }),
  ].filter((tests) => tests.length > 0)
  if (testsByKind.length === 0)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const fitOf: ContactTest = (contact, values) => {
    const fits = testsByKind.map((tests) =>
      bestOf(tests.map((test) => test(contact, values))),
    )
    if (fits.includes(undefined)) return undefined
    return fits.includes('nearly') ? 'nearly' : 'exactly'
  }
  return (contacts: readonly FoundContact[]) => {
    const found = { exactly: [] as FoundContact[], nearly: [] as FoundContact[] }
    const kinds = (['phone', 'email'] as const).filter((kind) => sought[kind].length > 0)
    const contactValues = new ContactValues(contacts, kinds, country)
    for (const { contact, values } of contactValues) {
      const fit = fitOf(contact, values)
      if (fit !== undefined) found[fit].push(contact)
    }
    return { ...found, notes: contactValues.unreadNotes() }
  }
}

function bestOf(fits: readonly Fit[]): Fit {
  if (fits.includes('exactly')) return 'exactly'
  return fits.find((fit) => fit !== undefined)
}

/** Returns a test for the one value of a text. Throws a usage error if the text has none, several, or other text. */
function valueTest(
  text: string,
  kind: string,
  { values, problem }: CellReading,
  isNear: (nearKey: string) => boolean,
): ContactTest {
  const [value, other] = values
  if (value === undefined || other !== undefined || problem === extraTextProblem)
    throw usageError(
      `"${shorten(text.trim())}" is not ${kind}`,
      'to look for a name: --name <words>',
    )
  return (_, owned) => {
    const isExact = value.key !== undefined && owned.some(({ key }) => key === value.key)
    if (isExact) return 'exactly'
    return owned.some(({ nearKey }) => isNear(nearKey)) ? 'nearly' : undefined
  }
}
