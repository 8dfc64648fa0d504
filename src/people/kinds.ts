/** The kinds of values by which contacts are found. */
import type { IdentityKey } from '../api/operations.ts'

export const kinds = ['phone', 'email', 'messenger'] as const
export type Kind = (typeof kinds)[number]

export function kindOf(key: IdentityKey): Kind {
  if (key === 'phone' || key.endsWith('_phone')) return 'phone'
  return key === 'email' ? 'email' : 'messenger'
}
