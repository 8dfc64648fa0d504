/** The search of `svc contacts find`. It finds the contacts that fit all criteria, each once and with its lists. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { exit, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { firstOf, fold, pluralize } from '../words.ts'
import type { Kind } from './kinds.ts'
import { nameMatcher } from './names.ts'
import { doubtOf, phoneFits, type PhoneFit } from './phone.ts'
import { valueFit, valuesOf, type ReadValues, type IdentityValue } from './values.ts'

/** The kinds of values that a person can type. */
const typedKinds = ['phone', 'email'] as const
type TypedKind = (typeof typedKinds)[number]

export type Sought = Readonly<Partial<Record<TypedKind | 'name', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 if nothing is given, or if something is empty. */
export function criteriaOf(sought: Sought, readValues: ReadValues) {
  const { name, phone = '' } = sought
  const given = typedKinds.filter((kind) => sought[kind] !== undefined)
  /** The values of each option that was given: one of each has to fit. */
  const valuesOfOptions = given.map((kind) =>
    valuesIn(kind, sought[kind] ?? '', readValues),
  )
  if (name !== undefined && fold(name) === '') throw usageError('--name is empty')
  if (given.length === 0 && name === undefined)
    throw usageError('nothing to look for: give --phone, --email or --name')
  const hasName = name === undefined ? () => true : nameMatcher(name)
  const wanted = new Set<Kind>(given)
  const [first] = valuesOfOptions.flat()
  const doubt = first?.phone && doubtOf(first.phone)
  return {
    /** The worst of the fits of all options. With --name alone: exact. Undefined if an option does not fit. */
    fitOf: (contact: Contact): PhoneFit | undefined => {
      if (!hasName(fullName(contact))) return undefined
      const stored = valuesOf(contact, readValues, wanted)
      const fits = valuesOfOptions.map((values) => bestFit(values, stored))
      if (fits.includes(undefined)) return undefined
      return phoneFits.findLast((fit) => fits.includes(fit)) ?? 'exact'
    },
    /** Why somebody may still have the number if nobody was found. */
    doubt: doubt && `"${shorten(phone)}" ${doubt}`,
  }
}

const wholeNumberHint =
  'write the complete number (+49 …), or name the country: --country DE'

/** Throws exit 2 for a text without a value, for a phone that is not a number, and for several numbers. */
function valuesIn(kind: TypedKind, text: string, readValues: ReadValues) {
  const values = readValues({ key: kind, text })
  const isPhone = kind === 'phone'
  if (isPhone && values.length > 1)
    throw usageError(`--phone has ${values.length} numbers, but only one is allowed`)
  if (values.length > 0) return values
  if (!isPhone) throw usageError(`--${kind} is empty`)
  throw usageError(`--phone: "${shorten(text)}" is not a phone number`, wholeNumberHint)
}

function bestFit(
  values: readonly IdentityValue[],
  stored: readonly IdentityValue[],
): PhoneFit | undefined {
  const fits = values.flatMap((value) => stored.map((other) => valueFit(value, other)))
  return phoneFits.find((fit) => fits.includes(fit))
}

/** The contacts that fit. If there are none, the exit code is 0, or 3 if the number was not compared whole. */
export async function findContacts(source: PeopleSource, { fitOf, doubt }: Criteria) {
  const people = await readPeople(source, (contact) => fitOf(contact) !== undefined)
  // The added country is ignored only if nobody fits with it.
  const inCountry = people.all.filter((contact) => fitOf(contact) !== 'abroad')
  const all = inCountry.length === 0 ? people.all : inCountry
  const variants = all.filter((contact) => fitOf(contact) !== 'exact')
  const notes = caseNotes(
    variants.map(({ id }) => id),
    'contact',
    'found by a variant of the phone number, which may be another number',
  )
  const isDoubtful = all.length === 0 && doubt !== undefined
  if (isDoubtful) notes.push(`somebody may still have it: ${doubt}; ${wholeNumberHint}`)
  const exitCode = isDoubtful ? exit.incomplete : exit.done
  return {
    all,
    ending: { notes: [...notes, ...people.extentNotes(all.length > 0)], exitCode },
  }
}

/** `5 cells cannot be read: B5: "see notes" has no phone number; …; and 2 more`. Empty without cases. */
export function caseNotes(cases: readonly string[], what: string, why: string): string[] {
  if (cases.length === 0) return []
  return [`${pluralize(cases.length, what)} ${why}: ${firstOf(cases, 3).join('; ')}`]
}
