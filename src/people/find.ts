/** The search of `svc contacts find`. It finds the contacts that fit all criteria, each once and with its lists. */
import { fullName } from '../api/names.ts'
import { readPeople, type PeopleSource } from '../api/people.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import { quoteAll, shorten } from '../safe-text.ts'
import { firstOf, fold, nearest, pluralize } from '../words.ts'
import type { Kind } from './kinds.ts'
import { nameMatcher } from './names.ts'
import { doubtOf, numberProblem, phoneFits, type PhoneFit } from './phone.ts'
import {
  textsIn,
  valueFit,
  valuesOf,
  type ReadValues,
  type IdentityValue,
} from './values.ts'

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
    name,
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

/** The value that was typed. Throws exit 2 for what is no number or address, and for several of them. */
function valuesIn(kind: TypedKind, text: string, readValues: ReadValues) {
  const typed = `"${shorten(text.trim())}"`
  if (fold(text) === '') throw usageError(`--${kind} is empty`)
  const values = textsIn(kind, text).flatMap((each) =>
    readValues({ key: kind, text: each }),
  )
  const [value] = values
  if (values.length > 1)
    throw usageError(`${typed} has ${values.length} values, but only one is allowed`)
  const isPhone = kind === 'phone'
  if (value === undefined && !isPhone)
    throw usageError(
      `${typed} is not an email address`,
      'write the whole address: anna@example.com; part of a name: --name anna',
    )
  const problem =
    value?.phone === undefined ? 'is not a phone number' : numberProblem(value.phone)
  if (isPhone && problem !== undefined)
    throw usageError(`${typed} ${problem}`, wholeNumberHint)
  return values
}

function bestFit(
  values: readonly IdentityValue[],
  stored: readonly IdentityValue[],
): PhoneFit | undefined {
  const fits = values.flatMap((value) => stored.map((other) => valueFit(value, other)))
  return phoneFits.find((fit) => fits.includes(fit))
}

/** The contacts that fit. If there are none, notes name the nearest names, and a number that was not compared whole. */
export async function findContacts(source: PeopleSource, criteria: Criteria) {
  const { fitOf, name, doubt } = criteria
  const names = new Set<string>()
  const people = await readPeople(source, (contact) => {
    if (name !== undefined) names.add(fullName(contact))
    return fitOf(contact) !== undefined
  })
  // The added country is ignored only if nobody fits with it.
  const inCountry = people.all.filter((contact) => fitOf(contact) !== 'abroad')
  const all = inCountry.length === 0 ? people.all : inCountry
  const variants = all.filter((contact) => fitOf(contact) !== 'exact')
  const notes = caseNotes(
    variants.map(({ id }) => id),
    'contact',
    'found by a variant of the phone number, which may be another number',
  )
  if (all.length === 0 && doubt !== undefined)
    notes.push(`somebody may still have it: ${doubt}; ${wholeNumberHint}`)
  const near = all.length === 0 && name !== undefined ? nearestNames(name, [...names]) : []
  if (near.length > 0) notes.push(`the nearest names: ${quoteAll(near)}`)
  return { all, ending: { notes: [...notes, ...people.extentNotes(all.length > 0)] } }
}

/** Names that a note suggests. */
const suggestedAtMost = 5

/** Names that are spelled nearly as the typed words: as a whole, or each word as one of theirs. */
function nearestNames(typed: string, names: readonly string[]): string[] {
  const words = fold(typed).split(' ')
  const isNear = (name: string) => {
    const others = fold(name).split(' ')
    return words.every((word) => nearest(word, others).length > 0)
  }
  return [...new Set([...nearest(typed, names), ...names.filter(isNear)])].slice(
    0,
    suggestedAtMost,
  )
}

/** `5 cells cannot be read: B5: "see notes" has no phone number; …; and 2 more`. Empty without cases. */
export function caseNotes(cases: readonly string[], what: string, why: string): string[] {
  if (cases.length === 0) return []
  return [`${pluralize(cases.length, what)} ${why}: ${firstOf(cases, 3).join('; ')}`]
}
