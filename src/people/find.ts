/** The search of `svc contacts find`. It finds the contacts that fit all criteria, each once and with its lists. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { firstOf, fold, nearest } from '../words.ts'
import { nameMatcher } from './names.ts'
import { readPhones, requireCountry } from './phone.ts'
import { fitOf, readAddresses, valuesOf, type Fit, type Value } from './values.ts'

/** What was typed: of each kind, one text has to fit. */
export type Sought = Readonly<Record<'phone' | 'email' | 'name', readonly string[]>>

/** Throws exit 2 if nothing is given, and for a text that is no number or address. */
export function criteriaOf({ phone, email, name }: Sought, usual: string | undefined) {
  const country = requireCountry(usual)
  if (phone.length + email.length + name.length === 0)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const numbers = phone.flatMap((text) =>
    typedValues('phone', text, readPhones(text, country)),
  )
  const addresses = email.flatMap((text) => typedValues('email', text, readAddresses(text)))
  const sought = [numbers, addresses].filter((values) => values.length > 0)
  const hasNames = name.map(nameMatcher)
  return {
    names: name,
    /** The worse of the fits of a number and an address; undefined if one of the criteria does not fit. */
    fitOfContact: (contact: Contact): Fit | undefined => {
      const whole = fullName(contact)
      if (name.length > 0 && !hasNames.some((hasName) => hasName(whole))) return undefined
      const stored = valuesOf(contact, country)
      const fits = sought.map((values) => bestFit(values, stored))
      if (fits.includes(undefined)) return undefined
      return fits.includes('nearly') ? 'nearly' : 'equal'
    },
    /** Numbers that somebody may have in another country. */
    doubts: numbers.filter(({ key }) => key === undefined),
  }
}

const nouns = { phone: 'a phone number of eight digits or more', email: 'an email address' }
const hints = {
  phone: 'write the complete number (+49 …), or name the country: --country DE',
  email: 'write the whole address: anna@example.com; part of a name: --name anna',
}

/** The values of a typed text. Throws exit 2 if it has none. */
function typedValues(kind: keyof typeof nouns, text: string, values: readonly Value[]) {
  if (values.length > 0) return values
  throw usageError(`"${shorten(text.trim())}" is not ${nouns[kind]}`, hints[kind])
}

function bestFit(values: readonly Value[], stored: readonly Value[]): Fit | undefined {
  const fits = values.flatMap((value) => stored.map((other) => fitOf(value, other)))
  return fits.includes('equal') ? 'equal' : fits.find((fit) => fit !== undefined)
}

/** The contacts that fit. If there are none, notes name the nearest names, and numbers that were not compared whole. */
export async function findContacts(
  source: PeopleSource,
  criteria: ReturnType<typeof criteriaOf>,
) {
  const { fitOfContact, names, doubts } = criteria
  const seen = new Set<string>()
  const { all, extentNotes } = await readPeople(source, (contact) => {
    if (names.length > 0) seen.add(fullName(contact))
    return fitOfContact(contact) !== undefined
  })
  const notes = extentNotes(all.length > 0)
  const near = all.filter((contact) => fitOfContact(contact) === 'nearly')
  if (near.length > 0) {
    const ids = near.map(({ id }) => id)
    notes.unshift(`the number fits only nearly: ${firstOf(ids, mostTold).join(', ')}`)
  }
  // Another number is no answer where somebody has this one.
  const equal = all.filter((contact) => !near.includes(contact))
  if (all.length > 0) return { found: equal.length > 0 ? equal : near, notes }
  for (const { shown } of doubts)
    notes.unshift(`somebody may have ${shown} in another country: ${hints.phone}`)
  const similar = names.flatMap((name) => nearestNames(name, [...seen]))
  if (similar.length > 0) notes.unshift(`the nearest names: ${quoteAll(similar)}`)
  return { found: all, notes }
}

/** A note has at most this many ids or names. */
const mostTold = 5

/** Names in which each of the typed words is spelled nearly so. */
function nearestNames(typed: string, names: readonly string[]): string[] {
  const words = fold(typed).split(' ')
  const isNear = (name: string) => {
    const others = fold(name).split(' ')
    return words.every((word) => nearest(word, others).length > 0)
  }
  return names.filter(isNear).slice(0, mostTold)
}
