/** The columns in which lists of contacts are shown, many or one. */
import { columnsFor } from '../output/columns.ts'
import type { ContactList } from '../api/schemas.ts'
import type { View } from '../output/result.ts'

/** Many lists, a row each. */
export const contactListView: View<ContactList> = {
  columns: columnsFor(
    'id',
    'name',
    'contactsCount as CONTACTS',
    'updatedAt as UPDATED',
    'description',
  ),
  id: ({ id }) => id,
}

/** One list as key and value. */
export const oneContactListView: View<ContactList> = {
  columns: columnsFor(
    'id',
    'name',
    'description',
    'contactsCount as CONTACTS',
    'createdAt as CREATED',
    'updatedAt as UPDATED',
  ),
  id: ({ id }) => id,
}
