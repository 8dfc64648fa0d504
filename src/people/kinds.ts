/**
 * The kinds of values, and the verdicts that a person may accept: the words that options take. The code that reads values is
 * elsewhere, so that help does not load it.
 */
import { identityKeys, type IdentityKey } from '../api/operations.ts'

export const kinds = ['phone', 'email', 'messenger'] as const
export type Kind = (typeof kinds)[number]

export function kindOf(key: IdentityKey): Kind {
  if (key === 'phone' || key.endsWith('_phone')) return 'phone'
  return key === 'email' ? 'email' : 'messenger'
}

export const messengerKeys = identityKeys.filter((key) => kindOf(key) === 'messenger')

/** Verdicts that a person may take for `one`. */
export const acceptable = ['differs', 'variant'] as const
export type Accepted = ReadonlySet<(typeof acceptable)[number]>
