/**
 * The search of `svc contacts find`: criteria by which a contact is looked for, all of which have to fit; and the contacts that fit, each
 * once, with the lists that they are on. Called by `commands/contacts/find.ts` alone.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import { fold } from '../words.ts'
import { messengerKeys, valueReader, type IdentityKey, type Value } from './identity.ts'
import { nameTest } from './names.ts'
import { readContacts } from './people.ts'
import { isUnplaced, leastDigits, type ReadPhones } from './phone.ts'
import { quantity, type DirectorySource } from './reading.ts'
import { isBetterFit, ValueIndex, type Fit } from './value-index.ts'
import { shorten } from '../safe-text.ts'

export type Sought = Readonly<Partial<Record<'phone' | 'email' | 'name' | 'messenger', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf({ phone, email, messenger, name }: Sought, readPhones: ReadPhones) {
  const index = new ValueIndex(valueReader(readPhones))
  const phones = phone === undefined ? [] : index.add({ kind: 'phone', key: 'phone', text: phone })
  if (phone !== undefined) checkPhone(phone, phones.length)
  const emails = valuesOf(index, '--email', email, ['email'])
  const messengers = valuesOf(index, '--messenger', messenger, messengerKeys)
  /** Numbers of the values of each option that was given, one of which has to fit. */
  const options = [phones, emails, messengers].filter(({ length }) => length > 0)
  if (name !== undefined && fold(name) === '') throw usageError('--name is empty')
  if (options.length === 0 && name === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  const hasName = name === undefined ? () => true : nameTest(name)
  return {
    /** `variant`, `abroad`: only by a phone number that a person has to look at. */
    fitOf: (contact: Contact): Fit | 'none' => {
      const fits = new Map<number, Fit>()
      index.visit(contact, (value, fit) => {
        const known = fits.get(value)
        if (isBetterFit(fit, known)) fits.set(value, fit)
      })
      const hasOne = (values: readonly number[]): boolean => values.some((value) => fits.has(value))
      if (!options.every(hasOne)) return 'none'
      if (!hasName(fullName(contact))) return 'none'
      return worstFit(fits.values())
    },
    hints: hintsOn(
      phones.map((value) => index.at(value)),
      name,
    ),
  }
}

/** The fit of a contact is that of the value that fits least: a person has to look at it. */
function worstFit(fits: Iterable<Fit>): Fit {
  const all = new Set(fits)
  if (all.has('abroad')) return 'abroad'
  return all.has('variant') ? 'variant' : 'exact'
}

/** How incomplete values were compared, for when no contact is found. */
function hintsOn(phones: readonly Value[], name: string | undefined): string[] {
  const hints: string[] = []
  if (phones.some(({ phone }) => phone !== undefined && isUnplaced(phone))) {
    hints.push(
      `a phone number without its country is compared by its last digits, ${leastDigits} at least; ` +
        'write it whole (+49 …), or name the country: --country DE',
    )
  }
  if (name !== undefined) {
    hints.push(
      'a name fits when each word you type is a whole word of it, in any letter case and without accents',
    )
  }
  return hints
}

/** A text under any of some keys; none where the option was not given. Throws exit 2 for a text that is empty. */
function valuesOf(
  index: ValueIndex,
  option: string,
  typed: string | undefined,
  keys: readonly IdentityKey[],
): number[] {
  if (typed === undefined) return []
  const kind = option === '--email' ? 'email' : 'messenger'
  const values = keys.flatMap((key) => index.add({ kind, key, text: typed }))
  if (values.length === 0) throw usageError(`${option} is empty`)
  return values
}

/** Throws exit 2 for a text that is no phone number, or several. */
function checkPhone(typed: string, numbers: number): void {
  if (numbers === 1) return
  if (numbers > 1) throw usageError(`--phone has ${numbers} numbers: give one`)
  const hasDigits = /\p{Nd}/u.test(typed)
  const noNumber = /[1-9]/.test(typed) ? '' : ': its digits are all zeros'
  const why = hasDigits ? noNumber : ': it has no digits'
  const hint = 'write it whole, as in --phone "+49 171 2345678"'
  throw usageError(`--phone: "${shorten(typed)}" is not a phone number${why}`, hint)
}

const variantWords = 'variant of the phone number, which may be another number: check'

export async function* findContacts(
  source: DirectorySource,
  { fitOf, hints }: Criteria,
  limit: number,
) {
  /** By contact. */
  const fits: Fit[] = []
  const { people, read } = await readContacts(source, (contact) => {
    const fit = fitOf(contact)
    if (fit !== 'none') fits.push(fit)
    return fit !== 'none'
  })
  try {
    const all = fittingContacts(fits)
    const isExact = (index: number): boolean => fits[index] === 'exact'
    const shown = all.slice(0, limit)
    for (const index of shown) yield people.at(index)

    const variants = shown.filter((index) => !isExact(index))
    const notes = variantNotes(variants.map((index) => people.ids.id(index)))
    if (shown.length === 0) notes.push(...hints)
    notes.push(...read.notes())
    if (shown.length === all.length) return { notes }
    return {
      shown: shown.length,
      total: all.length,
      missing: 'limit' as const,
      notes,
    }
  } finally {
    people.close()
  }
}

/** Contacts by their places. The country that was given is set aside only when nobody fits with it. */
function fittingContacts(fits: readonly Fit[]): number[] {
  const isAbroad = fits.every((fit) => fit === 'abroad')
  const places = [...fits.keys()]
  return isAbroad ? places : places.filter((place) => fits[place] !== 'abroad')
}

/** Variants that a note names; more of them are only counted. */
const mostNamed = 5

function variantNotes(ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const which = ids.length > mostNamed ? '' : ` ${ids.join(', ')}`
  return [`${quantity(ids.length, 'contact')} found by a ${variantWords}${which}`]
}
