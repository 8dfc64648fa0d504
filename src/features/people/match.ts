/**
 * From a row of a table of people to the one contact that it means, or why there is none: it never guesses.
 * Pure.
 */
import { fullName } from '../../api/names.ts'
import type { verdicts } from '../../input/row-filter.ts'
import type { FoundContact } from '../../api/people.ts'
import type { Accepted } from './kinds.ts'
import { doNamesContradict } from './names.ts'
import type { PersonRow, SoughtValue } from './people-table.ts'
import type { BestFit, ValueIndex } from './value-index.ts'

/** Words of a match; `no` is a person's. */
type Verdict = (typeof verdicts)[number]

/** A value of a row that somebody has. */
export type KnownValue = SoughtValue & BestFit

export interface Match {
  readonly verdict: Verdict
  /** Kinds of values that decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  readonly by: string
  /** The contact of `one`, and of a row that was decided if it was read; else every contact that a value points to. */
  readonly contacts: readonly FoundContact[]
  readonly known: readonly KnownValue[]
  /** Values that nobody has. */
  readonly unknown: readonly SoughtValue[]
}

/** A row with its contact, or why it has none. */
export interface MatchedRow extends PersonRow {
  readonly match: Match
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
function kindsOf(known: readonly KnownValue[]): string {
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
