/** Finds the contacts that fit what was typed for `svc contacts find`. Pure. */
import { fullName } from '../api/names.ts'
import type { FoundContact } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import type { Country } from './countries.ts'
import { nameTest, type Fit } from './names.ts'
import {
  hasEnding,
  hasMore,
  lastDigits,
  readAddresses,
  readPhones,
  valuesOf,
  withPlainDigits,
} from './values.ts'

/** The texts that were typed. A contact fits if it fits one text of each kind that was typed. */
export type Sought = Record<'phone' | 'email' | 'name', readonly string[]>

type ContactTest = (contact: FoundContact) => Fit

/**
 * Returns a function that splits contacts into those that fit exactly and those that fit nearly. `country` is assumed for numbers
 * without `+` or `00`. Throws a usage error if nothing was typed, and for a text that is no number or address.
 */
export function findContacts(sought: Sought, country: Country | undefined) {
  const kinds = [
    sought.phone.map((text) => phoneTest(text, country)),
    sought.email.map(emailTest),
    sought.name.map((text): ContactTest => {
      const fitOf = nameTest(text)
      return (contact) => fitOf(fullName(contact))
    }),
  ].filter((tests) => tests.length > 0)
  if (kinds.length === 0)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const fitOf: ContactTest = (contact) => {
    const fits = kinds.map((tests) => bestOf(tests.map((test) => test(contact))))
    if (fits.includes(undefined)) return undefined
    return fits.includes('nearly') ? 'nearly' : 'exactly'
  }
  return (contacts: readonly FoundContact[]) => {
    const found = { exactly: [] as FoundContact[], nearly: [] as FoundContact[] }
    for (const contact of contacts) {
      const fit = fitOf(contact)
      if (fit !== undefined) found[fit].push(contact)
    }
    return found
  }
}

function bestOf(fits: readonly Fit[]): Fit {
  if (fits.includes('exactly')) return 'exactly'
  return fits.find((fit) => fit !== undefined)
}

/** Tests for a phone number. One that ends with the typed digits, or with the last eight of them, fits nearly. */
function phoneTest(text: string, country: Country | undefined): ContactTest {
  const { values, problem } = readPhones(text, country)
  const [value, ...others] = values
  if (value === undefined || others.length > 0 || problem === hasMore)
    throw unfitError(
      text,
      'a phone number of four digits or more',
      'to look for a name: --name <words>',
    )
  const ending = lastDigits(withPlainDigits(text))
  return (contact) => {
    const owned = valuesOf(contact, country).values
    if (value.key !== undefined && owned.some(({ key }) => key === value.key))
      return 'exactly'
    return owned.some(({ nearKey }) => hasEnding(nearKey, ending)) ? 'nearly' : undefined
  }
}

/** Tests for an email address. */
function emailTest(text: string): ContactTest {
  const { values, problem } = readAddresses(text)
  const [value, ...others] = values
  if (value === undefined || others.length > 0 || problem !== undefined)
    throw unfitError(text, 'an email address', 'to look for a name: --name <words>')
  return (contact) => {
    const owned = valuesOf(contact, undefined).values
    if (owned.some(({ key }) => key === value.key)) return 'exactly'
    return owned.some(({ nearKey }) => nearKey === value.nearKey) ? 'nearly' : undefined
  }
}

function unfitError(text: string, kind: string, hint: string) {
  return usageError(`"${shorten(text.trim())}" is not ${kind}`, hint)
}
