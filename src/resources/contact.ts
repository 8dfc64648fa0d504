import { identityKeys } from '../api/limits.ts'
import type { Contact } from '../api/schemas.ts'

/** What the views of whatever holds a contact have in common. */
export const contactFields = [
  'id',
  'firstName',
  'lastName',
  'identities',
  'identities.phone',
  'identities.email',
  'identities.messengerA_phone',
  'identities.messengerA_user_id',
  'identities.messengerA_parent_user_id',
  'identities.messengerB_user_id',
  'identities.messengerB_username',
  'identities.messengerB_phone',
  'identities.messengerC_user_id',
  'identities.messengerC_username',
  'identities.messengerC_phone',
  'identities.socialA_user_id',
  'identities.socialB_user_id',
  'identities.socialC_user_id',
  'identities.socialC_username',
  'createdAt',
  'updatedAt',
] as const

/** A number that is cut is nobody's: room for nearly every one with its plus. */
export const phoneFloor = 14

/** Who a contact without a phone and an email is, by the first other identity: `messengerB: robin_b`. */
export function otherIdentity({ identities }: Contact): string | undefined {
  const key = identityKeys.find((name) => (identities?.[name]?.length ?? 0) > 0)
  return key === undefined || key === 'phone' || key === 'email'
    ? undefined
    : `${key.split('_')[0] ?? ''}: ${identities?.[key]?.[0] ?? ''}`
}
