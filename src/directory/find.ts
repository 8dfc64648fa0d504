/**
 * The search of `svc contacts find`: criteria by which a contact is looked for, all of which have to fit; and the contacts that fit, each
 * once, with the lists that they are on. Called by `commands/contacts/find.ts` alone.
 */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { exit, usageError } from '../errors.ts'
import type { Ending } from '../output/result.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { fold } from '../words.ts'
import { valueReader, type Value } from './identity.ts'
import { messengerKeys, type IdentityKey } from './kinds.ts'
import { nameTest } from './names.ts'
import { readPeople, tell, type DirectorySource } from './people.ts'
import { doubtOf, phoneFits, type PhoneFit, type ReadPhones } from './phone.ts'
import { shorten } from '../safe-text.ts'
import { ValueIndex } from './value-index.ts'

export type Sought = Readonly<
  Partial<Record<'phone' | 'email' | 'name' | 'messenger', string>>
>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf(sought: Sought, readPhones: ReadPhones, country?: string) {
  const { phone, email, messenger, name } = sought
  const readValues = valueReader(readPhones)
  const valuesIn = (
    option: string,
    keys: readonly IdentityKey[],
    text?: string,
  ): Value[][] => {
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
      const index = new ValueIndex([{ ...contact, lists: [] }], readValues, kinds)
      const fits = options.map((values) => {
        const each = values.map((value) => index.bestFit(value)?.fit)
        return phoneFits.find((fit) => each.includes(fit))
      })
      if (fits.includes(undefined)) return undefined
      return phoneFits.findLast((fit) => fits.includes(fit)) ?? 'exact'
    },
    /** Why nobody can be said not to have the number. */
    doubt: doubt === undefined ? undefined : `"${shorten(phone ?? '')}" ${doubt}`,
  }
}

/** Throws exit 2 for a text that is no phone number, or several. */
function checkPhone(typed: string, numbers: number): void {
  if (numbers > 1) throw usageError(`--phone has ${numbers} numbers: give one`)
  if (numbers === 0)
    throw usageError(`--phone: "${shorten(typed)}" is not a phone number`, wholeNumber)
}

/** Contacts that fit. Of nobody the exit code is 0, or 3 where the number was not compared whole. */
export async function* findContacts(
  source: DirectorySource,
  { fitOf, doubt }: Criteria,
  limit: number,
): AsyncGenerator<FoundContact, Ending> {
  const people = await readPeople(source, (contact) => fitOf(contact) !== undefined)
  // The country that was given is set aside only when nobody fits with it.
  const placed = people.all.filter((contact) => fitOf(contact) !== 'abroad')
  const all = placed.length === 0 ? people.all : placed
  const shown = all.slice(0, limit)
  yield* shown
  const variants = shown.filter((contact) => fitOf(contact) !== 'exact').map(({ id }) => id)
  const notes = tell(
    variants,
    'contact',
    'found by a variant of the phone number, which may be another number',
  )
  const isDoubtful = all.length === 0 && doubt !== undefined
  if (isDoubtful) notes.push(`nobody can be said not to have it: ${doubt}; ${wholeNumber}`)
  return {
    shown: shown.length,
    total: all.length,
    missing: shown.length < all.length ? 'limit' : undefined,
    notes: [...notes, ...people.notes],
    exitCode: isDoubtful ? exit.incomplete : exit.done,
  }
}

const wholeNumber = 'write it whole (+49 …), or name the country: --country DE'
