import { identityKeys } from '../api/limits.ts'

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
