import { identityKeys } from '../api/limits.ts'
import { columnOf, columnsFor } from '../output/columns.ts'
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

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

/** A contact and the lists that it was found on. */
export type FoundContact = Contact & { readonly lists: readonly { readonly id: string; readonly name: string }[] }

export const foundContactView: View<FoundContact> = {
  columns: columnsFor(
    'id as CONTACT',
    'name',
    { ...columnOf('identities.phone as PHONE'), floor: phoneFloor },
    'identities.email as EMAIL',
    'lists.name as LISTS',
  ),
  fields: [...contactFields, 'lists', 'lists.id', 'lists.name'],
  computed: { name: fullName },
  id: ({ id }) => id,
  isRecordAlone: true,
}
