import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import type { View } from '../output/result.ts'
import { contactFields, phoneFloor } from './contact.ts'

/** A contact and the lists that it was found on. */
export type FoundContact = Contact & { readonly lists: readonly { readonly id: string; readonly name: string }[] }

export const foundContactView: View<FoundContact> = {
  columns: [
    { title: 'CONTACT', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'PHONE', field: 'identities.phone', floor: phoneFloor },
    { title: 'EMAIL', field: 'identities.email' },
    { title: 'LISTS', field: 'lists.name' },
  ],
  fields: [...contactFields, 'lists', 'lists.id', 'lists.name'],
  computed: { name: fullName },
  id: ({ id }) => id,
}
