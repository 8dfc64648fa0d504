/**
 * The contact that a row of a table of people means, or why there is none, as a verdict and in words: the
 * column WHY of `svc contacts match --annotate`, and `why` of its JSON. It never guesses. Pure.
 */
import { fullName } from '../../api/names.ts'
import type { FoundContact } from '../../api/people.ts'
import type { verdicts } from '../../input/row-filter.ts'
import { firstOf, groupDigits, joinOr } from '../../words.ts'
import {
  valueFit,
  valuesOf,
  type BestFit,
  type IdentityValue,
  type ReadValues,
  type ValueIndex,
} from './values.ts'
import type { Accepted } from './kinds.ts'
import { doNamesContradict } from './names.ts'
import type { PersonRow, SoughtValue } from './people-table.ts'
import { e164Of, writeNumber } from './phone.ts'

/** Words of a match; `no` is a person's. */
type Verdict = (typeof verdicts)[number]

/** A value of a row that somebody has. */
export type KnownValue = SoughtValue & BestFit

export interface Match {
  verdict: Verdict
  /** Kinds of values that decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  by: string
  /** The contact of `one`, and of a row that was decided if it was read; else every contact that a value points to. */
  contacts: readonly FoundContact[]
  known: readonly KnownValue[]
  /** Values that nobody has. */
  unknown: readonly SoughtValue[]
}

/** A row with its contact, or why it has none. */
export interface MatchedRow extends PersonRow {
  match: Match
}

/** `accepted`: verdicts that count as `one`. */
export function matchRow(row: PersonRow, index: ValueIndex, accepted: Accepted): Match {
  const known: KnownValue[] = []
  const unknown: SoughtValue[] = []
  for (const value of row.values) {
    const best = index.bestFit(value)
    if (best === undefined) unknown.push(value)
    else known.push({ ...value, ...best })
  }
  const contacts = sharedContacts(known)
  const [contact] = contacts
  const match = { by: kindsOf(known), contacts, known, unknown }
  if (known.length === 0) return { ...match, verdict: verdictOfNobody(row) }
  if (contact === undefined) {
    const fitting = known.flatMap(({ people }) => [...people])
    return { ...match, contacts: [...new Set(fitting)], verdict: 'conflict' }
  }
  if (contacts.length > 1) return { ...match, verdict: 'several' }

  const isVariant = known.every(({ fit }) => fit !== 'exact')
  if (isVariant && !accepted.has('variant')) return { ...match, verdict: 'variant' }

  if (!doNamesContradict(row.name, fullName(contact))) return { ...match, verdict: 'one' }
  if (!accepted.has('differs')) return { ...match, verdict: 'differs' }
  return { ...match, verdict: 'one', by: `${match.by} (name differs)` }
}

/** The verdict on a row whose values nobody has: "nobody" is never said of a value that was not compared. */
function verdictOfNobody({ values, unreadable }: PersonRow): Verdict {
  const isDoubtful = values.some(({ doubt }) => doubt !== undefined)
  if (isDoubtful || unreadable.length > 0) return 'unreadable'
  return values.length === 0 ? 'empty' : 'none'
}

/** `phone+email (variant)`. */
function kindsOf(known: readonly KnownValue[]) {
  const words = known.map(({ kind, fit }) => (fit === 'exact' ? kind : `${kind} (variant)`))
  return [...new Set(words)].join('+')
}

/** Contacts that every value fits, found from the value with the fewest. */
function sharedContacts(known: readonly KnownValue[]): FoundContact[] {
  const fewestFirst = known.toSorted((one, other) => one.people.size - other.people.size)
  const [fewest, ...others] = fewestFirst
  const contacts = [...(fewest?.people ?? [])]
  return contacts.filter((contact) => others.every(({ people }) => people.has(contact)))
}

/** Values and names of a sentence; the others are in the table. */
const mostNamed = 5

export function whyOf(row: MatchedRow, readValues: ReadValues): string {
  const { verdict, unknown } = row.match
  if (verdict === 'one' || verdict === 'no') return ''
  const doubts = unknown.flatMap(({ doubt }) => doubt ?? [])
  const words = [
    ...verdictWords(row, readValues),
    ...row.unreadable,
    ...doubts,
    ...row.remarks,
  ]
  return words.length === 0 ? 'nothing to look for' : [...new Set(words)].join('; ')
}

function verdictWords({ name, match }: MatchedRow, readValues: ReadValues) {
  const { verdict, contacts, known, unknown } = match
  const [contact] = contacts
  switch (verdict) {
    case 'differs':
      return [`names differ: ${name}, ${contact === undefined ? '' : fullName(contact)}`]
    case 'variant': {
      const stored =
        contact === undefined ? [] : valuesOf(contact, readValues, new Set(['phone']))
      return known.map((value) => variantWords(value, stored))
    }
    case 'several':
      return [severalWords(contacts.length, namesOf(known).slice(0, mostNamed))]
    case 'conflict':
      return known.slice(0, mostNamed).map(ownerWords)
    case 'one':
    case 'no':
      return []
    case 'none':
    case 'unreadable':
    case 'empty': {
      const compared = unknown.filter(({ doubt }) => doubt === undefined)
      return compared.length === 0 ? [] : [`nobody has ${nameSome(compared)}`]
    }
  }
}

/** A number that is only written like one that the contact has. `stored`: the numbers of the contact. */
function variantWords(value: KnownValue, stored: readonly IdentityValue[]) {
  const number = show(value)
  const like = stored.find((other) => valueFit(value, other) === value.fit)
  const other = like === undefined ? number : show(like)
  return number === other
    ? `the country of ${number} is not known`
    : `${number} could be ${other}`
}

function ownerWords(value: KnownValue) {
  const { people } = value
  const [owner] = people
  if (owner === undefined || people.size > 1)
    return severalWords(people.size, [show(value)])
  return `${fullName(owner) || owner.id} fits ${show(value)}`
}

function severalWords(count: number, values: readonly string[]) {
  return `${groupDigits(count)} contacts fit ${values.join(' and ')}`
}

function show({ text, phone }: IdentityValue) {
  if (phone === undefined) return text.slice(text.indexOf(' ') + 1)
  const e164 = e164Of(phone)
  const number = e164 === undefined ? `…${phone.digits}` : writeNumber(e164)
  return phone.extension === undefined ? number : `${number} ext. ${phone.extension}`
}

function namesOf(values: readonly IdentityValue[]) {
  return [...new Set(values.map(show))]
}

function nameSome(values: readonly IdentityValue[]) {
  const names = namesOf(values)
  return names.length > mostNamed ? firstOf(names, mostNamed).join(', ') : joinOr(names)
}
