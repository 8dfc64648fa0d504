import { columnsFor } from '../output/columns.ts'
import type { MergeResult } from '../api/schemas.ts'
import { fullName } from '../api/names.ts'
import type { View } from '../output/result.ts'

export const mergeView: View<MergeResult> = {
  columns: columnsFor(
    'mergedContactId as MERGED',
    'contact.id as CONTACT',
    'name',
    'contact.identities.phone as PHONE',
    'contact.identities.email as EMAIL',
    'contact.updatedAt as UPDATED',
  ),
  computed: { name: ({ contact }) => fullName(contact) },
  id: ({ contact }) => contact.id,
}
