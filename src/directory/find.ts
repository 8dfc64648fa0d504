/**
 * The search of `svc contacts find`: criteria by which a contact is looked for, all of which have to fit; and the contacts that fit, each
 * once, with the lists that they are on. Called by `commands/contacts/find.ts` alone.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { exit, usageError } from '../errors.ts'
import type { Ending } from '../output/result.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { fold, pluralize } from '../words.ts'
import { valueReader, valuesOf, type Value } from './identity.ts'
import { messengerKeys, type IdentityKey } from './kinds.ts'
import { nameTest } from './names.ts'
import { readPeople, type DirectorySource } from './people.ts'
import { doubtOf, phoneFit, phoneFits, type PhoneFit, type ReadPhones } from './phone.ts'
import { shorten } from '../safe-text.ts'

export type Sought = Readonly<Partial<Record<'phone' | 'email' | 'name' | 'messenger', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf(sought: Sought, readPhones: ReadPhones, country?: string) {
  const { phone, email, messenger, name } = sought
  const readValues = valueReader(readPhones)
  const valuesIn = (option: string, keys: readonly IdentityKey[], text?: string): Value[][] => {
    if (text === undefined) return []
    const values = keys.flatMap((key) => readValues({ key, text }))
    if (option === '--phone') checkPhone(text, values.length)
    else if (values.length === 0) throw usageError(`${option} is empty`)
    return [values]
  }
  /** The values of each option that was given: one of each has to fit. */
  const options = [
    ...valuesIn('--phone', ['phone'], phone),
    ...valuesIn('--email', ['email'], email),
    ...valuesIn('--messenger', messengerKeys, messenger),
  ]
  if (name !== undefined && fold(name) === '') throw usageError('--name is empty')
  if (options.length === 0 && name === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  const hasName = name === undefined ? () => true : nameTest(name)
  const kinds = new Set(options.flat().map(({ kind }) => kind))
  const [read] = options.flat()
  const doubt = read?.phone && doubtOf(read.phone, country?.toUpperCase())
  return {
    /** How a contact fits: as the value does that fits least, since a person has to look at it. */
    fitOf: (contact: Contact): PhoneFit | undefined => {
      if (!hasName(fullName(contact))) return undefined
      const stored = valuesOf(contact, readValues, kinds)
      const fits = options.map((values) => bestFit(values, stored))
      if (fits.includes(undefined)) return undefined
      return phoneFits.findLast((fit) => fits.includes(fit)) ?? 'exact'
    },
    /** Why nobody can be said not to have the number. */
    doubt: doubt === undefined ? undefined : `"${shorten(phone ?? '')}" ${doubt}`,
    hasName: name !== undefined,
  }
}

function bestFit(values: readonly Value[], stored: readonly Value[]): PhoneFit | undefined {
  const fits = values.flatMap((value) => stored.map((other) => valueFit(value, other)))
  return phoneFits.find((fit) => fits.includes(fit))
}

function valueFit(one: Value, other: Value): PhoneFit | undefined {
  if (one.phone !== undefined && other.phone !== undefined) return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : undefined
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

/** Contacts that fit. Of nobody the exit code is 0, or 3 where the number was not compared whole. */
export async function* findContacts(
  source: DirectorySource,
  criteria: Criteria,
  limit: number,
): AsyncGenerator<FoundContact, Ending> {
  const people = await readPeople(source, (contact) => criteria.fitOf(contact) !== undefined)
  const fits = people.all.map((contact) => criteria.fitOf(contact))
  // The country that was given is set aside only when nobody fits with it.
  const isAbroad = fits.every((fit) => fit === 'abroad')
  const all = people.all.filter((_, place) => isAbroad || fits[place] !== 'abroad')
  const shown = all.slice(0, limit)
  yield* shown
  const variants = shown.filter((contact) => criteria.fitOf(contact) !== 'exact')
  const ending = {
    notes: [
      ...variantNotes(variants.map(({ id }) => id)),
      ...(all.length === 0 ? nobodyNotes(criteria) : []),
      ...people.notes,
    ],
    ...(all.length === 0 && criteria.doubt !== undefined ? { exitCode: exit.incomplete } : {}),
  }
  const cut = { shown: shown.length, total: all.length, missing: 'limit' as const }
  return shown.length === all.length ? ending : { ...cut, ...ending }
}

/** Variants that a note names; more of them are only counted. */
const mostNamed = 5

function variantNotes(ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const which = ids.length > mostNamed ? '' : ` ${ids.join(', ')}`
  const found = `${pluralize(ids.length, 'contact')} found by a variant of the phone number`
  return [`${found}, which may be another number: check${which}`]
}

/** How values were compared, when no contact is found. */
function nobodyNotes({ doubt, hasName }: Criteria): string[] {
  const notes: string[] = []
  if (doubt !== undefined)
    notes.push(
      `nobody can be said not to have it: ${doubt}; write it whole (+49 …), or name the country: --country DE`,
    )
  if (hasName)
    notes.push(
      'a name fits when each word you type is a whole word of it, in any letter case and without accents',
    )
  return notes
}
