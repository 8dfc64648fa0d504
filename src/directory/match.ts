/** From a row of a table of people to the one contact that it means, or why there is none. Pure: it never guesses. */
import type { verdicts } from '../ids/row-filter.ts'
import type { Kind } from './identity.ts'
import { doNamesContradict } from './names.ts'

export type Verdict = (typeof verdicts)[number]
/** Verdicts that a person may take for `one`. */
export const acceptable = ['differs', 'variant'] as const
export type Accepted = ReadonlySet<(typeof acceptable)[number]>

/** A value of a row, and the contacts that it fits. A contact is one object, whatever number of values point to it. */
export interface Hits<P> {
  readonly kind: Kind
  readonly exact: ReadonlySet<P>
  readonly variant: ReadonlySet<P>
}

export interface Match<P> {
  readonly verdict: Verdict
  /** What decided, or would: `phone`, `phone+email`, `phone (variant)`. */
  readonly by: string
  /** Of `one` the contact; of the others every contact that a value points to. */
  readonly contacts: readonly P[]
}

/** What a row of a table of people says. */
export interface RowClues<P> {
  /** It never decides, it only makes `differs`. */
  readonly name: string
  /** Values that may decide, whether they are known or not. */
  readonly values: readonly Hits<P>[]
  /** Whether a cell that may decide has something that cannot be read. */
  readonly isUnreadable: boolean
}

export function matchRow<P extends { readonly name: string }>(
  { name, values, isUnreadable }: RowClues<P>,
  accepted: Accepted,
): Match<P> {
  const known = values.filter(({ exact, variant }) => exact.size + variant.size > 0)
  if (known.length === 0) {
    const verdict = isUnreadable ? 'unreadable' : values.length === 0 ? 'empty' : 'none'
    return { verdict, by: '', contacts: [] }
  }
  // Where a value fits someone exactly, its variants do not count.
  const fitting = known.map(({ exact, variant }) => (exact.size > 0 ? exact : variant))
  const by = [...new Set(known.map(({ kind, exact }) => (exact.size > 0 ? kind : `${kind} (variant)`)))].join('+')
  const [first = new Set<P>(), ...others] = fitting.toSorted((one, other) => one.size - other.size)
  const contacts = [...first].filter((contact) => others.every((fits) => fits.has(contact)))
  const [contact] = contacts
  if (contact === undefined)
    return { verdict: 'conflict', by, contacts: [...new Set(fitting.flatMap((fits) => [...fits]))] }
  if (contacts.length > 1) return { verdict: 'several', by, contacts }
  const isVariant = known.every(({ exact }) => exact.size === 0)
  if (isVariant && !accepted.has('variant')) return { verdict: 'variant', by, contacts }
  const isOther = doNamesContradict(name, contact.name)
  if (isOther && !accepted.has('differs')) return { verdict: 'differs', by, contacts }
  return { verdict: 'one', by: isOther ? `${by} (name differs)` : by, contacts }
}
