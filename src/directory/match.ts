/**
 * From a row of a table of people to the one contact that it means, or why there is none. Pure: it never guesses. `matching.ts` asks it for
 * each row once all lists are read, and `why.ts` puts its answer into words.
 */
import type { verdicts } from '../input/row-filter.ts'
import type { IndexedValue } from './value-index.ts'

/** A row whose contact is looked for. */
export interface SoughtRow {
  readonly kind: 'sought'
  /** Line in a text, row in a sheet. */
  readonly line: number
  /** A name never decides: it only makes `differs`. */
  readonly name: string
  /** Values that may decide, whether they are known or not. */
  readonly values: readonly IndexedValue[]
  /** Whether a cell that may decide has something that cannot be read. */
  readonly isUnreadable: boolean
  /** Mistakes in its cells, each by its address: `B7: "030 555" is no number of US`. */
  readonly remarks: readonly string[]
}

/** Words of a match; `no` is a person's. */
export type Verdict = Exclude<(typeof verdicts)[number], 'no'>
/** Verdicts that a person may take for `one`. */
export const acceptable = ['differs', 'variant'] as const
export type Accepted = ReadonlySet<(typeof acceptable)[number]>

export interface Match {
  readonly verdict: Verdict
  /** Kinds of values that decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  readonly by: string
  /** The contact of `one`; every contact that a value points to of the others. */
  readonly contacts: readonly number[]
}

/** The match of a row. `isOther`: whether the name of the row and that of a contact contradict each other. */
export function matchRow(
  { name, values, isUnreadable }: SoughtRow,
  accepted: Accepted,
  isOther: (contact: number) => boolean,
): Match {
  const known = values.filter(({ fit }) => fit !== undefined)
  if (known.length === 0) {
    const verdict = verdictOfNobody(values, isUnreadable)
    return { verdict, by: '', contacts: [] }
  }
  const by = kindsOf(known)
  const contacts = sharedContacts(known)
  const [contact] = contacts
  if (contact === undefined) {
    const fitting = known.flatMap((value) => [...value.contacts])
    return { verdict: 'conflict', by, contacts: [...new Set(fitting)] }
  }
  if (contacts.length > 1) return { verdict: 'several', by, contacts }

  const isVariant = known.every(({ isExact }) => !isExact)
  if (isVariant && !accepted.has('variant')) return { verdict: 'variant', by, contacts }

  const doNamesDiffer = name !== '' && isOther(contact)
  if (!doNamesDiffer) return { verdict: 'one', by, contacts }
  if (!accepted.has('differs')) return { verdict: 'differs', by, contacts }
  return { verdict: 'one', by: `${by} (name differs)`, contacts }
}

/** The verdict on a row whose values nobody has. */
function verdictOfNobody(values: readonly IndexedValue[], isUnreadable: boolean): Verdict {
  if (isUnreadable) return 'unreadable'
  return values.length === 0 ? 'empty' : 'none'
}

/** `phone+email (variant)`. */
function kindsOf(known: readonly IndexedValue[]): string {
  const words = known.map(({ kind, isExact }) => (isExact ? kind : `${kind} (variant)`))
  return [...new Set(words)].join('+')
}

/** Contacts that every value fits, found from the value with the fewest. */
function sharedContacts(known: readonly IndexedValue[]): number[] {
  const fitting = known.map((value) => value.contacts)
  const fewestFirst = fitting.toSorted((one, other) => one.size - other.size)
  const [fewest = [], ...others] = fewestFirst
  const fitsOthers = (contact: number): boolean => others.every((fits) => fits.has(contact))
  return [...fewest].filter(fitsOthers)
}
