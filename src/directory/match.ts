/** From a row of a table of people to the one contact that it means, or why there is none. Pure: it never guesses. */
import type { verdicts } from '../input/row-filter.ts'
import { doNamesContradict } from './names.ts'
import type { SoughtRow } from './sought.ts'

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

/** The match of a row. `nameOf`: the name of a contact. */
export function matchRow(
  { name, values, isUnreadable }: SoughtRow,
  accepted: Accepted,
  nameOf: (contact: number) => string,
): Match {
  const known = values.filter(({ contacts }) => contacts.size > 0)
  if (known.length === 0) {
    const verdict = isUnreadable ? 'unreadable' : values.length === 0 ? 'empty' : 'none'
    return { verdict, by: '', contacts: [] }
  }
  const fitting = known.map((value) => value.contacts)
  const by = [
    ...new Set(known.map(({ kind, isExact }) => (isExact ? kind : `${kind} (variant)`))),
  ].join('+')
  const [first = new Set<number>(), ...others] = fitting.toSorted(
    (one, other) => one.size - other.size,
  )
  const contacts = [...first].filter((contact) => others.every((fits) => fits.has(contact)))
  const [contact] = contacts
  if (contact === undefined)
    return { verdict: 'conflict', by, contacts: [...new Set(fitting.flatMap((fits) => [...fits]))] }
  if (contacts.length > 1) return { verdict: 'several', by, contacts }
  const isVariant = known.every(({ isExact }) => !isExact)
  if (isVariant && !accepted.has('variant')) return { verdict: 'variant', by, contacts }
  const isOther = name !== '' && doNamesContradict(name, nameOf(contact))
  if (isOther && !accepted.has('differs')) return { verdict: 'differs', by, contacts }
  return { verdict: 'one', by: isOther ? `${by} (name differs)` : by, contacts }
}
