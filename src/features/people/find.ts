/**
 * The search of `svc contacts find`: criteria by which a contact is looked for, all of which have to fit;
 * and the contacts that fit, each once, with the lists that they are on.
 */
import { fullName } from '../../api/names.ts'
import type { Contact } from '../../api/schemas.ts'
import { exit, usageError } from '../../errors.ts'
import { fold } from '../../words.ts'
import { valueFit, valuesOf, type ReadValues, type IdentityValue } from './values.ts'
import { kinds, messengerKeys, type Kind } from './kinds.ts'
import { nameTest } from './names.ts'
import { readPeople, tell, type DirectorySource } from '../../api/people.ts'
import { doubtOf, phoneFits, type PhoneFit } from './phone.ts'
import { shorten } from '../../safe-text.ts'

export type Sought = Readonly<Partial<Record<Kind | 'name', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf(sought: Sought, readValues: ReadValues) {
  const { name, phone = '' } = sought
  const given = kinds.filter((kind) => sought[kind] !== undefined)
  /** The values of each option that was given: one of each has to fit. */
  const options = given.map((kind) => valuesIn(kind, sought[kind] ?? '', readValues))
  if (name !== undefined && fold(name) === '') throw usageError('--name is empty')
  if (given.length === 0 && name === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  const hasName = name === undefined ? () => true : nameTest(name)
  const wanted = new Set(given)
  const [first] = options.flat()
  const doubt = first?.phone && doubtOf(first.phone)
  return {
    /** How a contact fits: as the value does that fits least, since a person has to look at it. */
    fitOf: (contact: Contact): PhoneFit | undefined => {
      if (!hasName(fullName(contact))) return undefined
      const stored = valuesOf(contact, readValues, wanted)
      const fits = options.map((values) => bestFit(values, stored))
      if (fits.includes(undefined)) return undefined
      return phoneFits.findLast((fit) => fits.includes(fit)) ?? 'exact'
    },
    /** Why nobody can be said not to have the number. */
    doubt: doubt && `"${shorten(phone)}" ${doubt}`,
  }
}

/** Throws exit 2 for a text without a value, and for one that is not a phone number, or several. */
function valuesIn(kind: Kind, text: string, readValues: ReadValues): IdentityValue[] {
  const keys = kind === 'messenger' ? messengerKeys : [kind]
  const values = keys.flatMap((key) => readValues({ key, text }))
  const isPhone = kind === 'phone'
  if (isPhone && values.length > 1)
    throw usageError(`--phone has ${values.length} numbers, but only one is allowed`)
  if (values.length > 0) return values
  if (!isPhone) throw usageError(`--${kind} is empty`)
  throw usageError(`--phone: "${shorten(text)}" is not a phone number`, wholeNumber)
}

function bestFit(
  values: readonly IdentityValue[],
  stored: readonly IdentityValue[],
): PhoneFit | undefined {
  const fits = values.flatMap((value) => stored.map((other) => valueFit(value, other)))
  return phoneFits.find((fit) => fits.includes(fit))
}

/** Contacts that fit. Of nobody the exit code is 0, or 3 where the number was not compared whole. */
export async function findContacts(source: DirectorySource, { fitOf, doubt }: Criteria) {
  const people = await readPeople(source, (contact) => fitOf(contact) !== undefined)
  // The country that was given is set aside only when nobody fits with it.
  const placed = people.all.filter((contact) => fitOf(contact) !== 'abroad')
  const all = placed.length === 0 ? people.all : placed
  const variants = all.filter((contact) => fitOf(contact) !== 'exact')
  const notes = tell(
    variants.map(({ id }) => id),
    'contact',
    'found by a variant of the phone number, which may be another number',
  )
  const isDoubtful = all.length === 0 && doubt !== undefined
  if (isDoubtful) notes.push(`somebody may still have it: ${doubt}; ${wholeNumber}`)
  const exitCode = isDoubtful ? exit.incomplete : exit.done
  return { all, ending: { notes: [...notes, ...people.extent(all.length > 0)], exitCode } }
}

const wholeNumber = 'write the complete number (+49 …), or name the country: --country DE'
