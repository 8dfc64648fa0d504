import type { MergeResult } from '../api/schemas.ts'
import { fullName } from '../api/names.ts'
import type { View } from '../output/result.ts'
import { contactFields } from './contact.ts'

export const mergeView: View<MergeResult> = {
  columns: [
    { title: 'MERGED', field: 'mergedContactId', kind: 'id' },
    { title: 'CONTACT', field: 'contact.id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'PHONE', field: 'contact.identities.phone' },
    { title: 'EMAIL', field: 'contact.identities.email' },
    { title: 'UPDATED', field: 'contact.updatedAt', kind: 'time' },
  ],
  fields: ['mergedContactId', 'contact', ...contactFields.map((field) => `contact.${field}`)],
  computed: { name: ({ contact }) => fullName(contact) },
  id: ({ contact }) => contact.id,
}
