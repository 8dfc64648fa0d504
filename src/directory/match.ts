/** From a row of a table of people to the one contact that it means, or why there is none. Pure: it never guesses. */
import { namesDiffer, type Kind } from './identity.ts'

export const verdicts = ['one', 'differs', 'variant', 'several', 'conflict', 'none', 'empty'] as const
export type Verdict = (typeof verdicts)[number]
/** Verdicts that a person may take for `one`. */
export const acceptable = ['differs', 'variant'] as const
export type Accepted = ReadonlySet<(typeof acceptable)[number]>

/** A value of a row, and the contacts that it fits: ids in lower case. */
export interface Hits {
  readonly kind: Kind
  readonly exact: ReadonlySet<string>
  readonly variant: ReadonlySet<string>
}

export interface Match {
  readonly verdict: Verdict
  /** The contact; with `one` alone. */
  readonly contact: string | undefined
  /** What decided: `phone`, `phone+email`, `phone (variant)`. */
  readonly by: string
  /** Every contact that a value points to, when it is not `one`. */
  readonly candidates: readonly string[]
}

/**
 * @param name That of the row; it never decides, it only makes `differs`.
 * @param values Those of the row that may decide, whether they are known or not.
 * @param nameOf The name of a contact by its id.
 */
export function matchRow(
  name: string,
  values: readonly Hits[],
  nameOf: (id: string) => string,
  accepted: Accepted,
): Match {
  const known = values.filter(({ exact, variant }) => exact.size + variant.size > 0)
  if (known.length === 0) return none(values.length === 0 ? 'empty' : 'none', [])
  // A value that fits someone exactly has no variants.
  const fitting = known.map(({ exact, variant }) => (exact.size > 0 ? exact : variant))
  const candidates = [...new Set(fitting.flatMap((ids) => [...ids]))]
  const all = candidates.filter((id) => fitting.every((ids) => ids.has(id)))
  const [contact] = all
  if (contact === undefined) return none('conflict', candidates)
  if (all.length > 1) return none('several', all)
  const isVariant = known.every(({ exact }) => exact.size === 0)
  if (isVariant && !accepted.has('variant')) return none('variant', all)
  const isOther = namesDiffer(name, nameOf(contact))
  if (isOther && !accepted.has('differs')) return none('differs', all)
  const by = [...new Set(known.map(({ kind, exact }) => (exact.size > 0 ? kind : `${kind} (variant)`)))].join('+')
  return { verdict: 'one', contact, by: isOther ? `${by} (name differs)` : by, candidates: [] }
}

function none(verdict: Verdict, candidates: readonly string[]): Match {
  return { verdict, contact: undefined, by: '', candidates }
}
