/**
 * Kinds of values by which people are found. Without anything that reads them: verbs name the kinds in their options, and `identity.ts` and
 * `headings.ts` judge keys by them.
 */
import { identityKeys } from '../api/operations.ts'

export type IdentityKey = (typeof identityKeys)[number]
export const kinds = ['phone', 'email', 'messenger'] as const
export type Kind = (typeof kinds)[number]

export function kindOf(key: IdentityKey): Kind {
  if (key === 'phone' || key.endsWith('_phone')) return 'phone'
  return key === 'email' ? 'email' : 'messenger'
}

export const messengerKeys = identityKeys.filter((key) => kindOf(key) === 'messenger')
