/** Finds the contacts that fit everything that was typed for `svc contacts find`, each once and with its lists. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource } from '../api/people.ts'
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { firstTexts, fold, nearest } from '../words.ts'
import { nameTest } from './names.ts'
import {
  readPhones,
  requireCountry,
  ownerTest,
  readAddresses,
  type Value,
} from './values.ts'

/** A note shows at most this many ids or names. */
const maxNoted = 5

/** The texts that were typed. A contact fits if it has one text of each kind that was typed. */
export type Sought = Record<'phone' | 'email' | 'name', readonly string[]>

/**
 * Returns the contacts that fit, and notes. If nobody has exactly the number, they are those who have it nearly (`isNear`). If
 * there are none, a note has the nearest names. `countryText` names the country of numbers without `+` or `00`. Throws a usage
 * error if nothing was typed, and for a text that is no number or address.
 */
export async function findContacts(
  source: PeopleSource,
  { phone, email, name }: Sought,
  countryText: string | undefined,
) {
  const country = requireCountry(countryText)
  if (phone.length + email.length + name.length === 0)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const numbers = typedValues(
    phone,
    (text) => readPhones(text, country),
    'a phone number of eight digits or more',
    'write the complete number (+49 …), or name the country: --country DE',
  )
  const addresses = typedValues(
    email,
    readAddresses,
    'an email address',
    'write the whole address: anna@example.com; part of a name: --name anna',
  )
  // Each test passes every contact if nothing of its kind was typed.
  const hasNumber = ownerTest(numbers, country, 'nearKey')
  const hasExactNumber = ownerTest(numbers, country, 'key')
  const hasAddress = ownerTest(addresses, country, 'key')
  const hasName = nameTest(name)
  /** The names of all contacts, to suggest the nearest. */
  const seenNames = new Set<string>()
  const { all, extentNotes } = await readPeople(source, (contact) => {
    const contactName = fullName(contact)
    if (name.length > 0) seenNames.add(contactName)
    return hasName(contactName) && hasNumber(contact) && hasAddress(contact)
  })
  // If nobody was found, a note says how much was read.
  const notes = extentNotes(all.length > 0)
  const exact = all.filter(hasExactNumber)
  const nearIds = all.filter((contact) => !hasExactNumber(contact)).map(({ id }) => id)
  if (nearIds.length > 0) {
    const who = exact.length > 0 ? 'other contacts have' : 'these contacts only have'
    notes.unshift(
      `${who} a number with the same last 8 digits: ${firstTexts(nearIds, maxNoted).join(', ')}`,
    )
  }
  // If somebody has exactly this number, contacts with a similar number are left out.
  if (exact.length > 0) return { found: exact, isNear: false, notes }
  if (all.length > 0) return { found: all, isNear: true, notes }
  const similar = name.flatMap((typed) => nearestNames(typed, [...seenNames]))
  if (similar.length > 0) notes.unshift(`the nearest names: ${quoteAll(similar)}`)
  return { found: all, isNear: false, notes }
}

/** Returns the values in typed texts. Throws a usage error for a text without a value. */
function typedValues(
  texts: readonly string[],
  read: (text: string) => readonly Value[],
  kind: string,
  hint: string,
) {
  for (const text of texts)
    if (read(text).length === 0)
      throw usageError(`"${shorten(text.trim())}" is not ${kind}`, hint)
  return texts.flatMap(read)
}

/** Returns names that have a similar word for each typed word. */
function nearestNames(typed: string, names: readonly string[]) {
  const words = fold(typed).split(' ')
  return names
    .filter((name) =>
      words.every((word) => nearest(word, fold(name).split(' ')).length > 0),
    )
    .slice(0, maxNoted)
}
