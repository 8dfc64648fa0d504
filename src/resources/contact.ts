import { identityKeys } from '../api/limits.ts'
import type { Contact } from '../api/schemas.ts'

/** What the views of everything that holds a contact have in common. */
export const contactFields = [
  'id',
  'firstName',
  'lastName',
  'identities',
  ...identityKeys.map((key) => `identities.${key}` as const),
  'createdAt',
  'updatedAt',
] as const

/** A truncated number is useless: room for nearly every one with its plus. */
export const phoneFloor = 14

/** Who a contact without a phone and an email is, by the first other identity: `messengerB: robin_b`. */
export function otherIdentity({ identities }: Contact): string | undefined {
  const key = identityKeys.find((name) => (identities?.[name]?.length ?? 0) > 0)
  return key === undefined || key === 'phone' || key === 'email'
    ? undefined
    : `${key.split('_')[0] ?? ''}: ${identities?.[key]?.[0] ?? ''}`
}
