/** What the views of whatever holds a contact have in common. */

/** `First Last`, or what there is of it. */
export function fullName(person: {
  firstName?: string | null | undefined
  lastName?: string | null | undefined
}): string {
  return [person.firstName, person.lastName]
    .map((part) => part?.trim() ?? '')
    .filter((part) => part !== '')
    .join(' ')
}

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
