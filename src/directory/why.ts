/**
 * Why a row of a table is not `one`, in words for the person who decides: the column WHY of `svc contacts match --annotate`, and `why` of
 * its JSON. Pure. Half of a table may be rows that nobody fits, so it is asked for only where it is shown. Called by `matching.ts`.
 */
import { fullName } from '../api/names.ts'
import type { FoundContact } from '../views/found-contact.ts'
import { groupDigits, joinOr } from '../words.ts'
import { identitiesOf, type ReadValues } from './identity.ts'
import type { Match, SoughtRow } from './match.ts'
import { phoneFit, type Phone } from './phone.ts'
import type { PhoneNumber } from './phone-numbers.ts'
import type { IndexedValue } from './value-index.ts'

/** Tools for the words, beside the row and its contacts. */
export interface WhyTools {
  readonly readValues: ReadValues
  /** `+49 30 5556677`. */
  readonly showNumber: (e164: string) => string
}

type NumberClass = typeof PhoneNumber

/** Values and names of a sentence; the others are in the table. */
const mostNamed = 5

export function whyOf(
  row: SoughtRow,
  match: Match,
  contacts: readonly FoundContact[],
  tools: WhyTools,
): string {
  if (match.verdict === 'one') return ''
  const words = [...ofVerdict(row, match, contacts, tools), ...row.remarks]
  return words.length === 0 ? 'nothing to look for' : words.join('; ')
}

function ofVerdict(
  row: SoughtRow,
  { verdict }: Match,
  contacts: readonly FoundContact[],
  tools: WhyTools,
): string[] {
  const known = row.values.filter(({ fit }) => fit !== undefined)
  const [contact] = contacts
  switch (verdict) {
    case 'differs':
      return [`names differ: ${row.name}, ${contact === undefined ? '' : fullName(contact)}`]
    case 'variant':
      return known.map((value) => variantWords(value, contact, tools))
    case 'several': {
      const could = known.some(({ isExact }) => isExact) ? 'have' : 'could have'
      const values = nameSome(known.map((value) => show(value, tools)))
      return [`${countWords(contacts.length)} contacts ${could} ${values.join(' and ')}`]
    }
    case 'conflict':
      return known.slice(0, mostNamed).map((value) => ownerWords(value, contacts, tools))
    case 'none':
    case 'unreadable':
    case 'empty':
      return nobodyWords(row, tools)
    case 'one':
      return []
  }
}

function nobodyWords({ values }: SoughtRow, tools: WhyTools): string[] {
  const possible = values.filter(({ phone }) => phone?.isPossible !== false)
  if (possible.length === 0) return []
  return [`nobody has ${joinOr(nameSome(possible.map((value) => show(value, tools))))}`]
}

/** A number that is only written like one that the contact has. */
function variantWords(
  value: IndexedValue,
  contact: FoundContact | undefined,
  tools: WhyTools,
): string {
  const stored = contact === undefined ? undefined : storedLike(value, contact, tools)
  const like = stored === undefined ? 'another number' : showPhone(stored, tools)
  const shown = show(value, tools)
  if (shown === like) return `the country of ${shown} is not known`
  return value.fit === 'abroad'
    ? `nobody has ${shown}; in another country it could be ${like}`
    : `${shown} could be ${like}`
}

function storedLike(
  { phone, fit }: IndexedValue,
  contact: FoundContact,
  { readValues }: WhyTools,
): Phone | undefined {
  if (phone === undefined) return undefined
  const stored = identitiesOf(contact)
    .filter(({ kind }) => kind === 'phone')
    .flatMap((identity) => readValues(identity))
  return stored.find((other) => other.phone !== undefined && phoneFit(phone, other.phone) === fit)
    ?.phone
}

function ownerWords(
  value: IndexedValue,
  contacts: readonly FoundContact[],
  tools: WhyTools,
): string {
  const verb = value.isExact ? '' : 'could '
  if (value.contacts.size > 1)
    return `${countWords(value.contacts.size)} contacts ${verb}have ${show(value, tools)}`
  const owner = contacts.find((contact) => hasValue(contact, value, tools))
  const name = owner === undefined ? 'one contact' : fullName(owner) || owner.id
  return `${name} ${value.isExact ? 'has' : 'could have'} ${show(value, tools)}`
}

function hasValue(
  contact: FoundContact,
  { kind, text, phone, fit }: IndexedValue,
  { readValues }: WhyTools,
): boolean {
  return identitiesOf(contact).some((identity) => {
    if (identity.kind !== kind) return false
    return readValues(identity).some((other) =>
      phone === undefined || other.phone === undefined
        ? other.text === text
        : phoneFit(phone, other.phone) === fit,
    )
  })
}

function show({ text, phone }: IndexedValue, tools: WhyTools): string {
  return phone === undefined ? text.slice(text.indexOf(' ') + 1) : showPhone(phone, tools)
}

function showPhone({ e164, digits, extension }: Phone, { showNumber }: WhyTools): string {
  const number = e164 === undefined ? `…${digits}` : showNumber(e164)
  return extension === undefined ? number : `${number} ext. ${extension}`
}

function nameSome(texts: readonly string[]): string[] {
  const shown = [...new Set(texts)]
  if (shown.length <= mostNamed) return shown
  return [...shown.slice(0, mostNamed - 1), `${shown.length - mostNamed + 1} more`]
}

const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

function countWords(count: number): string {
  return smallNumbers[count] ?? groupDigits(count)
}

/** The sign, the country and the digits behind it that decide how the others are grouped. */
const decidesGroups = 8

/**
 * Writes E.164 as `+49 30 5556677`. The library tries all formats of a country for each number, which takes as long as reading it; so the
 * groups of one number are those of all that begin alike and are as long.
 */
export function numberWriter(Written: NumberClass): (e164: string) => string {
  const groupsOf = new Map<string, readonly number[]>()
  return (e164) => {
    const key = `${e164.slice(0, decidesGroups)}/${e164.length}`
    const groups = groupsOf.get(key) ?? groupLengths(Written, e164)
    groupsOf.set(key, groups)
    return cutInto(groups, e164).join(' ')
  }
}

/** `[3, 2, 7]` of `+49 30 5556677`. */
function groupLengths(Written: NumberClass, e164: string): number[] {
  try {
    // Parsing would look for its country too, which takes six times as long.
    const written = new Written(e164).formatInternational()
    return written.split(' ').map(({ length }) => length)
  } catch {
    // No country has its code.
    return [e164.length]
  }
}

function cutInto(lengths: readonly number[], text: string): string[] {
  let from = 0
  return lengths.map((length) => {
    const piece = text.slice(from, from + length)
    from += length
    return piece
  })
}
